"""patch-matches-nothing: when it fires, and when it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdiff.hazards.patch_matches_nothing import RULE
from kdiff.model.hazard import SourceLocation
from kdiff.model.side import PatchUse

A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
FILE = "apps/web/kustomization.yaml"
PATCH = "{patch: x, target: {kind: Deployment, name: %s}}"
INSTANCE = "fluxcd.controlplane.io/v1/FluxInstance flux-system/flux {spec: {components: [%s], sharding: {%s}, kustomize: {patches: [%s]}}}"


def use(matched, identity="i", file=FILE):
    where = f"{file} patches[0]" if file else f"{A} spec.patches[0]"
    return PatchUse(where, "Deployment web", identity, matched, file, 7 if file else None, file)


OTHER, THIRD = "apps/api/kustomization.yaml", "apps/new/kustomization.yaml"


def state(**patches):
    return {"patches": {f"Kustomization flux-system/{target}": uses for target, uses in patches.items()}}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(state(a=[use(1)]), state(a=[use(0)]), id="its object left"),
        pytest.param(state(), state(a=[use(0)]), id="it is new"),
        pytest.param(state(a=[use(1, "old")]), state(a=[use(0)]), id="its target is another one"),
        pytest.param(state(a=[use(1)]), state(a=[use(0)], b=[use(1)]), id="it lost its object here, though not elsewhere"),
        pytest.param(state(), state(a=[use(0)], b=[use(0)]), id="nowhere, said once"),
    ],
)
def test_fires(hazards_of, base, head):
    both = {A: "v1/ConfigMap shop/a", B: "v1/ConfigMap shop/b"}
    (hazard,) = hazards_of(both, both, rule=RULE, base_state=base, head_state=head)
    assert (hazard.severity, hazard.target) == ("caution", A)
    assert hazard.where == f"{FILE} patches[0]"
    assert hazard.source == SourceLocation(FILE, 7)
    assert "selects Deployment web, which is not there" in hazard.message


def test_fires_for_a_patch_of_a_flux_kustomization_and_names_it(hazards_of):
    both = {A: "v1/ConfigMap shop/a"}
    (hazard,) = hazards_of(both, both, rule=RULE, head_state=state(a=[use(0, file=None)]))
    assert (hazard.where, hazard.object) == (f"{A} spec.patches[0]", "kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/a")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(state(a=[use(0)]), state(a=[use(0)]), id="it was dead before"),
        pytest.param(state(), state(a=[use(2)]), id="it selects something"),
        pytest.param(state(a=[use(0)]), state(b=[use(0)]), id="it was dead before, in another target"),
        pytest.param(state(), state(a=[use(0)], b=[use(1)]), id="a component's, which serves another target"),
        pytest.param(state() | {"failed": [A]}, state(a=[use(0)]), id="nobody knows what was before"),
        pytest.param(
            state(a=[use(1), use(0, file=OTHER)]),
            state(a=[use(1), use(0, file=OTHER)]),
            id="it was dead before, and the same one elsewhere was not",
        ),
        pytest.param(
            state(a=[use(1), use(0, file=OTHER)]),
            state(a=[use(1), use(0, file=THIRD)]),
            id="it was dead before, in a directory of another name",
        ),
        pytest.param(
            state(a=[use(1), use(0, file=OTHER)]),
            state(b=[use(1), use(0, file=OTHER)]),
            id="it was dead before, in a target of another name",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    both = {A: "v1/ConfigMap shop/a", B: "v1/ConfigMap shop/b"}
    assert hazards_of(both, both, rule=RULE, base_state=base, head_state=head) == ()


@pytest.mark.parametrize(
    ("base", "head", "files"),
    [
        pytest.param([use(1), use(0, file=OTHER)], [use(0), use(0, file=OTHER)], [FILE], id="one of two"),
        pytest.param([use(1)], [use(1), use(0, file=OTHER)], [OTHER], id="a copy"),
        pytest.param([use(1, file=OTHER)], [use(0)], [FILE], id="with the name of its directory"),
        pytest.param([use(1, file=OTHER)], [use(0), use(0, file=THIRD)], [FILE, THIRD], id="with its name, and a copy"),
    ],
)
def test_fires_where_the_same_patch_stands_in_several_places(hazards_of, base, head, files):
    both = {A: "v1/ConfigMap shop/a"}
    (hazard,) = hazards_of(both, both, rule=RULE, base_state=state(a=base), head_state=state(a=head))
    assert hazard.where == f"{files[0]} patches[0]"
    assert [file for file in (FILE, OTHER, THIRD) if file in hazard.message] == files


def test_fires_for_a_target_of_another_name(hazards_of):
    (hazard,) = hazards_of(
        {A: "v1/ConfigMap shop/a"}, {B: "v1/ConfigMap shop/a"}, rule=RULE, base_state=state(a=[use(1)]), head_state=state(b=[use(0)])
    )
    assert hazard.target == B


def test_patches_of_one_target_that_select_the_same_are_one_hazard(hazards_of):
    both = {A: "v1/ConfigMap shop/a"}
    uses = [use(1, "l", None), use(1), use(1, "j", OTHER), replace(use(1, "k"), where=f"{FILE} replacements[3]")]
    other = replace(use(1, "m", THIRD), selects="Service web")
    dead = [replace(each, matched=0) for each in (*uses, other)]
    second, first = hazards_of(both, both, rule=RULE, base_state=state(a=[*uses, other]), head_state=state(a=dead))
    assert first.message == (
        f"4 patches and replacements select Deployment web, which is not there, and change nothing: "
        f"{A} spec.patches[0], {FILE} patches[0], {OTHER} patches[0] and {FILE} replacements[3]"
    )
    assert (first.where, first.object) == (f"{FILE} patches[0]", None)
    assert second.where == f"{THIRD} patches[0]"


def test_a_replacement_is_called_one(hazards_of):
    both = {A: "v1/ConfigMap shop/a"}
    (hazard,) = hazards_of(both, both, rule=RULE, head_state=state(a=[replace(use(0), where=f"{FILE} replacements[0]")]))
    assert hazard.message.startswith(f"the replacement {FILE} replacements[0] selects")


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({"apps/web/gotk-components.yaml": "# flux bootstrap writes it\n---\n\n"}, 0),
        ({"apps/web/flux-system/gotk-sync.yaml": ""}, 0),
        ({"apps/web/gotk-components.yaml": "kind: Namespace\n"}, 1),
        ({"apps/gotk-components.yaml": ""}, 1),
        ({"apps/web/x.yaml": ""}, 1),
    ],
)
def test_is_quiet_until_flux_bootstrap_has_written_what_it_patches(hazards_of, files, count):
    both = {A: "v1/ConfigMap shop/a"}
    assert len(hazards_of(both, both, rule=RULE, head_state=state(a=[use(0)]), head_files=files)) == count


def test_is_quiet_where_a_target_that_nobody_looked_at_has_the_patch(hazards_of):
    both = {A: "v1/ConfigMap shop/a", B: "v1/ConfigMap shop/b"}
    assert hazards_of(both, both, rule=RULE, head_state=state(a=[use(0)]), head_files={FILE: "patches: []"}) == ()


@pytest.mark.parametrize(
    ("components", "sharding", "patch"),
    [
        ("", "", PATCH % "web"),
        ("source-controller", "", PATCH % "helm-controller"),
        ("", "shards: [a]", "{patch: x, target: {kind: Ingress}}"),
    ],
)
def test_fires_for_a_flux_instance(hazards_of, components, sharding, patch):
    (hazard,) = hazards_of("", INSTANCE % (components, sharding, patch), rule=RULE)
    assert hazard.pointer == "/spec/kustomize/patches/0"
    assert "which Flux lacks" in hazard.message


@pytest.mark.parametrize(
    ("base", "components", "sharding", "patch"),
    [
        pytest.param("", "", "", PATCH % "'(helm|source)-controller'", id="a controller"),
        pytest.param("", "", "", "{patch: x, target: {kind: Deployment, labelSelector: a=b}}", id="labels, which depend on the release"),
        pytest.param("", "", "", "{patch: x, target: {kind: CustomResourceDefinition, name: web}}", id="names that are not known"),
        pytest.param("", "", "shards: [a]", PATCH % "source-controller-a", id="a shard"),
        pytest.param("", "", "", "{patch: x}", id="no target"),
        pytest.param(INSTANCE % ("", "", PATCH % "web"), "helm-controller", "", PATCH % "web", id="it was so before"),
    ],
)
def test_is_quiet_for_a_flux_instance(hazards_of, base, components, sharding, patch):
    assert hazards_of(base, INSTANCE % (components, sharding, patch), rule=RULE) == ()
