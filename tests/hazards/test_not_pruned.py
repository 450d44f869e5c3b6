"""not-pruned: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.not_pruned import RULE

A = "Kustomization flux-system/a"
KEEP = A + " {prune: false}"


def test_fires_once_for_each_target(hazards_of):
    (hazard,) = hazards_of({KEEP: "v1/ConfigMap shop/c\nv1/PersistentVolumeClaim shop/data"}, {KEEP: ""}, rule=RULE)
    assert (hazard.severity, hazard.target) == ("caution", A)
    assert hazard.objects == ("v1/PersistentVolumeClaim shop/data", "v1/ConfigMap shop/c")
    assert "does not prune" in hazard.message


@pytest.mark.parametrize("spec", ["{deletionPolicy: Orphan}", "{prune: false}", "{suspend: true}"])
def test_fires_when_the_target_leaves_its_objects_behind(hazards_of, spec):
    (hazard,) = hazards_of({f"{A} {spec}": "v1/ConfigMap shop/c"}, {}, rule=RULE)
    assert hazard.objects == ("v1/ConfigMap shop/c",)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: "v1/ConfigMap shop/c"}, {A: ""}, id="it prunes"),
        pytest.param({KEEP: "v1/ConfigMap shop/c"}, {KEEP: "v1/ConfigMap shop/c {data: {k: v}}"}, id="only edited"),
        pytest.param({KEEP: "v1/ConfigMap shop/c"}, {KEEP: "", "Kustomization flux-system/b": "v1/ConfigMap shop/c"}, id="another has it"),
        pytest.param("v1/ConfigMap shop/c", "", id="a plain kustomization"),
        pytest.param(
            {A: "v1/ConfigMap shop/c {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}"}, {A: ""}, id="on purpose"
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
