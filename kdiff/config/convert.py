"""One setting's value from the words of a flag or variable, or from TOML, checked; errors say what is wrong in one phrase."""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kdiff.config.settings import Setting
from kdiff.errors import UsageError
from kdiff.model.checked import limit_fault
from kdiff.model.options import RELEASE, IgnoreRule

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]i?)?B?")
_FACTOR = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_RESTRICTOR = {"LoadRestrictionsNone": "none", "LoadRestrictionsRootOnly": "root-only"}  # kustomize's own words


class BadValueError(ValueError):
    """The value does not fit its setting; the message completes `<where>: `."""


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean "ignore"?`, or "" when nothing is near."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f'; did you mean "{found[0]}"?' if found else ""


def from_words(setting: Setting, words: Sequence[str], origin: str) -> Any:
    """The value of flags (one word each) or of a variable. `origin` is how notes name a rule given this way.

    Raises:
        BadValueError: a word does not fit.
    """
    if setting.commas:
        words = [part for word in words for part in word.split(",") if part]
    if setting.kind == "texts":
        return _texts(words)
    if setting.kind == "pairs":
        return _pairs(setting, dict(_pair(word) for word in words))
    if setting.kind == "records":
        return tuple(_record(setting, _compact(setting, word), f"{origin} {word}") for word in words)
    word = words[-1]
    if setting.kind == "flag":
        if word.lower() in _TRUE + _FALSE:
            return word.lower() in _TRUE
        raise BadValueError(f'"{word}" is neither true nor false')
    if setting.kind in ("integer", "number"):
        try:
            return _number(setting, int(word) if setting.kind == "integer" else float(word))
        except ValueError as error:
            if isinstance(error, BadValueError):
                raise
            raise BadValueError(f'"{word}" is not {"a whole number" if setting.kind == "integer" else "a number"}') from None
    if setting.kind == "size":
        return _size(setting, word)
    return _text(setting, word)


def from_toml(setting: Setting, value: Any, origin: str) -> Any:
    """The value of a configuration key, types exact.

    Raises:
        BadValueError: type or value does not fit.
    """
    kind = setting.kind
    if kind == "flag" and isinstance(value, bool):
        return value
    if kind == "integer" and isinstance(value, int) and not isinstance(value, bool):
        return _number(setting, value)
    if kind == "number" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(setting, float(value))
    if kind == "size" and isinstance(value, (int, str)) and not isinstance(value, bool):
        return _size(setting, str(value))
    if kind in ("text", "choice") and isinstance(value, str):
        return _text(setting, value)
    if kind == "texts" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _texts(value)
    if kind == "pairs" and isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return _pairs(setting, value)
    if kind == "records" and isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return tuple(_record(setting, item, f"{origin}[{i}]") for i, item in enumerate(value))
    raise BadValueError(f"must be {_EXPECTED[kind]}, not {_toml_type(value)}")


_EXPECTED = {
    "flag": "true or false",
    "text": "a string",
    "integer": "a whole number",
    "number": "a number",
    "size": 'bytes, or a string such as "256Mi"',
    "choice": "a string",
    "texts": "a list of strings",
    "pairs": "a table of strings",
    "records": "a list of tables",
}


def _toml_type(value: Any) -> str:
    for kind, word in ((bool, "true or false"), (int, "a number"), (float, "a number"), (str, "a string"), (dict, "a table")):
        if isinstance(value, kind):
            return word
    return "such a list" if isinstance(value, list) else "a date or time"


def _number(setting: Setting, value: float) -> float:
    fault = limit_fault(value, *setting.limits)
    if fault:
        raise BadValueError(fault)
    return value


def _size(setting: Setting, word: str) -> int:
    match = _SIZE.fullmatch(word.strip())
    if match is None:
        raise BadValueError(f'"{word}" is not a size; write bytes, or a number with Ki, Mi or Gi')
    return int(_number(setting, int(float(match[1]) * _FACTOR[match[2] or ""])))


def _text(setting: Setting, word: str) -> str:
    if setting.name == "load_restrictor":
        word = _RESTRICTOR.get(word, word)
    if setting.choices and word not in setting.choices:
        raise BadValueError(f'"{word}" is not one of {", ".join(setting.choices)}{nearest(word, setting.choices)}')
    if not word:
        raise BadValueError("is empty")
    if setting.name == "comment_key" and not re.fullmatch(r"[A-Za-z0-9._/-]{1,100}", word):
        raise BadValueError(f'"{word}" may hold letters, digits and . _ / - only')
    if setting.name == "kubernetes_version" and not RELEASE.fullmatch(word):
        raise BadValueError(f'"{word}" is not a Kubernetes release such as 1.34')
    return word


def _texts(words: Iterable[str]) -> tuple[str, ...]:
    found = tuple(words)
    if any(not word for word in found):
        raise BadValueError("holds an empty string")
    if any("\0" in word for word in found):
        raise BadValueError("holds a null character")
    return found


def _pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not name or not equals:
        raise BadValueError(f'"{word}" is not NAME=VALUE')
    return name, value


def _pairs(setting: Setting, pairs: Mapping[str, str]) -> dict[str, str]:
    for name, value in pairs.items():
        if setting.choices and value not in setting.choices:
            raise BadValueError(f'"{value}" for {name} is not one of {", ".join(setting.choices)}')
    return dict(pairs)


def _compact(setting: Setting, word: str) -> dict[str, Any]:
    """`key=value,key=value`: a comma ends a value only before a known key, so that selectors need no quotes."""
    known = [f.name for f in _record_fields(setting)]
    given: dict[str, Any] = {}
    for part in re.split(rf",(?=(?:{'|'.join(known)})=)", word):
        name, value = _pair(part)
        if name in given:
            raise BadValueError(f'"{word}" gives {name} twice')
        given[name] = value.split("+") if name == "keys" else value
    return given


def _record_fields(setting: Setting) -> list[dataclasses.Field[Any]]:
    record: Any = setting.record
    return [f for f in dataclasses.fields(record) if f.name != "origin"]


def _record(setting: Setting, given: Mapping[str, Any], origin: str) -> Any:
    fields = {f.name: f for f in _record_fields(setting)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in fields:
            raise BadValueError(f'unknown key "{name}"{nearest(name, fields) or "; known are " + ", ".join(fields)}')
        if name == "keys":
            if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
                raise BadValueError("keys must be a list of strings")
            values[name] = tuple(value)
        elif isinstance(value, dt.date) and name == "expires":
            values[name] = value.isoformat()[:10]
        elif isinstance(value, str) and value:
            values[name] = value
        else:
            raise BadValueError(f"{name} must be a string that is not empty")
    missing = [name for name, f in fields.items() if f.default is dataclasses.MISSING and name not in values]
    if missing:
        raise BadValueError(f"{missing[0]} is missing")
    if setting.record is IgnoreRule:
        values["origin"] = origin
    record: Any = setting.record
    try:
        return record(**values)
    except UsageError as error:
        raise BadValueError(str(error)) from None
