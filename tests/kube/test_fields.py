"""Pointers and fields of object values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kdiff.kube.fields import escape_token, unescape_token


def test_tokens_of_a_pointer_are_escaped() -> None:
    assert escape_token("a/b~c") == "a~1b~0c"


@given(st.text("~/01a"))
def test_a_token_names_the_key_it_was_made_of(key: str) -> None:
    assert unescape_token(escape_token(key)) == key
    assert "/" not in escape_token(key)
