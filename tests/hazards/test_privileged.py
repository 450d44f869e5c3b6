"""privileged: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.privileged import RULE

POD = "{spec: {template: {spec: {%s: [{name: %s, image: 'r/a:1', securityContext: {privileged: %s}}]}}}}"
WEB = "apps/v1/Deployment shop/web " + POD
CRON = "batch/v1/CronJob shop/web {spec: {jobTemplate: " + POD + "}}"


@pytest.mark.parametrize(
    ("base", "head", "pointer"),
    [
        (WEB % ("containers", "a", "false"), WEB % ("containers", "a", "true"), "/spec/template/spec/containers/0"),
        (WEB % ("initContainers", "a", "false"), WEB % ("initContainers", "a", "true"), "/spec/template/spec/initContainers/0"),
        (CRON % ("containers", "a", "false"), CRON % ("containers", "a", "true"), "/spec/jobTemplate/spec/template/spec/containers/0"),
        ("", WEB % ("containers", "a", "true"), "/spec/template/spec/containers/0"),
    ],
)
def test_fires(hazards_of, base, head, pointer):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", pointer + "/securityContext/privileged")
    assert "container a of " in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB % ("containers", "a", "true"), WEB % ("containers", "a", "true, readOnlyRootFilesystem: true"), id="it was"),
        pytest.param(WEB % ("containers", "a", "true"), WEB % ("initContainers", "a", "true"), id="it only becomes a sidecar"),
        pytest.param(WEB % ("containers", "a", "true"), WEB % ("containers", "b", "true"), id="it only gets another name"),
        pytest.param(WEB % ("containers", "a", "true"), (WEB % ("containers", "a", "true")).replace("shop/", "till/"), id="it only moves"),
        pytest.param(WEB % ("containers", "a", "true"), WEB % ("containers", "a", "false"), id="no longer"),
        pytest.param("", WEB % ("containers", "a", "'true'"), id="a string, which the API refuses"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
