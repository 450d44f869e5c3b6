"""Looks inside strings that hold JSON, YAML, TOML, INI or properties on both sides."""

from __future__ import annotations

import configparser
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kdiff.compare.equality import same_value
from kdiff.compare.marks import hide_marks, holds_mark, mark_tokens, quoted_alike
from kdiff.compare.walk import Difference, walk
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.model.change import InnerChange
from kdiff.model.codec import Absent
from kdiff.model.mask import has_token
from kdiff.model.value import Value

_MAX_JSON = 4 * 1024 * 1024  # characters; parsed by C at some 100 MB/s
_MAX_TEXT = 256 * 1024  # the other formats, parsed at some 5 MB/s
_MAX_INNER = 500  # changes; beyond that the text itself says it better

_PROPERTY = re.compile(r"\s*([^\s#!=:][^=:]*?)\s*[=:]\s*(.*)")
_YAML_START = re.compile(r"(?:---|- |[\"']?[\w./-]+[\"']?:(?:\s|$))")


@dataclass(frozen=True)
class Inside:
    """What differs inside a string. `same_meaning`: both sides parse to the same value."""

    changes: tuple[InnerChange, ...]
    same_meaning: bool


def look_inside(name: str, before: str, after: str) -> Inside | None:
    """Compare two strings by what they hold; None when they hold nothing known, or too much.

    `name` is the last segment of the field's path: a file name in a ConfigMap tells the format by its ending. Texts that are
    masked in part are compared as far as that is sure: what a masked part is in has no values, and they never mean the same.
    """
    masked = has_token(before) or has_token(after)
    base, head = mark_tokens(before, after) if masked else (before, after)
    for parse in _parsers(name, base):
        is_sure = not masked or parse not in (_yaml, _toml) or quoted_alike(before, after)
        found = _parsed(parse, base, head) if is_sure else None
        if found is None:
            continue
        walked = walk(*found)
        # a program may tell null from missing, whatever the API server does
        differences = sorted((*walked.differences, *walked.spellings), key=lambda d: (d.pointer, d.base_pointer, d.op))
        if len(differences) > _MAX_INNER:
            return None
        same = not differences and not masked and (parse is not _yaml or _is_same_to_yaml_1_2(before, after))
        return Inside(tuple(_inner_change(d, masked=masked) for d in differences), same)
    return None


def _inner_change(difference: Difference, *, masked: bool) -> InnerChange:
    path, op, before, after = difference.path, difference.op, difference.before, difference.after
    if not masked:
        return InnerChange(path, op, before, after)
    path = hide_marks(path)
    if any(not isinstance(value, Absent) and holds_mark(value) for value in (before, after)):
        return InnerChange(path, op, redacted=True)
    return InnerChange(path, op, before, after)


def _parsed(parse: Callable[[str], Value], before: str, after: str) -> tuple[Value, Value] | None:
    try:
        base, head = parse(before), parse(after)
    except (ValueError, RecursionError, DocumentError, configparser.Error):
        return None
    if isinstance(base, (dict, list)) and isinstance(head, (dict, list)):
        return base, head
    return None


def _parsers(name: str, text: str) -> list[Callable[[str], Value]]:
    """What to try, in order; by the name's ending, else by how the text begins."""
    start = text.lstrip()[:200]
    if start[:1] in ("{", "[") and len(text) <= _MAX_JSON and not name.endswith((".ini", ".toml", ".yaml", ".yml", ".conf")):
        return [_json]
    if len(text) > _MAX_TEXT:
        return []
    ending = name.rpartition(".")[2].lower()
    if ending == "toml":
        return [_toml]
    if ending in ("ini", "cfg"):
        return [_ini]
    if ending in ("properties", "env"):
        return [_properties]
    if ending in ("yaml", "yml") or (_YAML_START.match(start) and "\n" in text):
        return [_yaml]
    return []


def _json(text: str) -> Value:
    value: Value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse)
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one with a key twice is left as text, since parsers disagree on what it means."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _yaml(text: str) -> Value:
    return load_document(text.encode("utf-8"))


def _is_same_to_yaml_1_2(before: str, after: str) -> bool:
    """True when the texts are equal also to a program that takes `on`, `yes` and `0o17` for words; nobody knows which one reads them."""
    found = _parsed(lambda text: load_document(text.encode("utf-8"), canonical=True), before, after)
    return found is not None and same_value(*found)


def _toml(text: str) -> Value:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415
    parsed = tomllib.loads(text)
    value: Value = json.loads(json.dumps(parsed, default=str, allow_nan=False))
    return value


def _ini(text: str) -> Value:
    parser = configparser.RawConfigParser(strict=True, interpolation=None, default_section="\0")
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # option names keep their case
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _properties(text: str) -> Value:
    """`key=value` or `key: value` lines; any other line but a comment, or a key twice, makes it text."""
    found: dict[str, Value] = {}
    for line in text.split("\n"):
        if not line.strip() or line.lstrip()[0] in "#!":
            continue
        match = _PROPERTY.fullmatch(line)
        if match is None or match.group(1) in found or line.endswith("\\"):
            raise ValueError("not plain properties")
        found[match.group(1)] = match.group(2)
    return found
