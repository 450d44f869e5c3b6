"""What a kustomization makes kustomize read."""

from __future__ import annotations

from typing import Any

import pytest

from kdiff.kube.kustomization import (
    Asked,
    Reference,
    all_strings,
    is_git_url,
    is_http_url,
    is_local_git_url,
    read_kustomization,
    read_plugin,
    without_credentials,
)
from kdiff.kube.kustomization_types import PLUGINS


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"resources": ["a.yaml", "../b"], "bases": ["c"]}, [("resource", "a.yaml"), ("resource", "../b"), ("resource", "c")]),
        ({"Resources": ["a.yaml"]}, [("resource", "a.yaml")]),
        ({"components": ["c"]}, [("component", "c")]),
        ({"patches": [{"path": "p.yaml"}, {"patch": "x: y"}]}, [("file", "p.yaml")]),
        ({"patchesStrategicMerge": ["p.yaml"], "patchesJson6902": [{"path": "j.yaml"}]}, [("patch", "p.yaml"), ("file", "j.yaml")]),
        ({"replacements": [{"path": "r.yaml"}, {"source": {}}]}, [("file", "r.yaml")]),
        (
            {"configMapGenerator": [{"files": ["a.txt", "k=b.txt"], "envs": ["c.env"], "env": "d.env", "literals": ["e=f"]}]},
            [("file", "a.txt"), ("file", "b.txt"), ("file", "c.env"), ("file", "d.env")],
        ),
        ({"secretGenerator": [{"files": ["k=a=b"]}]}, [("file", "a=b")]),
        ({"generators": ["g"], "transformers": ["t"], "validators": ["v"]}, [("plugin", "g"), ("plugin", "t"), ("plugin", "v")]),
        ({"configurations": ["c.yaml"], "crds": ["d.yaml"], "openapi": {"path": "s.json"}}, [("file", "c.yaml"), ("file", "d.yaml"), ("file", "s.json")]),
        (
            {"helmCharts": [{"name": "x", "valuesFile": "v.yaml", "additionalValuesFiles": ["w.yaml"]}], "helmGlobals": {"chartHome": "home"}},
            [("file", "v.yaml"), ("file", "w.yaml"), ("chart", "home"), ("chart", "charts")],
        ),
        ({"namePrefix": "a.yaml", "images": [{"name": "b.yaml"}], "vars": [{"name": "c"}]}, []),
        ({"resources": "a.yaml", "patches": {"path": "b"}, "configMapGenerator": [None]}, []),
        ({"novel": {"deep": ["x.yaml"]}}, [("any", "x.yaml")]),
    ],
)  # fmt: skip
def test_each_field_names_what_it_reads(value: Any, expected: list[tuple[str, str]]) -> None:
    found = read_kustomization(value)
    assert found is not None
    assert [(r.role, r.path) for r in found.references] == expected


@pytest.mark.parametrize(
    ("value", "kind", "helm", "unknown", "collects"),
    [
        ({}, "Kustomization", False, (), True),
        ({"kind": "Component", "patches": []}, "Component", False, (), False),
        ({"kind": None, "namespace": "x", "resources": []}, "Kustomization", False, (), True),
        ({"helmCharts": []}, "Kustomization", True, (), False),
        ({"novel": 1}, "Kustomization", False, ("novel",), False),
        ({"resources": [], "RESOURCES": []}, "Kustomization", False, ("RESOURCES",), True),
    ],
)
def test_what_a_kustomization_is(value: Any, kind: str, helm: bool, unknown: tuple[str, ...], collects: bool) -> None:
    found = read_kustomization(value)
    assert found is not None
    assert (found.kind, found.helm, found.unknown, found.collects) == (kind, helm, unknown, collects)


@pytest.mark.parametrize("value", [None, [], "text", 1])
def test_what_is_no_mapping_is_no_kustomization(value: Any) -> None:
    assert read_kustomization(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"apiVersion": "builtin", "kind": "NamespaceTransformer"}, ()),
        ({"apiVersion": "builtin", "kind": "PatchTransformer", "path": "p.yaml"}, (Reference("file", "p.yaml"),)),
        ({"apiVersion": "builtin", "kind": "PatchStrategicMergeTransformer", "paths": ["a", "b"]}, (Reference("patch", "a"), Reference("patch", "b"))),
        ({"apiVersion": "builtin", "kind": "SecretGenerator", "envs": ["e"]}, (Reference("file", "e"),)),
        ({"apiVersion": "builtin", "kind": "ReplacementTransformer", "replacements": [{"path": "r"}]}, (Reference("file", "r"),)),
        ({"apiVersion": "builtin", "kind": "ValueAddTransformer", "targetFilePath": "t"}, (Reference("file", "t"),)),
        ({"apiVersion": "/builtin", "kind": "ConfigMapGenerator", "files": ["k=f"]}, (Reference("file", "f"),)),
    ],
)  # fmt: skip
def test_built_in_plugins_name_what_they_read(value: Any, expected: Any) -> None:
    assert read_plugin(value) == Asked(expected)


def test_helm_in_a_plugin() -> None:
    found = read_plugin({"apiVersion": "builtin", "kind": "HelmChartInflationGenerator", "name": "x", "valuesFile": "v", "chartHome": "c"})
    assert found == Asked((Reference("file", "v"), Reference("chart", "c"), Reference("chart", "charts")), helm=True)


