"""removed-networkpolicy: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.removed_networkpolicy import RULE

WEB = "apps/v1/Deployment shop/web {spec: {template: {metadata: {labels: {app: web}}}}}\n"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/chart\n"


def policy(name: str = "deny", selector: str = "matchLabels: {app: web}", more: str = "") -> str:
    return f"networking.k8s.io/v1/NetworkPolicy shop/{name} {{spec: {{podSelector: {{{selector}}}{more}}}}}\n"


@pytest.mark.parametrize(
    ("base", "head", "workloads"),
    [
        pytest.param(WEB + policy(), WEB, ("apps/v1/Deployment shop/web",), id="pods are left open"),
        pytest.param(RELEASE + policy(), RELEASE, (), id="pods that only the cluster knows"),
        pytest.param(
            WEB + policy(more=", policyTypes: [Ingress, Egress]"),
            WEB + policy("other"),
            ("apps/v1/Deployment shop/web",),
            id="the other policy leaves egress open",
        ),
        pytest.param(
            WEB + policy(selector=""), WEB + policy("other", "matchLabels: {app: db}"), ("apps/v1/Deployment shop/web",), id="other pods"
        ),
    ],
)
def test_fires(hazards_of, base, head, workloads):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object, hazard.objects) == ("caution", "networking.k8s.io/v1/NetworkPolicy shop/deny", workloads)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(WEB + policy(), WEB + policy("other", ""), id="another policy selects the pods"),
        pytest.param(WEB + policy(), "v1/ConfigMap shop/c", id="the pods leave too"),
        pytest.param(RELEASE + policy(), RELEASE + policy("other"), id="the same selector under another name"),
        pytest.param(WEB + policy(), "v1/ConfigMap till/c", id="nothing is left in the namespace"),
        pytest.param(WEB + policy(), WEB + policy(more=", ingress: [{}]"), id="only edited"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
