"""dangling-source: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.dangling_source import RULE
from kdiff.model.options import Options

A = "Kustomization flux-system/a {sourceRef: {kind: GitRepository, name: %s}}"
GIT = "source.toolkit.fluxcd.io/v1/GitRepository flux-system/%s"
CHARTS = "source.toolkit.fluxcd.io/v1/HelmRepository shop/charts"
RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {chart: {spec: {sourceRef: {kind: HelmRepository, name: charts}}}}}"
OCI = "source.toolkit.fluxcd.io/v1/OCIRepository shop/web"
REFERRING = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {chartRef: {kind: OCIRepository, name: web}}}"
GENERATOR = "source.extensions.fluxcd.io/v1beta1/ArtifactGenerator flux-system/g {spec: {artifacts: [{name: made}]}}"
ARTIFACT = "Kustomization flux-system/a {sourceRef: {kind: ExternalArtifact, name: made}}"
INSTANCE = "fluxcd.controlplane.io/v1/FluxInstance flux-system/flux {spec: {sync: {kind: GitRepository, name: fleet, url: u, path: p}}}"


@pytest.mark.parametrize(
    ("base", "head", "owner", "source"),
    [
        pytest.param(
            {A % "fleet": "", "entry": GIT % "fleet"},
            {A % "fleet": "", "entry": GIT % "fleet2"},
            "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a",
            "GitRepository flux-system/fleet",
            id="the source leaves",
        ),
        pytest.param(
            {A % "fleet": "", "entry": GIT % "fleet"},
            {A % "flete": "", "entry": GIT % "fleet"},
            "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a",
            "GitRepository flux-system/flete",
            id="a name that nothing knows",
        ),
        pytest.param(
            f"{CHARTS}\n{RELEASE}", RELEASE, "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web", "HelmRepository shop/charts", id="sourceRef"
        ),
        pytest.param(
            f"{OCI}\n{REFERRING}", REFERRING, "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web", "OCIRepository shop/web", id="chartRef"
        ),
        pytest.param(
            {ARTIFACT: "", "entry": GENERATOR},
            {ARTIFACT: "", "entry": GENERATOR.replace("name: made", "name: other")},
            "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a",
            "ExternalArtifact flux-system/made",
            id="an artifact that is no longer made",
        ),
    ],
)
def test_fires(hazards_of, base, head, owner, source):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", owner)
    assert source in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A % "x": "", "entry": GIT % "x"}, {A % "flux-system": "", "entry": GIT % "x"}, id="the bootstrap source"),
        pytest.param({A % "x": ""}, {A % "x": "v1/ConfigMap shop/c"}, id="never declared here"),
        pytest.param(
            {A % "x": ""}, {A % "x": "", (A % "x").replace("/a ", "/b "): ""}, id="a new user of a source that others had from elsewhere"
        ),
        pytest.param({A % "fleet": "", "entry": INSTANCE}, {A % "fleet": "", "entry": f"{INSTANCE}\nv1/ConfigMap x/c"}, id="FluxInstance"),
        pytest.param({ARTIFACT: "", "entry": ""}, {ARTIFACT: "", "entry": GENERATOR}, id="an artifact that is made"),
        pytest.param(
            {A % "x": "", "entry": GIT % "x" + " {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}"},
            {A % "x": "", "entry": ""},
            id="it stays in the cluster",
        ),
        pytest.param("", RELEASE, id="a plain kustomization sees only a part"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_is_quiet_for_the_source_that_the_user_names(hazards_of):
    options = Options(self_source=("GitRepository flux-system/mine",))
    base, head = {A % "fleet": "", "entry": GIT % "fleet"}, {A % "mine": "", "entry": GIT % "fleet"}
    assert hazards_of(base, head, rule=RULE, options=options) == ()
    assert len(hazards_of(base, head, rule=RULE)) == 1


def test_is_quiet_when_what_declared_it_could_not_be_rendered(hazards_of):
    sources = "Kustomization flux-system/sources"
    base, head = {A % "fleet": "", sources: GIT % "fleet"}, {A % "fleet": "v1/ConfigMap shop/c", sources: ""}
    assert hazards_of(base, head, rule=RULE, head_state={"failed": [sources]}) == ()
    assert len(hazards_of(base, head, rule=RULE)) == 1
