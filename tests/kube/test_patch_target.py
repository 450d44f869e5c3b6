"""What the target of a patch selects."""

from __future__ import annotations

import pytest

from kdiff.kube.patch_target import patch_identity, read_target, selectable, selects

WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web-1", "namespace": "shop", "labels": {"app": "web", "tier": "front"}, "annotations": {"team": "core"}},
}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({}, True),
        ({"group": "apps", "version": "v1", "kind": "Deployment", "name": "web-1", "namespace": "shop"}, True),
        ({"kind": "Deploy"}, False),
        ({"kind": "Deploy.*"}, True),
        ({"kind": "deployment"}, False),
        ({"group": "batch"}, False),
        ({"version": "v1beta1"}, False),
        ({"name": "web"}, False),
        ({"name": "web-[0-9]+"}, True),
        ({"name": "web-1|api"}, True),
        ({"name": "web|api"}, False),
        ({"name": "(web|api)-1"}, True),
        ({"name": "[^-]*"}, False),
        ({"namespace": "default"}, False),
        ({"labelSelector": "app=web"}, True),
        ({"labelSelector": "app==web, tier in (front,back)"}, True),
        ({"labelSelector": "tier notin (front)"}, False),
        ({"labelSelector": "tier!=back"}, True),
        ({"labelSelector": "!legacy,app"}, True),
        ({"labelSelector": "legacy"}, False),
        ({"annotationSelector": "team=core"}, True),
        ({"annotationSelector": "team=ops"}, False),
        ({"name": "web-(?=1)"}, True),  # not Go's, so kustomize refuses it: nothing is said about it
        ({"name": "("}, True),
        ({"name": "[[:alpha:]]+"}, True),
        ({"name": "we--b"}, False),
        ({"labelSelector": "a=b=c"}, True),
    ],
)
def test_selects(target, expected):
    assert selects(read_target(target), selectable(WEB)) is expected


def test_an_object_without_namespace_is_in_default_for_kustomize():
    obj = selectable({"kind": "Pod", "metadata": {"name": "a"}}, frozenset({"shop"}))
    assert [selects(read_target({"namespace": name}), obj) for name in ("default", "shop", "other")] == [True, True, False]


@pytest.mark.parametrize("value", [None, [], {"metadata": {}}, "text"])
def test_what_is_no_object_is_not_selectable(value):
    assert selectable(value) is None


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "a?" * 40 + "a" * 40, "(a|a)" * 30 + "b", ".*" * 20 + "b", "a" * 1000])
def test_hostile_patterns_end(pattern):
    obj = selectable({"kind": "Pod", "metadata": {"name": "a" * 253}})
    assert selects(read_target({"name": pattern}), obj)  # nothing is said about it


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"kind": "Deployment", "name": "web"}, "Deployment web"),
        ({"kind": "Deployment", "name": "web", "namespace": "shop"}, "Deployment shop/web"),
        ({"namespace": "shop"}, "objects in namespace shop"),
        ({"kind": "Job", "labelSelector": "a=b"}, "Job labelled a=b"),
        ({}, "everything"),
    ],
)
def test_targets_are_said_as_people_say_them(target, expected):
    assert str(read_target(target)) == expected


def test_identity_is_that_of_the_content():
    assert patch_identity({"a": 1, "b": 2}) == patch_identity({"b": 2, "a": 1}) != patch_identity({"a": 1, "b": 3})


def test_identity_of_what_is_nested_deeper_than_the_stack():
    def nested(inmost):
        for _ in range(5000):
            inmost = {"a": inmost}
        return inmost

    assert patch_identity(nested("x")) == patch_identity(nested("x")) != patch_identity(nested("y"))
