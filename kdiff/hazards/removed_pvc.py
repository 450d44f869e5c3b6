"""removed-pvc: a PersistentVolumeClaim leaves, and its volume may be reclaimed."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.reclaim import reclaim_policy
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule

_DATA = {
    "Delete": "its volume and the data on it are deleted too (reclaim policy Delete)",
    "Retain": "its volume stays (reclaim policy Retain), but no new claim gets it by itself",
    None: "the data goes too unless its volume has the reclaim policy Retain",
}


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "", "PersistentVolumeClaim"):
        if not gone.deleted:
            continue
        policy = reclaim_policy(gone.object, context.base_graphs[gone.change.scope])
        yield Finding(
            message=f"{gone.told}; {_DATA.get(policy, _DATA[None])}",
            why="A volume is reclaimed when its claim is deleted; Delete, the default of a StorageClass, removes the storage.",
            scope=gone.change.scope,
            object=gone.object.id,
            severity="caution" if policy == "Retain" else None,
        )


RULE = Rule("removed-pvc", "blocking", "A PersistentVolumeClaim is removed", _check)
