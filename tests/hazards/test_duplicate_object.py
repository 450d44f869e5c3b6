"""duplicate-object: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.duplicate_object import RULE

A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
GENERATED = "v1/ConfigMap shop/c-%s {data: {k: %s}}"
NEW = GENERATED % ("mgtm594d64", "w")
REORDERED = "{data: {k: a}, kind: ConfigMap, metadata: {namespace: shop, name: c}, apiVersion: v1}"
ONE, OTHER = "v1/ConfigMap shop/c {data: {k: a}}", "v1/ConfigMap shop/c {data: {k: b}}"
REMOTE = " {kubeConfig: {secretRef: {name: k}}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        pytest.param({A: ONE, B: ""}, {A: ONE, B: OTHER}, "each undoes", id="with other content"),
        pytest.param({A: ONE, B: ""}, {A: ONE, B: ONE}, "when one stops", id="with the same content"),
        pytest.param({A: "", B: ""}, {A: ONE, B: ONE}, "both render", id="new in both"),
        pytest.param({A: GENERATED % ("bdg947hgcc", "v"), B: ""}, {A: NEW, B: NEW}, "both render", id="one had it under another hash"),
        pytest.param({A: ONE, B: ""}, {A: ONE, B: REORDERED}, "when one stops", id="with the same content, written differently"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "caution"
    assert hazard.object in ("v1/ConfigMap shop/c", "v1/ConfigMap shop/c-mgtm594d64")
    assert A in hazard.message
    assert B in hazard.message
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: ONE, B: OTHER}, {A: OTHER, B: OTHER}, id="it was so before"),
        pytest.param({A: ONE, B: ""}, {A: "", B: ONE}, id="moved"),
        pytest.param(
            {A: GENERATED % ("bdg947hgcc", "v"), B: GENERATED % ("bdg947hgcc", "v")}, {A: NEW, B: NEW}, id="it was so under another hash"
        ),
        pytest.param({A: ONE}, {A: ONE, B + REMOTE: ONE}, id="in two clusters"),
        pytest.param(
            {"Application argocd/a": ONE},
            {"Application argocd/a": ONE, "Application argocd/b {destination: {name: staging}}": ONE},
            id="to two destinations",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_is_quiet_when_nobody_knows_what_base_had(hazards_of):
    assert hazards_of({A: ONE, B: ""}, {A: ONE, B: ONE}, rule=RULE, base_state={"failed": [B]}) == ()
