"""removed-pdb: pods lose the PodDisruptionBudget that refused evictions."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.unguarded import left_unguarded


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "policy", "PodDisruptionBudget"):
        unguarded = left_unguarded(context, gone.change.scope, gone.object) if gone.deleted else None
        if unguarded is not None:
            whom = some(unguarded.workloads) or "the pods that it selects"
            yield Finding(
                message=f"{gone.told}; draining nodes may evict all pods of {whom} at once",
                why="Evictions are refused only where a PodDisruptionBudget selects the pod; no other one at head selects these.",
                scope=gone.change.scope,
                object=gone.object.id,
                objects=unguarded.workloads,
            )


RULE = Rule("removed-pdb", "caution", "A PodDisruptionBudget is removed", _check)
