"""removed-networkpolicy: pods lose the last NetworkPolicy that refused traffic to or from them."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.network_peers import directions_of, isolates_as_well
from kdiff.hazards.phrases import some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.unguarded import left_unguarded


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "networking.k8s.io", "NetworkPolicy"):
        unguarded = left_unguarded(context, gone.change.scope, gone.object, isolates_as_well) if gone.deleted else None
        if unguarded is not None:
            directions = " and ".join(sorted(directions_of(gone.object.value)))
            whom = some(unguarded.workloads) or "the pods that it selects"
            yield Finding(
                message=f"{gone.told}; {directions} traffic of {whom} is allowed without limit",
                why="A pod is isolated in a direction only while a NetworkPolicy selects it; no other policy at head selects these.",
                scope=gone.change.scope,
                object=gone.object.id,
                objects=unguarded.workloads,
            )


RULE = Rule("removed-networkpolicy", "caution", "A NetworkPolicy is removed and pods are left open", _check)
