"""No build reads a file outside of its tree, whatever its kustomizations ask for and however they spell it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdiff.model.build import Build, Refusal
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.process import run
from kdiff.render.find_renderer import find_renderer
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
CANARY = CM + "data: {leak: canary-leak}\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
# What the kustomization reads beside: it lies outside of the kustomization's own directory, so that RootOnly would not do.
BESIDE = "resources: [../shared/a.yaml]\n"
PLUGIN = "- |\n  apiVersion: {version}\n  kind: {kind}\n  metadata: {{name: p}}\n{fields}"


def plugin(kind: str, fields: str, *, field: str = "transformers", version: str = "builtin") -> str:
    body = "".join(f"  {line}\n" for line in fields.split("\n"))
    return f"{field}:\n{PLUGIN.format(version=version, kind=kind, fields=body)}"


# `@` is a path from the kustomization to a file outside of the tree, `/@` the same as an absolute path, `.env` may follow.
ATTACKS = {
    "resources": "resources: [../shared/a.yaml, '@']",
    "bases": BESIDE + "bases: ['@']",
    "components": BESIDE + "components: ['@']",
    "a directory": "resources: [../shared/a.yaml, '@.d']",
    "a component": BESIDE + "components: ['@.d']",
    "crds": BESIDE + "crds: ['@']",
    "configurations": BESIDE + "configurations: ['@']",
    "openapi": BESIDE + "openapi: {path: '@'}",
    "patches": BESIDE + "patches: [{path: '@'}]",
    "patchesJson6902": BESIDE + "patchesJson6902: [{path: '@', target: {version: v1, kind: ConfigMap, name: a}}]",
    "patchesStrategicMerge": BESIDE + "patchesStrategicMerge: ['@']",
    "replacements": BESIDE + "replacements: [{path: '@'}]",
    "generator files": BESIDE + "configMapGenerator: [{name: b, files: ['@']}]",
    "generator files with key": BESIDE + "configMapGenerator: [{name: b, files: ['k=@']}]",
    "generator envs": BESIDE + "configMapGenerator: [{name: b, envs: ['@.env']}]",
    "generator env": BESIDE + "secretGenerator: [{name: b, env: '@.env'}]",
    "generators": BESIDE + "generators: ['@']",
    "transformers": BESIDE + "transformers: ['@']",
    "validators": BESIDE + "validators: ['@']",
    "another spelling": BESIDE + "ConfigMapGenerator: [{NAME: b, FILES: ['@']}]",
    "a folded spelling": BESIDE + "configMapGenerator: [{name: b, file\u017f: ['@']}]",
    "two spellings": BESIDE + "configMapGenerator: [{name: b, files: ['../shared/a.yaml'], Files: ['@']}]",
    "two spellings, the other way": BESIDE + "configMapGenerator: [{name: b, Files: ['@'], files: ['../shared/a.yaml']}]",
    "the field twice": BESIDE + "configMapGenerator: [{name: b, files: ['../shared/a.yaml']}]\nCONFIGMAPGENERATOR: [{name: b, files: ['@']}]",
    "a key twice": BESIDE + "configMapGenerator: [{name: b, files: ['../shared/a.yaml'], files: ['@']}]",
    "a merge key": BESIDE + "vars: [&x {files: ['@']}]\nconfigMapGenerator: [{name: b, files: ['../shared/a.yaml'], <<: *x}]",
    "base64": BESIDE + "configMapGenerator: [{name: b, files: [!!binary '#@']}]",
    "an unknown field": BESIDE + "novel: ['@']",
    "an unknown nested field": BESIDE + "configMapGenerator: [{name: b, novel: '@'}]",
    # What stands before `/..` is taken away as text before the file is opened (path/filepath, Clean).
    "a path like an inline patch": BESIDE + "patchesStrategicMerge: ['x: {/../@']",
    "a path like inline YAML": BESIDE + "patchesStrategicMerge: ['x: y/../@']",
    "a path of two lines": BESIDE + 'patchesStrategicMerge: ["x\\n: y/../@"]',
    "a path behind NUL": BESIDE + 'configMapGenerator: [{name: b, files: ["x\\0/../@"]}]',
    "a very long path": BESIDE + f"patchesStrategicMerge: ['x: {{{'x' * 5000}/../@']",
    "a path like a URL that is none": BESIDE + "configMapGenerator: [{name: b, files: ['k=https:/%zz/../../@']}]",
    "a path like a URL with a control character": BESIDE + 'configMapGenerator: [{name: b, files: ["k=https://h\\x7f/../../../@"]}]',
    "a path like a repository": "resources: [../shared/a.yaml, 'github.com/a/../../../@']",
    "a path like an inline plugin": BESIDE + 'transformers: ["apiVersion: builtin\\nkind: LabelTransformer\\n#/../@"]',
    "a path like an inline generator": BESIDE + 'generators: ["apiVersion: builtin\\nkind: LabelTransformer\\nx: \\"/../@"]',
    "PatchTransformer": BESIDE + plugin("PatchTransformer", "path: '@'"),
    "PatchTransformer, spelled otherwise": BESIDE + plugin("PatchTransformer", "PATH: '@'"),
    "PatchJson6902Transformer": BESIDE + plugin("PatchJson6902Transformer", "path: '@'\ntarget: {kind: ConfigMap, name: a}"),
    "PatchStrategicMergeTransformer": BESIDE + plugin("PatchStrategicMergeTransformer", "paths: ['@']"),
    "PatchStrategicMergeTransformer, like inline": BESIDE + plugin("PatchStrategicMergeTransformer", "paths: ['x: {/../@']"),
    "ReplacementTransformer": BESIDE + plugin("ReplacementTransformer", "replacements: [{path: '@'}]"),
    "ValueAddTransformer": BESIDE + plugin("ValueAddTransformer", "targetFilePath: '@'"),
    "ConfigMapGenerator": BESIDE + plugin("ConfigMapGenerator", "files: ['k=@']", field="generators"),
    "SecretGenerator": BESIDE + plugin("SecretGenerator", "envs: ['@.env']", field="generators"),
    "HelmChartInflationGenerator": BESIDE + plugin("HelmChartInflationGenerator", "name: x\nvaluesFile: '@'", field="generators"),
    "a plugin of an empty group": BESIDE + plugin("ConfigMapGenerator", "files: ['k=@']", field="generators", version="/builtin"),
    "a list of plugins": BESIDE
    + plugin("List", "items:\n- apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: b}\n  files: ['k=@']", field="generators", version="v1"),
    "a merge key in a plugin": BESIDE
    + plugin("ConfigMapGenerator", "files: ['k=@']\n<<: {files: [k=../shared/a.yaml]}", field="generators"),
    "a plugin in a validator": BESIDE + plugin("PatchTransformer", "path: '@'", field="validators"),
    "a plugin in a file": BESIDE + "generators: [generator.yaml]",
    "a plugin from a directory": BESIDE + "generators: [../plugin]",
    "a plugin that is patched": BESIDE + "generators: [../patched]",
    "a base": "resources: [../shared/a.yaml, ../base]",
    "a link": BESIDE + "configMapGenerator: [{name: b, files: [k=link]}]",
    "a link to a directory": BESIDE + "configMapGenerator: [{name: b, files: [k=up/canary]}]",
    "a link at the kustomization's own place": "resources: [../shared/a.yaml, ../linked]",
    "chart values": BESIDE + "helmCharts: [{name: x, valuesFile: '@'}]",
    "more chart values": BESIDE + "helmCharts: [{name: x, additionalValuesFiles: ['@']}]",
    "old chart values": BESIDE + "helmChartInflationGenerator: [{chartName: x, values: '@'}]",
    "the home of charts": BESIDE + "helmCharts: [{name: x}]\nhelmGlobals: {chartHome: '@.d'}",
    "the settings of helm": BESIDE + "helmCharts: [{name: x}]\nhelmGlobals: {configHome: '@.d'}",
    "a chart's name": BESIDE + "helmCharts: [{name: '@.d'}]",
    "a chart's version": BESIDE + "helmCharts: [{name: x, repo: 'https://charts.example.invalid', version: '1/../@.d'}]",
}  # fmt: skip


# An absolute path is one only at the start of a string.
AIMS = [
    (name, absolute)
    for name, text in ATTACKS.items()
    for absolute in (False, True)
    if not absolute or ("/../@" not in text and "chart's" not in name)
]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file outside of the tree, and what goes with it."""
    place = tmp_path / "outside" / "canary"
    place.parent.mkdir()
    place.write_text(CANARY)
    Path(f"{place}.env").write_text("leak=canary-leak\n")
    directory = Path(f"{place}.d")
    directory.mkdir()
    (directory / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (directory / "a.yaml").write_text(CANARY)
    return place


@pytest.mark.parametrize(("attack", "absolute"), AIMS)
@pytest.mark.parametrize(("kind", "restrictor"), [("flux", "root-only"), ("kustomization", "none")])
def test_nothing_outside_of_the_tree_is_read(
    make_tree: Callable[..., Any], kustomize: str, canary: Path, kind: Any, restrictor: Any, attack: str, absolute: bool
) -> None:
    above = str(canary) if absolute else "../" * 40 + str(canary).lstrip("/")

    def aimed(text: str) -> str:
        return text.replace("#@", base64.b64encode(above.encode()).decode()).replace("@", above)

    tree = make_tree({
        "app/kustomization.yaml": aimed(ATTACKS[attack]) + "\n",
        "app/generator.yaml": aimed("apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: b}\nfiles: ['k=@']\n"),
        "app/link": canary,
        "app/up": canary.parent,
        "shared/a.yaml": CM,
        "plugin/kustomization.yaml": "resources: [generator.yaml]\n",
        "plugin/generator.yaml": aimed("apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: b}\nfiles: ['k=@']\n"),
        "patched/kustomization.yaml": aimed("resources: [l.yaml]\npatches: [{target: {kind: ConfigMapGenerator}, patch: '[{op: add, path: /files, value: [\"k=@\"]}]'}]\n"),
        "patched/l.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: b}\nliterals: [a=b]\n",
        "base/kustomization.yaml": aimed("resources: [../shared/../shared/b.yaml]\nconfigMapGenerator: [{name: b, files: ['k=@']}]\n"),
        "shared/b.yaml": CM.replace("name: a", "name: c"),
        "linked": Path(f"{canary}.d"),
    })  # fmt: skip
    # Helm is never run here: what kustomize itself would read for it comes first.
    options = Options(cache=False, kustomize=kustomize, timeout=60, load_restrictor=restrictor, enable_helm=True, helm_command="false")
    renderer = find_renderer(options, run)
    build = plan_build(Target("app", "app", kind, "app", tree), options, renderer)
    if isinstance(build, Refusal):
        assert build.failure.class_ in ("load-restriction", "invalid-kustomization"), build
        return
    assert isinstance(build, Build)
    assert "LoadRestrictionsNone" not in build.flags
    (output,) = run_builds([build], renderer, options, run)
    assert output.output is None, "it needs ../shared/a.yaml"
    assert output.failure_class in ("load-restriction", "invalid-kustomization"), output
    assert "canary-leak" not in output.message
