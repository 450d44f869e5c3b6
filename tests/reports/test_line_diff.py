from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kdiff.reports.line_diff import line_hunks, split_lines

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d "]), max_size=12).map("\n".join)


@given(TEXTS, TEXTS, st.integers(0, 4))
def test_hunks_turn_base_into_head(base: str, head: str, context: int) -> None:
    lines = split_lines(base)
    for hunk in reversed(line_hunks(base, head, context)):
        old = [line for sign, line in hunk.lines if sign != "+"]
        new = [line for sign, line in hunk.lines if sign != "-"]
        assert lines[hunk.base_start : hunk.base_start + hunk.base_count] == old
        assert split_lines(head)[hunk.head_start : hunk.head_start + hunk.head_count] == new
        lines[hunk.base_start : hunk.base_start + hunk.base_count] = new
    assert "".join(lines) == head


@given(TEXTS)
def test_equal_texts_have_no_hunks(text: str) -> None:
    assert line_hunks(text, text, 3) == ()


def test_a_lost_final_newline_is_a_difference() -> None:
    (hunk,) = line_hunks("a\nb\n", "a\nb", 1)
    assert hunk.lines == ((" ", "a\n"), ("-", "b\n"), ("+", "b"))
    assert hunk.header == "@@ -1,2 +1,2 @@"


def test_only_lf_ends_a_line() -> None:
    assert split_lines("a\rb\x85c\u2028d\ne") == ["a\rb\x85c\u2028d\n", "e"]


def test_context_joins_near_differences() -> None:
    base = "\n".join("abcdefghij")
    head = base.replace("b", "B").replace("h", "H")
    assert len(line_hunks(base, head, 3)) == 1
    assert len(line_hunks(base, head, 1)) == 2


def test_long_texts() -> None:
    base = "".join(f"{i % 7}\n" for i in range(20_000))
    head = "".join(f"{i % 5}\n" for i in range(20_000))
    assert line_hunks(base, head, 3)
