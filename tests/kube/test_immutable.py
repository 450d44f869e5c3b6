"""Fields that the API server refuses to update."""

from __future__ import annotations

import pytest

from kdiff.kube.immutable import immutable_fields, recreates
from kdiff.model.change import Change, ChangeTargets, FieldChange, ObjectRef
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.target import Target


def change(kind: str, pointer: str, op="replace", class_="value", base_value=None, head_value=None, status="changed", after="b") -> Change:
    group, _, name = kind.rpartition("/")
    ref = ObjectRef(group, "v1", name, None, "x")
    field = FieldChange(pointer, pointer, pointer, op, "a", after, class_)
    return Change(
        "id", "id", status, "s", ref, ref, ChangeTargets(), fields=(field,), base_value=base_value or {}, head_value=head_value or {}
    )


RBAC = "rbac.authorization.k8s.io"
BALANCED = {"spec": {"type": "LoadBalancer"}}
CLASS = "/spec/loadBalancerClass"


@pytest.mark.parametrize(
    ("kind", "pointer", "more", "refused"),
    [
        ("apps/Deployment", "/spec/selector/matchLabels/app", {}, True),
        ("apps/Deployment", "/spec/template", {}, False),
        ("apps/Deployment", "/spec/selectorish", {}, False),
        ("apps/DaemonSet", "/spec/selector/matchExpressions", {"op": "add"}, True),
        ("apps/ReplicaSet", "/spec/selector", {"op": "remove"}, True),
        ("x.io/Deployment", "/spec/selector", {}, False),
        ("apps/StatefulSet", "/spec/serviceName", {}, True),
        ("apps/StatefulSet", "/spec/volumeClaimTemplates/0/spec/resources/requests/storage", {}, True),
        ("apps/StatefulSet", "/spec/volumeClaimTemplates/0/spec/resources/requests/storage", {"class_": "format"}, False),
        ("apps/StatefulSet", "/spec/podManagementPolicy", {}, True),
        ("apps/StatefulSet", "/spec/podManagementPolicy", {"op": "add", "after": "OrderedReady"}, False),
        ("apps/StatefulSet", "/spec/podManagementPolicy", {"op": "add", "after": "Parallel"}, True),
        ("apps/StatefulSet", "/spec/podManagementPolicy", {"after": "OrderedReady"}, True),
        ("apps/StatefulSet", "/spec/volumeClaimTemplates/0/kind", {"op": "add", "after": "PersistentVolumeClaim"}, False),
        ("apps/StatefulSet", "/spec/replicas", {}, False),
        ("apps/StatefulSet", "/spec/ordinals/start", {}, False),
        ("apps/StatefulSet", "/spec/updateStrategy/type", {}, False),
        ("apps/StatefulSet", "/spec/persistentVolumeClaimRetentionPolicy/whenDeleted", {}, False),
        ("apps/StatefulSet", "/metadata/labels/a", {}, False),
        ("batch/Job", "/spec/template/spec/containers/0/image", {}, True),
        ("batch/Job", "/spec/selector", {}, True),
        ("batch/Job", "/spec/suspend", {}, False),
        ("batch/Job", "/spec/backoffLimitPerIndex", {"op": "add"}, True),
        ("batch/Job", "/spec/backoffLimit", {}, False),
        ("batch/CronJob", "/spec/jobTemplate/spec/template", {}, False),
        ("PersistentVolumeClaim", "/spec/storageClassName", {}, True),
        ("PersistentVolumeClaim", "/spec/accessModes/0", {}, True),
        ("PersistentVolumeClaim", "/spec/resources/requests/storage", {}, False),
        ("PersistentVolumeClaim", "/spec/volumeAttributesClassName", {}, False),
        ("PersistentVolumeClaim", "/spec/volumeName", {}, True),
        ("PersistentVolumeClaim", "/spec/volumeName", {"op": "add"}, False),
        ("PersistentVolume", "/spec/nfs/server", {}, True),
        ("PersistentVolume", "/spec/csi/volumeHandle", {}, True),
        ("PersistentVolume", "/spec/csi/controllerExpandSecretRef", {"op": "add"}, False),
        ("PersistentVolume", "/spec/nodeAffinity", {"op": "add"}, False),
        ("PersistentVolume", "/spec/nodeAffinity", {"op": "remove"}, True),
        ("PersistentVolume", "/spec/persistentVolumeReclaimPolicy", {}, False),
        ("PersistentVolume", "/spec/capacity/storage", {}, False),
        (f"{RBAC}/RoleBinding", "/roleRef/name", {}, True),
        (f"{RBAC}/ClusterRoleBinding", "/roleRef/kind", {}, True),
        (f"{RBAC}/RoleBinding", "/subjects/0/name", {}, False),
        ("Service", "/spec/clusterIP", {}, True),
        ("Service", "/spec/clusterIP", {"op": "add"}, False),
        ("Service", "/spec/type", {}, False),
        ("Service", CLASS, {"op": "add", "base_value": BALANCED, "head_value": BALANCED}, True),
        ("Service", CLASS, {"op": "add", "base_value": {"spec": {}}, "head_value": BALANCED}, False),
        ("ConfigMap", "/data/a", {}, False),
        ("ConfigMap", "/data/a", {"base_value": {"immutable": True}}, True),
        ("ConfigMap", "/immutable", {"base_value": {"immutable": True}, "op": "remove"}, True),
        ("ConfigMap", "/metadata/labels/a", {"base_value": {"immutable": True}}, False),
        ("Secret", "/stringData/a", {"base_value": {"immutable": True}}, True),
        ("Secret", "/type", {}, True),
        ("storage.k8s.io/StorageClass", "/parameters/type", {}, True),
        ("storage.k8s.io/StorageClass", "/reclaimPolicy", {}, True),
        ("storage.k8s.io/StorageClass", "/allowVolumeExpansion", {}, False),
        ("storage.k8s.io/VolumeAttributesClass", "/parameters/iops", {}, True),
        ("apiextensions.k8s.io/CustomResourceDefinition", "/spec/scope", {}, True),
        ("apiextensions.k8s.io/CustomResourceDefinition", "/spec/versions/0/served", {}, False),
        ("apps/Deployment", "/spec/selector", {"status": "moved"}, False),
    ],
)
def test_immutable_fields(kind, pointer, more, refused):
    assert [f.pointer for f in immutable_fields(change(kind, pointer, **more))] == ([pointer] if refused else [])


