"""Reads fields of object values by dotted path, and speaks of them in RFC 6901 pointers."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.model.value import Value


def qualified_kind(group: str, kind: str) -> str:
    """`group/Kind`, or `Kind` for the core group: how the tables of this package name a kind."""
    return f"{group}/{kind}" if group else kind


def escape_token(token: str) -> str:
    """A key as an RFC 6901 reference token."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    """The key that an RFC 6901 reference token names."""
    return token.replace("~1", "/").replace("~0", "~")


def values_at(value: Value, path: str) -> Iterator[tuple[str, Value]]:
    """Every (RFC 6901 pointer, value) that the dotted `path` leads to; what is missing or of another type is passed over."""
    found: list[tuple[str, Value]] = [("", value)]
    for step in path.split(".") if path else ():
        key, each = step.removesuffix("[]"), step.endswith("[]")
        inside = [(f"{p}/{escape_token(key)}", v[key]) for p, v in found if isinstance(v, dict) and key in v]
        found = [(f"{p}/{i}", item) for p, v in inside if isinstance(v, list) for i, item in enumerate(v)] if each else inside
    yield from found


def is_under(pointer: str, *roots: str) -> bool:
    """True when `pointer` is one of `roots` or lies below it."""
    return any(pointer == root or pointer.startswith(f"{root}/") for root in roots)


def annotation(value: dict[str, Value], key: str) -> str:
    """An annotation's value, "" when it is missing. Keys are compared exactly."""
    return _metadata_entry(value, "annotations", key)


def label(value: dict[str, Value], key: str) -> str:
    """A label's value, "" when it is missing. Keys are compared exactly."""
    return _metadata_entry(value, "labels", key)


def _metadata_entry(value: dict[str, Value], field: str, key: str) -> str:
    for _, entries in values_at(value, f"metadata.{field}"):
        entry = entries.get(key) if isinstance(entries, dict) else None
        return entry if isinstance(entry, str) else ""
    return ""


def mapping(value: Value, key: str) -> dict[str, Value]:
    """`value[key]` when both are mappings, else {}."""
    item = value.get(key) if isinstance(value, dict) else None
    return item if isinstance(item, dict) else {}


def mappings(value: Value, key: str) -> Iterator[dict[str, Value]]:
    """The mappings in the list `value[key]`."""
    item = value.get(key) if isinstance(value, dict) else None
    return (entry for entry in item if isinstance(entry, dict)) if isinstance(item, list) else iter(())


def strings(value: Value, key: str) -> Iterator[str]:
    """The strings in the list `value[key]`."""
    item = value.get(key) if isinstance(value, dict) else None
    return (entry for entry in item if isinstance(entry, str)) if isinstance(item, list) else iter(())


def text(value: Value, key: str) -> str:
    """`value[key]` when it is a string, else ""."""
    item = value.get(key) if isinstance(value, dict) else None
    return item if isinstance(item, str) else ""
