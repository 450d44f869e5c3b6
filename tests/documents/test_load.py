"""Values are what kustomize meant and what kubectl reads; the tables were recorded from kubectl 1.37 and kustomize 5.8."""

from __future__ import annotations

import contextlib
import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kdiff.documents import load
from kdiff.documents.load import MAX_ALIASED, MAX_DEEP_SIZE, MAX_DEPTH, load_document
from kdiff.documents.split import DocumentError


def both_parsers(raw, monkeypatch, *, canonical):
    first = load_document(raw, canonical=canonical)
    with monkeypatch.context() as patched:
        patched.setattr(load, "_Parser", yaml.SafeLoader)
        assert repr(load_document(raw, canonical=canonical)) == repr(first)
    return first


# What kubectl printed for `data: <written>`, except that integers beyond int64 keep their digits up to 64 bits.
FOREIGN_SCALARS = [
    *[(word, True) for word in ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")],
    *[(word, False) for word in ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")],
    *[(word, None) for word in ("", "~", "null", "Null", "NULL")],
    *[
        (word, word)
        for word in ("yEs", "None", "=", "<<", ".", "+", "0x", "0b", "0o9", "12:30:45", "2024-01-01", "1e400", ".81_", "infinity")
    ],
    *[("0755", 493), ("0o17", 15), ("0O17", 15), ("0x1F", 31), ("0X1f", 31), ("0b11", 3), ("-0b11", -3), ("0B11", 3), ("+0x1F", 31)],
    *[("-0o17", -15), ("1_000", 1000), ("1_", 1), ("0_7", 7), ("0x_1", 1), ("08", 8), ("+1", 1), ("-0", 0)],
    *[("1.0", 1), ("1.", 1), ("1e3", 1000), ("-0.0", 0), ("09.5", 9.5), (".5", 0.5), ("-.5", -0.5), ("+.5", 0.5), ("0.5_5", 0.55)],
    *[
        (".8_1", 0.81),
        (".5e3", 500),
        ("1e-7", 1e-7),
        ("1e20", 1e20),
        ("1.2345678901234567e18", 1234567890123456800),
        ("1e21", 1e21),
        ("1_000.5", 1000.5),
        ("1e5_0", 1e50),
    ],
    *[("9007199254740993", 9007199254740993), ("18446744073709551615", 18446744073709551615), ("0xffffffffffffffff", 2**64 - 1)],
    *[("18446744073709551616", 2.0**64), ("-9223372036854775809", -(2.0**63)), ("+18446744073709551615", 2.0**64)],
    *[("0x1ffffffffffffffff", "0x1ffffffffffffffff"), ("0x1.8p3", "0x1.8p3"), ("03777777777777777777777", 3777777777777777777777.0)],
    *[('"5"', "5"), ("!!str 5", "5"), ('!!int "5"', 5), ("!!float 1", 1), ("!!bool yes", True), ("!foo bar", "bar"), ("! 12", "12")],
    *[("!!binary aGVsbG8=", "hello"), ("!!timestamp 2024-01-01", "2024-01-01"), ("!!null null", None), ("!!foo 12", "12")],
    *[("!!set {a,b}", {"a": None, "b": None}), ("!!omap [a: 1]", [{"a": 1}]), ("[a,b,]", ["a", "b"])],
    *[("|\n  x", "x\n"), ("'a\u0085b'", "a b"), ('"\\x85\\0\\e"', "\x85\0\x1b"), ("{? a : 1}", {"a": 1})],
]


@pytest.mark.parametrize(("written", "value"), FOREIGN_SCALARS)
def test_anyones_scalars(written, value, monkeypatch):
    got = both_parsers(f"data: {written}\n".encode(), monkeypatch, canonical=False)["data"]
    assert repr(got) == repr(value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{a: 1, <<: {a: 2, b: 3}}", {"a": 2, "b": 3}),
        ("{<<: {a: 2, b: 3}, a: 1}", {"a": 1, "b": 3}),
        ("{<<: [{a: 2}, {a: 3, b: 4}]}", {"a": 2, "b": 4}),
        ("{'<<': {a: 1}}", {"<<": {"a": 1}}),
        ("[&x [1, 2], *x]", [[1, 2], [1, 2]]),
        ("{? &k a : 1, b: *k}", {"a": 1, "b": "a"}),
        ("{0x10: x, 010: v, yes: z, 1.5: f, 2024-01-01: d}", {"16": "x", "8": "v", "true": "z", "1.5": "f", "2024-01-01": "d"}),
        ("{1000000.0: y, 1e21: z, 0.00001: w, 123456789.0: q, 16777217.0: r}",
         {"1e+06": True, "1e+21": "z", "1e-05": "w", "1.2345679e+08": "q", "1.6777216e+07": "r"}),
        ("{!!str 1: a, 2: b}", {"1": "a", "2": "b"}),
        ("{a}", {"a": None}),
    ],
)  # fmt: skip
def test_anyones_mappings(written, value, monkeypatch):
    assert both_parsers(f"data: {written}\n".encode(), monkeypatch, canonical=False)["data"] == value


@pytest.mark.parametrize(
    ("raw", "message", "line"),
    [
        (b"a: 1\nb: 2\na: 3\n", 'key "a" stands twice', 3),
        (b"1: a\n'1': b\n", 'key "1" stands twice', 2),
        (b'{"a": 1, "a": 2}', 'key "a" stands twice', 1),
        (b"~: x\n", "key is null", 1),
        (b"[a]: x\n", "key that is a mapping or a list", 1),
        (b"? {a: b}\n: x\n", "key that is a mapping or a list", 1),
        (b"a: &x {b: *x}\n", "inside the value that it names", 1),
        (b"a: *x\n", "does not exist", 1),
        (b"a:\n  <<: 5\n", "merge key needs a mapping", 2),
        (b"a: .inf\n", "infinite", 1),
        (b"a: .nan\n", "infinite or not a number", 1),
        (b"a: !!int x\n", "!!int", 1),
        (b"a: !!binary '!!'\n", "!!binary", 1),
        (b"18446744073709551615: x\n", "beyond 64 bits", 1),
        (b"a: 1\n---\nb: 2\n", "second document", 2),
        (b"a: 1\nb: [\n", "", 3),
        (b"a:\n\tb: 2\n", "cannot start any token", 2),
        (b"a: \xff\n", "not valid UTF-8", 1),
        (b"a: 1\nb: \x00\n", "U+0000 is not allowed", 2),
        (b'a: "\\ud83d"\n', "", 1),
    ],
)
def test_refusals_name_the_fault_and_its_line(raw, message, line):
    with pytest.raises(DocumentError) as caught:
        load_document(raw)
    assert message in caught.value.message
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


CANONICAL_SCALARS = [
    *[(text, text) for text in ("=", "<<", "2024-01-01T00:00:00", "2024-13-45", ".81_", "1e400", "0o9", "yes", "on", "1_000", "0755", "-", "1e3")],
    *[("true", True), ("false", False), ("null", None), ("", None), ("0", 0), ("-1", -1), ("9007199254740993", 9007199254740993)],
    *[("18446744073709551615", 18446744073709551615), ("1.5", 1.5), ("1e+21", 1e21), ("5e-324", 5e-324), ("-1.8446744073709552e+19", -(2.0**64))],
    *[('"on"', "on"), ("'a: b'", "a: b"), ('"\\U0001F600\\0"', "\U0001f600\0"), ("{}", {}), ("[]", [])],
]  # fmt: skip


@pytest.mark.parametrize(("written", "value"), [row for row in CANONICAL_SCALARS if row[0] != "-"])
def test_what_kustomize_wrote(written, value, monkeypatch):
    assert repr(both_parsers(f"data: {written}\n".encode(), monkeypatch, canonical=True)) == repr({"data": value})


@pytest.mark.parametrize("key", ["=", "on", "2024-01-01", ".8_", "8080", "1e3"])
def test_keys_that_kustomize_wrote_are_strings(key):
    assert load_document(f"{key}: x\n".encode(), canonical=True) == {key: "x"}


def test_kustomize_writes_no_aliases():
    with pytest.raises(DocumentError, match="alias"):
        load_document(b"a: &x 1\nb: *x\n", canonical=True)


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("raw", [b"", b"# nothing\n", b"---\n", b"null\n"])
def test_nothing_is_none(raw, canonical):
    assert load_document(raw, canonical=canonical) is None


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a": "\\ud83d\\ude00 \\/", "b": 1.0, "c": 1e2, "d": 18446744073709551616, "e": 9007199254740993}',
         {"a": "\U0001f600 /", "b": 1, "c": 100, "d": 2.0**64, "e": 9007199254740993}),
        (b'{"a": "x \\ud83d y"}', {"a": "x \ufffd y"}),
        (b"{a: yes, b: 'x'}", {"a": True, "b": "x"}),
        (b'{"a": NaN}', {"a": "NaN"}),
        (b'{"a": 1e999}', {"a": "1e999"}),
    ],
)  # fmt: skip
def test_json(raw, value):
    assert repr(load_document(raw)) == repr(value)


