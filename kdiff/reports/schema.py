"""The JSON Schema of the report, made from the report's types so that the two cannot part."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

from kdiff.model.codec import Absent
from kdiff.model.report import SCHEMA, Report


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what `Report.to_json` writes. Keys may be added within version 1, so unknown ones are allowed."""
    definitions: dict[str, Any] = {}
    _define(Report, definitions)
    report = definitions.pop("Report")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kdiff report, version 1",
        "description": report["description"],
        "type": "object",
        "required": ["schema", *report["required"]],
        "properties": {"schema": {"const": SCHEMA}, **report["properties"]},
        "$defs": dict(sorted(definitions.items())),
    }


def _define(cls: Any, definitions: dict[str, Any]) -> None:
    """Add `cls` and all that it holds to `definitions`."""
    if cls.__name__ in definitions:
        return
    hints = typing.get_type_hints(cls)
    definition: dict[str, Any] = {"description": inspect.getdoc(cls), "type": "object", "required": [], "properties": {}}
    definitions[cls.__name__] = definition
    for field in dataclasses.fields(cls):
        role = field.metadata.get("json")
        if role == "hidden":
            continue
        name = field.name.removesuffix("_")
        hint = hints[field.name]
        definition["properties"][name] = _value(hint, definitions)
        if role != "optional" and Absent not in typing.get_args(hint):
            definition["required"].append(name)


def _value(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        if Absent in args:  # any value of YAML
            return {}
        members = [a for a in args if a is not type(None)]
        if len(members) > 1:
            return {}
        return {"anyOf": [_value(members[0], definitions), {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": _value(args[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _value(args[1], definitions)}
    if dataclasses.is_dataclass(hint):
        _define(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}  # type: ignore[union-attr]
    return {"type": {str: "string", bool: "boolean", int: "integer", float: "number"}[hint]}
