"""image-registry-changed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.image_registry_changed import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: a, image: '%s'}]}}}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        ("nginx:1", "ghcr.io/team/nginx:1", "from ghcr.io instead of docker.io"),
        ("ghcr.io/team/a:1", "localhost:5000/team/a:1", "from localhost:5000 instead of ghcr.io"),
        ("registry.example.com/a:1", "library/a:2", "from docker.io instead of registry.example.com"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(POD % base, POD % head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("caution", "apps/v1/Deployment shop/web")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("nginx:1", "docker.io/library/nginx:1", id="the default said"),
        pytest.param("ghcr.io/a/web:1", "ghcr.io/b/web:2", id="another repository there"),
        pytest.param("docker.io/a:1", "index.docker.io/a:1", id="another name of the same"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(POD % base, POD % head, rule=RULE) == ()


VALUES = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {values: {image: {%srepository: team/a, tag: '1'}}}}"


def test_fires_for_chart_values_that_name_another_host(hazards_of):
    (hazard,) = hazards_of(VALUES % "registry: quay.io, ", VALUES % "registry: ghcr.io, ", rule=RULE)
    assert "from ghcr.io instead of quay.io" in hazard.message


def test_is_quiet_where_a_chart_may_have_its_own_host(hazards_of):
    assert hazards_of(VALUES % "", VALUES % "registry: quay.io, ", rule=RULE) == ()


def test_is_quiet_for_new_images(hazards_of):
    assert hazards_of("", POD % "ghcr.io/team/a:1", rule=RULE) == ()
