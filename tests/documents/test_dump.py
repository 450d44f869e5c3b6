"""What kdiff's own YAML looks like, and that every value survives it."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.documents.scalars import go_value
from kdiff.model.mask import CLOSE, OPEN

ROWS = [
    ({"b": 1, "a": {"d": [1, {"x": "z", "w": 2}, []], "c": {}}}, "a:\n  c: {}\n  d:\n  - 1\n  - w: 2\n    x: z\n  - []\nb: 1\n"),
    ([["a", ["b"]], {"k": [1]}], "- - a\n  - - b\n- k:\n  - 1\n"),
    (
        {"on": "yes", "1": "12:30:45", "d": "2024-01-01", "v": "1.10", "ip": "10.0.0.1", "q": "500m"},
        '"1": "12:30:45"\nd: "2024-01-01"\nip: 10.0.0.1\n"on": "yes"\nq: 500m\nv: "1.10"\n',
    ),
    ({"a": "x\n", "b": "x", "c": "x\ny", "d": "x\n\n"}, "a: |\n  x\nb: x\nc: |-\n  x\n  y\nd: |+\n  x\n\n"),
    ({"a": "  x\n"}, "a: |2\n    x\n"),
    ({"a": "\n"}, 'a: "\\n\\\n  "\n'),
    ({"a": "one\x1b[0m\n two\n"}, 'a: "one\\x1b[0m\\n\\\n  \\ two\\n\\\n  "\n'),
    ({"a": "x\u202ey", "b": "caf\u00e9 \U0001f680", "c": "a\u00a0b"}, 'a: "x\\u202ey"\nb: caf\u00e9 \U0001f680\nc: "a\\xa0b"\n'),
    (
        {"a": "", "b": None, "c": True, "d": 1.5, "e": "=", "f": "<<", "g": "~"},
        'a: ""\nb: null\nc: true\nd: 1.5\ne: "="\nf: "<<"\ng: "~"\n',
    ),
    ({"a": f"{OPEN}00ff{CLOSE}", "b": f"{OPEN}00ff{CLOSE}\x00"}, f'a: {OPEN}00ff{CLOSE}\nb: "{OPEN}00ff{CLOSE}\\0"\n'),
    ("text", "text\n"),
    ({}, "{}\n"),
]


@pytest.mark.parametrize(("value", "text"), ROWS)
def test_spelling(value, text):
    assert dump_value(value) == text


TEXT = (
    st.text()
    | st.text(alphabet=" \n\t\r-:#'\"|>?%@`&*!{}[],\\01eE+._~=<xoynN\x00\x85\u2028\ufeff\u200b")
    | st.from_regex(r"[-+.]?[0-9_]{1,4}[:.eE-]?[0-9_]{0,3}([:.T -][0-9]{1,2}){0,3}", fullmatch=True)
)
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12)


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def as_kubernetes_keeps(value):
    """A whole float within int64 is an integer once it has been through JSON."""
    if isinstance(value, dict):
        return {k: as_kubernetes_keeps(v) for k, v in value.items()}
    if isinstance(value, list):
        return [as_kubernetes_keeps(v) for v in value]
    return go_value(value)


@settings(max_examples=300, deadline=None)
@given(VALUES)
@example({"a": ["\n x", "x\n ", " \n", "\tx\ny", "x\n\t\n"]})
@example({"k" * 2000: {"a" * 1500 + "\n": [1]}})
def test_every_reader_gets_the_value_back(value):
    raw = dump_value(value).encode("utf-8", "surrogatepass")
    assert same(load_document(raw, canonical=True), value)
    assert same(load_document(raw), as_kubernetes_keeps(value))


def test_any_depth():
    value = "leaf"
    for level in range(3000):
        value = {"n": value} if level % 3 else [value]
    assert sys.getrecursionlimit() < 3000
    assert dump_value(value).endswith("leaf\n")


def test_a_large_schema():
    field = {"description": "What this field does. " * 8, "type": "string", "enum": ["a", "b"], "default": None}
    value = {"spec": {f"field{i}": field for i in range(4500)}}
    text = dump_value(value)
    assert len(text) > 1_000_000
    assert load_document(text.encode()) == value
