"""major-chart-bump: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.major_chart_bump import RULE

RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {chart: {spec: {chart: %s, version: '%s'}}}}"
OCI = "source.toolkit.fluxcd.io/v1/OCIRepository shop/web {spec: {url: 'oci://ghcr.io/charts/web', ref: {%s: '%s'}}}\n"
USES = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {chartRef: {kind: OCIRepository, name: web}}}"
CHART = "source.toolkit.fluxcd.io/v1/HelmChart shop/web {spec: {chart: web, version: '%s'}}"
APP = "argoproj.io/v1alpha1/Application argocd/web {spec: {source: {%s: web, targetRevision: '%s'}}}"
LABEL = "v1/%s shop/web {metadata: {labels: {helm.sh/chart: ingress-nginx-%s}}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (RELEASE % ("web", "1.2.3"), RELEASE % ("web", "2.0.0"), "the chart web goes from 1.2.3 to 2.0.0"),
        (RELEASE % ("web", "^1.2"), RELEASE % ("web", ">=2.0 <3"), "from ^1.2 to >=2.0 <3"),
        (OCI % ("tag", "1.2.3") + USES, OCI % ("tag", "2.0.0") + USES, "the chart web goes from 1.2.3 to 2.0.0"),
        (OCI % ("semver", "1.x") + USES, OCI % ("semver", "2.x") + USES, "from 1.x to 2.x"),
        (CHART % "1.0.0", CHART % "2.0.0", "from 1.0.0 to 2.0.0"),
        (APP % ("chart", "1.0.0"), APP % ("chart", "2.0.0"), "from 1.0.0 to 2.0.0"),
        (LABEL % ("ConfigMap", "4.1.0"), LABEL % ("ConfigMap", "5.0.0"), "the chart ingress-nginx goes from 4.1.0 to 5.0.0"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "caution"
    assert says in hazard.message


def test_fires_once_for_all_that_a_chart_renders(hazards_of):
    kinds = ("ConfigMap", "Service")
    base, head = ("\n".join(LABEL % (kind, version) for kind in kinds) for version in ("4.1.0", "5.0.0"))
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.objects == ("v1/ConfigMap shop/web", "v1/Service shop/web")
    assert "and 1 other object" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(RELEASE % ("web", "1.2.3"), RELEASE % ("web", "1.3.0"), id="minor"),
        pytest.param(RELEASE % ("web", "1.2.3"), RELEASE % ("other", "2.0.0"), id="another chart"),
        pytest.param(OCI % ("tag", "1.2.3"), OCI % ("tag", "2.0.0"), id="no chart: a Kustomization's source"),
        pytest.param(APP % ("path", "1.0.0"), APP % ("path", "2.0.0"), id="a tag of a git repository"),
        pytest.param("", RELEASE % ("web", "2.0.0"), id="new"),
        pytest.param(RELEASE % ("web", "*"), RELEASE % ("web", "2.0.0"), id="any version before"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
