"""One YAML or JSON document to a value, as kustomize wrote it or as Kubernetes reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from kdiff.documents.scalars import canonical_scalar, go_key, go_scalar, go_tagged_scalar, go_value, json_integer
from kdiff.documents.split import DocumentError, split_documents
from kdiff.model.mask import CLOSE, OPEN
from kdiff.model.value import Scalar, Value

_Parser: Any
try:
    from yaml._yaml import CParser as _Parser
except ImportError:  # PyYAML was built without libyaml: the same values, some ten times slower
    _Parser = yaml.SafeLoader

MAX_DEPTH = 10_000
"""Levels of nested mappings and lists: as deep as Go reads (goyaml.v2 scannerc.go max_flow_level, encoding/json maxNestingDepth)."""

MAX_DEEP_SIZE = 4 << 20
"""Bytes of a document with more than 1000 levels, which only the slow parser reads; flow style and JSON may not go so deep."""

MAX_ALIASED = 1_000_000
"""Nodes that the aliases of one document may stand for, each counted as often as it is meant."""


def load_document(raw: bytes, *, canonical: bool = False) -> Value:
    """The value of `raw`, which holds one document; None when it holds none.

    With `canonical`, `raw` is what kustomize wrote: no tags, anchors or merge keys, and plain scalars mean what
    `canonical_scalar` says. Without, it is anyone's YAML or JSON and means what sigs.k8s.io/yaml makes of it for kubectl and
    Flux: booleans and octal integers of YAML 1.1, aliases and merge keys resolved, keys turned into strings. Other than
    there, a key that stands twice in one mapping is refused, since one of the two would be lost. The noncharacters that mark
    masked text and lone surrogates become U+FFFD.

    Raises:
        DocumentError: broken YAML, a second document, a repeated key, a key that is no scalar, a number that JSON cannot
            hold, more than `MAX_DEPTH` levels (see `MAX_DEEP_SIZE`), aliases that stand for more than `MAX_ALIASED` nodes.
    """
    value = _from_yaml(raw, _canonical_value) if canonical else _from_anyone(raw)
    return _without_forbidden(value) if _MAY_HOLD_FORBIDDEN.search(raw) else value


def load_documents(stream: bytes) -> list[Value]:
    """The values of all documents of anyone's `stream`.

    Raises:
        DocumentError: as `split_documents` and `load_document`.
    """
    return [load_document(document.raw) for document in split_documents(stream)]


def load_first(stream: bytes) -> Value:
    """The value of the first document of anyone's `stream`, all that kustomize reads of a kustomization; None when it holds none.

    kustomize reads it with sigs.k8s.io/yaml (api/types/kustomization.go, Unmarshal), which passes over what follows.

    Raises:
        DocumentError: as `split_documents` and `load_document`.
    """
    documents = split_documents(stream)
    return load_document(documents[0].raw) if documents else None


def _from_anyone(raw: bytes) -> Value:
    if raw.lstrip()[:1] in (b"{", b"["):
        # kubectl tries JSON first and falls back to YAML (apimachinery pkg/util/yaml, YAMLOrJSONDecoder).
        try:
            return json.loads(  # type: ignore[no-any-return]
                raw.decode(),
                object_pairs_hook=_unique,
                parse_int=json_integer,
                parse_float=lambda text: go_value(float(text)),
                parse_constant=_refuse_constant,
            )
        except DocumentError:
            raise
        except (ValueError, RecursionError):
            pass
    return _from_yaml(raw, _foreign_value)


def _unique(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _repeated_key(next(name for name in names if names.count(name) > 1), 1)
    return found


def _refuse_constant(text: str) -> Value:
    raise ValueError(f"{text} is no JSON")


def _repeated_key(key: str, line: int) -> DocumentError:
    return DocumentError(f"the key {json.dumps(key[:80])} stands twice in one mapping", line)


def _from_yaml(raw: bytes, build: Callable[[Callable[[], Any]], Value]) -> Value:
    try:
        return _parse(raw, _Parser, build)
    except DocumentError as error:
        if "maximum nesting depth" not in error.message:
            raise
        if len(raw) > MAX_DEEP_SIZE:
            raise DocumentError(f"nested more than 1000 levels deep in more than {MAX_DEEP_SIZE >> 20} MiB", error.line) from None
    return _parse(raw, _DeepParser, build)


class _DeepParser(yaml.SafeLoader):
    """PyYAML's own parser keeps its levels in lists, where libyaml stops at 1000 (parser.c, MAX_NESTING_LEVEL).

    Its work for each token grows with the flow collections around it, so that few of them are let through.
    """

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803 - PyYAML's name
        if self.flow_level >= _DEEP_FLOW:
            raise yaml.scanner.ScannerError(None, None, "nested too deeply in flow style", self.get_mark())
        super().fetch_flow_collection_start(TokenClass)


_DEEP_FLOW = 20


def _parse(raw: bytes, parser_class: Any, build: Callable[[Callable[[], Any]], Value]) -> Value:
    parser = None
    try:
        parser = parser_class(raw)
        next_event = parser.get_event
        next_event()
        if type(next_event()) is StreamEndEvent:
            return None
        value = build(next_event)
        next_event()
        if type(end := next_event()) is not StreamEndEvent:
            raise DocumentError("a second document follows without a separator", _line(end))
    except yaml.reader.ReaderError as error:
        line = raw.count(b"\n", 0, error.position) + 1
        if "not allowed" in str(error.reason):
            raise DocumentError(f"the control character {_character(error.character)} is not allowed in YAML", line) from None
        raise DocumentError("not valid UTF-8", line) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(error.problem or "not valid YAML", mark.line + 1 if mark else 1) from None
    finally:
        if parser is not None:
            parser.dispose()
    return value


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _character(code: Any) -> str:
    return f"U+{code if isinstance(code, int) else ord(code[:1]):04X}"


# What the value that comes next is for, where it is not the value of a key.
_ROOT, _ITEM, _KEY, _MERGE = object(), object(), object(), object()


def _canonical_value(next_event: Callable[[], Any]) -> Value:
    """The value that the next events describe, under `canonical_scalar`. Levels lie in a list, not on Python's stack."""
    outer: list[tuple[Any, Any]] = []
    node: Any = None
    role: Any = _ROOT  # or the key, a string, that waits for its value
    value: Any
    while True:
        event = next_event()
        kind = type(event)
        if kind is ScalarEvent:
            value = event.value
            if role is _KEY:
                if value in node:
                    raise _repeated_key(value, _line(event))
                role = value
                continue
            if not event.style:
                value = canonical_scalar(value)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            _check_level(role, len(outer), event)
            outer.append((node, role))
            node, role = ({}, _KEY) if kind is MappingStartEvent else ([], _ITEM)
            continue
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            value = node
            node, role = outer.pop()
        else:
            raise DocumentError("an alias, which kustomize never writes", _line(event))
        if role is _ITEM:
            node.append(value)
        elif role is _ROOT:
            return value  # type: ignore[no-any-return]
        else:
            node[role] = value
            role = _KEY


