"""Which patches select something: told from the files where they say enough, else by what a probe renders."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
import yaml

from kdiff.model.build import Build
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.process import run
from kdiff.render.find_renderer import Renderer
from kdiff.render.patch_uses import patch_uses, patch_uses_of_targets
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {team: core}}
spec: {replicas: 1, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}}
"""
SEVEN = "{kind: ConfigMap, apiVersion: v1, metadata: {name: seven}, data: {n: '7'}}\n"
REPLICAS = 'patch: \'[{"op": "replace", "path": "/spec/replicas", "value": 7}]\''
RENDERER = Renderer("kustomize", ("kustomize", "build"), "5.8.1", "5.8.1")


def patch(target: str) -> str:
    return f"{{{REPLICAS}, target: {target}}}"


def build_of(tree: Any, path: str = "app", owner: dict[str, Any] | None = None) -> Build:
    obj = None
    if owner is not None:
        value = {
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
            "kind": "Kustomization",
            "metadata": {"name": "web", "namespace": "flux-system"},
            "spec": owner,
        }
        key = ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "flux-system", "web")
        obj = KubeObject(key, "v1", json.dumps(value).encode(), yaml.safe_load, target="root")
    name = "Kustomization flux-system/web" if owner is not None else path
    build = plan_build(Target(name, "c", "flux" if owner is not None else "kustomization", path, tree, obj), Options(), RENDERER)
    assert isinstance(build, Build)
    return build


def no_probe(build: Build) -> bytes | None:
    pytest.fail(f"{build.target.path} was rendered to tell what its files say")


@pytest.mark.parametrize(
    ("kustomization", "where", "selects", "matched"),
    [
        (f"patches: [{patch('{kind: Deployment, name: web}')}]", "patches[0]", "Deployment web", 1),
        (f"patches: [{patch('{kind: Deployment, name: wbe}')}]", "patches[0]", "Deployment wbe", 0),
        (f"patches: [{patch('{kind: deployment}')}]", "patches[0]", "deployment", 0),
        (f"patches: [{patch('{kind: Deploy, name: web}')}]", "patches[0]", "Deploy web", 0),
        (f"patches: [{patch('{name: w.*}')}]", "patches[0]", "objects w.*", 1),
        (f"patches: [{patch('{group: batch}')}]", "patches[0]", "objects", 0),
        (f"patches: [{patch('{}')}]", "patches[0]", "everything", 2),
        (f"patches: [{patch('{labelSelector: app=web}')}]", "patches[0]", "objects labelled app=web", 1),
        (f"patches: [{patch('{annotationSelector: team=ops}')}]", "patches[0]", "objects annotated team=ops", 0),
        (f"patches: [{patch('{namespace: shop}')}]\nnamespace: shop", "patches[0]", "objects in namespace shop", 0),
        (f"patches: [{patch('{kind: Deployment, namespace: default}')}]", "patches[0]", "Deployment in namespace default", 1),
        (
            f"patchesJson6902: [{patch('{kind: Deployment, name: web, namespace: shop}')}]\nnamespace: shop",
            "patchesJson6902[0]",
            "Deployment shop/web",
            1,
        ),
        ("replacements: [{source: {name: seven}, targets: [{select: {kind: Deploy}}]}]", "replacements[0]", "Deploy", 0),
        ("replacements: [{path: r.yaml}]", "replacements[0]", "Job web", 0),
        ("configMapGenerator: [{name: gen, literals: [a=b]}]\npatches: [{patch: x, target: {name: gen}}]", "patches[0]", "objects gen", 1),
    ],
)
def test_files_tell(make_tree, kustomization, where, selects, matched):
    tree = make_tree(
        {
            "app/kustomization.yaml": f"resources: [web.yaml, seven.yaml]\n{kustomization}\n",
            "app/web.yaml": WEB,
            "app/seven.yaml": f"apiVersion: v1\nkind: List\nitems: [{SEVEN.strip()}]\n",
            "app/r.yaml": "- source: {name: seven}\n  targets: [{select: {kind: Job, name: web}}]\n",
        }
    )
    base, (use,) = patch_uses(None, build_of(tree), no_probe)
    assert base == ()
    assert (use.where, use.selects, use.matched) == (f"app/kustomization.yaml {where}", selects, matched)
    assert use.file == use.kustomization == "app/kustomization.yaml"


def test_the_line_is_that_of_the_patch(make_tree):
    text = "resources: [web.yaml]\npatches:\n  # first\n  - target: {kind: A}\n    patch: x\n  - patch: y\n    target: {kind: B}\n"
    _, uses = patch_uses(None, build_of(make_tree({"app/kustomization.yaml": text, "app/web.yaml": WEB})), no_probe)
    assert [(use.selects, use.line) for use in uses] == [("A", 4), ("B", 6)]


