"""capability-added: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.capability_added import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: a, securityContext: {%s}}]}}}}"
CAPS = POD % "capabilities: {add: [%s], drop: [%s]}"


@pytest.mark.parametrize(
    ("base", "head", "gained"),
    [
        (POD % "", CAPS % ("NET_ADMIN", ""), "capability NET_ADMIN"),
        (CAPS % ("", "ALL"), CAPS % ("NET_BIND_SERVICE, CHOWN", "ALL"), "capabilities CHOWN and NET_BIND_SERVICE"),
        (CAPS % ("", "ALL"), POD % "", "capabilities AUDIT_WRITE, CHOWN"),
        (CAPS % ("", "NET_RAW"), CAPS % ("", ""), "capability NET_RAW"),
        ("", CAPS % ("CAP_SYS_ADMIN", "all"), "capability SYS_ADMIN"),
        (POD % "", CAPS % ("ALL", ""), "capability ALL"),
        (CAPS % ("ALL", "SYS_ADMIN"), CAPS % ("ALL", ""), "capability SYS_ADMIN"),
        (CAPS % ("", ""), CAPS % ("NEWER_THAN_KDIFF", ""), "capability NEWER_THAN_KDIFF"),
    ],
)
def test_fires(hazards_of, base, head, gained):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", "/spec/template/spec/containers/0/securityContext/capabilities")
    assert gained in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % "", CAPS % ("NET_BIND_SERVICE", "ALL"), id="one is kept of many"),
        pytest.param(POD % "", CAPS % ("CHOWN", ""), id="every container has it"),
        pytest.param(CAPS % ("SYS_TIME", ""), CAPS % ("CAP_SYS_TIME", ""), id="another spelling"),
        pytest.param(CAPS % ("ALL", ""), CAPS % ("NET_ADMIN", ""), id="less"),
        pytest.param(CAPS % ("", ""), CAPS % ("NET_ADMIN", "NET_ADMIN"), id="dropped again"),
        pytest.param(POD % "", POD % "privileged: true", id="another rule's"),
        pytest.param(POD % "privileged: true", CAPS % ("SYS_ADMIN", ""), id="it had all"),
        pytest.param("", POD % "", id="new, with what every container has"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
