"""removed-crd: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_crd import RULE

CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition widgets.example.com {spec: {group: example.com, names: {kind: Widget}}}"
A = "Kustomization flux-system/a"


def test_fires_and_names_the_resources_of_both_sides(hazards_of):
    base = {A: CRD, "Kustomization flux-system/b": "example.com/v1/Widget shop/old"}
    head = {A: "", "Kustomization flux-system/b": "example.com/v1/Widget shop/new\nother.com/v1/Widget shop/no"}
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == (
        "blocking",
        "apiextensions.k8s.io/v1/CustomResourceDefinition widgets.example.com",
    )
    assert hazard.objects == ("example.com/v1/Widget shop/new", "example.com/v1/Widget shop/old")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(CRD, CRD.replace("names:", "scope: Cluster, names:"), id="only edited"),
        pytest.param({A: CRD}, {A: "", "Kustomization flux-system/b": CRD}, id="another target declares it"),
        pytest.param({A + " {prune: false}": CRD}, {A + " {prune: false}": ""}, id="nobody prunes"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
