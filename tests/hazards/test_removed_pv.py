"""removed-pv: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_pv import RULE

A = "Kustomization flux-system/a"


@pytest.mark.parametrize(
    ("policy", "severity", "says"),
    [("Delete", "blocking", "is deleted with it"), ("Retain", "caution", "stays (reclaim policy Retain)")],
)
def test_fires(hazards_of, policy, severity, says):
    base = {A: f"v1/PersistentVolume disk {{spec: {{persistentVolumeReclaimPolicy: {policy}}}}}"}
    (hazard,) = hazards_of(base, {A: ""}, rule=RULE)
    assert (hazard.severity, hazard.object) == (severity, "v1/PersistentVolume disk")
    assert says in hazard.message


@pytest.mark.parametrize("spec", ["{suspend: true}", "{prune: false}"])
def test_is_quiet(hazards_of, spec):
    assert hazards_of({f"{A} {spec}": "v1/PersistentVolume disk"}, {f"{A} {spec}": ""}, rule=RULE) == ()
