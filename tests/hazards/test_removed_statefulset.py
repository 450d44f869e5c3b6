"""removed-statefulset: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_statefulset import RULE

A = "Kustomization flux-system/a"
DB = "apps/v1/StatefulSet shop/db"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("", "it has no claims of its own"),
        ("volumeClaimTemplates: [{metadata: {name: data}}]", "its claims data-db-* stay behind"),
        (
            "volumeClaimTemplates: [{metadata: {name: data}}], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}",
            "its claims data-db-* are deleted too",
        ),
    ],
)
def test_fires(hazards_of, spec, says):
    (hazard,) = hazards_of({A: f"{DB} {{spec: {{{spec}}}}}"}, {A: ""}, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", "apps/v1/StatefulSet shop/db")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A + " {prune: false}": DB}, {A + " {prune: false}": ""}, id="nobody prunes"),
        pytest.param({A: DB}, {"Kustomization flux-system/b": DB}, id="moved"),
        pytest.param({A: DB}, {A: DB + " {spec: {replicas: 0}}"}, id="only scaled"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
