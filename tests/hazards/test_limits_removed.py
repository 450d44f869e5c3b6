"""limits-removed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.limits_removed import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {resources: {%s}, containers: [{name: a, image: 'r/a:1', resources: {%s}}]}}}}"
MEMORY = "limits: {memory: 1Gi}"
RANGE = "\nv1/LimitRange %s/l {spec: {limits: [{type: %s, default: {%s: 1}}]}}"


@pytest.mark.parametrize(
    ("base", "head", "more"),
    [
        (("", MEMORY), ("", "limits: {cpu: 1}"), ""),
        ((MEMORY, ""), ("", ""), ""),
        pytest.param(("", MEMORY), ("", ""), RANGE % ("other", "Container", "memory"), id="a default of another namespace"),
        pytest.param(("", MEMORY), ("", ""), RANGE % ("shop", "Container", "cpu"), id="a default of something else"),
        pytest.param(("", MEMORY), ("", ""), RANGE % ("shop", "Pod", "memory"), id="only a bound for pods"),
    ],
)
def test_fires(hazards_of, base, head, more):
    (hazard,) = hazards_of(POD % base, POD % head + more, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", "/spec/template/spec/containers/0/resources")
    assert "loses its memory limit of 1Gi" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % ("", MEMORY), POD % ("", "limits: {memory: 2Gi}"), id="another limit"),
        pytest.param(POD % ("", MEMORY), POD % (MEMORY, ""), id="of the whole pod now"),
        pytest.param(POD % ("", "limits: {cpu: 1}"), POD % ("", ""), id="no memory limit was there"),
        pytest.param("", POD % ("", ""), id="new"),
        pytest.param(POD % ("", MEMORY), POD % ("", "") + RANGE % ("shop", "Container", "memory"), id="the namespace has a default"),
        pytest.param(
            POD % ("", MEMORY), (POD % ("", "")).replace("name: a, image: 'r/a:1'", "name: b, image: 'r/b:1'"), id="another container"
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
