"""A build in a scratch directory gives what a build in the tree would give."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdiff.model.build import Build
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.process import run
from kdiff.render.find_renderer import find_renderer
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n"
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, image: i}]}}}\n"
)

TREES: dict[str, dict[str, Any]] = {
    "everything": {
        "app/kustomization.yaml": "namespace: shop\nresources: [../base, extra.yaml]\ncomponents: [../component]\n"
        "patches: [{path: patch.yaml}, {target: {kind: Deployment}, path: json.yaml}]\n"
        "configMapGenerator: [{name: gen, files: [a.txt, k=dir/b.txt], envs: [c.env]}]\nsecretGenerator: [{name: sec, files: [a.txt]}]\n"
        "transformers:\n- t.yaml\n- ../transformers\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n"
        "  path: inline.yaml\n  target: {kind: Deployment}\nreplacements: [{path: r.yaml}]\nconfigurations: [conf.yaml]\ncrds: [crd.json]\n"
        "buildMetadata: [originAnnotations]\n",
        "app/extra.yaml": CM.format("extra"),
        "app/patch.yaml": DEPLOYMENT.replace("image: i", "image: patched"),
        "app/json.yaml": "[{op: add, path: /metadata/labels, value: {json: patch}}]\n",
        "app/inline.yaml": "[{op: add, path: /metadata/annotations/inline, value: patch}]\n",
        "app/a.txt": "text\n",
        "app/dir/b.txt": "more",
        "app/c.env": "K=V\n",
        "app/t.yaml": "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: t}\nprefix: pre-\nfieldSpecs: [{path: metadata/name}]\n",
        "app/r.yaml": "source: {kind: ConfigMap, name: extra, fieldPath: metadata.name}\ntargets: [{select: {kind: Deployment}, fieldPaths: [metadata.labels.json]}]\n",
        "app/conf.yaml": "nameReference: []\n",
        "app/crd.json": "{}",
        "app/unread.yaml": "not: read",
        "base/kustomization.yaml": "resources: [d.yaml]\nlabels: [{pairs: {a: b}}]\n",
        "base/d.yaml": DEPLOYMENT,
        "component/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [c.yaml]\nnameSuffix: -c\n",
        "component/c.yaml": CM.format("comp"),
        "transformers/kustomization.yaml": "resources: [t.yaml]\n",
        "transformers/t.yaml": "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: t}\nannotations: {by: dir}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
    },
    "links": {
        "app/kustomization.yaml": "resources: [linked, file.yaml]\nconfigMapGenerator: [{name: g, files: [in/a.txt]}]\n",
        "app/linked": Path("../real/base"),
        "app/real.yaml": CM.format("real"),
        "app/file.yaml": Path("real.yaml"),
        "app/in": Path("inner"),
        "app/inner/a.txt": "a",
        "real/base/kustomization.yaml": "resources: [../sibling]\n",
        "real/sibling/kustomization.yaml": "resources: [s.yaml]\n",
        "real/sibling/s.yaml": CM.format("sibling"),
    },
    "linked-target": {"app": Path("elsewhere/app"), "elsewhere/app/kustomization.yaml": "resources: [../b]\n", "elsewhere/b/kustomization.yaml": "namePrefix: x-\nresources: [b.yaml]\n", "elsewhere/b/b.yaml": CM.format("b")},
    "link-out-of-its-kustomization": {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": Path("../x.yaml"), "x.yaml": CM.format("x")},
    "odd-names": {"app/kustomization.yaml": "resources: ['wéb $(x); q', '-n']\n", "app/wéb $(x); q/kustomization.yaml": "resources: ['c m.yaml']\n", "app/wéb $(x); q/c m.yaml": CM.format("a"), "app/-n": CM.format("n")},
    "nothing-left": {"app/kustomization.yaml": "namespace: x\n"},
    "unknown-spelling": {"app/kustomization.yaml": "RESOURCES: [a.yaml]\n", "app/a.yaml": CM.format("a")},
    "key-twice": {"app/kustomization.yaml": "resources: [b.yaml]\nresources: [a.yaml]\n", "app/a.yaml": CM.format("a"), "app/b.yaml": CM.format("b")},
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_scratch_and_tree_give_the_same(make_tree: Callable[..., Any], kustomize: str, name: str) -> None:
    tree = make_tree(TREES[name])
    options = Options(cache=False, kustomize=kustomize)
    renderer = find_renderer(options, run)
    build = plan_build(Target("app", "app", "kustomization", "app", tree), options, renderer)
    assert isinstance(build, Build)
    (output,) = run_builds([build], renderer, options, run)
    direct = subprocess.run([*renderer.argv_prefix, str(tree.root / "app")], capture_output=True, check=False)
    assert (output.output is not None) == (direct.returncode == 0), output.message
    assert (output.output or b"") == direct.stdout


def test_bases_above_the_root_are_reached_inside_the_boundary(make_tree: Callable[..., Any], kustomize: str) -> None:
    outer = make_tree(
        {
            "base/kustomization.yaml": "resources: [b.yaml]\n",
            "base/b.yaml": CM.format("b"),
            "in/app/kustomization.yaml": "resources: [../../base]\n",
        }
    )
    tree = type(outer)(outer.root / "in", outer.root)
    options = Options(cache=False, kustomize=kustomize)
    renderer = find_renderer(options, run)
    build = plan_build(Target("app", "app", "kustomization", "app", tree), options, renderer)
    assert isinstance(build, Build)
    assert [path for path, _ in build.reads] == ["../base/b.yaml", "../base/kustomization.yaml", "app/kustomization.yaml"]
    assert run_builds([build], renderer, options, run)[0].output == CM.format("b").encode()


def test_importing_the_stage_loads_nothing_heavy() -> None:
    code = (
        "import sys, kdiff.render.run_builds; print([m for m in ('subprocess_tee', 'asyncio', 'importlib.metadata') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
