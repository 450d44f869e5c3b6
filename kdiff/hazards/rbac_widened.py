"""rbac-widened: somebody may do more than before."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.bound_rights import RBAC_GROUP, holds, known_grants, role_of, was_there
from kdiff.hazards.earlier import earlier_value
from kdiff.hazards.grants import Grant, grants_of, wider
from kdiff.hazards.phrases import agree, some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import escape_token, mapping, mappings, text
from kdiff.model.change import Change
from kdiff.model.value import Value

_AGGREGATION = "rbac.authorization.k8s.io/aggregate-to-"
_EVERYTHING = Grant("*", "*", "", "*")
# Roles that every cluster has and that allow all, or all in a namespace (Kubernetes docs, RBAC: User-facing roles).
_POWERFUL = ("cluster-admin", "admin")


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if change.object.group != RBAC_GROUP or change.head_value is None:
            continue
        before = earlier_value(context, change)
        if change.object.kind in ("Role", "ClusterRole"):
            found = _role(change.head_value, before)
        else:
            found = _binding(context, change, change.head_value, before)
        for pointer, gain in found:
            yield Finding(
                message=f"{change.id} {gain}",
                why="Whoever holds these rights, or takes over a workload that does, may do that much more in the cluster.",
                scope=change.scope,
                object=change.id,
                pointer=pointer,
            )


def _role(after: dict[str, Value], before: dict[str, Value] | None) -> Iterator[tuple[str, str]]:
    """A new role widens nothing until it is bound, unless it allows everything."""
    grants = grants_of(after)
    if before is None:
        if _EVERYTHING in grants:
            yield "/rules", "is new and grants everything on everything"
        return
    gained = wider(grants, grants_of(before))
    if gained:
        yield "/rules", f"grants more: {some([str(grant) for grant in gained], 5)}"
    selectors = [list(mappings(mapping(value, "aggregationRule"), "clusterRoleSelectors")) for value in (before, after)]
    if any(selector not in selectors[0] for selector in selectors[1]):
        yield "/aggregationRule", "grants more: it takes in the rules of other ClusterRoles"
    labels = [mapping(mapping(value, "metadata"), "labels") for value in (before, after)]
    for name in sorted(labels[1]):
        if name.startswith(_AGGREGATION) and text(labels[1], name) == "true" and text(labels[0], name) != "true":
            yield f"/metadata/labels/{escape_token(name)}", f"adds its rules to the ClusterRole {name.removeprefix(_AGGREGATION)}"


def _binding(context: Context, change: Change, after: dict[str, Value], before: dict[str, Value] | None) -> Iterator[tuple[str, str]]:
    role = role_of(after)
    if before is None:
        yield from _new_binding(context, change, after)
        return
    known = _subjects(before, change)
    gained = [subject for subject in _subjects(after, change) if subject not in known]
    if gained:
        yield "/subjects", f"gives {' '.join(role)} to {some(gained)} as well"
    if role != role_of(before) and not _is_narrower(context, change, role, role_of(before)):
        yield "/roleRef", f"gives {' '.join(role)} instead of {role_of(before)[1]}"


def _new_binding(context: Context, change: Change, after: dict[str, Value]) -> Iterator[tuple[str, str]]:
    """A binding that comes with its own subjects widens nobody's rights, unless its role was there and allows everything."""
    base, namespace = context.base_graphs[change.scope], change.object.namespace or ""
    role, subjects = role_of(after), _subjects(after, change)
    if (role[0] == "ClusterRole" and role[1] in _POWERFUL) or _EVERYTHING in (known_grants(base, role, namespace) or ()):
        if subjects:
            yield "/roleRef", f"is new and gives {' '.join(role)} to {some(list(subjects))}"
        return
    grants = known_grants(context.head_graphs[change.scope], role, namespace)
    news = [told for told, subject in subjects.items() if was_there(base, subject) and not holds(base, subject, after, grants)]
    if news:
        yield "/subjects", f"is new and gives {' '.join(role)} to {some(news)}, {agree(news, 'which was', 'which were')} there before"


def _subjects(value: dict[str, Value], change: Change) -> dict[str, dict[str, Value]]:
    """Subjects by what they are called. Those of an object that moved to another namespace with its ServiceAccounts are the same ones."""
    here = text(mapping(value, "metadata"), "namespace")
    found: dict[str, dict[str, Value]] = {}
    for subject in mappings(value, "subjects"):
        namespace = text(subject, "namespace")
        shown = f"{namespace}/" if namespace and not (change.status == "added" and namespace == here) else ""
        found[f"{text(subject, 'kind')} {shown}{text(subject, 'name')}"] = subject
    return found


def _is_narrower(context: Context, change: Change, after: tuple[str, str], before: tuple[str, str]) -> bool:
    """True when both roles are known and the new one grants nothing that the old one does not."""
    namespace = change.object.namespace or ""
    old = known_grants(context.base_graphs[change.scope], before, namespace)
    new = known_grants(context.head_graphs[change.scope], after, namespace)
    return old is not None and new is not None and not wider(new, old)


RULE = Rule("rbac-widened", "caution", "Somebody may do more in the cluster", _check)
