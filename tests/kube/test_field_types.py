"""Field types: the generated table is whole, old versions and CRDs find theirs."""

from __future__ import annotations

import pytest

from kdiff.kube.field_table import TABLE
from kdiff.kube.field_types import UNKNOWN, builtin_type, crd_schema, custom_type


def at(kind, path):
    for name in path.split("."):
        kind = kind.item() if name == "[]" else kind.child(name)
    return kind


@pytest.mark.parametrize(
    ("gvk", "path", "shape", "keys"),
    [
        (("apps", "v1", "Deployment"), "spec.template.spec.containers", "keyed", ["name"]),
        (("apps", "v1", "StatefulSet"), "spec.volumeClaimTemplates.[].spec.resources.requests.storage", "quantity", []),
        (("batch", "v1", "CronJob"), "spec.jobTemplate.spec.template.spec.containers.[].volumeMounts", "keyed", ["mountPath"]),
        (("", "v1", "Pod"), "spec.containers.[].ports", "keyed", ["containerPort", "protocol"]),
        (("", "v1", "Pod"), "spec.containers.[].args", "list", []),
        (("", "v1", "Service"), "spec.ports", "keyed", ["port", "protocol"]),
        (("", "v1", "ServiceAccount"), "imagePullSecrets", "list", []),
        (("", "v1", "ConfigMap"), "metadata.finalizers", "set", []),
        (("", "v1", "ConfigMap"), "metadata.creationTimestamp", "time", []),
        (("", "v1", "ResourceQuota"), "spec.hard.pods", "quantity", []),
        (("rbac.authorization.k8s.io", "v1", "Role"), "rules", "list", []),
        (("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), "webhooks", "keyed", ["name"]),
        (("autoscaling", "v2beta2", "HorizontalPodAutoscaler"), "spec.metrics", "list", []),
        (("batch", "v1beta1", "CronJob"), "spec.jobTemplate.spec.template.spec.volumes", "keyed", ["name"]),
    ],
)
def test_builtin_fields(gvk, path, shape, keys):
    found = at(builtin_type(*gvk), path)
    assert (found.shape, [name for name, _ in found.keys]) == (shape, keys)


@pytest.mark.parametrize(
    ("gvk", "path", "order"),
    [
        (("", "v1", "Pod"), "spec.containers", "free"),
        (("", "v1", "Pod"), "spec.initContainers", "counts"),
        (("", "v1", "Pod"), "spec.initContainers.[].env", "env"),
        (("", "v1", "Pod"), "spec.tolerations", "counts"),
        (("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), "webhooks", "counts"),
        (("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"), "webhooks", "free"),
    ],
)
def test_where_order_counts(gvk, path, order):
    assert at(builtin_type(*gvk), path).order == order


def test_the_table_names_only_types_it_has():
    lines = [line.partition(" ") for line in TABLE.splitlines()]
    types = {name for name, _, _ in lines if name != "="}
    for prefix, kinds in ((row[2], row[3:]) for row in (rest.split() for name, _, rest in lines if name == "=")):
        assert {f"{prefix}.{kind}" for kind in kinds} <= types
    for name, _, rest in lines:
        for spec in () if name == "=" else (pair.partition("=")[2] for pair in rest.split()):
            leaf = spec.rstrip("?").rpartition("|")[2].lstrip("mls")
            assert leaf in ("", "q", "t") or leaf[1:] in types, (name, spec)


def test_other_kinds_know_their_metadata_only():
    assert builtin_type("example.com", "v1", "Deployment") is None
    assert custom_type().child("metadata").child("labels").droppable
    assert custom_type().child("spec") == UNKNOWN
    assert custom_type([]).child("spec") == UNKNOWN


def crd(**spec):
    return {"kind": "CustomResourceDefinition", "spec": spec}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"a": 1}}}]}, {"a": 1}),
        ({"versions": [{"name": "v2", "schema": {"openAPIV3Schema": {"a": 1}}}]}, None),
        ({"validation": {"openAPIV3Schema": {"b": 1}}, "versions": [{"name": "v1"}]}, {"b": 1}),
        ({"versions": "none"}, None),
        ({}, None),
    ],
)
def test_the_schema_of_a_version(spec, found):
    assert crd_schema(crd(**spec), "v1") == found
