"""Which object a document is: by a scan of its bytes where that is certain, else from its parsed value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from kdiff.documents.scalars import canonical_scalar, go_scalar
from kdiff.model.value import Value


class Identity(NamedTuple):
    """What an object says of itself; `namespace` is "" where it names none, `name` may be a generated `prefix*`."""

    api_version: str
    kind: str
    namespace: str
    name: str


class NoIdentity(ValueError):  # noqa: N818 - a fact about a document, which becomes the problem of its target
    """A value is no Kubernetes object; the message says what it lacks and quotes none of it."""


def identity_of(value: Value) -> Identity:
    """The identity of a parsed object.

    Raises:
        NoIdentity: `value` is no mapping, or lacks apiVersion, kind or a name: Kubernetes refuses such objects.
    """
    if not isinstance(value, Mapping):
        raise NoIdentity(f"a {'list' if isinstance(value, list) else 'single value'} where an object must be")
    kind = value.get("kind")
    if not isinstance(kind, str) or not kind:
        raise NoIdentity("an object has no kind")
    api_version = value.get("apiVersion")
    if not isinstance(api_version, str) or not api_version:
        raise NoIdentity(f"a {kind} has no apiVersion")
    metadata = value.get("metadata")
    if not isinstance(metadata, Mapping):
        raise NoIdentity(f"a {kind} has no metadata.name")
    name, namespace, prefix = metadata.get("name"), metadata.get("namespace"), metadata.get("generateName")
    if not all(isinstance(text, str) or text is None for text in (name, namespace, prefix)):
        raise NoIdentity(f"a {kind} has a metadata.name or metadata.namespace that is no string")
    if not (name or prefix):
        raise NoIdentity(f"a {kind} has no metadata.name")
    return Identity(api_version, kind, str(namespace or ""), str(name) if name else f"{prefix}*")


_PLAIN = re.compile(rb"[A-Za-z0-9](?:[-A-Za-z0-9._/:]*[-A-Za-z0-9._/])?")
_QUOTED = re.compile(rb"([\"'])([-A-Za-z0-9._/:]+)\1")
# A line at the margin ends the block, unless it begins with U+2028 or U+2029 and so continues a block scalar.
_BLOCK_END = re.compile(rb"\n(?=[^ \n\xe2])")
# In anyone's YAML: quoted, tagged, anchored, explicit, merged or flow keys at the margin hide what a scan looks for.
_HIDING = tuple(b"\"'?!&*{[<%")
_HIDDEN_KEYS = tuple(b"\n" + bytes([byte]) for byte in _HIDING)
_SIMPLE_METADATA = re.compile(rb"(?:\n {2,}[-A-Za-z0-9_./]+:(?: (?:[A-Za-z0-9/][^\n\"'{}\[\]#]*|\"[^\"\\\n]*\"|'[^'\n]*'|\{\}))?)*")


def scan_identity(raw: bytes, *, canonical: bool) -> Identity | None:
    """The identity that the top-level lines of `raw` give, or None where only a parse is certain.

    In kustomize's output every line at the margin is a top-level key, no key stands twice and metadata is indented by two. In
    other YAML the scan also insists that nothing at the margin and nothing in metadata is written so that it could hide or
    feign these lines.
    """
    if not canonical and _may_hide(raw):
        return None
    metadata = _find(raw, b"metadata:\n", canonical=canonical)
    if metadata < 0:
        return None
    start = metadata + len(b"metadata:")
    end = _BLOCK_END.search(raw, start)
    block = raw[start : end.start() if end else -1]
    if not canonical and not (_SIMPLE_METADATA.fullmatch(block) and block[3:4] != b" " and (end is None or raw[end.end()] != ord("#"))):
        return None
    api_version = _scalar(raw, b"apiVersion: ", canonical=canonical)
    kind = _scalar(raw, b"kind: ", canonical=canonical)
    name = _scalar(block, b"  name: ", canonical=canonical)
    if not (api_version and kind and name):
        return None
    if b"\n  namespace:" not in block:
        return Identity(api_version, kind, "", name)
    namespace = _scalar(block, b"  namespace: ", canonical=canonical)
    return Identity(api_version, kind, namespace, name) if namespace else None


def _may_hide(raw: bytes) -> bool:
    return raw[0] in _HIDING or any(key in raw for key in _HIDDEN_KEYS)


def _find(raw: bytes, line: bytes, *, canonical: bool) -> int:
    """Where the one line that begins with `line` begins; -1 when there is none or more than one."""
    at = 0 if raw.startswith(line) else raw.find(b"\n" + line) + 1
    if at == 0 and not raw.startswith(line):
        return -1
    return at if canonical or raw.find(b"\n" + line, at) < 0 else -1


def _scalar(raw: bytes, key: bytes, *, canonical: bool) -> str | None:
    at = _find(raw, key, canonical=canonical)
    if at < 0:
        return None
    begin = at + len(key)
    end = raw.find(b"\n", begin)
    if end < 0:
        return _text(raw[begin:], canonical=canonical)
    following = end + 1
    while raw.startswith(b"\n", following):
        following += 1
    if raw.startswith(b"   " if key.startswith(b" ") else b" ", following):
        return None  # the value goes on in the next line
    return _text(raw[begin:end], canonical=canonical)


@lru_cache(maxsize=4096)
def _text(written: bytes, *, canonical: bool) -> str | None:
    if _PLAIN.fullmatch(written):
        text = written.decode()
        return text if isinstance((canonical_scalar if canonical else go_scalar)(text), str) else None
    quoted = _QUOTED.fullmatch(written)
    return quoted[2].decode() if quoted else None
