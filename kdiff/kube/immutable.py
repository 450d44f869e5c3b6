"""Which changed fields the API server refuses to update, and whether whoever applies them recreates the object instead."""

from __future__ import annotations

from kdiff.kube.fields import annotation, is_under, label, qualified_kind, values_at
from kdiff.kube.reconciliation import ARGO_SYNC_OPTIONS
from kdiff.model.change import Change, FieldChange
from kdiff.model.target import Target
from kdiff.model.value import Value

# Validation of updates in the Kubernetes source, pkg/apis/*/validation: pointers that may not change, each with all below it.
_IMMUTABLE: dict[str, tuple[str, ...]] = {
    "apps/Deployment": ("/spec/selector",),
    "apps/DaemonSet": ("/spec/selector",),
    "apps/ReplicaSet": ("/spec/selector",),
    "apps/StatefulSet": ("/spec",),
    "batch/Job": (
        "/spec/selector",
        "/spec/template",
        "/spec/completionMode",
        "/spec/podFailurePolicy",
        "/spec/successPolicy",
        "/spec/backoffLimitPerIndex",
        "/spec/managedBy",
    ),
    "PersistentVolumeClaim": ("/spec",),
    "PersistentVolume": ("/spec",),
    "rbac.authorization.k8s.io/RoleBinding": ("/roleRef",),
    "rbac.authorization.k8s.io/ClusterRoleBinding": ("/roleRef",),
    "Secret": ("/type",),
    "storage.k8s.io/StorageClass": ("/parameters", "/provisioner", "/reclaimPolicy", "/volumeBindingMode"),
    "storage.k8s.io/VolumeAttributesClass": ("/parameters", "/driverName"),
    "apiextensions.k8s.io/CustomResourceDefinition": ("/spec/scope", "/spec/names/kind"),
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
    "PersistentVolume": (
        "/spec/capacity",
        "/spec/accessModes",
        "/spec/claimRef",
        "/spec/persistentVolumeReclaimPolicy",
        "/spec/storageClassName",
        "/spec/mountOptions",
        "/spec/volumeAttributesClassName",
    ),
}
# What may be set later on, once. A claim may be given the volume that it is, or will be, bound to.
_LATE: dict[str, tuple[str, ...]] = {
    "PersistentVolumeClaim": ("/spec/volumeName",),
    "PersistentVolume": ("/spec/nodeAffinity", "/spec/csi/controllerExpandSecretRef"),
}
# Where these are not set, the API server sets them: spelling them out changes nothing (Kubernetes source, pkg/apis/*/v1, defaults.go).
_DEFAULTS = {
    "podManagementPolicy": "OrderedReady",
    "completionMode": "NonIndexed",
    "volumeMode": "Filesystem",
    "reclaimPolicy": "Delete",
    "volumeBindingMode": "Immediate",
    "preemptionPolicy": "PreemptLowerPriority",
    "type": "Opaque",
    "apiGroup": "rbac.authorization.k8s.io",
    "apiVersion": "v1",  # these two: of a claim template
    "kind": "PersistentVolumeClaim",
}
_CONTENT = ("/data", "/binaryData", "/stringData", "/immutable")


def immutable_fields(change: Change) -> tuple[FieldChange, ...]:
    """The fields of a changed object that the API server refuses to update; none for any other status.

    An object with generateName is created anew each time (API conventions, Idempotency), so nothing of it is updated.
    """
    if change.status != "changed" or change.object.name.endswith("*"):
        return ()
    kind = qualified_kind(change.object.group, change.object.kind)
    fixed, free, late = _IMMUTABLE.get(kind, ()), _MUTABLE.get(kind, ()), _LATE.get(kind, ())
    if kind in ("ConfigMap", "Secret") and (change.base_value or {}).get("immutable") is True:
        fixed += _CONTENT
    return tuple(
        f
        for f in change.fields
        if f.class_ != "format"
        and not _is_default(f)
        and (
            (is_under(f.pointer, *fixed) and not is_under(f.pointer, *free) and not (f.op == "add" and f.pointer in late))
            or (kind == "Service" and _is_fixed_in_service(change, f))
        )
    )


def recreates(value: dict[str, Value], target: Target) -> bool:
    """True when an immutable change of the object `value` makes the controller of `target` delete and create it.

    Flux: `spec.force` of the Kustomization, or `kustomize.toolkit.fluxcd.io/force: enabled` on the object (value compared
    ignoring case: fluxcd/pkg, ssa). Argo CD: the sync option `Force=true` on the object, which is told to `kubectl replace` or
    `kubectl apply`; a server-side apply knows no force of this kind (gitops-engine, pkg/sync, applyObject; kubectl, Patcher.Patch).
    """
    if target.kind == "argo":
        own = {option.strip() for option in annotation(value, ARGO_SYNC_OPTIONS).split(",")}
        every = {option for _, option in values_at(target.owner.value, "spec.syncPolicy.syncOptions[]")} if target.owner else set()
        server_side = "ServerSideApply=true" in own | every and "ServerSideApply=false" not in own
        return "Force=true" in own and ("Replace=true" in own | every or not server_side)
    marks = [annotation(value, "kustomize.toolkit.fluxcd.io/force"), label(value, "kustomize.toolkit.fluxcd.io/force")]
    return target.force or any(mark.lower() == "enabled" for mark in marks)


def _is_default(field: FieldChange) -> bool:
    default = _DEFAULTS.get(field.pointer.rpartition("/")[2])
    return default is not None and {"add": field.after, "remove": field.before}.get(field.op) == default


def _is_fixed_in_service(change: Change, field: FieldChange) -> bool:
    """An address once given, and the class of what stays a load balancer (ValidateServiceUpdate)."""
    if field.pointer == "/spec/loadBalancerClass":
        return all([kind for _, kind in values_at(v, "spec.type")] == ["LoadBalancer"] for v in (change.base_value, change.head_value))
    return field.pointer == "/spec/clusterIP" and field.op == "replace"
