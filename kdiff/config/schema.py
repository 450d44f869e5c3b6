"""The JSON Schema of kdiff.toml, made from the table of settings."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from kdiff.config.settings import SETTINGS, Setting


def config_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `kdiff.toml` and of `[tool.kdiff]`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kdiff.toml, or [tool.kdiff] in pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {setting.name: {"description": setting.help, **_value(setting)} for setting in SETTINGS},
    }


def _value(setting: Setting) -> dict[str, Any]:
    if setting.kind == "flag":
        return {"type": "boolean", "default": setting.default}
    if setting.kind in ("integer", "number"):
        return {"type": setting.kind, **_limits(setting), "default": setting.default}
    if setting.kind == "size":
        pattern = r"^\d+(\.\d+)? ?([KMGT]i?)?B?$"
        return {
            "anyOf": [{"type": "integer", **_limits(setting)}, {"type": "string", "pattern": pattern}],
            "default": setting.default,
        }
    if setting.kind == "choice":
        return {"enum": list(setting.choices), "default": setting.default}
    if setting.kind == "text":
        return {"type": "string", "minLength": 1} | ({} if setting.default is None else {"default": setting.default})
    if setting.kind == "texts":
        return {"type": "array", "items": {"type": "string", "minLength": 1}, "default": list(setting.default)}
    if setting.kind == "pairs":
        return {"type": "object", "additionalProperties": {"enum": list(setting.choices)} if setting.choices else {"type": "string"}}
    return {"type": "array", "items": _record(setting)}


def _limits(setting: Setting) -> dict[str, float]:
    return {name: limit for name, limit in zip(("minimum", "maximum"), setting.limits, strict=True) if math.isfinite(limit)}


def _record(setting: Setting) -> dict[str, Any]:
    record: Any = setting.record
    fields = [f for f in dataclasses.fields(record) if f.name != "origin"]
    text = {"type": "string", "minLength": 1}
    return {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {f.name: {"type": "array", "items": text, "minItems": 1} if f.name == "keys" else text for f in fields},
        "required": [f.name for f in fields if f.default is dataclasses.MISSING],
    }
