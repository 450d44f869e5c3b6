"""What becomes of the storage behind a claim or a volume that is deleted, as far as the tree tells."""

from __future__ import annotations

from kdiff.kube.fields import values_at
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.value import Value


def reclaim_policy(obj: KubeObject, graph: ReferenceGraph) -> str | None:
    """`Delete`, `Retain` or None where the tree does not say, for a PersistentVolume or a PersistentVolumeClaim.

    A volume's own policy, else that of the volume which the claim names, else that of its StorageClass, whose default is Delete
    (Kubernetes docs: Persistent Volumes, Reclaiming; StorageClass, Reclaim policy). A volume made by hand defaults to Retain.
    """
    if obj.key.kind == "PersistentVolume":
        return _text(obj.value, "spec.persistentVolumeReclaimPolicy") or "Retain"
    for volume in graph.objects.get(ObjectKey("", "PersistentVolume", "", _text(obj.value, "spec.volumeName")), ()):
        return reclaim_policy(volume, graph)
    for of_class in graph.objects.get(ObjectKey("storage.k8s.io", "StorageClass", "", _text(obj.value, "spec.storageClassName")), ()):
        return _text(of_class.value, "reclaimPolicy") or "Delete"
    return None


def _text(value: dict[str, Value], path: str) -> str:
    return next((item for _, item in values_at(value, path) if isinstance(item, str)), "")
