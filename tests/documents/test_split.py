"""Where one document ends and the next begins."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.documents.split import Document, DocumentError, split_documents


def rows(stream, *, canonical=False):
    return [(d.raw, d.line) for d in split_documents(stream, canonical=canonical)]


def test_each_kustomize_document_keeps_its_final_newline():
    stream = b"a: |\n  x\n---\nb: |+\n  y\n\n---\nc: 1\n"
    expected = [(b"a: |\n  x\n", 1), (b"b: |+\n  y\n\n", 4), (b"c: 1\n", 8)]
    assert rows(stream, canonical=True) == rows(stream) == expected


def test_no_output_is_no_document():
    assert rows(b"", canonical=True) == rows(b"", canonical=False) == rows(b"\n", canonical=True) == []


FOREIGN = {
    "leading and trailing separators": (b"---\na: 1\n---\n", [(b"---\na: 1\n", 1)]),
    "comments and empty documents": (b"# c\n---\n# d\n---\n\n---\na: 1\n---\n# e\n", [(b"a: 1\n", 7)]),
    "no newline at the end": (b"a: 1\n---\nb: |\n  x", [(b"a: 1\n", 1), (b"b: |\n  x\n", 3)]),
    "text after the separator": (b"--- # first\na: 1\n--- {b: 2}\n", [(b"--- # first\na: 1\n", 1), (b"--- {b: 2}\n", 3)]),
    "blanks after the separator": (b"a: 1\n---  \nb: 2\n", [(b"a: 1\n", 1), (b"---  \nb: 2\n", 2)]),
    "the end marker": (b"a: 1\n...\n---\nb: 2\n...\n", [(b"a: 1\n", 1), (b"---\nb: 2\n", 3)]),
    "a bare document after the end marker": (b"a: 1\n... # end\nb: 2\n", [(b"a: 1\n", 1), (b"b: 2\n", 3)]),
    "directives stay with their document": (
        b"%YAML 1.1\n# x\n---\na: 1\n...\n%TAG ! !x\n---\nb: 2\n",
        [(b"%YAML 1.1\n# x\n---\na: 1\n", 1), (b"%TAG ! !x\n---\nb: 2\n", 6)],
    ),
    "line ends of Windows": (b"a: 1\r\n---\r\nb: 2\r\n", [(b"a: 1\r\n", 1), (b"---\r\nb: 2\r\n", 2)]),
    "dashes that separate nothing": (b"a: |\n  ---\n  b\n----: 1\n---x: 1\n", [(b"a: |\n  ---\n  b\n----: 1\n---x: 1\n", 1)]),
    "byte order marks of joined files": (b"\xef\xbb\xbfa: 1\n---\n\xef\xbb\xbfb: 2\n", [(b"a: 1\n", 1), (b"b: 2\n", 3)]),
    "UTF-16": ("a: \u00e9\n---\nb: 1\n".encode("utf-16"), [("a: \u00e9\n".encode(), 1), (b"b: 1\n", 3)]),
    "UTF-32": ("a: 1\n".encode("utf-32"), [(b"a: 1\n", 1)]),
    "JSON objects one after another": (
        b'{"a": "}{\\"", "b": [{}]}\n{"c": 1} {}\n',
        [(b'{"a": "}{\\"", "b": [{}]}\n', 1), (b'\n{"c": 1}\n', 1), (b" {}\n", 2)],
    ),
    "JSON that is followed by rubbish stays whole": (b'{"a": 1}\nb: 2\n', [(b'{"a": 1}\nb: 2\n', 1)]),
    "YAML in flow style": (b"{a: '} {b', c: 1}\n", [(b"{a: '} {b', c: 1}\n", 1)]),
    "U+2028 begins no line": ("a: |\n  x\u2028--- y\n".encode(), [("a: |\n  x\u2028--- y\n".encode(), 1)]),
}


@pytest.mark.parametrize(("stream", "expected"), FOREIGN.values(), ids=FOREIGN)
def test_anyones_yaml(stream, expected):
    assert rows(stream) == expected


@pytest.mark.parametrize("stream", [b"\xff\xfea", b"\xff\xfe\x00\xd8\x20\x00"])
def test_broken_utf16_is_refused(stream):
    with pytest.raises(DocumentError, match="UTF-16"):
        split_documents(stream)


VALUES = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text(alphabet="-.% \n#x"), max_size=3), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4))
@example([{"a": "x\n\n\n"}, {"a": "x\n"}, {"a": "x"}])
def test_documents_come_apart_as_they_were_joined(values):
    raws = [dump_value(value).encode() for value in values]
    stream = b"---\n".join(raws)
    assert [d.raw for d in split_documents(stream, canonical=True)] == raws
    assert [load_document(d.raw) for d in split_documents(stream)] == [load_document(raw) for raw in raws]
    assert [load_document(d.raw) for d in split_documents(b"--- # c\n" + b"...\n--- # c\n".join(raws))] == [
        load_document(raw) for raw in raws
    ]


@settings(max_examples=200, deadline=None)
@given(st.binary() | st.text(alphabet="-.%#{}[]\"'\\ \r\n:ab\ufeff").map(str.encode))
def test_nothing_but_markers_comments_and_blanks_is_lost(stream):
    try:
        documents = split_documents(stream)
    except DocumentError:
        return
    assert all(isinstance(d, Document) and d.raw.endswith(b"\n") for d in documents)
    assert stream.count(b"a") >= sum(d.raw.count(b"a") for d in documents)
