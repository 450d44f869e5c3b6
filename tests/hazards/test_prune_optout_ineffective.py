"""prune-optout-ineffective: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.prune_optout_ineffective import RULE

A = "Kustomization flux-system/a"
PLAIN = "v1/ConfigMap shop/c"
MARK = PLAIN + " {metadata: {%s: {%s: %s}}}"
KEY = "kustomize.toolkit.fluxcd.io/prune"


@pytest.mark.parametrize(
    ("head", "severity", "pointer"),
    [
        (MARK % ("annotations", KEY, "'false'"), "caution", "/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune"),
        (MARK % ("labels", KEY, "disable"), "caution", "/metadata/labels/kustomize.toolkit.fluxcd.io~1prune"),
        (
            MARK % ("annotations", "kustomize.toolkit.fluxcd.io/Prune", "disabled"),
            "caution",
            "/metadata/annotations/kustomize.toolkit.fluxcd.io~1Prune",
        ),
        (MARK % ("annotations", KEY, "Disabled"), "info", "/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune"),
    ],
)
@pytest.mark.parametrize("base", [PLAIN, MARK % ("annotations", KEY, "disabled"), ""], ids=["newly marked", "spoilt", "new"])
def test_fires(hazards_of, base, head, severity, pointer):
    (hazard,) = hazards_of({A: base}, {A: head}, rule=RULE)
    assert (hazard.severity, hazard.object, hazard.pointer) == (severity, "v1/ConfigMap shop/c", pointer)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(PLAIN, MARK % ("annotations", KEY, "disabled"), id="it protects"),
        pytest.param(PLAIN, MARK % ("annotations", KEY, "enabled"), id="it is meant to be pruned"),
        pytest.param(
            MARK % ("annotations", KEY, "'false'"), MARK % ("annotations", KEY, "'false'") + "\nv1/ConfigMap shop/d", id="it was so before"
        ),
        pytest.param(MARK % ("annotations", KEY, "'false'"), PLAIN, id="taken away"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of({A: base}, {A: head}, rule=RULE) == ()