def test_patches_without_target_are_left_out(make_tree):
    text = f"resources: [web.yaml]\npatches: [{{path: web.yaml}}]\npatchesStrategicMerge: ['{WEB.strip().splitlines()[0]}']\n"
    assert patch_uses(None, build_of(make_tree({"app/kustomization.yaml": text, "app/web.yaml": WEB})), no_probe) == ((), ())


def test_patches_of_a_flux_kustomization_are_told_from_those_of_the_file(make_tree):
    tree = make_tree({"app/kustomization.yaml": f"resources: [web.yaml]\npatches: [{patch('{name: web}')}]\n", "app/web.yaml": WEB})
    owner = {"path": "./app", "patches": [{"patch": "x", "target": {"kind": "Deployment"}}, {"patch": "x", "target": {"kind": "Job"}}]}
    _, uses = patch_uses(None, build_of(tree, owner=owner), no_probe)
    assert [(use.where, use.matched, use.file) for use in uses] == [
        ("app/kustomization.yaml patches[0]", 1, "app/kustomization.yaml"),
        ("Kustomization flux-system/web spec.patches[0]", 1, None),
        ("Kustomization flux-system/web spec.patches[1]", 0, None),
    ]


def test_a_component_sees_what_its_includer_collects(make_tree):
    files = {
        "app/kustomization.yaml": "resources: [web.yaml]\ncomponents: [../component]\n",
        "app/web.yaml": WEB,
        "component/kustomization.yaml": f"kind: Component\npatches: [{patch('{name: web}')}, {patch('{name: api}')}]\n",
    }
    _, uses = patch_uses(None, build_of(make_tree(files)), no_probe)
    assert [(use.selects, use.matched) for use in uses] == [("objects web", 1), ("objects api", 0)]


def test_what_reads_the_same_on_both_sides_is_left_out(make_tree):
    files = {
        "app/kustomization.yaml": "resources: [../lower, web.yaml]\npatches: [{patch: x, target: {name: a}}]\n",
        "app/web.yaml": WEB,
        "lower/kustomization.yaml": "resources: [c.yaml]\npatches: [{patch: x, target: {name: b}}]\n",
        "lower/c.yaml": SEVEN,
    }
    base = build_of(make_tree(files, "base"))
    head = build_of(make_tree({**files, "app/web.yaml": WEB + "---\n"}, "head"))
    uses = patch_uses(base, head, lambda _: SEVEN.encode())
    assert [[use.selects for use in side] for side in uses] == [["objects a"], ["objects a"]]


LOWER = {
    "lower/kustomization.yaml": "resources: [web.yaml]\nnamePrefix: my-\npatches: [{path: p.yaml}]\n",
    "lower/web.yaml": WEB,
    "lower/p.yaml": "{kind: Deployment, apiVersion: apps/v1, metadata: {name: web}}\n",
}


@pytest.mark.parametrize(
    ("rendered", "matched"),
    [(b"kind: Deployment\nmetadata:\n  name: my-web\n", [1]), (b"kind: Deployment\nmetadata:\n  name: other\n", [0]), (None, [])],
)
def test_a_probe_tells_where_files_do_not(make_tree, rendered, matched):
    probed = []

    def probe(build):
        probed.append(build)
        return rendered

    tree = make_tree(
        {**LOWER, "app/kustomization.yaml": "resources: [../lower]\npatches: [{patch: x, target: {name: my-web}}]\nimages: []\n"}
    )
    _, uses = patch_uses(None, build_of(tree), probe)
    assert [use.matched for use in uses] == matched
    (build,) = probed
    assert json.loads(build.overlay["app/kustomization.yaml"]) == {"kind": "Kustomization", "resources": ["../lower"]}
    assert (build.proven, build.target.path) == (False, "app")


def test_base_is_probed_only_for_what_is_dead_at_head(make_tree):
    text = "resources: [../lower]\npatches: [{patch: x, target: {name: my-web}}]\n"
    trees = [make_tree({**LOWER, "app/kustomization.yaml": text + f"images: [{{name: a, newTag: {tag}}}]\n"}, tag) for tag in ("v1", "v2")]
    builds = [build_of(tree) for tree in trees]
    probed = []

    def probe(build, alive):
        probed.append(build.target.tree)
        return b"kind: Deployment\nmetadata:\n  name: my-web\n" if alive else b"kind: Job\nmetadata:\n  name: x\n"

    base, head = patch_uses(*builds, lambda build: probe(build, alive=True))
    assert ([use.matched for use in base], [use.matched for use in head], probed) == ([1], [1], trees[1:])
    base, head = patch_uses(*builds, lambda build: probe(build, alive=build.target.tree is trees[0]))
    assert ([use.matched for use in base], [use.matched for use in head]) == ([1], [0])


