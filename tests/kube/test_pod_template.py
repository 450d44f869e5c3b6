"""Pod templates and containers, and fields read by path."""

from __future__ import annotations

import pytest

from kdiff.kube.fields import annotation, is_under, label, values_at
from kdiff.kube.pod_template import containers, pod_templates

VALUE = {"a": [{"b": 1}, {"b": 2}, 3], "x/y": {"~": 0}, "n": None}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [("", VALUE)]),
        ("a[].b", [("/a/0/b", 1), ("/a/1/b", 2)]),
        ("a.b", []),
        ("x/y", [("/x~1y", {"~": 0})]),
        ("x/y.~", [("/x~1y/~0", 0)]),
        ("n", [("/n", None)]),
        ("n.a", []),
        ("missing[].a", []),
    ],
)
def test_values_at(path, found):
    assert list(values_at(VALUE, path)) == found


def test_containers_of_every_role_in_the_order_they_start():
    spec = {"containers": [{"name": "main"}, "odd"], "initContainers": [{"name": "init"}], "ephemeralContainers": [{"name": "debug"}, {}]}
    (template,) = pod_templates("batch", "CronJob", {"spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}})
    root = "/spec/jobTemplate/spec/template/spec"
    assert [(c.pointer, c.role, c.name) for c in containers(template)] == [
        (f"{root}/initContainers/0", "initContainers", "init"),
        (f"{root}/containers/0", "containers", "main"),
        (f"{root}/ephemeralContainers/0", "ephemeralContainers", "debug"),
        (f"{root}/ephemeralContainers/1", "ephemeralContainers", ""),
    ]


@pytest.mark.parametrize(
    ("group", "kind", "value", "pointers"),
    [
        ("", "Pod", {"spec": {}}, [""]),
        ("apps", "Deployment", {"spec": {"template": {}}}, ["/spec/template"]),
        ("apps", "Deployment", {"spec": {"template": 3}}, []),
        ("apps", "Deployment", {}, []),
        ("x.io", "Deployment", {"spec": {"template": {}}}, []),
        (
            "jobset.x-k8s.io",
            "JobSet",
            {"spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": {}}}}}] * 2}},
            ["/spec/replicatedJobs/0/template/spec/template", "/spec/replicatedJobs/1/template/spec/template"],
        ),
    ],
)
def test_pod_templates(group, kind, value, pointers):
    assert [t.pointer for t in pod_templates(group, kind, value)] == pointers


def test_labels_and_annotations_of_any_shape():
    value = {"metadata": {"labels": {"a": "1", "b": 2}, "annotations": None}}
    assert (label(value, "a"), label(value, "b"), label(value, "c"), annotation(value, "a"), annotation({}, "a")) == ("1", "", "", "", "")


@pytest.mark.parametrize(
    ("pointer", "roots", "under"),
    [
        ("/a/b", ["/a"], True),
        ("/a", ["/a"], True),
        ("/ab", ["/a"], False),
        ("/a", ["/a/b"], False),
        ("/a/b", [""], True),
        ("/x", [], False),
    ],
)
def test_is_under(pointer, roots, under):
    assert is_under(pointer, *roots) is under
