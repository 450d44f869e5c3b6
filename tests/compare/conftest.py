"""Sides built by hand for the tests of comparing."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from kdiff.compare.compare_sides import compare_sides
from kdiff.model.failure import Failure
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target


def make_object(value, target=".", ordinal=0, raw=None):
    """A KubeObject of a value; its bytes are JSON, which every YAML reader reads."""
    group, _, version = value["apiVersion"].rpartition("/")
    metadata = value["metadata"]
    name = metadata["name"] if "name" in metadata else metadata["generateName"] + "*"
    key = ObjectKey(group, value["kind"], metadata.get("namespace") or "", name)
    data = json.dumps(value).encode() if raw is None else raw
    return KubeObject(key, version, data, lambda _: value, target=target, ordinal=ordinal)


def make_side(name, targets, scope=None, failed=(), withheld=()):
    """A Side of target id to values; every target is its own scope unless `scope` is given."""
    states = []
    for target, values in sorted(targets.items()):
        where = Target(target, scope or target, "kustomization", target, None)
        objects = tuple(v if isinstance(v, KubeObject) else make_object(v, target) for v in values)
        failure = Failure(name, target, "renderer-failed", "no") if target in failed else None
        states.append(TargetState(where, objects, failure))
    return Side(name, None, tuple(states), withheld=frozenset((scope or t, t) for t in withheld))


def compare(base, head, ignore=(), scope=None, **options):
    """Compare values of one target, or of target id to values."""
    sides = [make_side(n, s if isinstance(s, dict) else {".": s}, scope) for n, s in (("base", base), ("head", head))]
    return compare_sides(*sides, Options(**options), ignore)


def config_map(name="app", namespace="shop", data=None, **more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace, **more}, "data": data or {}}


def deployment(pod_spec, name="web", namespace="shop"):
    spec = {"template": {"metadata": {"labels": {"app": name}}, "spec": pod_spec}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def widget(spec, name="w", group="example.com/v1"):
    return {"apiVersion": group, "kind": "Widget", "metadata": {"name": name, "namespace": "shop"}, "spec": spec}


@pytest.fixture
def build():
    """The constructors of this module."""
    return SimpleNamespace(
        make_object=make_object, make_side=make_side, compare=compare, config_map=config_map, deployment=deployment, widget=widget
    )
