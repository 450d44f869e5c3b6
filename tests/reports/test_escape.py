from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdiff.model.mask import CLOSE, OPEN
from kdiff.reports import escape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ünï 漢字 😀", "plain ünï 漢字 😀"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\rb\nc\td", "a\\rb\\nc\\td"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("a\u200bb\ufeffc\xa0d", "a\\u200bb\\ufeffc\\xa0d"),
        ("\x00\x7f\x85\x9b", "\\x00\\x7f\\x85\\x9b"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        (f"pw={OPEN}0a1b{CLOSE};", "pw=<masked>;"),
        ("x ##[add-mask]y ##vso[task]", "x #\\x23[add-mask]y #\\x23vso[task]"),
        ("## heading", "## heading"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert escape.visible(text) == expected


def test_no_character_that_acts_is_left() -> None:
    acting = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    every = "".join(c for c in map(chr, range(0x110000)) if unicodedata.category(c) in acting)
    assert escape.visible(every).isascii()


@given(st.text(), st.text())
def test_different_strings_are_quoted_differently(one: str, other: str) -> None:
    marks = (OPEN, CLOSE, "##")
    if one != other and not any(mark in text for mark in marks for text in (one, other)):
        assert escape.quoted(one) != escape.quoted(other)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("::error::x", "\\x3a:error::x"), ("   ::warning::x", "   \\x3a:warning::x"), ("a ::error::", "a ::error::"), (": one", ": one")],
)
def test_no_line_begins_with_a_command(line: str, expected: str) -> None:
    assert escape.log_line(line) == expected


@given(st.text(alphabet="`a |\\ \n"))
def test_code_span_holds_its_text(text: str) -> None:
    span = escape.markdown_code(text)
    fence = re.match("`+", span)
    assert fence is not None
    inside = span[len(fence.group()) : -len(fence.group())]
    assert span.endswith(fence.group())
    assert not re.search(rf"(?<!`){fence.group()}(?!`)", inside)
    assert not inside.startswith("`")
    assert not inside.endswith("`")


def test_bar_is_escaped_in_a_table() -> None:
    assert escape.markdown_code("a|b", in_table=True) == "`a\\|b`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>", "\\<script\\>"),
        ("[ok](javascript:x)", "\\[ok\\](javascript:x)"),
        ("@everyone", "`@`everyone"),
        ("fixes #12", "fixes `#`12"),
        ("https://evil", "https\\://evil"),
        ("a: b", "a: b"),
        ("`x` *y* _z_", "\\`x\\` \\*y\\* \\_z\\_"),
    ],
)
def test_markdown_prose_is_inert(text: str, expected: str) -> None:
    assert escape.markdown_text(text) == expected


@pytest.mark.parametrize("body", ["a", "```\nx\n```", "a `````` b", ""])
def test_fence_is_longer_than_what_it_holds(body: str) -> None:
    block = escape.markdown_fence(body, "diff")
    fence = block.split("\n")[0].removesuffix("diff")
    assert fence not in body
    assert block.endswith(f"\n{fence}\n")


def test_html_and_commands() -> None:
    assert escape.html_text('<a href="x">\x1b') == "&lt;a href=&quot;x&quot;&gt;\\x1b"
    assert escape.html_code("</details>") == "<code>&lt;/details&gt;</code>"
    assert escape.command_data("50%\r\n::error") == "50%25%0D%0A::error"
    assert escape.command_property("a:b,c") == "a%3Ab%2Cc"
