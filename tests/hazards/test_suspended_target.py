"""suspended-target: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.suspended_target import RULE

A = "Kustomization flux-system/a"
HELD = A + " {suspend: true}"


def test_fires_once_with_all_that_waits(hazards_of):
    base = "v1/ConfigMap shop/edited\nv1/PersistentVolumeClaim shop/gone"
    head = "v1/ConfigMap shop/edited {data: {k: v}}\nv1/ConfigMap shop/new"
    (hazard,) = hazards_of({HELD: base}, {HELD: head}, rule=RULE)
    assert (hazard.severity, hazard.target) == ("info", A)
    assert hazard.object == "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a"
    assert hazard.objects == ("v1/ConfigMap shop/edited", "v1/ConfigMap shop/new", "v1/PersistentVolumeClaim shop/gone")
    assert "3 changes (1 removal)" in hazard.message


def test_fires_when_it_is_suspended_with_the_change(hazards_of):
    (hazard,) = hazards_of({A: "v1/ConfigMap shop/c"}, {HELD: "v1/ConfigMap shop/c {data: {k: v}}"}, rule=RULE)
    assert hazard.objects == ("v1/ConfigMap shop/c",)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({HELD: "v1/ConfigMap shop/c"}, {HELD: "v1/ConfigMap shop/c"}, id="nothing waits"),
        pytest.param({HELD: "v1/ConfigMap shop/c"}, {A: "v1/ConfigMap shop/c {data: {k: v}}"}, id="resumed"),
        pytest.param({A: "v1/ConfigMap shop/c"}, {A: "v1/ConfigMap shop/c {data: {k: v}}"}, id="not suspended"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
