"""probe-removed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.probe_removed import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: a, %s}]}}}}"
READY, LIVE = "readinessProbe: {tcpSocket: {port: 80}}", "livenessProbe: {tcpSocket: {port: 80}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (f"{READY}, {LIVE}", LIVE, "loses its readinessProbe: traffic reaches it"),
        (f"{READY}, {LIVE}", "tty: true", "loses its readinessProbe and livenessProbe"),
        (LIVE, "livenessProbe: {}", "loses its livenessProbe"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(POD % base, POD % head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", "/spec/template/spec/containers/0")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % READY, POD % "readinessProbe: {exec: {command: [x]}}", id="another probe"),
        pytest.param(POD % "tty: true", POD % READY, id="gains one"),
        pytest.param("", POD % "tty: true", id="new"),
        pytest.param(POD % READY, "", id="gone"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
