"""runs-as-root: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.runs_as_root import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {securityContext: {%s}, containers: [{name: a, securityContext: {%s}}]}}}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (POD % ("", "runAsUser: 1000"), POD % ("", "runAsUser: 0"), "runs as root"),
        (POD % ("runAsUser: 1000", ""), POD % ("runAsUser: 0", ""), "runs as root"),
        (POD % ("", ""), POD % ("", "runAsUser: 0"), "runs as root"),
        (POD % ("runAsNonRoot: true", ""), POD % ("", ""), "no longer kept from"),
        (POD % ("runAsNonRoot: true", ""), POD % ("runAsNonRoot: true", "runAsNonRoot: false"), "no longer kept from"),
        ("", POD % ("", "runAsUser: 0"), "runs as root"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("caution", "/spec/template/spec/containers/0/securityContext")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(POD % ("", ""), POD % ("fsGroup: 1", ""), id="as the image says, as before"),
        pytest.param(POD % ("runAsNonRoot: true", ""), POD % ("", "runAsNonRoot: true"), id="said elsewhere"),
        pytest.param(POD % ("runAsUser: 0", ""), POD % ("", "runAsUser: 0"), id="it did before"),
        pytest.param(POD % ("", "runAsNonRoot: true"), POD % ("", "runAsUser: 5"), id="another user"),
        pytest.param(POD % ("", "runAsUser: 0"), POD % ("", ""), id="no longer said"),
        pytest.param("", POD % ("", ""), id="new, as the image says"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
