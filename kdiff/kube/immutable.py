"""Which changed fields the API server refuses to update, and whether whoever applies them recreates the object instead."""

from __future__ import annotations

from kdiff.kube.fields import annotation, is_under, label, qualified_kind
from kdiff.model.change import Change, FieldChange
from kdiff.model.target import Target
from kdiff.model.value import Value

# Validation of updates in the Kubernetes source, pkg/apis/*/validation: pointers that may not change, each with all below it.
_IMMUTABLE: dict[str, tuple[str, ...]] = {
    "apps/Deployment": ("/spec/selector",),
    "apps/DaemonSet": ("/spec/selector",),
    "apps/ReplicaSet": ("/spec/selector",),
    "apps/StatefulSet": ("/spec",),
    "batch/Job": ("/spec/selector", "/spec/template", "/spec/completionMode"),
    "PersistentVolumeClaim": ("/spec",),
    "rbac.authorization.k8s.io/RoleBinding": ("/roleRef",),
    "rbac.authorization.k8s.io/ClusterRoleBinding": ("/roleRef",),
    "Secret": ("/type",),
    "storage.k8s.io/StorageClass": ("/parameters", "/provisioner", "/reclaimPolicy", "/volumeBindingMode"),
    "scheduling.k8s.io/PriorityClass": ("/value", "/preemptionPolicy"),
    "node.k8s.io/RuntimeClass": ("/handler",),
    "networking.k8s.io/IngressClass": ("/spec/controller",),
}
# What may change all the same. A claim's request may only grow, which its size decides, not its pointer.
_MUTABLE: dict[str, tuple[str, ...]] = {
    "apps/StatefulSet": (
        "/spec/replicas",
        "/spec/ordinals",
        "/spec/template",
        "/spec/updateStrategy",
        "/spec/persistentVolumeClaimRetentionPolicy",
        "/spec/minReadySeconds",
        "/spec/revisionHistoryLimit",
    ),
    "PersistentVolumeClaim": ("/spec/resources", "/spec/volumeAttributesClassName"),
}
_CONTENT = ("/data", "/binaryData", "/stringData", "/immutable")


def immutable_fields(change: Change) -> tuple[FieldChange, ...]:
    """The fields of a changed object that the API server refuses to update; none for any other status.

    An object with generateName is created anew each time (API conventions, Idempotency), so nothing of it is updated.
    """
    if change.status != "changed" or change.object.name.endswith("*"):
        return ()
    kind = qualified_kind(change.object.group, change.object.kind)
    fixed, free = _IMMUTABLE.get(kind, ()), _MUTABLE.get(kind, ())
    if kind in ("ConfigMap", "Secret") and (change.base_value or {}).get("immutable") is True:
        fixed += _CONTENT
    return tuple(
        f
        for f in change.fields
        if f.class_ != "format"
        and (
            (is_under(f.pointer, *fixed) and not is_under(f.pointer, *free) and not _is_late_binding(kind, f))
            or (kind == "Service" and f.pointer == "/spec/clusterIP" and f.op == "replace")
        )
    )


def recreates(value: dict[str, Value], target: Target) -> bool:
    """True when an immutable change of the object `value` makes the controller of `target` delete and create it.

    Flux: `spec.force` of the Kustomization, or `kustomize.toolkit.fluxcd.io/force: enabled` on the object (value compared
    ignoring case: fluxcd/pkg, ssa). Argo CD: sync options `Replace=true` and `Force=true` (docs, Sync Options).
    """
    if target.kind == "argo":
        options = annotation(value, "argocd.argoproj.io/sync-options").lower().split(",")
        return {"replace=true", "force=true"} <= {option.strip() for option in options}
    marks = [annotation(value, "kustomize.toolkit.fluxcd.io/force"), label(value, "kustomize.toolkit.fluxcd.io/force")]
    return target.force or any(mark.lower() == "enabled" for mark in marks)


def _is_late_binding(kind: str, field: FieldChange) -> bool:
    """A claim may be given the volume that it is, or will be, bound to (Kubernetes docs: Persistent Volumes, Reserving)."""
    return kind == "PersistentVolumeClaim" and field.pointer == "/spec/volumeName" and field.op == "add"
