"""host-access: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.host_access import RULE

POD = "apps/v1/DaemonSet shop/agent {spec: {template: {spec: {%s}}}}"
PLAIN = POD % "containers: [{name: a}]"
PORT = POD % "hostNetwork: %s, containers: [{name: a, ports: [{containerPort: 80, hostPort: 80}]}]"
SOCKET = "volumes: [{name: s, hostPath: {path: /run/containerd.sock}}]"


@pytest.mark.parametrize(
    ("base", "head", "says", "pointer"),
    [
        (PLAIN, POD % "hostNetwork: true", "hostNetwork", "/spec/template/spec/hostNetwork"),
        (POD % "hostPID: true", POD % "hostPID: true, hostIPC: true", "node: hostIPC", "/spec/template/spec/hostIPC"),
        (PLAIN, POD % SOCKET, "hostPath /run/containerd.sock", "/spec/template/spec/volumes/0"),
        (PLAIN, PORT % "false", "hostPort 80/TCP", "/spec/template/spec/containers/0/ports/0/hostPort"),
        ("", POD % SOCKET, "hostPath", "/spec/template/spec/volumes/0"),
        (
            PLAIN,
            POD % "securityContext: {windowsOptions: {hostProcess: true}}",
            "hostProcess",
            "/spec/template/spec/securityContext/windowsOptions/hostProcess",
        ),
    ],
)
def test_fires(hazards_of, base, head, says, pointer):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", pointer)
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % SOCKET, POD % (SOCKET + ", nodeName: x"), id="it did before"),
        pytest.param(PORT % "false", PLAIN, id="no longer"),
        pytest.param(PLAIN, POD % "volumes: [{name: s, emptyDir: {}}], hostNetwork: false", id="nothing of the node"),
        pytest.param(POD % "hostNetwork: true", PORT % "true", id="its ports are the node's already"),
        pytest.param(PORT % "true", PORT % "false", id="one port of the node instead of all"),
        pytest.param(POD % SOCKET, (POD % SOCKET).replace("shop/", "ops/"), id="it only moves"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
