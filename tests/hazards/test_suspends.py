"""suspends: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.suspends import RULE

A = "Kustomization flux-system/a"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {suspend: %s}}"
CRON = "batch/v1/CronJob shop/web {spec: {suspend: %s}}"


def test_fires_for_a_target_with_how_much_it_holds(hazards_of):
    objects = "v1/ConfigMap shop/a\nv1/ConfigMap shop/b"
    (hazard,) = hazards_of({A + " {suspend: false}": objects}, {A + " {suspend: true}": objects}, rule=RULE)
    assert (hazard.severity, hazard.target) == ("caution", A)
    assert hazard.object == "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a"
    assert "2 objects" in hazard.message


def test_fires_for_any_flux_object(hazards_of):
    (hazard,) = hazards_of(RELEASE % "false", RELEASE % "true", rule=RULE)
    assert (hazard.object, hazard.target) == ("helm.toolkit.fluxcd.io/v2/HelmRelease shop/web", None)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(RELEASE % "true", RELEASE % "true" + "\nv1/ConfigMap shop/c", id="it was so before"),
        pytest.param(RELEASE % "true", RELEASE % "false", id="the other way round"),
        pytest.param("", RELEASE % "true", id="new"),
        pytest.param(CRON % "false", CRON % "true", id="not Flux"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
