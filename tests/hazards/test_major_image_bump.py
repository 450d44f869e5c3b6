"""major-image-bump: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.major_image_bump import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: a, image: '%s'}]}}}}"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {values: {image: {repository: r/a, tag: %s}}}}"
DIGEST = "@sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (POD % "r/a:1.9", POD % "r/a:2.0", "goes from 1.9 to 2.0"),
        (POD % "postgres:16-alpine", POD % "postgres:17-alpine", "goes from 16-alpine to 17-alpine"),
        (POD % ("r/a:v1.9" + DIGEST), POD % ("r/a:v2.0" + DIGEST.replace("a", "b")), "goes from v1.9 to v2.0"),
        (POD % "r/a:2.0", POD % "r/a:1.9", "goes back from 2.0 to 1.9"),
        (POD % "docker.io/r/a:1.9", POD % "ghcr.io/s/a:2.0", "goes from 1.9 to 2.0"),
        (POD % "r/a:0.9", POD % "r/a:1.0", "goes from 0.9 to 1.0"),
        (RELEASE % "v1.2.3", RELEASE % "v2.0.0", "r/a of helm.toolkit.fluxcd.io/v2/HelmRelease shop/web goes from v1.2.3"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "caution"
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("r/a:1.9", "r/a:1.10", id="minor"),
        pytest.param("r/a:2024.12", "r/a:2025.1", id="years"),
        pytest.param("r/a:20240101", "r/a:20250101", id="dates"),
        pytest.param("r/a:sha-1", "r/a:sha-2", id="no version"),
        pytest.param("r/a:1.0", "r/b:2.0", id="another image"),
        pytest.param("r/a:1.0", "r/a:latest", id="another rule's"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(POD % base, POD % head, rule=RULE) == ()