FORCE = "kustomize.toolkit.fluxcd.io/force"
SYNC = "argocd.argoproj.io/sync-options"


@pytest.mark.parametrize(
    ("target_kind", "force", "metadata", "recreated"),
    [
        ("flux", False, {}, False),
        ("flux", True, {}, True),
        ("flux", False, {"annotations": {FORCE: "enabled"}}, True),
        ("flux", False, {"labels": {FORCE: "Enabled"}}, True),
        ("flux", False, {"annotations": {FORCE: "true"}}, False),
        ("flux", False, {"annotations": {FORCE.upper(): "enabled"}}, False),
        ("flux", False, {"annotations": {SYNC: "Replace=true,Force=true"}}, False),
        ("argo", False, {"annotations": {SYNC: "Replace=true, Force=true"}}, True),
        ("argo", False, {"annotations": {SYNC: "Replace=true"}}, False),
        ("argo", False, {"annotations": {SYNC: "Force=true"}}, True),
        ("argo", False, {"annotations": {SYNC: "force=true"}}, False),
        ("argo", False, {"annotations": {SYNC: "Force=true,ServerSideApply=true"}}, False),
        ("argo", False, {"annotations": {SYNC: "Force=true,Replace=true,ServerSideApply=true"}}, True),
        ("argo", False, {"annotations": None}, False),
        ("kustomization", False, {"annotations": {FORCE: "enabled"}}, True),
    ],
)
def test_recreates(target_kind, force, metadata, recreated):
    target = Target("t", "t", target_kind, ".", tree=None, force=force)
    assert recreates({"metadata": metadata}, target) is recreated


def test_an_object_with_generate_name_is_never_updated():
    seed = ObjectRef("batch", "v1", "Job", "shop", "seed-*")
    image = "/spec/template/spec/containers/0/image"
    edited = Change(
        "id", "id", "changed", "s", seed, seed, ChangeTargets(), fields=(FieldChange(image, image, image, "replace", "a", "b"),)
    )
    assert immutable_fields(edited) == ()


@pytest.mark.parametrize(
    ("of_application", "of_object", "recreated"),
    [
        ("ServerSideApply=true", "Force=true", False),
        ("ServerSideApply=true", "Force=true,ServerSideApply=false", True),
        ("Replace=true", "Force=true", True),
        ("Replace=true", "Prune=false", False),
    ],
)
def test_sync_options_of_the_application_hold_for_each_object(of_application, of_object, recreated):
    application = {"spec": {"syncPolicy": {"syncOptions": [of_application]}}}
    owner = KubeObject(ObjectKey("argoproj.io", "Application", "argocd", "web"), "v1alpha1", b"", lambda _: application, target="t")
    target = Target("t", "t", "argo", ".", tree=None, owner=owner)
    assert recreates({"metadata": {"annotations": {SYNC: of_object}}}, target) is recreated
