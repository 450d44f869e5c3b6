"""source-bootstrap-cycle: a target switches to a source that only it, or a target below it, would create."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.flux import SOURCE_GROUP
from kdiff.model.target import Target


def _check(context: Context) -> Iterator[Finding]:
    for scope in context.head.scopes:
        before = {s.target.id: s.target for s in context.base.in_scope(scope)}
        after = {s.target.id: s.target for s in context.head.in_scope(scope)}
        switched = [t for t in after.values() if t.id in before and t.source is not None and t.source != before[t.id].source]
        if not switched:
            continue
        creators = _creators(context, scope)
        waiting = _never_built(after, creators, set(before), _existing(context, scope))
        for target in sorted(switched, key=lambda t: t.id):
            if target.id in waiting:
                where = "only it creates" if creators[target.source or ""] == {target.id} else "is only created by what waits for it"
                yield Finding(
                    message=f"{target.id} switches to {target.source}, which {where}: neither ever appears",
                    why="The source is not in the cluster yet, and no target that could create it can be built without it.",
                    scope=scope,
                    object=target.owner.id if target.owner else None,
                    target=target.id,
                    pointer="/spec/sourceRef",
                )


def _creators(context: Context, scope: str) -> dict[str, set[str]]:
    """`Kind namespace/name` of every source at head to the targets that render it."""
    creators: dict[str, set[str]] = {}
    for key, renderings in context.head_objects.get(scope, {}).items():
        if key.group == SOURCE_GROUP:
            creators.setdefault(f"{key.kind} {key.namespace}/{key.name}", set()).update(o.target for o in renderings)
    return creators


def _existing(context: Context, scope: str) -> set[str]:
    """Sources that the cluster has already, since base declares them."""
    return {f"{key.kind} {key.namespace}/{key.name}" for key in context.base_objects.get(scope, {}) if key.group == SOURCE_GROUP}


def _never_built(after: dict[str, Target], creators: dict[str, set[str]], known: set[str], existing: set[str]) -> set[str]:
    """Targets that no order of applying ever gets to: each waits for a source that only such targets create.

    A source that nothing at head declares comes from elsewhere. A root is applied by its own last state, so it creates what it
    switches to together with the switch. An old target needs only its source, a new one also its parent.
    """
    built: set[str] = set()
    grew = True
    while grew:
        grew = False
        for target in after.values():
            if target.id in built:
                continue
            is_root = target.parent is None or target.parent not in after
            has_source = target.source is None or target.source in existing or target.source not in creators
            has_source = has_source or bool(creators[target.source or ""] & built)
            if is_root or (has_source and (target.id in known or target.parent in built)):
                built.add(target.id)
                grew = True
    return set(after) - built


RULE = Rule("source-bootstrap-cycle", "blocking", "A target needs a source that only it creates", _check)
