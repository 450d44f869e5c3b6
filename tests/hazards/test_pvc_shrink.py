"""pvc-shrink: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.pvc_shrink import RULE

A = "Kustomization flux-system/a"
CLAIM = "v1/PersistentVolumeClaim shop/data {spec: {resources: {requests: {storage: %s}}}}"
KEPT = CLAIM.replace("{spec", "{metadata: {annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}}, spec")


@pytest.mark.parametrize(("base", "head"), [("10Gi", "5Gi"), ("1Ti", "1000Gi"), ("1Gi", "1G"), ("2", "1")])
def test_fires(hazards_of, base, head):
    (hazard,) = hazards_of(CLAIM % base, CLAIM % head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", "v1/PersistentVolumeClaim shop/data")
    assert hazard.pointer == "/spec/resources/requests/storage"
    assert f"{head} instead of {base}: it is refused" in hazard.message


def test_fires_all_the_worse_where_recreation_is_declared(hazards_of):
    (hazard,) = hazards_of({A + " {force: true}": CLAIM % "2Gi"}, {A + " {force: true}": CLAIM % "1Gi"}, rule=RULE)
    assert "without its data" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(CLAIM % "5Gi", CLAIM % "10Gi", id="grows"),
        pytest.param(CLAIM % "1Gi", CLAIM % "1024Mi", id="the same size"),
        pytest.param("", CLAIM % "1Gi", id="new"),
        pytest.param(CLAIM % "1Gi", "", id="gone"),
        pytest.param(CLAIM % "1Gi", CLAIM % "'${SIZE}'", id="no size"),
        pytest.param({A: KEPT % "2Gi"}, {A: KEPT % "1Gi"}, id="only created, never updated"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