def _check_level(role: Any, depth: int, event: Any) -> None:
    if role is _KEY:
        raise DocumentError("a key that is a mapping or a list", _line(event))
    if depth >= MAX_DEPTH:
        raise DocumentError(f"nested more than {MAX_DEPTH} levels deep", _line(event))


def _foreign_value(next_event: Callable[[], Any]) -> Value:
    """The value that the next events describe, as goyaml.v2 and sigs.k8s.io/yaml read it for Kubernetes."""
    outer: list[tuple[Any, Any, Any, Any, int]] = []
    node: Any = None
    role: Any = _ROOT
    anchor: str | None = None  # of `node`
    merged: set[str] = set()  # keys of `node` that a merge gave it and that it may still name itself
    count = started = aliased = 0  # nodes so far, aliases expanded; the count when `node` began
    anchors: dict[str, tuple[Any, int] | None] = {}  # value and its nodes; None while it is being read
    value: Any
    while True:
        event = next_event()
        kind = type(event)
        if kind is ScalarEvent or kind is AliasEvent:
            if kind is AliasEvent:
                value, size = _aliased(event, anchors)
                count += size
                aliased += size
                if aliased > MAX_ALIASED:
                    raise DocumentError(f"aliases stand for more than {MAX_ALIASED} values", _line(event))
            else:
                count += 1
                value = _scalar(event)
                if event.anchor:
                    anchors[event.anchor] = (value, 1)
            if role is _KEY:
                if kind is ScalarEvent and _is_merge(event):
                    role = _MERGE
                    continue
                role = _key(value, event)
                if role in node and role not in merged:
                    raise _repeated_key(role, _line(event))
                merged.discard(role)
                continue
            if not isinstance(value, (dict, list)):
                try:
                    value = go_value(value)
                except ValueError as error:
                    raise DocumentError(str(error), _line(event)) from None
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            _check_level(role, len(outer), event)
            outer.append((node, role, anchor, merged, started))
            node, role = ({}, _KEY) if kind is MappingStartEvent else ([], _ITEM)
            anchor, merged, started = event.anchor, set(), count
            count += 1
            if anchor:
                anchors[anchor] = None
            continue
        else:
            value = node
            if anchor:
                anchors[anchor] = (value, count - started)
            node, role, anchor, merged, started = outer.pop()
        if role is _ITEM:
            node.append(value)
        elif role is _ROOT:
            return value  # type: ignore[no-any-return]
        else:
            if role is _MERGE:
                merged |= _merge(node, value, event)
            else:
                node[role] = value
            role = _KEY


