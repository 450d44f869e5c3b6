"""Reads from one object which others it names, scales, makes, defines or lives in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from kdiff.kube.fields import escape_token, qualified_kind
from kdiff.kube.kinds import is_cluster_scoped
from kdiff.kube.makers import made_objects, may_make
from kdiff.kube.reference_fields import KIND_GROUPS, SCALES, name_rows, parse_rows
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import ReferenceField
from kdiff.model.value import Value

ReferenceKind = Literal["names", "selects", "governs", "scales", "makes", "contains", "defines"]


@dataclass(frozen=True)
class Reference:
    """One edge: the field at `pointer` (RFC 6901) of `source` leads to the object `target`.

    `kind` says how: the source `names` the target; `selects` it by labels (a Service its pods); `governs` it by labels (a
    NetworkPolicy, a PodDisruptionBudget); `scales` it; `makes` it; or the target `contains` the source (a Namespace) or
    `defines` it (a CustomResourceDefinition). `data_key` is the entry of a ConfigMap or Secret that is needed.
    """

    source: KubeObject
    target: ObjectKey
    pointer: str
    kind: ReferenceKind = "names"
    optional: bool = False
    data_key: str | None = None


@dataclass
class _Step:
    """One step of the compiled paths: a key, each item of it or itself, the kinds it names there, and the steps below."""

    key: str
    each: bool
    names: list[tuple[str, ReferenceKind]] = field(default_factory=list)
    below: dict[str, _Step] = field(default_factory=dict)


class ReferenceTable:
    """The paths to follow for each kind: the built-in tables and the user's own reference fields."""

    def __init__(self, extra: Iterable[ReferenceField] = ()) -> None:
        """`extra` rows are followed beside the built-in ones; their `kind` is `Kind` (any group) or `group/Kind`."""
        self._extra: dict[str, list[tuple[str, str]]] = {}
        for row in extra:
            self._extra.setdefault(row.kind, []).append((row.path, row.to))

    def steps(self, group: str, kind: str) -> dict[str, _Step]:
        """The compiled paths of one kind, empty when it holds no references."""
        qualified = qualified_kind(group, kind)
        own = (*self._extra.get(qualified, ()), *(self._extra.get(kind, ()) if group else ()))
        return _compile(qualified, tuple(own))


@cache
def _compile(qualified: str, extra: tuple[tuple[str, str], ...]) -> dict[str, _Step]:
    steps: dict[str, _Step] = {}
    rows: list[tuple[str, str, ReferenceKind]] = [(path, to, "names") for path, to in (*name_rows(qualified), *extra)]
    rows += [(path, to, "scales") for path, to in parse_rows(SCALES.get(qualified, ""))]
    for path, to, kind in rows:
        level = steps
        step = None
        for part in path.split("."):
            step = level.setdefault(part, _Step(part.removesuffix("[]"), part.endswith("[]")))
            level = step.below
        if step is not None and (to, kind) not in step.names:
            step.names.append((to, kind))
    return steps


def references_of(obj: KubeObject, fields: ReferenceTable) -> Iterator[Reference]:
    """Every reference that `obj` alone tells: names, scales, makes, contains. Its value is parsed only if its kind may hold some."""
    key = obj.key
    steps = fields.steps(key.group, key.kind)
    if steps:
        yield from _follow(obj, steps, obj.value, "")
    if may_make(key.group, key.kind):
        for pointer, made in made_objects(obj):
            yield Reference(obj, made, pointer, "makes")
    if key.namespace:
        yield Reference(obj, ObjectKey("", "Namespace", "", key.namespace), "/metadata/namespace", "contains")


def _follow(obj: KubeObject, steps: dict[str, _Step], value: dict[str, Value], pointer: str) -> Iterator[Reference]:
    for step in steps.values():
        inside = value.get(step.key)
        if inside is None:
            continue
        place = f"{pointer}/{escape_token(step.key)}"
        found: list[tuple[str, Value]] = [(place, inside)]
        if step.each:
            found = [(f"{place}/{i}", item) for i, item in enumerate(inside)] if isinstance(inside, list) else []
        for where, item in found:
            if isinstance(item, str) and item and item != "*":
                for to, kind in step.names:
                    yield from _named(obj, item, {} if step.each else value, pointer=where, to=to, kind=kind)
            elif isinstance(item, dict) and step.below:
                yield from _follow(obj, step.below, item, where)


def _named(obj: KubeObject, name: str, beside: dict[str, Value], *, pointer: str, to: str, kind: ReferenceKind) -> Iterator[Reference]:
    """The references that the string `name` at `pointer` makes; `beside` is the mapping that holds it."""
    group, _, target_kind = to.rpartition("/")
    namespace: Value = None
    if pointer.endswith("/name"):
        stated = beside.get("kind")
        if isinstance(stated, str) and stated:
            group, target_kind = KIND_GROUPS.get(stated, "" if to == "*" else group), stated
        group = _stated_group(beside, group)
        namespace = beside.get("namespace")
    if target_kind in ("*", "User", "Group"):
        return
    if is_cluster_scoped(group, target_kind):
        namespace = ""
    elif not isinstance(namespace, str) or not namespace:
        namespace = obj.key.namespace
    target = ObjectKey(group, target_kind, namespace, name)
    optional = beside.get("optional") is True
    for data_key in _data_keys(beside, pointer) if target_kind in ("ConfigMap", "Secret") and not group else (None,):
        yield Reference(obj, target, pointer, kind, optional, data_key)


def _stated_group(beside: dict[str, Value], default: str) -> str:
    api_version = beside.get("apiVersion")
    if isinstance(api_version, str) and api_version:
        return api_version.rpartition("/")[0]
    for field_name in ("apiGroup", "group"):
        stated = beside.get(field_name)
        if isinstance(stated, str):
            return stated
    return default


def _data_keys(beside: dict[str, Value], pointer: str) -> tuple[str | None, ...]:
    key = beside.get("key")
    if isinstance(key, str):
        return (key,)
    if "/valuesFrom/" in pointer:  # Flux HelmRelease API: valuesKey defaults to values.yaml
        values_key = beside.get("valuesKey")
        return (values_key if isinstance(values_key, str) and values_key else "values.yaml",)
    items = beside.get("items")
    keys = [item.get("key") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return tuple(k for k in keys if isinstance(k, str)) or (None,)


_CRD_GROUP = re.compile(rb"^  group: *[\"']?([A-Za-z0-9.-]+)", re.MULTILINE)
_CRD_KIND = re.compile(rb"^  names:\n(?:    .*\n)*?    kind: *[\"']?([A-Za-z0-9]+)", re.MULTILINE)


def defined_kind(crd: KubeObject) -> tuple[str, str] | None:
    """(group, kind) that a CustomResourceDefinition defines. Read from its bytes where they have kustomize's layout.

    A CRD's schema can hold a megabyte; parsing it to learn two words would cost more than the rest of the graph.
    """
    group, kind = _CRD_GROUP.search(crd.raw), _CRD_KIND.search(crd.raw)
    if group and kind:
        return group[1].decode(), kind[1].decode()
    spec = crd.value.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    if isinstance(spec, dict) and isinstance(names, dict):
        stated, named = spec.get("group"), names.get("kind")
        if isinstance(stated, str) and isinstance(named, str):
            return stated, named
    return None
