"""duplicate-object: two targets of one cluster render the same object, each undoing what the other applies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.clusters import cluster_of
from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.model.object import KubeObject


def _check(context: Context) -> Iterator[Finding]:
    for scope, head in context.head_objects.items():
        base = context.base_objects.get(scope, {})
        for key, renderings in head.items():
            if len(renderings) < 2 or key.name.endswith("*"):
                continue
            known = {o.target for o in base.get(key, ())}
            for same in _by_cluster(context, scope, renderings):
                targets = sorted({o.target for o in same})
                hidden = any((scope, target) in context.head.withheld for target in targets)
                if len(targets) < 2 or set(targets) <= known or hidden:
                    continue
                differ = len({o.raw for o in same}) > 1
                yield Finding(
                    message=f"{some(targets)} {'both' if len(targets) == 2 else 'all'} render {same[0].id}"
                    + (
                        ", with different content: each undoes what the other applies"
                        if differ
                        else ": when one stops, it deletes the object"
                    ),
                    why="An object has one owner at a time: the last to apply it. An owner that no longer renders it may prune it.",
                    scope=scope,
                    object=same[0].id,
                    target=targets[0],
                )


def _by_cluster(context: Context, scope: str, renderings: tuple[KubeObject, ...]) -> Iterator[list[KubeObject]]:
    clusters: dict[str, list[KubeObject]] = defaultdict(list)
    for obj in renderings:
        target = context.head_targets.get((scope, obj.target))
        clusters[cluster_of(target) if target else ""].append(obj)
    yield from clusters.values()


RULE = Rule("duplicate-object", "caution", "Two targets render the same object", _check)