@pytest.mark.parametrize(
    "kustomization",
    [
        f"patches: [{patch('{kind: Deployment, name: my-web}')}]",
        f"patches: [{patch('{kind: Deployment, name: web}')}]",
        f"patches: [{patch('{kind: Deployment, name: we}')}]",
        f"patches: [{patch('{kind: Deployment, name: your-web}')}]",
        f"namePrefix: your-\npatches: [{patch('{kind: Deployment, name: your-my-web}')}]",
        f"namePrefix: your-\npatchesJson6902: [{patch('{group: apps, version: v1, kind: Deployment, name: your-my-web}')}]",
        f"namespace: shop\npatches: [{patch('{kind: Deployment, namespace: shop}')}]",
        f"namespace: shop\npatchesJson6902: [{patch('{group: apps, version: v1, kind: Deployment, name: web, namespace: shop}')}]",
        f"patches: [{patch('{kind: Deployment, labelSelector: tier=back}')}]",
        f"patches: [{patch('{kind: Deployment, labelSelector: tier=front}')}]",
        (
            "namePrefix: your-\nreplacements: [{source: {kind: ConfigMap, name: seven, fieldPath: data.n}, targets: "
            "[{select: {kind: Deployment, name: your-my-web}, fieldPaths: [spec.replicas]}]}]"
        ),
        (
            "replacements: [{source: {kind: ConfigMap, name: seven, fieldPath: data.n}, targets: "
            "[{select: {kind: Deployment, name: nobody}, fieldPaths: [spec.replicas]}]}]"
        ),
        "components: [../component]",
        "components: [../naming, ../component]",
        "components: [../component, ../naming]",
    ],
)
def test_kustomize_agrees(make_tree, kustomize, kustomization):
    files = {
        **LOWER,
        "app/kustomization.yaml": f"resources: [../lower, seven.yaml]\n{kustomization}\n",
        "app/seven.yaml": SEVEN,
        "lower/kustomization.yaml": LOWER["lower/kustomization.yaml"] + "labels: [{pairs: {tier: back}}]\n",
        "component/kustomization.yaml": f"kind: Component\npatches: [{patch('{kind: Deployment, name: its-my-web}')}]\n",
        "naming/kustomization.yaml": "kind: Component\nnamePrefix: its-\n",
    }
    command = shlex.split(kustomize)
    renderer = Renderer("kubectl", (*command, "kustomize") if command[0].endswith("kubectl") else (*command, "build"), "5", "5")

    def render(build):
        return run_builds((build,), renderer, Options(cache=False), run)[0].output

    build = build_of(make_tree(files))
    output = render(build)
    assert output is not None
    (deployment,) = (value for value in yaml.safe_load_all(output) if value["kind"] == "Deployment")
    _, (use,) = patch_uses(None, build, render)
    assert (use.matched > 0) == (deployment["spec"]["replicas"] == 7)


def test_probes_of_many_targets_are_rendered_together(make_tree):
    """Head of all first, then base of those that are dead at head; a probe that fails says nothing."""
    text = "resources: [../lower]\npatches: [{patch: x, target: {name: my-web}}]\n"
    files = {**LOWER, **{f"{name}/kustomization.yaml": text for name in ("alive", "dead", "failing")}}
    trees = make_tree(files, "base"), make_tree({**files, "lower/web.yaml": WEB + "---\n"}, "head")
    pairs = {name: (build_of(trees[0], name), build_of(trees[1], name)) for name in ("alive", "dead", "failing")}
    gives = {"alive": b"kind: Deployment\nmetadata:\n  name: my-web\n", "dead": b"kind: Job\nmetadata:\n  name: x\n", "failing": None}
    rounds = []

    def render(builds):
        rounds.append({(build.target.path, "base" if build.target.tree is trees[0] else "head") for build in builds})
        return [gives[build.target.path] for build in builds]

    uses = patch_uses_of_targets(pairs, render)
    assert rounds == [{("alive", "head"), ("dead", "head"), ("failing", "head")}, {("dead", "base")}]
    matched = {name: [[use.matched for use in side] for side in both] for name, both in uses.items()}
    assert matched == {"alive": [[1], [1]], "dead": [[0], [0]], "failing": [[1], []]}


def test_a_probe_of_equal_content_is_rendered_once(make_tree):
    """What the probe leaves out, such as images, may differ."""
    text = "resources: [../lower]\npatches: [{patch: x, target: {name: my-web}}]\nimages: [{name: a, newTag: %s}]\n"
    builds = [build_of(make_tree({**LOWER, "app/kustomization.yaml": text % tag}, tag)) for tag in ("v1", "v2")]
    asked = []

    def render(probes):
        asked.extend(probes)
        return [b"kind: Job\nmetadata:\n  name: x\n" for _ in probes]

    uses = patch_uses_of_targets({"app": tuple(builds)}, render)
    assert ([[use.matched for use in side] for side in uses["app"]], len(asked)) == ([[0], [0]], 1)


def test_what_a_probe_gives_may_be_unreadable(make_tree):
    tree = make_tree({**LOWER, "app/kustomization.yaml": "resources: [../lower]\npatches: [{patch: x, target: {name: my-web}}]\n"})
    assert patch_uses(None, build_of(tree), lambda _: b"kind: [\n") == ((), ())
