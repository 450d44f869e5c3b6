"""The index finds all that a plain search for each text would find."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdiff.objects.secret_index import SecretIndex

TEXTS = st.lists(st.text(alphabet="ab1", min_size=6, max_size=12), max_size=6)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.text(alphabet="ab1 ", max_size=60))
def test_finds_what_a_search_for_each_finds(known, text):
    covered = set()
    for each in known:
        at = text.find(each)
        while at >= 0:
            covered.update(range(at, at + len(each)))
            at = text.find(each, at + 1)
    index = SecretIndex((each, "text") for each in known)
    spans = index.spans(text)
    assert {i for begin, end in spans for i in range(begin, end)} == covered
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


@pytest.mark.parametrize(
    ("known", "role", "text", "found"),
    [
        ("swordfish", "word", "swordfish", ["swordfish"]),
        ("swordfish", "word", "u:swordfish@h", ["swordfish"]),
        ("swordfish", "word", "swordfishes", []),
        ("swordfish", "word", "xswordfish", []),
        ("swordfish", "text", "xswordfishes", ["swordfish"]),
        ("c3dvcmRma", "base64", "x: dXNlcjpzc3dvcmRmaXNo== y", ["dXNlcjpzc3dvcmRmaXNo=="]),
        ("short", "text", "short", []),
        ("abcdef", "text", "abcdefabcdef abcdef", ["abcdef", "abcdef", "abcdef"]),
    ],
)
def test_roles(known, role, text, found):
    assert [text[begin:end] for begin, end in SecretIndex([(known, role)]).spans(text)] == found


def test_words_can_be_passed_over():
    index = SecretIndex([("swordfish", "word"), ("k3y-abcdef", "text")])
    assert index.spans("swordfish k3y-abcdef", words=False) == [(10, 20)]


def test_thousands_of_texts_are_searched_at_once():
    text = "the quick brown fox jumps over the lazy dog, again and again; " * 4000
    index = SecretIndex((f"k3y-{number:08x}", "text") for number in range(20_000))
    assert not index.spans(text)
    assert index.spans(text + "k3y-00004e1f") == [(len(text), len(text) + 12)]
