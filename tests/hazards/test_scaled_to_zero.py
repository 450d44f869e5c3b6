"""scaled-to-zero: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.scaled_to_zero import RULE

WEB = "apps/v1/Deployment shop/web {spec: {replicas: %s}}"
HPA = "\nautoscaling/v2/HorizontalPodAutoscaler shop/web {spec: {scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}}}"
KEDA = "\nkeda.sh/v1alpha1/ScaledObject shop/web {spec: {scaleTargetRef: {name: web}}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (WEB % 3, WEB % 0, "all its pods stop"),
        ("apps/v1/Deployment shop/web {spec: {paused: false}}", WEB % 0, "all its pods stop"),
        (WEB % 3 + HPA, WEB % 0 + HPA, "stops scaling it"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object, hazard.pointer) == ("caution", "apps/v1/Deployment shop/web", "/spec/replicas")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB % 3, WEB % 1, id="not to zero"),
        pytest.param(WEB % 0, WEB % "0, paused: true", id="it was at zero"),
        pytest.param("", WEB % 0, id="new"),
        pytest.param(WEB % 3 + KEDA, WEB % 0 + KEDA, id="KEDA starts it again"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
