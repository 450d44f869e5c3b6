"""image-unpinned: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.image_unpinned import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: a, image: '%s'}]}}}}"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {values: {image: {repository: r/a, tag: %s}}}}"
DIGEST = "@sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (POD % "r/a:1.2", POD % "r/a:latest", "no tag or latest"),
        (POD % "r/a:1.2", POD % "r/a", "no tag or latest"),
        (POD % ("r/a:1.2" + DIGEST), POD % "r/a:1.3", "a tag without digest"),
        ("", POD % "r/a:latest", "no tag or latest"),
        (RELEASE % "'1.2'", RELEASE % "latest", "no tag or latest"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "caution"
    assert says in hazard.message


def test_fires_once_for_the_same_image_in_several_objects(hazards_of):
    both = f"{POD}\n{POD.replace('shop/web', 'shop/api')}"
    (hazard,) = hazards_of(both % ("r/a:1", "r/a:1"), both % ("r/a", "r/a"), rule=RULE)
    assert hazard.objects == ("apps/v1/Deployment shop/api", "apps/v1/Deployment shop/web")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % "r/a:1.2", POD % "r/a:1.3", id="another tag"),
        pytest.param(POD % "r/a:1.2", POD % ("r/a" + DIGEST), id="a digest instead"),
        pytest.param(POD % "r/a:latest", POD % "r/b:latest", id="it was so before"),
        pytest.param("", POD % "r/a:1.2", id="new, with a tag"),
        pytest.param(POD % "r/a:latest", (POD % "r/a:latest").replace("shop/", "till/"), id="it only moves"),
        pytest.param(POD % "r/a:1.2", POD % "${IMAGE}", id="not known"),
        pytest.param(RELEASE % "'1.2'", RELEASE % "''", id="left to the chart"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
