"""removed-pv: a PersistentVolume leaves."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.reclaim import reclaim_policy
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "", "PersistentVolume"):
        if not gone.deleted:
            continue
        kept = reclaim_policy(gone.object, context.base_graphs[gone.change.scope]) == "Retain"
        storage = "the storage behind it stays (reclaim policy Retain)" if kept else "the storage behind it is deleted with it"
        yield Finding(
            message=f"{gone.told} as soon as no claim is bound to it; {storage}",
            why="Kubernetes holds a bound volume back until its claim is gone, then deletes it; a claim that names it waits for ever.",
            scope=gone.change.scope,
            object=gone.object.id,
            severity="caution" if kept else None,
        )


RULE = Rule("removed-pv", "blocking", "A PersistentVolume is removed", _check)
