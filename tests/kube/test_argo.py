from __future__ import annotations

import pytest

from kdiff.kube.argo import ArgoSource, ignore_rules, merge_patch, read_application
from kdiff.model.options import IgnoreRule


def application(**spec):
    return {"kind": "Application", "metadata": {"name": "web", "namespace": "argocd"}, "spec": spec}


@pytest.mark.parametrize(
    ("value", "patch", "merged"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": "x"}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, "x", "x"),
    ],
)
def test_merge_patches_follow_rfc_7386(value, patch, merged):
    assert merge_patch(value, patch) == merged


def test_each_json_pointer_of_ignore_differences_is_a_rule_for_that_application():
    rules = ignore_rules(
        application(
            source={"path": "a"},
            ignoreDifferences=[
                {"group": "apps", "kind": "Deployment", "name": "web", "jsonPointers": ["/spec/replicas", "/metadata/labels"]},
                {"kind": "Service", "namespace": "shop", "jsonPointers": ["/spec"], "jqPathExpressions": [".x"]},
                {"kind": "Secret", "managedFieldsManagers": ["m"]},
            ],
        )
    )
    target, origin = "Application argocd/web", "ignoreDifferences of Application argocd/web"
    assert rules == (
        IgnoreRule(kind="apps/Deployment", name="web", target=target, pointer="/spec/replicas", origin=origin),
        IgnoreRule(kind="apps/Deployment", name="web", target=target, pointer="/metadata/labels", origin=origin),
        IgnoreRule(kind="Service", namespace="shop", target=target, pointer="/spec", origin=origin),
    )


def test_a_pointer_without_a_slash_ignores_nothing():
    pointers = ["", "spec", "x/spec/replicas"]
    rules = ignore_rules(application(source={"path": "a"}, ignoreDifferences=[{"kind": "Deployment", "jsonPointers": pointers}]))
    assert [rule.pointer for rule in rules] == ["/spec/replicas"]


def test_several_sources_win_over_one():
    read = read_application(application(source={"path": "a"}, sources=[{"path": "b"}, {"path": "c"}]))
    assert [source.path for source in read.sources] == ["b", "c"]


def test_rules_of_an_application_with_several_sources_hold_for_all_its_targets():
    ignored = [{"kind": "Service", "jsonPointers": ["/spec"]}]
    rules = ignore_rules(application(sources=[{"path": "b"}, {"path": "c"}], ignoreDifferences=ignored))
    assert [rule.target for rule in rules] == ["Application argocd/web", "Application argocd/web *"]


@pytest.mark.parametrize(
    ("revision", "is_pinned", "branch"),
    [
        ("", False, None),
        ("HEAD", False, None),
        ("main", False, "main"),
        ("refs/heads/env/prod", False, "env/prod"),
        ("release-7", False, "release-7"),
        ("v1", False, "v1"),
        ("v1.2.3", True, None),
        ("1.2.x", True, None),
        ("1.*", True, None),
        ("*", True, None),
        (">=1.0.0 <2.0.0", True, None),
        ("^1.0", True, None),
        ("1 || 2", True, None),
        ("0123456789abcdef0123456789abcdef01234567", True, None),
        ("ABCDEF0", True, None),
        ("refs/tags/x", True, None),
        ("refs/pull/1/head", True, None),
    ],
)
def test_which_revisions_are_branches(revision, is_pinned, branch):
    source = ArgoSource("", ".", revision)
    assert (source.is_pinned, source.branch) == (is_pinned, branch)