def _aliased(event: Any, anchors: dict[str, tuple[Any, int] | None]) -> tuple[Any, int]:
    try:
        found = anchors[event.anchor]
    except KeyError:
        raise DocumentError("an alias names an anchor that does not exist", _line(event)) from None
    if found is None:
        raise DocumentError("an alias stands inside the value that it names", _line(event))
    return found


def _scalar(event: Any) -> Scalar:
    tag: str | None = event.tag
    text: str = event.value
    if not tag:
        return text if event.style else go_scalar(text)
    try:
        return go_tagged_scalar(tag, text)
    except ValueError as error:
        raise DocumentError(str(error), _line(event)) from None


def _is_merge(event: Any) -> bool:
    return event.value == "<<" and (event.tag == "tag:yaml.org,2002:merge" or not (event.tag or event.style))


def _key(value: Any, event: Any) -> str:
    if isinstance(value, (dict, list)):
        raise DocumentError("a key that is a mapping or a list", _line(event))
    try:
        return go_key(value)
    except ValueError as error:
        raise DocumentError(str(error), _line(event)) from None


def _merge(node: dict[str, Value], source: Any, event: Any) -> set[str]:
    """Merge `source` into `node` where the `<<` stands, as goyaml.v2 does: over earlier keys, under later ones."""
    sources = source if isinstance(source, list) else [source]
    given: set[str] = set()
    for item in reversed(sources):  # of several sources the first wins
        if not isinstance(item, dict):
            raise DocumentError("a merge key needs a mapping or a list of mappings", _line(event))
        node.update(item)
        given.update(item)
    return given


# The noncharacters that mark masked text, as UTF-8 or escaped, and escaped surrogates (Go reads a lone one as U+FFFD).
_MAY_HOLD_FORBIDDEN = re.compile(rb"\xef\xb7[\x90\x91]|[fF][dD]{2}[01]|\\u[dD][89a-fA-F]")
_FORBIDDEN = re.compile(f"[{OPEN}{CLOSE}\ud800-\udfff]")


def _without_forbidden(value: Value) -> Value:
    """`value`, its containers changed in place."""
    root = [value]
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        for place, item in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(item, str):
                node[place] = _FORBIDDEN.sub("\ufffd", item)
            elif isinstance(item, (dict, list)):
                todo.append(item)
            if isinstance(place, str) and _FORBIDDEN.search(place):
                node[_FORBIDDEN.sub("\ufffd", place)] = node.pop(place)
    return root[0]