@pytest.mark.parametrize("canonical", [True, False])
def test_marks_of_masking_cannot_be_forged(canonical):
    raw = 'a: \ufdd0x\ufdd1\nb: ["\\uFDD0"]\n"\\ufdd1": 1\n'.encode()
    assert load_document(raw, canonical=canonical) == {"a": "\ufffdx\ufffd", "b": ["\ufffd"], "\ufffd": 1}


def nested(levels):
    return "".join(f"{' ' * i}m:\n" for i in range(levels)).encode() + b" " * levels + b"leaf\n"


@pytest.mark.parametrize("canonical", [True, False])
def test_deeper_than_libyaml_goes(canonical):
    value = load_document(nested(1200), canonical=canonical)
    for _ in range(1200):
        value = value["m"]
    assert value == "leaf"


@pytest.mark.parametrize(
    "raw",
    [
        b"- " * (MAX_DEPTH + 1) + b"x\n",
        b"[" * 200_000 + b"]" * 200_000,  # how deep JSON may be depends on the version of Python
        b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
        b"- " * 1100 + b"[" * 100 + b"]" * 100 + b"\n",
        nested(1200) + b"# " + b"x" * MAX_DEEP_SIZE,
    ],
)
def test_too_deep_is_refused_at_once(raw, work):
    with pytest.raises(DocumentError, match="nested"):
        load_document(raw)
    assert work(refused, raw) < 1000 * MAX_DEPTH


def refused(raw):
    with contextlib.suppress(DocumentError):
        load_document(raw)


def test_alias_bombs_are_refused_at_once(work):
    bomb = "a: &a0 [x]\n" + "".join(f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    with pytest.raises(DocumentError, match=str(MAX_ALIASED)):
        load_document(bomb.encode())
    assert work(refused, bomb.encode()) < MAX_ALIASED / 10


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufdd0\ufdd1"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=4), st.booleans())
def test_json_of_a_value_is_the_value(value, ascii_only):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert load_document(raw) == value


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet="ab:-[]{}&*!|>?,#%\"' \n\t01.<~\\", max_size=60).map(str.encode), st.booleans())
def test_any_bytes_give_a_value_or_a_refusal(raw, canonical):
    try:
        load_document(raw, canonical=canonical)
    except DocumentError as error:
        refusal = error
    else:
        return
    assert refusal.line >= 1
    assert "\n" not in refusal.message
