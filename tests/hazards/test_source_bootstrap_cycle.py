"""source-bootstrap-cycle: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.source_bootstrap_cycle import RULE

GIT = "{sourceRef: {kind: GitRepository, name: old}}"
OCI = "{sourceRef: {kind: OCIRepository, name: new}}"
A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
OLD = "source.toolkit.fluxcd.io/v1/GitRepository flux-system/old"
NEW = "source.toolkit.fluxcd.io/v1/OCIRepository flux-system/new"


@pytest.mark.parametrize(
    ("base", "head", "state"),
    [
        pytest.param({f"{A} {GIT}": "", "entry": OLD}, {f"{A} {OCI}": NEW, "entry": OLD}, {}, id="by itself"),
        pytest.param(
            {f"{A} {GIT}": "", "entry": OLD},
            {f"{A} {OCI}": "", f"{B} {OCI}": NEW, "entry": OLD},
            {"parents": {B: "flux-system/a"}},
            id="by a new target below it",
        ),
    ],
)
def test_fires(hazards_of, base, head, state):
    (hazard,) = hazards_of(base, head, rule=RULE, head_state=state)
    assert (hazard.severity, hazard.target) == ("blocking", A)
    assert "OCIRepository flux-system/new" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({f"{A} {GIT}": "", "entry": OLD}, {f"{A} {OCI}": "", "entry": f"{OLD}\n{NEW}"}, id="its parent creates the source"),
        pytest.param({f"{A} {GIT}": NEW, "entry": OLD}, {f"{A} {OCI}": NEW, "entry": OLD}, id="the source is there already"),
        pytest.param(
            {f"{A} {GIT}": "", f"{B} {GIT}": "", "entry": OLD}, {f"{A} {OCI}": "", f"{B} {GIT}": NEW, "entry": OLD}, id="another creates it"
        ),
        pytest.param({f"{A} {GIT}": "", "entry": OLD}, {f"{A} {OCI}": "", "entry": OLD}, id="it comes from elsewhere"),
        pytest.param({"entry": OLD}, {f"{A} {OCI}": NEW, "entry": OLD}, id="a new target switches nothing"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