@pytest.mark.parametrize("kind", PLUGINS)
def test_a_field_that_no_plugin_has_is_unknown(kind: str) -> None:
    found = read_plugin({"apiVersion": "builtin", "kind": kind, "metadata": {"name": "a"}, "novel": "x"})
    assert found is not None
    assert found.unknown == ("novel",)


def test_other_plugins_may_read_anything() -> None:
    assert read_plugin({"apiVersion": "example.com/v1", "kind": "NamespaceTransformer"}) is None


@pytest.mark.parametrize(
    "value",
    [
        "text",
        {"apiVersion": "builtin", "kind": "Novel"},
        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "builtin", "kind": "ConfigMapGenerator", "files": ["x"]}]},
    ],
)
def test_what_may_be_a_plugin_of_kustomize_but_is_not_known(value: Any) -> None:
    found = read_plugin(value)
    assert found is not None
    assert found.unknown


@pytest.mark.parametrize(
    ("value", "unknown"),
    [
        ({"configMapGenerator": [{"novel": "x"}]}, ("configMapGenerator.novel",)),
        ({"patches": [{"options": {"novel": "x"}}]}, ("patches.options.novel",)),
        ({"replacements": [{"targets": [{"select": {"novel": "x"}}]}]}, ("replacements.targets.select.novel",)),
        ({"images": [{"novel": "x"}]}, ("images.novel",)),
        ({"openapi": {"path": "a", "novel": "x"}}, ("openapi.novel",)),
        ({"configMapGenerator": [{"files": ["a"], "FILES": ["b"]}]}, ("configMapGenerator.FILES",)),
        ({"resources": "a.yaml"}, ("resources",)),
        ({"resources": [1]}, ("resources",)),
        ({"resources": None, "patches": [{"target": None}]}, ()),
        ({"labels": [{"pairs": {"anything": "x"}}], "commonLabels": {"a": "b"}, "metadata": {"annotations": {"a": "b"}}}, ()),
        ({"helmCharts": [{"valuesInline": {"path": "x"}}]}, ()),
    ],
)  # fmt: skip
def test_what_is_unknown_at_any_depth(value: Any, unknown: tuple[str, ...]) -> None:
    found = read_kustomization(value)
    assert found is not None
    assert found.unknown == unknown


@pytest.mark.parametrize("chart", [{"name": "../../x"}, {"name": "x", "version": "1/../../x"}])
def test_a_chart_that_lies_outside_of_the_home_of_charts(chart: Any) -> None:
    found = read_kustomization({"helmCharts": [chart]})
    assert found is not None
    assert any(r.role == "chart" and ".." in r.path for r in found.references)


@pytest.mark.parametrize(
    ("path", "git", "http", "local"),
    [
        ("base", False, False, False),
        ("../base", False, False, False),
        ("/abs/github.com/a/b", False, False, False),
        ("github.com/org/repo", True, False, False),
        ("github.com/org", False, False, False),
        ("GitHub.com/org/repo/deep?ref=v1", True, False, False),
        ("github.com/org/repo//../../up", False, False, False),
        ("github.com/org/repo/../up", False, False, False),
        ("https://git.example.com/org/repo", True, True, False),
        ("HTTPS://git.example.com/file.yaml", False, True, False),
        ("https://git.example.com//x", True, True, False),
        ("http://git.example.com/repo.git", True, True, False),
        ("https://dev.example.com/org/project/_git/repo/path", True, True, False),
        ("ssh://git@git.example.com/org/repo", True, False, False),
        ("git@git.example.com:org/repo.git//deploy", True, False, False),
        ("git::https://git.example.com/org/repo", True, False, False),
        ("example.com/org/repo", False, False, False),
        ("user@host", False, False, False),
        ("file:///srv/repo", True, False, True),
        ("git::file:///srv/repo", True, False, True),
        ("", False, False, False),
    ],
)
def test_remote_references_are_told_as_kustomize_tells_them(path: str, git: bool, http: bool, local: bool) -> None:
    assert (is_git_url(path), is_http_url(path), is_local_git_url(path)) == (git, http, local)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:pass@git.example.com/x", "https://git.example.com/x"),
        ("https://git.example.com/x?token=abc&ref=v1", "https://git.example.com/x?token=***&ref=v1"),
        ("'https://a@b/c' and 'https://d:e@f/g'", "'https://b/c' and 'https://f/g'"),
        ("git@git.example.com:org/repo", "git@git.example.com:org/repo"),
        ("no url", "no url"),
    ],
)
def test_credentials_leave_urls(text: str, expected: str) -> None:
    assert without_credentials(text) == expected


def test_all_strings_are_found_at_any_depth() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    assert list(all_strings({"a": deep, "b": 1})) == ["x"]


@pytest.mark.parametrize(
    "content",
    [
        {"configMapGenerator": [{"Files": ["secret"]}]},
        {"configMapGenerator": [{"fileſ": ["secret"]}]},
        {"secretGenerator": [{"ENVS": ["secret"]}]},
        {"patches": [{"Path": "secret"}]},
        {"replacements": [{"PATH": "secret"}]},
        {"configMapGenerator": [{"files": ["plain"], "Files": ["secret"]}]},
        {"openapi": {"PATH": "secret"}},
        {"reſources": ["secret"]},
    ],
)
def test_fields_are_matched_at_every_depth_as_go_does(content):
    assert "secret" in {reference.path for reference in read_kustomization(content).references}


def test_fields_of_plugins_too():
    plugin = {"apiVersion": "builtin", "kind": "ConfigMapGenerator", "FILES": ["secret"]}
    assert "secret" in {reference.path for reference in read_plugin(plugin).references}
