"""removed-api: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_api import RULE
from kdiff.model.options import Options

CRON = "batch/%s/CronJob shop/job {spec: {schedule: '%s'}}"


@pytest.mark.parametrize(
    ("base", "head", "version", "says"),
    [
        (
            "",
            CRON % ("v1beta1", "* * * * *"),
            None,
            "Kubernetes 1.25 and later do not serve batch/v1beta1 for CronJob; batch/v1 takes its place",
        ),
        (CRON % ("v1", "* * * * *"), CRON % ("v1beta1", "* * * * *"), "v1.25.4", "cannot be applied"),
        ("", "policy/v1beta1/PodSecurityPolicy p", "1.30", "nothing takes its place"),
        ("", "extensions/v1beta1/Ingress shop/web", "1.22", "networking.k8s.io/v1 takes its place"),
    ],
)
def test_fires(hazards_of, base, head, version, says):
    (hazard,) = hazards_of(base, head, rule=RULE, options=Options(kubernetes_version=version))
    assert (hazard.severity, hazard.pointer) == ("blocking", "/apiVersion")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head", "version"),
    [
        pytest.param("", CRON % ("v1beta1", "* * * * *"), "1.24", id="still served"),
        pytest.param(CRON % ("v1beta1", "* * * * *"), CRON % ("v1beta1", "0 * * * *"), None, id="it was so before"),
        pytest.param(CRON % ("v1beta1", "* * * * *"), CRON % ("v1", "* * * * *"), None, id="mended"),
        pytest.param("", "example.com/v1beta1/CronJob shop/job", None, id="another group"),
        pytest.param(CRON % ("v1beta1", "* * * * *"), "", None, id="gone"),
    ],
)
def test_is_quiet(hazards_of, base, head, version):
    assert hazards_of(base, head, rule=RULE, options=Options(kubernetes_version=version)) == ()
