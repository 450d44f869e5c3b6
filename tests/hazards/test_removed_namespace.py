"""removed-namespace: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_namespace import RULE

A = "Kustomization flux-system/a"
SHOP = "v1/Namespace shop\nv1/ConfigMap shop/c"


def test_fires_and_names_what_lives_there_at_head(hazards_of):
    base = {A: "v1/Namespace shop", "Kustomization flux-system/b": "apps/v1/Deployment shop/web\nv1/ConfigMap shop/gone"}
    head = {A: "v1/Namespace other", "Kustomization flux-system/b": "apps/v1/Deployment shop/web\nv1/Secret shop/new"}
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", "v1/Namespace shop")
    assert hazard.objects == ("apps/v1/Deployment shop/web", "v1/Secret shop/new")
    assert "Kustomization flux-system/a prunes" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("v1/Namespace shop", "v1/Namespace other", id="a plain kustomization, where anybody may prune"),
        pytest.param({A: SHOP}, {}, id="its Kustomization leaves and prunes"),
        pytest.param({A + " {prune: false, deletionPolicy: Delete}": SHOP}, {}, id="deletionPolicy Delete whatever prune says"),
    ],
)
def test_fires(hazards_of, base, head):
    assert [h.object for h in hazards_of(base, head, rule=RULE)] == ["v1/Namespace shop"]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: SHOP}, {A: SHOP}, id="nothing changes"),
        pytest.param({A: SHOP}, {A: "", "Kustomization flux-system/b": SHOP}, id="another target declares it"),
        pytest.param({A + " {prune: false}": SHOP}, {A + " {prune: false}": ""}, id="nobody prunes"),
        pytest.param({A + " {suspend: true}": SHOP}, {A + " {suspend: true}": ""}, id="suspended"),
        pytest.param({A + " {deletionPolicy: Orphan}": SHOP}, {}, id="deletionPolicy Orphan"),
        pytest.param(
            {A: "v1/Namespace shop {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: Disabled}}}"}, {A: ""}, id="protected"
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_is_quiet_when_the_target_failed(hazards_of):
    assert hazards_of({A: SHOP}, {A: ""}, rule=RULE, head_state={"failed": [A]}) == ()
