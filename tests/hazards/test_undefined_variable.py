"""undefined-variable: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.undefined_variable import RULE
from kdiff.model.side import UndefinedVariable

A = "Kustomization flux-system/a"
TEXT = {A: "v1/ConfigMap shop/c"}


def state(*undefined: tuple[str, str], sources: tuple[str, ...] = ()):
    return {"undefined": {A: [UndefinedVariable(name, obj, "/data/x", sources) for name, obj in undefined]}}


def test_fires_once_for_each_variable_and_object(hazards_of):
    here, there = "v1/ConfigMap shop/c", "v1/ConfigMap shop/d"
    found = hazards_of(TEXT, TEXT, rule=RULE, head_state=state(("REGION", here), ("REGION", here), ("REGION", there), ("ZONE", here)))
    assert [(h.variable, h.object, h.target) for h in found] == [("REGION", here, A), ("ZONE", here, A), ("REGION", there, A)]
    assert {h.severity for h in found} == {"blocking"}
    assert "${REGION} has no value in v1/ConfigMap shop/c" in found[0].message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([("REGION", "v1/ConfigMap shop/c")], [("REGION", "v1/ConfigMap shop/c")], id="it was so before"),
        pytest.param([("REGION", "v1/ConfigMap shop/c")], [], id="it has a value now"),
    ],
)
def test_is_quiet(hazards_of, before, after):
    assert hazards_of(TEXT, TEXT, rule=RULE, base_state=state(*before), head_state=state(*after)) == ()


def test_is_quiet_where_the_cluster_may_have_the_value(hazards_of):
    unknown = state(("REGION", "v1/ConfigMap shop/c"), sources=("v1/Secret flux-system/cluster",))
    assert hazards_of(TEXT, TEXT, rule=RULE, head_state=unknown) == ()
