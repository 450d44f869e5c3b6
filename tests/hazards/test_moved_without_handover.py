"""moved-without-handover: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.moved_without_handover import RULE

A, B, C = (f"Kustomization flux-system/{name}" for name in "abc")
SHOP = "v1/ConfigMap shop/c\nv1/Namespace shop\nv1/PersistentVolumeClaim shop/data"
ON = " {dependsOn: [{name: %s}]}"
FREE = " {dependsOn: [{name: b, readyExpr: 'true'}]}"
OTHER_SOURCE = " {sourceRef: {kind: GitRepository, name: other}}"
REST = "v1/ConfigMap rest/c"


def move(giver: str = "", taker: str = "", *, giver_at_base: str | None = None, moving: str = SHOP):
    """Objects that go from A to B; the specs of both at head, and that of A at base where it differs."""
    return (
        {A + (giver if giver_at_base is None else giver_at_base): f"{moving}\n{REST}", B + taker: "apps/v1/Deployment shop/web"},
        {A + giver: REST, B + taker: f"{moving}\napps/v1/Deployment shop/web"},
    )


def test_one_hazard_names_the_whole_move_and_what_goes_along(hazards_of):
    (hazard,) = hazards_of(*move(), rule=RULE)
    assert hazard.severity == "blocking"
    assert (hazard.object, hazard.target) == ("v1/Namespace shop", A)
    assert hazard.objects == ("v1/Namespace shop", "v1/PersistentVolumeClaim shop/data", "v1/ConfigMap shop/c")
    assert "apps/v1/Deployment shop/web" in hazard.message


@pytest.mark.parametrize(
    ("sides", "severity", "why"),
    [
        pytest.param(move(moving="v1/ConfigMap shop/c"), "caution", "Nothing makes", id="nothing that holds others"),
        pytest.param(move(taker=ON % "a"), "blocking", "prunes first", id="the new owner waits for the old one"),
        pytest.param(move(ON % "b", giver_at_base=""), "blocking", "only from this change on", id="dependsOn comes too late"),
        pytest.param(move(ON % "b", OTHER_SOURCE), "blocking", "sources differ", id="another source, another revision"),
        pytest.param(move(FREE), "blocking", "readyExpr", id="readyExpr instead of the revision"),
        pytest.param(move(taker=" {suspend: true}"), "blocking", "suspended", id="the new owner is suspended"),
        pytest.param(move(taker=" {kubeConfig: {secretRef: {name: k}}}"), "blocking", "another cluster", id="another cluster"),
        pytest.param(({A: SHOP}, {B: SHOP}), "blocking", "Nothing makes", id="the old owner leaves"),
        pytest.param(
            ({A: SHOP, B: SHOP}, {A: "", B: SHOP}), "blocking", "Nothing makes", id="both had it, and the last to apply it gives it up"
        ),
        pytest.param(
            ({A: SHOP}, {A: "", "Application argocd/b": SHOP}), "blocking", "its own labels", id="Argo CD does not take Flux's labels away"
        ),
        pytest.param(
            ({"Application argocd/a": SHOP}, {"Application argocd/a": REST, "Application argocd/b": SHOP}),
            "blocking",
            "Nothing makes",
            id="between Applications",
        ),
    ],
)
def test_fires(hazards_of, sides, severity, why):
    (hazard,) = hazards_of(*sides, rule=RULE)
    assert hazard.severity == severity
    assert why in hazard.why


@pytest.mark.parametrize(
    "sides",
    [
        pytest.param(move(ON % "b"), id="directly"),
        pytest.param(
            (
                {A + ON % "c": SHOP, C + ON % "b": REST, B: ""},
                {A + ON % "c": "v1/ConfigMap rest/a", C + ON % "b": REST, B: SHOP},
            ),
            id="through another",
        ),
    ],
)
def test_a_proven_handover_is_only_told(hazards_of, sides):
    (hazard,) = hazards_of(*sides, rule=RULE)
    assert hazard.severity == "info"
    assert "depends on Kustomization flux-system/b" in hazard.message
    assert "v1/Namespace shop" in hazard.objects


@pytest.mark.parametrize(
    "sides",
    [
        pytest.param(move(" {prune: false}"), id="the old owner does not prune"),
        pytest.param(move(" {suspend: true}"), id="the old owner is suspended"),
        pytest.param(({A + " {deletionPolicy: Orphan}": SHOP}, {B: SHOP}), id="the old owner leaves everything behind"),
        pytest.param(
            move(moving="v1/Namespace shop {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}"), id="protected"
        ),
        pytest.param(({A: SHOP}, {A: SHOP, B: SHOP}), id="a further owner, none gives it up"),
        pytest.param(
            ({"entry": SHOP}, {"Kustomization flux-system/root {path: ./clusters/prod}": SHOP}),
            id="the root that stands for the entry is new in git",
        ),
    ],
)
def test_is_quiet(hazards_of, sides):
    assert hazards_of(*sides, rule=RULE) == ()


def test_the_pruner_of_a_target_that_leaves_is_the_one_above_it(hazards_of):
    parents = {A: "flux-system/parent"}
    parent = "Kustomization flux-system/parent" + ON % "b"
    base, head = {parent: REST, A: SHOP, B: ""}, {parent: REST, B: SHOP}
    (hazard,) = hazards_of(base, head, rule=RULE, base_state={"parents": parents})
    assert (hazard.severity, hazard.target) == ("info", A)
    assert "Kustomization flux-system/parent depends on Kustomization flux-system/b" in hazard.message
