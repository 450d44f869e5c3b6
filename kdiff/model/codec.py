"""Frozen dataclasses to JSON values and back, by their own field types: the report's shape is said once, in its types.

A field named `class_` or `from_` is written `class`, `from`. A field whose metadata is `OPTIONAL` is left out of the JSON
while it holds its default; one with `HIDDEN` never appears. A value of `ABSENT` is left out: it differs from null.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union

from kdiff.model.value import Value

OPTIONAL = types.MappingProxyType({"json": "optional"})
HIDDEN = types.MappingProxyType({"json": "hidden"})

T = TypeVar("T")


class DecodeError(ValueError):
    """The JSON has not the shape of the dataclass; the message names the place."""


class Absent:
    """A value that does not exist or is not told; differs from None, which is YAML's null."""

    _instance: Absent | None = None

    def __new__(cls) -> Absent:  # noqa: PYI034 - a singleton is exactly this class
        """One instance, so that `is ABSENT` works."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def _json_name(name: str) -> str:
    return name.removesuffix("_")


def encode(record: Any) -> dict[str, Value]:
    """A dataclass as a JSON object, fields in their order."""
    out: dict[str, Value] = {}
    for field in dataclasses.fields(record):
        role = field.metadata.get("json")
        value = getattr(record, field.name)
        if role == "hidden" or value is ABSENT or (role == "optional" and value == field.default):
            continue
        out[_json_name(field.name)] = _encode(value)
    return out


def _encode(value: Any) -> Value:
    if dataclasses.is_dataclass(value):
        return encode(value)
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, Mapping):  # of records, or a YAML value, which may be nested beyond Python's stack
        return {key: encode(item) if dataclasses.is_dataclass(item) else item for key, item in value.items()}
    return value  # type: ignore[no-any-return]


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def decode(cls: type[T], data: Value, where: str = "") -> T:
    """The dataclass `cls` from a JSON object. Unknown keys are passed over: later minor versions may add some.

    Raises:
        DecodeError: a key is missing or holds a value of another type; `where` prefixes its name.
    """
    if not isinstance(data, dict):
        raise DecodeError(f"{where or 'the report'} is not an object")
    hints = _hints(typing.cast("Any", cls))
    given: dict[str, Any] = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        name = _json_name(field.name)
        if field.metadata.get("json") == "hidden" or name not in data:
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                raise DecodeError(f"{where}{name} is missing")
            continue
        given[field.name] = _decode(hints[field.name], data[name], f"{where}{name}")
    return cls(**given)


def _decode(kind: Any, data: Value, where: str) -> Any:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in args:
            return None
        if Absent in args:  # a YAML value of any type
            return data
        members = [a for a in args if a is not type(None)]
        return _decode(members[0], data, where) if len(members) == 1 else data
    if origin is tuple:
        if not isinstance(data, list):
            raise DecodeError(f"{where} is not a list")
        return tuple(_decode(args[0], item, f"{where}[{i}].") for i, item in enumerate(data))
    if origin is Literal:
        if data not in args:
            raise DecodeError(f"{where} is {data!r}, not one of {', '.join(map(str, args))}")
        return data
    if origin in (dict, Mapping):
        if not isinstance(data, dict):
            raise DecodeError(f"{where} is not an object")
        return {k: _decode(args[1], v, f"{where}.{k}.") for k, v in data.items()}
    if dataclasses.is_dataclass(kind):
        return decode(typing.cast("type[Any]", kind), data, where if where.endswith(".") else f"{where}.")
    if kind in (str, int, bool) and (type(data) is not kind):
        raise DecodeError(f"{where.rstrip('.')} is not a {kind.__name__}")
    if kind is float and (isinstance(data, bool) or not isinstance(data, (int, float))):
        raise DecodeError(f"{where.rstrip('.')} is not a number")
    return data
