"""webhook-fails-closed: requests are refused when a webhook does not answer, where they were let through before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kdiff.hazards.earlier import earlier_object
from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.selection import is_wider
from kdiff.model.change import Change
from kdiff.model.value import Value

_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_Catch = tuple[str, str, str, str, str]  # group, version, resource, operation, scope


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if change.object.kind not in _KINDS or change.object.group != "admissionregistration.k8s.io" or change.head_value is None:
            continue
        earlier = earlier_object(context, change)
        known = {text(hook, "name"): hook for hook in mappings(earlier.value, "webhooks")} if earlier else {}
        version = earlier.version if earlier else ""
        for index, hook in enumerate(mappings(change.head_value, "webhooks")):
            if not _fails(hook, change.object.version):
                continue
            before = known.get(text(hook, "name"))
            reason = _new(hook) if before is None else _widened(before, hook, closed=_fails(before, version))
            if reason:
                yield _finding(change, index, text(hook, "name"), reason)


def _finding(change: Change, index: int, name: str, reason: str) -> Finding:
    return Finding(
        message=f"the webhook {name} of {change.id} {reason}",
        why="With failurePolicy Fail a webhook that is down, slow or not there yet blocks every request it would be asked about.",
        scope=change.scope,
        object=change.id,
        pointer=f"/webhooks/{index}",
    )


def _fails(hook: Value, version: str) -> bool:
    """The default is Fail in v1 and was Ignore in v1beta1 (Kubernetes docs, Deprecated API Migration Guide: v1.22)."""
    return (text(hook, "failurePolicy") or ("Ignore" if version == "v1beta1" else "Fail")) == "Fail"


def _new(hook: Value) -> str:
    """A webhook that comes with its own kinds stops nobody else; one for pods, or for everything, can stop the cluster."""
    broad = sorted({resource for group, _, resource, _, _ in _catches(hook) if group in ("", "*") and resource in ("pods", "*", "*/*")})
    if not broad or mapping(hook, "namespaceSelector") or mapping(hook, "objectSelector"):
        return ""
    return f"is new and refuses {some(['all requests' if resource != 'pods' else 'pods' for resource in broad])} while it does not answer"


def _widened(before: Value, after: Value, *, closed: bool) -> str:
    if not closed:
        return "now refuses what it is asked about while it does not answer"
    old = _catches(before)
    gained = sorted(catch for catch in _catches(after) if not any(_covers(known, catch) for known in old))
    if gained:
        return f"fails closed and is now asked about {some([f'{operation} {resource}' for _, _, resource, operation, _ in gained])} as well"
    loosened = [field for field in ("namespaceSelector", "objectSelector") if is_wider(mapping(after, field), mapping(before, field))]
    conditions = list(mappings(after, "matchConditions"))
    if any(condition not in conditions for condition in mappings(before, "matchConditions")):
        loosened.append("matchConditions")
    return f"fails closed and is asked about more objects, by a wider {some(loosened)}" if loosened else ""


def _catches(hook: Value) -> set[_Catch]:
    return {
        (group, version, resource, operation, text(rule, "scope") or "*")
        for rule in mappings(hook, "rules")
        for group, version, resource, operation in product(
            *(list(strings(rule, field)) for field in ("apiGroups", "apiVersions", "resources", "operations"))
        )
    }


def _covers(known: _Catch, catch: _Catch) -> bool:
    """Whether all that `catch` asks about was asked about before (Kubernetes docs, Dynamic Admission Control: Matching requests, rules)."""
    allowed, wanted = known[2], catch[2]
    resource = (
        allowed in (wanted, "*/*")
        or (allowed == "*" and "/" not in wanted)
        or (allowed.endswith("/*") and wanted.startswith(allowed[:-1]))
        or (allowed.startswith("*/") and wanted.endswith(allowed[1:]))
    )
    return resource and all(known[i] in ("*", catch[i]) for i in (0, 1, 3, 4))


RULE = Rule("webhook-fails-closed", "caution", "A webhook refuses requests while it is down", _check)
