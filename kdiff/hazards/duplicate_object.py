"""duplicate-object: two targets of one cluster render the same object, each undoing what the other applies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.clusters import cluster_of
from kdiff.hazards.earlier import earlier_objects
from kdiff.hazards.phrases import some
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.model.object import KubeObject, ObjectKey


def _check(context: Context) -> Iterator[Finding]:
    owners = _earlier_owners(context)
    for scope, head in context.head_objects.items():
        base = context.base_objects.get(scope, {})
        for key, renderings in head.items():
            if len(renderings) < 2 or key.name.endswith("*"):
                continue
            if None not in (makers := {o.generator for o in renderings}) and len(makers) == 1:
                continue  # it is the ApplicationSet that several targets render
            known = {o.target for o in base.get(key, ())} | owners.get((scope, key), set())
            for same in _by_cluster(context, scope, renderings):
                targets = sorted({o.target for o in same})
                hidden = any((scope, target) in context.head.withheld for target in targets)
                if len(targets) < 2 or set(targets) <= known or hidden:
                    continue
                differ = any(o.raw != same[0].raw and o.value != same[0].value for o in same)
                yield Finding(
                    message=f"{some(targets)} {'both' if len(targets) == 2 else 'all'} render {same[0].id}"
                    + (
                        ", with different content: each undoes what the other applies"
                        if differ
                        else ": when one stops, it may delete the object"
                    ),
                    why="An object has one owner at a time: the last to apply it. An owner that no longer renders it may prune it.",
                    scope=scope,
                    object=same[0].id,
                    target=targets[0],
                )


def _earlier_owners(context: Context) -> dict[tuple[str, ObjectKey], set[str]]:
    """The targets that rendered at base, by another name, what head has: a generated name follows its content, a new one its object."""
    found: dict[tuple[str, ObjectKey], set[str]] = defaultdict(set)
    for change in context.changes:
        found[change.scope, key_of(change.object)] |= {o.target for o in earlier_objects(context, change)}
    return found


def _by_cluster(context: Context, scope: str, renderings: tuple[KubeObject, ...]) -> Iterator[list[KubeObject]]:
    clusters: dict[str, list[KubeObject]] = defaultdict(list)
    for obj in renderings:
        target = context.head_targets.get((scope, obj.target))
        clusters[cluster_of(target) if target else ""].append(obj)
    yield from clusters.values()


RULE = Rule("duplicate-object", "caution", "Two targets render the same object", _check)
