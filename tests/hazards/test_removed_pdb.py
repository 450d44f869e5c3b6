"""removed-pdb: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_pdb import RULE

WEB = "apps/v1/Deployment shop/web {spec: {template: {metadata: {labels: {app: web}}}}}\n"


def budget(name: str = "web", app: str = "web") -> str:
    return f"policy/v1/PodDisruptionBudget shop/{name} {{spec: {{minAvailable: 1, selector: {{matchLabels: {{app: {app}}}}}}}}}\n"


def test_fires(hazards_of):
    (hazard,) = hazards_of(WEB + budget(), WEB, rule=RULE)
    assert (hazard.severity, hazard.object) == ("caution", "policy/v1/PodDisruptionBudget shop/web")
    assert hazard.objects == ("apps/v1/Deployment shop/web",)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB + budget(), WEB + budget("renamed"), id="renamed"),
        pytest.param(WEB + budget(), "v1/ConfigMap shop/c", id="the pods leave too"),
        pytest.param(
            {"Kustomization flux-system/a {prune: false}": WEB + budget()},
            {"Kustomization flux-system/a {prune: false}": WEB},
            id="nobody prunes",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
