"""Finds the workloads whose running pods a change replaces, the way each controller decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kdiff.impact.dependents import object_key
from kdiff.kube.fields import is_under, qualified_kind, values_at
from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.pod_template import TEMPLATE_PATHS
from kdiff.kube.quantity import parse_quantity
from kdiff.model.change import Change, FieldChange
from kdiff.model.codec import Absent
from kdiff.model.impact import Rollout
from kdiff.model.value import Value

# Kinds whose controller replaces running pods when the template differs, and their replicas where nothing says how many
# (None: the cluster decides). ReplicaSets, Jobs and CronJobs only make new pods from a new template; a Pod's is immutable.
# Kubernetes docs: Deployments, StatefulSets, DaemonSets, ReplicaSet, Jobs; Argo Rollouts, Knative Serving, OpenShift docs.
_ROLLING: dict[str, int | None] = {
    "apps/Deployment": 1,
    "extensions/Deployment": 1,
    "apps/StatefulSet": 1,
    "apps/DaemonSet": None,
    "extensions/DaemonSet": None,
    "argoproj.io/Rollout": 1,
    "apps.openshift.io/DeploymentConfig": 1,
    "apps.kruise.io/CloneSet": 1,
    "apps.kruise.io/StatefulSet": 1,
    "apps.kruise.io/DaemonSet": None,
    "serving.knative.dev/Service": None,
    "leaderworkerset.x-k8s.io/LeaderWorkerSet": None,
}
_AUTOSCALERS = {"HorizontalPodAutoscaler": ("spec.minReplicas", 1), "ScaledObject": ("spec.minReplicaCount", 0)}


def find_rollouts(changes: Iterable[Change], held: frozenset[tuple[str, str]], head: Mapping[str, ReferenceGraph]) -> tuple[Rollout, ...]:
    """One Rollout for each workload whose pods are replaced, in the order of `changes`; `held` are (scope, id) not applied now."""
    found = (_rollout(change, head) for change in changes if (change.scope, change.id) not in held)
    return tuple(rollout for rollout in found if rollout is not None)


def template_fields(change: Change) -> tuple[FieldChange, ...]:
    """The fields that make a pod template of a changed object differ; a respelt quantity does not (apiequality.Semantic)."""
    if change.status != "changed":
        return ()
    paths = TEMPLATE_PATHS.get(qualified_kind(change.object.group, change.object.kind), ())
    value = change.head_value or {}
    roots = {p for path in paths for p, _ in (*values_at(value, path), *values_at(change.base_value or {}, path))}
    return tuple(
        f
        for f in change.fields
        if not _is_respelling(f)
        and (is_under(f.pointer, *roots) or is_under(f.base_pointer, *roots) or any(is_under(root, f.pointer) for root in roots))
    )


def _is_respelling(field: FieldChange) -> bool:
    """True for another spelling of the same quantity. Text that merely parses alike is other text to a container."""
    if field.class_ != "format" or isinstance(field.before, Absent) or isinstance(field.after, Absent):
        return False
    before, after = parse_quantity(field.before), parse_quantity(field.after)
    return before is not None and before == after


def _rollout(change: Change, head: Mapping[str, ReferenceGraph]) -> Rollout | None:
    kind = qualified_kind(change.object.group, change.object.kind)
    fields = template_fields(change) if kind in _ROLLING else ()
    if not fields or change.head_value is None:
        return None
    value = change.head_value
    if _first(value, "spec.paused") is True or _first(change.base_value or {}, "spec.replicas") == 0:
        return None
    strategy = _first(value, "spec.updateStrategy.type")
    if strategy == "OnDelete":  # Kubernetes docs: StatefulSet and DaemonSet update strategies
        return None
    replicas = _replicas(change, head[change.scope], _ROLLING[kind])
    partition = _first(value, "spec.updateStrategy.rollingUpdate.partition")
    if kind.endswith("/StatefulSet") and isinstance(partition, int) and replicas is not None:
        replicas = max(0, replicas - partition)  # pods below the partition keep the old revision (stateful_set_control.go)
    if replicas == 0:
        return None
    follows = {f.follows for f in fields if f.follows is not None}
    return Rollout(change.id, replicas, (*sorted({f.pointer for f in fields}), *sorted(follows)), change.scope)


def _replicas(change: Change, graph: ReferenceGraph, default: int | None) -> int | None:
    """`spec.replicas` at head, else the autoscaler's minimum, else the kind's default; None when only the cluster knows."""
    if default is None:
        return None
    stated = _first(change.head_value or {}, "spec.replicas")
    if isinstance(stated, int) and not isinstance(stated, bool):
        return stated
    for reference in graph.references_to(object_key(change.object)):
        if reference.kind == "scales" and reference.source.key.kind in _AUTOSCALERS:
            path, usual = _AUTOSCALERS[reference.source.key.kind]
            least = _first(reference.source.value, path)
            least = least if isinstance(least, int) and not isinstance(least, bool) else usual
            return least or None
    return default


def _first(value: dict[str, Value], path: str) -> Value:
    return next((found for _, found in values_at(value, path)), None)
