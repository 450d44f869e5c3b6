"""removed-networkpolicy: pods lose the last NetworkPolicy that refused traffic to or from them."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.unguarded import left_unguarded
from kdiff.kube.fields import values_at
from kdiff.model.object import KubeObject


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "networking.k8s.io", "NetworkPolicy"):
        unguarded = left_unguarded(context, gone, lambda removed, other: _types(removed) <= _types(other)) if gone.deleted else None
        if unguarded is not None:
            directions = " and ".join(sorted(_types(gone.object))).lower()
            whom = some(unguarded.workloads) or "the pods that it selects"
            yield Finding(
                message=f"{gone.told}; {directions} traffic of {whom} is allowed without limit",
                why="A pod is isolated in a direction only while a NetworkPolicy selects it; no other policy at head selects these.",
                scope=gone.change.scope,
                object=gone.object.id,
                objects=unguarded.workloads,
            )


def _types(policy: KubeObject) -> set[str]:
    """Directions it isolates: as stated, else Ingress, and Egress where it has egress rules (API reference, NetworkPolicySpec)."""
    stated = {str(value) for _, value in values_at(policy.value, "spec.policyTypes[]")}
    return stated or {"Ingress", *("Egress" for _, rules in values_at(policy.value, "spec.egress") if rules)}


RULE = Rule("removed-networkpolicy", "caution", "A NetworkPolicy is removed and pods are left open", _check)
