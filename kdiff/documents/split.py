"""A stream of bytes into documents, each with its final newline and the line it starts on."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple


class Document(NamedTuple):
    """One document: its own bytes (UTF-8 without byte order mark, ends with a newline) and its first line in the stream, from 1."""

    raw: bytes
    line: int


class DocumentError(ValueError):
    """A document that cannot be read: `message` is one line that quotes no value; `line` counts from 1 in what was given."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(f"{message} (line {line})")
        self.message = message
        self.line = line


def split_documents(stream: bytes, *, canonical: bool = False) -> tuple[Document, ...]:
    """The documents of `stream` that hold anything but blanks, comments and markers, in order.

    `canonical` is for what kustomize wrote: every line inside a document is a top-level key or indented, so `---` alone on a
    line is always a separator. Other YAML is split where YAML 1.2 says a document ends (sections 9.1.2 and 9.2: a line
    that begins with `---` or `...` and then a blank, outside of which no scalar may hold one), and JSON objects that follow one
    another are separate documents, as kubectl reads them (apimachinery pkg/util/yaml, NewYAMLOrJSONDecoder).

    Raises:
        DocumentError: the bytes are not valid in the encoding that their byte order mark names.
    """
    return tuple(_canonical(stream) if canonical else _foreign(_to_utf8(stream)))


def _canonical(stream: bytes) -> Iterator[Document]:
    for part, line in _parts(stream):
        if part and not part.isspace():
            yield Document(part if part.endswith(b"\n") else part + b"\n", line)


def _parts(stream: bytes) -> Iterator[tuple[bytes, int]]:
    """What stands between lines of `---`, and its first line."""
    start, line = 0, 1
    # The newline before the marker belongs to the document; without it `|` at its end would read as `|-`, and `|+` as less.
    while (end := stream.find(b"\n---\n", start)) >= 0:
        yield stream[start : end + 1], line
        line += stream.count(b"\n", start, end) + 2
        start = end + 5
    yield stream[start:], line


_BOMS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def _to_utf8(stream: bytes) -> bytes:
    for mark, encoding in _BOMS:
        if stream.startswith(mark):
            try:
                return stream.decode(encoding).encode()
            except UnicodeError:
                raise DocumentError(f"not valid {encoding.upper()}") from None
    return stream.removeprefix(codecs.BOM_UTF8)


_MARKER = re.compile(rb"(?:(?<=[\r\n])|\A)(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_BLANK = rb"[ \t\r\n]*(?:#[^\r\n]*[ \t\r\n]*)*"
_EMPTY = re.compile(rb"(?:---(?=[ \t\r\n]|\Z))?" + _BLANK)
_PREAMBLE = re.compile(_BLANK + rb"(?:%[^\r\n]*[\r\n]+" + _BLANK + rb")+")
_LINE_END = re.compile(rb"\r\n|\r|\n|\Z")


def _foreign(stream: bytes) -> Iterator[Document]:
    if _separators_only(stream):
        for part, line in _parts(stream):
            yield from _document(part, line)
        return
    start, line, counted = 0, 1, 0
    for marker in _MARKER.finditer(stream):
        begin = marker.start()
        if marker.group() == b"---" and _PREAMBLE.fullmatch(stream, start, begin):
            continue  # directives belong to the document they stand before
        line += stream.count(b"\n", counted, start)
        counted = start
        yield from _document(stream[start:begin], line)
        start = begin
        if marker.group() == b"...":
            end = _LINE_END.search(stream, begin)
            start = end.end() if end else len(stream)
    yield from _document(stream[start:], line + stream.count(b"\n", counted, start))


def _separators_only(stream: bytes) -> bool:
    """True when `---` alone on a line is the only marker, as tools write it: then a plain split is exact and ten times faster."""
    return (
        b"\r" not in stream
        and b"\n..." not in stream
        and not stream.startswith((b"...", b"%"))
        and b"\n%" not in stream
        and stream.count(b"\n---") == stream.count(b"\n---\n")
    )


def _document(raw: bytes, line: int) -> Iterator[Document]:
    if raw[:1].isalpha():  # a key at the margin: neither empty nor JSON
        yield Document(raw if raw.endswith(b"\n") else raw + b"\n", line)
        return
    raw = raw.removeprefix(codecs.BOM_UTF8)  # files joined with `cat` keep theirs
    if _EMPTY.fullmatch(raw):
        return
    for piece in _json_pieces(raw):
        # kubectl's line reader gives every line a newline, also the last (apimachinery pkg/util/yaml, LineReader).
        yield Document(piece if piece.endswith(b"\n") else piece + b"\n", line)
        line += piece.count(b"\n")


_JSON_START = re.compile(rb'[ \t\r\n]*\{[ \t\r\n]*["}]')
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def _json_pieces(raw: bytes) -> list[bytes]:
    """`raw` cut after each top-level JSON object that another one follows; whole when it is no JSON."""
    pieces: list[bytes] = []
    start = depth = 0
    if not _JSON_START.match(raw):
        return [raw]
    for token in _JSON_TOKEN.finditer(raw):
        symbol = token.group()
        if symbol in (b"{", b"["):
            depth += 1
        elif symbol in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                if not _JSON_START.match(raw, token.end()):
                    break
                pieces.append(raw[start : token.end()])
                start = token.end()
    return [*pieces, raw[start:]]
