"""dangling-dependency: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.dangling_dependency import RULE

A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
ON = " {dependsOn: [{name: %s}]}"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/%s"
SET = "fluxcd.controlplane.io/v1/ResourceSet shop/%s {spec: {%s}}"
DB = "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: db, namespace: %s}}"
WAITING = RELEASE % "web" + " {spec: {dependsOn: [{name: db}]}}"


@pytest.mark.parametrize(
    ("base", "head", "owner", "target"),
    [
        pytest.param(
            {A + ON % "b": "", B: ""},
            {A + ON % "b": ""},
            "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a",
            "flux-system/b",
            id="the dependency leaves",
        ),
        pytest.param(
            {A: "", B: ""},
            {A + ON % "bb": "", B: ""},
            "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a",
            "flux-system/bb",
            id="a name that nothing knows",
        ),
        pytest.param(
            f"{RELEASE % 'db'}\n{WAITING}", WAITING, "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web", "shop/db", id="between HelmReleases"
        ),
        pytest.param(
            f"{RELEASE % 'db'}\n{WAITING}",
            f"{WAITING}\n{SET % ('set', 'resources: [' + DB % 'other' + ']')}",
            "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web",
            "shop/db",
            id="a ResourceSet makes it in another namespace",
        ),
        pytest.param(
            f"{WAITING}\n{SET % ('set', 'resources: [' + DB % 'shop' + ']')}",
            WAITING,
            "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web",
            "shop/db",
            id="the ResourceSet that made it leaves",
        ),
    ],
)
def test_fires(hazards_of, base, head, owner, target):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", owner)
    assert f"{target}," in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: "", B: ""}, {A + ON % "b": "", B: ""}, id="it is there"),
        pytest.param({A + ON % "x": ""}, {A + ON % "x": "v1/ConfigMap shop/c"}, id="it was missing before"),
        pytest.param({A: ""}, {A + ON % "flux-system": ""}, id="the root that bootstrap makes"),
        pytest.param({A + ON % "b": "", B: ""}, {A: ""}, id="both leave"),
        pytest.param(
            f"{RELEASE % 'db'}\n{WAITING}",
            f"{WAITING}\n{SET % ('set', 'resources: [' + DB % 'shop' + ']')}",
            id="a ResourceSet makes it now",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_names_and_times_are_those_of_the_objects(hazards_of):
    """Without a namespace no slash is said, and what is new was never applied before."""
    release, waiting = (
        "helm.toolkit.fluxcd.io/v2/HelmRelease db",
        "helm.toolkit.fluxcd.io/v2/HelmRelease web {spec: {dependsOn: [{name: db}]}}",
    )
    (lost,) = hazards_of(f"{release}\n{waiting}", waiting, rule=RULE)
    assert lost.message.endswith("depends on HelmRelease db, which this change removes: it is never applied again")
    (new,) = hazards_of(release, waiting, rule=RULE)
    assert new.message.endswith("which this change removes: it is never applied")
