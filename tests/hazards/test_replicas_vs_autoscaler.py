"""replicas-vs-autoscaler: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.replicas_vs_autoscaler import RULE

A = "Kustomization flux-system/a"
WEB = "apps/v1/Deployment shop/web {spec: {replicas: %s}}\n"
FREE = "apps/v1/Deployment shop/web {spec: {paused: %s}}\n"
ONCE = "apps/v1/Deployment shop/web {metadata: {annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}}, spec: {replicas: %s}}\n"
TARGET = "{spec: {%s: {kind: Deployment, name: web, apiVersion: apps/v1}, maxReplicas: %s}}\n"
HPA = "autoscaling/v2/HorizontalPodAutoscaler shop/web " + TARGET % ("scaleTargetRef", "%s")
KEDA = "keda.sh/v1alpha1/ScaledObject shop/web " + TARGET % ("scaleTargetRef", 5)
VPA = "autoscaling.k8s.io/v1/VerticalPodAutoscaler shop/web " + TARGET % ("targetRef", 5)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB % 2 + HPA % 5, WEB % 3 + HPA % 5, id="changed"),
        pytest.param(FREE % "true" + HPA % 5, WEB % 3 + HPA % 5, id="set"),
        pytest.param(WEB % 3, WEB % 3 + HPA % 5, id="the autoscaler is new"),
        pytest.param(WEB % 3, WEB % 3 + KEDA, id="a ScaledObject is new"),
        pytest.param("", WEB % 3 + HPA % 5, id="both are new"),
    ],
)
def test_fires(hazards_of, base, head):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object, hazard.pointer) == ("caution", "apps/v1/Deployment shop/web", "/spec/replicas")
    assert "is set to 3 replicas" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB % 2 + HPA % 5, FREE % "true" + HPA % 5, id="left to the autoscaler"),
        pytest.param(WEB % 2 + HPA % 5, WEB % 2 + HPA % 9, id="it was so before"),
        pytest.param(WEB % 2, WEB % 3, id="no autoscaler"),
        pytest.param(WEB % 2 + VPA, WEB % 3 + VPA, id="a vertical one"),
        pytest.param(WEB % 2 + HPA % 5, WEB % 3, id="the autoscaler leaves"),
        pytest.param({A: ONCE % 2 + HPA % 5}, {A: ONCE % 3 + HPA % 5}, id="only applied when it is missing"),
        pytest.param(WEB % 2 + HPA % 5, WEB % 0 + HPA % 5, id="switched off"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
