"""removed-pvc: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_pvc import RULE

A = "Kustomization flux-system/a"
PVC = "v1/PersistentVolumeClaim shop/data"
MARK = PVC + " {metadata: {%s: {%s: %s}}}"
PRUNE = "kustomize.toolkit.fluxcd.io/prune"


@pytest.mark.parametrize(
    ("claim", "extra", "severity", "says"),
    [
        (PVC, "", "blocking", "unless its volume has the reclaim policy Retain"),
        (MARK % ("annotations", PRUNE, "'false'"), "", "blocking", "unless"),
        (MARK % ("annotations", "kustomize.toolkit.fluxcd.io/Prune", "disabled"), "", "blocking", "unless"),
        (
            PVC + " {spec: {storageClassName: fast}}",
            "storage.k8s.io/v1/StorageClass fast {reclaimPolicy: Retain}",
            "caution",
            "its volume stays",
        ),
        (PVC + " {spec: {storageClassName: fast}}", "storage.k8s.io/v1/StorageClass fast {}", "blocking", "reclaim policy Delete"),
        (
            PVC + " {spec: {volumeName: disk}}",
            "v1/PersistentVolume disk {spec: {persistentVolumeReclaimPolicy: Retain}}",
            "caution",
            "its volume stays",
        ),
    ],
)
def test_fires(hazards_of, claim, extra, severity, says):
    (hazard,) = hazards_of({A: f"{claim}\n{extra}"}, {A: extra}, rule=RULE)
    assert (hazard.severity, hazard.object) == (severity, "v1/PersistentVolumeClaim shop/data")
    assert says in hazard.message


@pytest.mark.parametrize(
    "claim",
    [
        MARK % ("annotations", PRUNE, "disabled"),
        MARK % ("annotations", PRUNE, "Disabled"),
        MARK % ("labels", PRUNE, "disabled"),
        MARK % ("annotations", "kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
        MARK % ("annotations", "kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
    ],
)
def test_is_quiet_for_protected_claims(hazards_of, claim):
    assert hazards_of({A: claim}, {A: ""}, rule=RULE) == ()


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: PVC}, {A: PVC + " {spec: {volumeName: x}}"}, id="only edited"),
        pytest.param({A + " {suspend: true}": PVC}, {A + " {suspend: true}": ""}, id="suspended"),
        pytest.param({A: PVC, "Kustomization flux-system/b": PVC}, {A: "", "Kustomization flux-system/b": PVC}, id="still declared"),
        pytest.param(
            {"Application argocd/a {syncPolicy: {}}": PVC}, {"Application argocd/a {syncPolicy: {}}": ""}, id="no automated prune"
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_says_what_makes_it_anew(hazards_of):
    made = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}}"
    resource_set = f"fluxcd.controlplane.io/v1/ResourceSet shop/set {{spec: {{resources: [{made}]}}}}"
    (hazard,) = hazards_of({A: PVC}, {A: resource_set}, rule=RULE)
    assert f"({A} prunes, though fluxcd.controlplane.io/v1/ResourceSet shop/set makes it anew)" in hazard.message
