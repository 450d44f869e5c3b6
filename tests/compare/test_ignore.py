"""Ignore rules: what they leave out, what they say of it."""

from __future__ import annotations

import pytest

from kdiff.compare.ignore import parse_selector
from kdiff.errors import UsageError
from kdiff.model.options import IgnoreRule


def pair(build):
    labels = {"app": "web", "helm.sh/chart": "c-1"}
    base = build.config_map("one", data={"a": "1"}, labels=labels)
    head = build.config_map("one", data={"a": "2"}, labels={**labels, "helm.sh/chart": "c-2"})
    return [base], [head]


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ({"kind": "ConfigMap"}, None),
        ({"kind": "apps/ConfigMap"}, ["/data/a", "/metadata/labels/helm.sh~1chart"]),
        ({"kind": "/ConfigMap"}, None),
        ({"name": "o*", "namespace": "sh?p", "target": "."}, None),
        ({"name": "two"}, ["/data/a", "/metadata/labels/helm.sh~1chart"]),
        ({"selector": "app=web,!legacy"}, None),
        ({"selector": "app notin (web, db)"}, ["/data/a", "/metadata/labels/helm.sh~1chart"]),
        ({"pointer": "/data/a"}, ["/metadata/labels/helm.sh~1chart"]),
        ({"pointer": "/data/*"}, ["/metadata/labels/helm.sh~1chart"]),
        ({"pointer": "/metadata/labels/helm.sh~1chart"}, ["/data/a"]),
        ({"pointer": "/metadata"}, ["/data/a"]),
        ({"label": "helm.sh/*"}, ["/data/a"]),
        ({"label": "helm.sh/*", "pointer": "/data"}, None),
        ({"annotation": "*"}, ["/data/a", "/metadata/labels/helm.sh~1chart"]),
    ],
)
def test_a_rule_leaves_out_what_it_names(build, rule, left):
    base, head = pair(build)
    comparison = build.compare(base, head, ignore=(IgnoreRule(**rule),))
    assert [[f.pointer for f in c.fields] for c in comparison.changes] == ([left] if left else [])
    everything = left == ["/data/a", "/metadata/labels/helm.sh~1chart"]
    assert [n.kind for n in comparison.notes] == ([] if everything else ["ignored"])


def test_the_patch_stays_exact_where_fields_are_ignored(build):
    base, head = pair(build)
    (change,) = build.compare(base, head, ignore=(IgnoreRule(pointer="/data/a"),)).changes
    assert {o["path"] for o in change.patch} == {"/data/a", "/metadata/labels/helm.sh~1chart"}
    assert "a:" not in [line[3:5] for line in change.unified.splitlines() if line[:1] in "+-"]


def test_whole_objects_are_left_out_when_added_or_removed(build):
    comparison = build.compare([build.config_map("a")], [build.widget({})], skip_kinds=("ConfigMap",))
    assert [c.id for c in comparison.changes] == ["example.com/v1/Widget shop/w"]
    assert [(n.kind, n.message) for n in comparison.notes] == [("ignored", "--skip-kinds kind=ConfigMap left out differences in 1 object")]


def test_attributes_are_stripped_from_templates_too(build):
    base, head = build.deployment({}), build.deployment({})
    head["metadata"] = {**head["metadata"], "labels": {"chart": "2"}}
    head["spec"]["template"]["metadata"]["annotations"] = {"checksum/config": "x", "own/a": "1", "own/b": "1"}
    assert build.compare([base], [head], strip_attrs=("defaults", "own/")).changes == ()
    assert len(build.compare([base], [head], strip_attrs=("own/a",)).changes) == 1


def test_a_rule_that_matches_nothing_is_told(build):
    base, head = pair(build)
    rules = (IgnoreRule(name="nobody"), IgnoreRule(name="one", pointer="/data/zzz"))
    (note,) = build.compare(base, head, ignore=(), skip_kinds=("Nothing",)).notes
    assert (note.kind, note.message) == ("ignore-unused", "--skip-kinds kind=Nothing matches no object")
    from kdiff.compare.compare_sides import compare_sides
    from kdiff.model.options import Options

    sides = [build.make_side(n, {".": v}) for n, v in (("base", base), ("head", head))]
    notes = compare_sides(*sides, Options(ignore=rules)).notes
    assert [(n.kind, n.message) for n in notes] == [("ignore-unused", "--ignore name=nobody matches no object")]


@pytest.mark.parametrize(
    ("selector", "labels", "holds"),
    [
        ("a=1", {"a": "1"}, True),
        ("a==1", {"a": "2"}, False),
        ("a!=1", {}, True),
        ("a", {"a": ""}, True),
        ("!a", {"a": ""}, False),
        ("! a", {}, True),
        ("a in (1,2), b", {"a": "2", "b": "x"}, True),
        ("a notin (1,2)", {}, True),
        ("a=", {"a": ""}, True),
        ("x.io/y=1", {"x.io/y": "1"}, True),
    ],
)
def test_selectors_mean_what_kubectl_means(selector, labels, holds):
    assert all(r.holds(labels) for r in parse_selector(selector)) == holds


@pytest.mark.parametrize("selector", ["a in", "a in (1", "=1", "a=1=2", "(a)", "a b"])
def test_a_selector_that_cannot_be_read_stops_the_run(selector):
    with pytest.raises(UsageError, match="label selector"):
        parse_selector(selector)
