"""A target into a build, or why it is not built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kdiff.model.build import Build, Refusal
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.render.find_renderer import Renderer
from kdiff.render.plan_build import plan_build

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
APP = {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": CM}
BESIDE = {"app/kustomization.yaml": "resources: [../x.yaml]\n", "x.yaml": CM}
RENDERER = Renderer("kustomize", ("kustomize", "build"), "5.8.1", "5.8.1")
ROOT_ONLY = ("--load-restrictor", "LoadRestrictionsRootOnly")
FREE = ("--load-restrictor", "LoadRestrictionsNone")


def plan(
    tree: Any, path: str = "app", options: Options | None = None, *, kind: Any = "kustomization", renderer: Renderer = RENDERER
) -> Any:
    return plan_build(Target(path, path, kind, path, tree), options or Options(), renderer)


@pytest.mark.parametrize(
    ("files", "options", "class_", "names"),
    [
        ({"app/a.yaml": CM}, {}, "missing-kustomization", "app holds no kustomization.yaml"),
        ({"b/a.yaml": CM}, {}, "missing-kustomization", "app does not exist"),
        ({"app": CM}, {}, "missing-kustomization", "app is a file"),
        ({"app/kustomization.yaml": "resources: [../../x]\n"}, {}, "load-restriction", "../x leads out of the tree"),
        ({"app": Path("/etc")}, {}, "load-restriction", "app leads out of the tree"),
        (
            {"app/kustomization.yaml": "resources: ['https://me:secret@git.example.com/a/b']\n"},
            {"no_remote": True},
            "remote-unreachable",
            "https://git.example.com/a/b is remote",
        ),
    ],
)
def test_what_may_not_or_cannot_run_is_refused(make_tree: Callable[..., Any], files: Any, options: Any, class_: str, names: str) -> None:
    refusal = plan(make_tree(files), options=Options(**options))
    assert isinstance(refusal, Refusal)
    assert (refusal.failure.class_, refusal.failure.target, refusal.failure.scope) == (class_, "app", "app")
    assert names in refusal.failure.message
    assert "secret" not in refusal.failure.message


@pytest.mark.parametrize(
    ("kind", "files", "options", "expected"),
    [
        ("kustomization", APP, {}, ("--load-restrictor", "LoadRestrictionsRootOnly")),
        ("kustomization", APP, {"load_restrictor": "none"}, ROOT_ONLY),
        ("flux", APP, {}, ROOT_ONLY),
        ("kustomization", BESIDE, {}, ROOT_ONLY),
        ("kustomization", BESIDE, {"load_restrictor": "none"}, FREE),
        ("flux", BESIDE, {}, FREE),
        ("flux", {**APP, "app/a.yaml": Path("../x.yaml"), "x.yaml": CM}, {}, FREE),
        ("flux", {"app/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../x.yaml]\n", "x.yaml": CM}, {}, FREE),
        ("flux", {"app/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [x.yaml]\n", "b/x.yaml": CM}, {}, ROOT_ONLY),
        ("flux", {**BESIDE, "app/kustomization.yaml": "resources: [../x.yaml]\ngenerators: [../x.yaml]\n"}, {}, ROOT_ONLY),
        ("kustomization", {**BESIDE, "app/kustomization.yaml": "resources: [../x.yaml]\ngenerators: [../x.yaml]\n"}, {"load_restrictor": "none"}, FREE),
        ("flux", {**BESIDE, "app/kustomization.yaml": "resources: [../x.yaml]\npatches: [{novel: 1}]\n"}, {}, ROOT_ONLY),
        ("kustomization", {**BESIDE, "app/kustomization.yaml": "resources: [../x.yaml]\nnovel: 1\n"}, {"load_restrictor": "none"}, ROOT_ONLY),
        (
            "kustomization",
            APP,
            {"enable_helm": True, "helm_command": "helm3", "kustomize_args": ("--as-current-user",)},
            ("--load-restrictor", "LoadRestrictionsRootOnly", "--enable-helm", "--helm-command", "helm3", "--as-current-user"),
        ),
    ],
)  # fmt: skip
def test_loading_is_restricted_unless_it_must_not_be_and_all_reads_are_foreseen(
    make_tree: Callable[..., Any], kind: str, files: Any, options: Any, expected: Any
) -> None:
    build = plan(make_tree(files), kind=kind, options=Options(**options))
    assert isinstance(build, Build)
    assert build.flags == expected


@pytest.mark.parametrize(
    ("head", "same"),
    [
        ({**APP, "app/other.yaml": CM}, True),
        ({**APP, "app/a.yaml": CM + "data: {}\n"}, False),
        ({**APP, "app/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x\n"}, False),
        ({"app/kustomization.yaml": "resources: [a.yaml]\n"}, False),
        ({**{k: v for k, v in APP.items() if k != "app/a.yaml"}, "app/b.yaml": CM, "app/a.yaml": Path("b.yaml")}, False),
    ],
)
def test_equal_reads_are_one_build(make_tree: Callable[..., Any], head: Any, same: bool) -> None:
    before, after = plan(make_tree(APP, "base")), plan(make_tree(head, "head"))
    assert (before.digest == after.digest) is same


def test_the_digest_depends_on_flags_place_and_version(make_tree: Callable[..., Any]) -> None:
    files = {**APP, "app/kustomization.yaml": "resources: [a.yaml, ../x.yaml]\n"}
    tree = make_tree({**files, **{path.replace("app/", "twin/"): text for path, text in files.items()}, "x.yaml": CM})
    digests = {
        plan(tree).digest,
        plan(tree, "twin").digest,
        plan(tree, options=Options(load_restrictor="none")).digest,
        plan(tree, options=Options(enable_helm=True)).digest,
        plan(tree, renderer=replace(RENDERER, kustomize_version="5.9.0")).digest,
    }
    assert len(digests) == 5


@pytest.mark.parametrize(
    ("kustomization", "options"),
    [
        ("resources: ['https://git.example.com/a/b']\n", {}),
        ("resources: [a.yaml]\ngenerators: [a.yaml]\n", {}),
        ("resources: [a.yaml]\n", {"kustomize_args": ("--enable-alpha-plugins",)}),
    ],
)
def test_an_unproven_build_is_shared_with_no_other(make_tree: Callable[..., Any], kustomization: str, options: Any) -> None:
    files = {**APP, "app/kustomization.yaml": kustomization}
    base, head = make_tree(files, "base"), make_tree(files, "head")
    builds = [plan(base, options=Options(**options)), plan(head, options=Options(**options)), plan(base, options=Options(**options))]
    assert not any(build.proven for build in builds)
    assert builds[0].digest != builds[1].digest
    assert builds[0].digest == builds[2].digest


def test_without_restrictions_kustomize_gets_what_was_understood(make_tree: Callable[..., Any]) -> None:
    """Not the file, which another parser might read otherwise."""
    files = {"app/kustomization.yaml": "resources:\n- ../x.yaml\n---\nresources: [../y.yaml]\n", "x.yaml": CM}
    build = plan(make_tree(files), kind="flux")
    assert build.flags == FREE
    assert build.overlay == {"app/kustomization.yaml": b'{"resources": ["../x.yaml"]}'}
    assert plan(make_tree(files)).overlay == {}
