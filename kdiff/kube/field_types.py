"""What is known of a field: the shape of its value, how its list is merged, whether empty means missing.

Built-in kinds come from the generated table (`field_table`), custom resources from the CRD's own schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from kdiff.model.value import Value

Shape = Literal["any", "object", "map", "list", "set", "keyed", "quantity", "time", "duration"]
Order = Literal["free", "counts", "env"]

# Keyed lists in which order means something all the same: initContainers run in order (docs, "Init Containers"); mutating
# webhooks are called in the order of the list (apiserver, mutating webhook manager). Env order matters only for $(VAR).
_ORDER_COUNTS = {"initContainers", "webhooks"}
_ENV_ITEM = "core.v1.EnvVar"
_DURATION_PATTERN = re.compile(r"\((?:ms\|s\|m\|h|h\|m\|s\|ms|ns\|us\|.{1,4}\|ms\|s\|m\|h)\)")
_QUANTITY_PATTERN = "[KMGTPE]i"  # part of the pattern that controller-gen writes for resource.Quantity


@dataclass(frozen=True)
class FieldType:
    """One field's type. `keys` are (key field, default or None) of a `keyed` list; `order` says whether its order counts.

    `droppable`: the API server drops an empty list or map here, so empty is the same as missing.
    """

    shape: Shape = "any"
    keys: tuple[tuple[str, str | None], ...] = ()
    order: Order = "counts"
    droppable: bool = False
    fields: Callable[[], Mapping[str, FieldType]] | None = None
    element: Callable[[], FieldType] | None = None  # of a list, set or map

    def child(self, name: str) -> FieldType:
        """The type of field `name` of an object, or of the values of a map."""
        if self.fields is not None:
            return self.fields().get(name, UNKNOWN)
        return self.item() if self.shape == "map" else UNKNOWN

    def item(self) -> FieldType:
        """The type of the elements of a list or the values of a map."""
        return self.element() if self.element is not None else UNKNOWN


UNKNOWN = FieldType()


@cache
def _table() -> tuple[dict[str, str], dict[str, str]]:
    """Kind (`group/version/Kind`) to type name, and type name to its line of the table."""
    from kdiff.kube.field_table import TABLE  # noqa: PLC0415 - 60 kB, read when the first object differs

    kinds, types = {}, {}
    for line in TABLE.splitlines():
        name, _, rest = line.partition(" ")
        if name == "=":
            group, version, prefix, *names = rest.split()
            kinds.update({f"{group.strip('-')}/{version}/{kind}": f"{prefix}.{kind}" for kind in names})
        else:
            types[name] = rest
    return kinds, types


@cache
def _latest_versions() -> dict[tuple[str, str], str]:
    """(group, Kind) to the type of its newest stable version: versions that are gone differ little from those that came after."""
    kinds, _ = _table()
    chosen: dict[tuple[str, str], str] = {}
    for kind in sorted(kinds, key=lambda k: ("alpha" not in k, "beta" not in k, k)):
        group, _, name = kind.split("/")
        chosen[group, name] = kinds[kind]
    return chosen


@cache
def _fields_of(type_name: str) -> dict[str, FieldType]:
    _, types = _table()
    fields = {}
    for pair in types.get(type_name, "").split():
        name, _, spec = pair.partition("=")
        parsed = _parse(spec.rstrip("?"))
        counts = name in _ORDER_COUNTS and type_name != "admissionregistration.v1.ValidatingWebhookConfiguration"
        fields[name] = replace(parsed, droppable=spec.endswith("?"), order="counts" if counts and parsed.shape == "keyed" else parsed.order)
    return fields


def _parse(spec: str) -> FieldType:
    """A type from its spec; the grammar is described in docs/make_field_table.py."""
    head, rest = spec[:1], spec[1:]
    if head == "q":
        return FieldType("quantity")
    if head == "t":
        return FieldType("time")
    if head == "o":
        return FieldType("object", fields=lambda: _fields_of(rest))
    if head == "m":
        return FieldType("map", element=lambda: _parse(rest))
    if head == "l":
        return FieldType("list", element=lambda: _parse(rest))
    if head == "s":
        return FieldType("set", order="free", element=lambda: _parse(rest))
    if head == "k":
        names, _, item = rest.partition("|")
        keys = tuple((key, default or None) for key, _, default in (n.partition(":") for n in names.split(",")))
        return FieldType("keyed", keys, "env" if item == "o" + _ENV_ITEM else "free", element=lambda: _parse(item))
    return UNKNOWN


def builtin_type(group: str, version: str, kind: str) -> FieldType | None:
    """The type of a built-in kind, of its newest version where `version` is unknown; None for other kinds."""
    kinds, _ = _table()
    name = kinds.get(f"{group}/{version}/{kind}") or _latest_versions().get((group, kind))
    return FieldType("object", fields=lambda: _fields_of(name)) if name else None


def custom_type(schema: Value | None = None) -> FieldType:
    """The type of a custom resource with this `openAPIV3Schema`, or with none that is known.

    The API server reads `metadata` of every custom resource as ObjectMeta, whatever its schema says.
    """
    known = _schema_type(schema) if isinstance(schema, dict) else UNKNOWN

    def fields() -> Mapping[str, FieldType]:
        own = known.fields() if known.fields is not None else {}
        return {**own, "metadata": FieldType("object", fields=lambda: _fields_of("meta.v1.ObjectMeta"))}

    return FieldType("object", fields=fields)


def crd_schema(crd: Mapping[str, Value], version: str) -> Value | None:
    """The `openAPIV3Schema` of `version` in a CustomResourceDefinition (v1, or v1beta1 with one schema for all), else None."""
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        return None
    versions = spec.get("versions")
    found: Value | None = spec.get("validation")
    for entry in versions if isinstance(versions, list) else []:
        if isinstance(entry, dict) and entry.get("name") == version:
            found = entry.get("schema") or found
    return found.get("openAPIV3Schema") if isinstance(found, dict) else None


def _schema_type(schema: Value) -> FieldType:
    """A type from a structural schema (docs: "Extend the Kubernetes API with CustomResourceDefinitions", merge strategy)."""
    if not isinstance(schema, dict):
        return UNKNOWN
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        if schema.get("x-kubernetes-int-or-string") is True and _QUANTITY_PATTERN in pattern:
            return FieldType("quantity")
        if _DURATION_PATTERN.search(pattern):
            return FieldType("duration")
    if schema.get("format") == "date-time":
        return FieldType("time")
    items = schema.get("items")
    if isinstance(items, dict):
        return _list_type(schema, items)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        known = properties
        return FieldType("object", fields=lambda: _SchemaFields(known))
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        return FieldType("map", element=lambda: _schema_type(values))
    return UNKNOWN


def _list_type(schema: dict[str, Value], items: dict[str, Value]) -> FieldType:
    keys = schema.get("x-kubernetes-list-map-keys")
    properties = items.get("properties")
    known = properties if isinstance(properties, dict) else {}
    if schema.get("x-kubernetes-list-type") == "map" and isinstance(keys, list) and keys:
        named = []
        for key in (k for k in keys if isinstance(k, str)):
            field = known.get(key)
            default = field.get("default") if isinstance(field, dict) else None
            named.append((key, default if isinstance(default, str) else None))
        env = {"name", "value", "valueFrom"} <= known.keys()
        return FieldType("keyed", tuple(named), "env" if env else "free", element=lambda: _schema_type(items))
    if schema.get("x-kubernetes-list-type") == "set":
        return FieldType("set", order="free", element=lambda: _schema_type(items))
    return FieldType("list", element=lambda: _schema_type(items))


class _SchemaFields(Mapping[str, FieldType]):
    """The fields of a structural schema, typed one by one when asked for: a CRD may be a megabyte."""

    def __init__(self, properties: dict[str, Value]) -> None:
        self._properties = properties

    def __getitem__(self, name: str) -> FieldType:
        found = _schema_type(self._properties[name])
        return replace(found, order="counts") if name == "initContainers" and found.shape == "keyed" else found

    def __iter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
        return iter(self._properties)

    def __len__(self) -> int:
        return len(self._properties)
