"""How many replicas an object asks for, and which autoscalers decide that instead."""

from __future__ import annotations

from kdiff.kube.fields import values_at
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

AUTOSCALERS = {("autoscaling", "HorizontalPodAutoscaler"), ("keda.sh", "ScaledObject")}
REPLICAS = "/spec/replicas"


def replicas(value: dict[str, Value] | None) -> int | None:
    """spec.replicas, None where it is not set."""
    return next((n for _, n in values_at(value, "spec.replicas") if isinstance(n, int) and not isinstance(n, bool)), None)


def autoscalers(graph: ReferenceGraph, key: ObjectKey) -> list[str]:
    """Ids of what scales the object horizontally, sorted; a VerticalPodAutoscaler does not."""
    found = (r.source for r in graph.references_to(key) if r.kind == "scales")
    return sorted({source.id for source in found if (source.key.group, source.key.kind) in AUTOSCALERS})
