"""verification-dropped: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.verification_dropped import RULE

OCI = "source.toolkit.fluxcd.io/v1/OCIRepository flux-system/%s {spec: {url: oci://r/x%s}}\n"
SIGNER = ", verify: {provider: cosign, matchOIDCIdentity: [{issuer: a, subject: b}]}"
KEY = ", verify: {provider: cosign, secretRef: {name: key}}"
ANYBODY = ", verify: {provider: cosign}"
APP = "Kustomization flux-system/app {sourceRef: {kind: OCIRepository, name: %s}}"
CHART = "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web {spec: {chart: {spec: {chart: web%s}}}}"
NAME = "source.toolkit.fluxcd.io/v1/OCIRepository flux-system/%s"


@pytest.mark.parametrize(
    ("base", "head", "name", "says"),
    [
        pytest.param(OCI % ("x", SIGNER), OCI % ("x", ""), NAME % "x", "no longer verified", id="verify leaves"),
        pytest.param(OCI % ("x", SIGNER), OCI % ("x", ANYBODY), NAME % "x", "any valid signature", id="the identity leaves"),
        pytest.param(OCI % ("x", KEY), OCI % ("x", ANYBODY), NAME % "x", "any valid signature", id="the key leaves"),
        pytest.param(CHART % SIGNER, CHART % "", "helm.toolkit.fluxcd.io/v2/HelmRelease shop/web", "no longer verified", id="of a chart"),
        pytest.param(OCI % ("x", SIGNER), "", NAME % "x", "nothing here shows", id="the source leaves"),
        pytest.param(
            {APP % "x": "", "entry": OCI % ("x", SIGNER)}, {APP % "x": "", "entry": ""}, NAME % "x", "still uses that name", id="still used"
        ),
        pytest.param(
            {APP % "x": "", "entry": OCI % ("x", SIGNER)},
            {APP % "y": "", "entry": OCI % ("y", "")},
            NAME % "x",
            "without verification",
            id="replaced by one without",
        ),
    ],
)
def test_fires(hazards_of, base, head, name, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("blocking", name)
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(OCI % ("x", SIGNER), (OCI % ("x", SIGNER)).replace("r/x", "r/z"), id="only another URL"),
        pytest.param(OCI % ("x", SIGNER), OCI % ("x", KEY), id="a key instead of an identity"),
        pytest.param(OCI % ("x", ""), OCI % ("x", SIGNER), id="verification is new"),
        pytest.param(OCI % ("x", ""), "", id="it never had any"),
        pytest.param({APP % "x": "", "entry": OCI % ("x", SIGNER)}, {"entry": ""}, id="its user leaves with it"),
        pytest.param(
            {APP % "x": "", "entry": OCI % ("x", SIGNER)}, {APP % "y": "", "entry": OCI % ("y", SIGNER)}, id="replaced by a verified one"
        ),
        pytest.param(CHART % SIGNER, "", id="the release leaves"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
