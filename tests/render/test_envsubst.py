"""Rows were computed once with the Go package itself (fluxcd/pkg/envsubst at v1.9)."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdiff.render.envsubst import MAX_WORK, SubstitutionError, evaluate

VALUES = {
    "v": "aXbXc",
    "file": "a/b/c.tar.gz",
    "hello": "Hello World",
    "low": "hello",
    "empty": "",
    "jp": "日本語",
    "ten": "10",
}

FORMS = [
    # plain
    ("${v}", "aXbXc"),
    ("a ${v} b ${ten}", "a aXbXc b 10"),
    ("${empty}", ""),
    ("$v ${v}", "$v aXbXc"),
    ("100$ $", "100$ $"),
    # length, in bytes
    ("${#v}", "5"),
    ("${#jp}", "9"),
    ("${#empty}", "0"),
    # case
    ("${low^}", "Hello"),
    ("${low^^}", "HELLO"),
    ("${hello,}", "hello World"),
    ("${hello,,}", "hello world"),
    ("${low^,}", "hello"),
    # substrings, in bytes
    ("${v:1}", "XbXc"),
    ("${v:1:2}", "Xb"),
    ("${v:-1}", "aXbXc"),
    ("${v:9}", ""),
    ("${v:1:99}", "XbXc"),
    ("${v:x}", "aXbXc"),
    ("${v:1:x}", "aXbXc"),
    ("${v:+1}", "aXbXc"),
    ("${jp:3:3}", "本"),
    # trimming
    ("${v#*X}", "bXc"),
    ("${v##*X}", "c"),
    ("${v%X*}", "aXb"),
    ("${v%%X*}", "a"),
    ("${file##*/}", "c.tar.gz"),
    ("${file%%.*}", "a/b/c"),
    ("${v#?}", "XbXc"),
    ("${v#[a-c]}", "XbXc"),
    ("${v#[^a]}", "aXbXc"),
    ("${v#[}", "aXbXc"),
    ("${v#nothing}", "aXbXc"),
    ("${jp#日}", "本語"),
    # replacement
    ("${v/X/-}", "a-bXc"),
    ("${v//X/-}", "a-b-c"),
    ("${v//X/}", "abc"),
    ("${v/#a/-}", "-XbXc"),
    ("${v/%c/-}", "aXbX-"),
    ("${v/#b/-}", "aXbXc"),
    ("${file//\\//-}", "a-b-c.tar.gz"),
    ("${v/${none:-X}/${ten}}", "a10bXc"),
    # defaults: all of them ask for "set and not empty"
    ("${none:-d}", "d"),
    ("${none:=d}", "d"),
    ("${none=d}", "d"),
    ("${empty:-d}", "d"),
    ("${empty=d}", "d"),
    ("${v:-d}", "aXbXc"),
    ("${none:-}", ""),
    ("${none:?d}", "d"),
    ("${none:+d}", "d"),
    ("${v:+d}", "aXbXc"),
    ("${none:-a b: c}", "a b: c"),
    ("${none:-${other:-${v}}}", "aXbXc"),
    ("${none:-a${v}b}", "aaXbXcb"),
    ("${none:-$v}", "$v"),
    # escapes
    ("$${v}", "${v}"),
    ("$$$${v}", "$${v}"),
    ("$$${v}", "$aXbXc"),
    ("a$$b", "a$b"),
    ("$$", "$"),
    ("${none:-$$}", "$$"),
]

ERRORS = [
    ("${}", "unable to parse variable name"),
    ("${", "unable to parse variable name"),
    ("${v", "missing closing brace"),
    ("${v-d}", "missing closing brace"),
    ("${v+d}", "missing closing brace"),
    ("${v@Q}", "missing closing brace"),
    ("${v[@]}", "missing closing brace"),
    ("${ v }", "unable to parse variable name"),
    ("${@}", "unable to parse variable name"),
    ("${!v}", "unable to parse variable name"),
    ("${#}", "bad substitution"),
    ("${#v", "bad substitution"),
    ("${v:}", "unable to parse substitution within function"),
    ("${v:", "bad substitution"),
    ("${v:é}", "bad substitution"),
    ("${v#}", "unable to parse substitution within function"),
    ("${v^^^}", "bad substitution"),
    ("${v/a}", "bad substitution"),
    ("${v:-${w}", "unable to parse substitution within function"),
    ("${v#a${w}}", "bad substitution"),
    ("${v:1:-1}", "negative"),
]


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_each_form_gives_what_go_gives(text, expected):
    assert evaluate(text, VALUES).text == expected


@pytest.mark.parametrize(("text", "problem"), ERRORS)
def test_malformed_expressions_are_refused_where_go_refuses_them(text, problem):
    with pytest.raises(SubstitutionError, match=problem):
        evaluate(text, VALUES)


def test_a_pattern_runs_on_to_the_next_slash_beyond_the_brace():
    assert evaluate("${v/X} and /-}", {"v": "X} and c"}).text == "-c"


@pytest.mark.parametrize(
    ("text", "undefined"),
    [
        ("${x} ${y} ${x}", ("x", "y")),
        ("${x:-d} ${x=d} ${x:=d}", ()),
        ("${x^^}${#y}${z/a/b}", ("x", "y", "z")),
        ("${v:-${x}}", ("x",)),  # arguments are evaluated whether they are needed or not
        ("${empty}", ()),
        ("$${x} $x", ()),
    ],
)
def test_variables_without_value_or_default_are_listed_once(text, undefined):
    assert evaluate(text, VALUES).undefined == undefined


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ${x} ${v}", "a ${x} aXbXc"),
        ("${x^^}", "${x^^}"),
        ("${x:-d}", "d"),
        ("${none:-${x}}", "${x}"),
        ("${v/${x}/y}", "${v/${x}/y}"),
        ("${v:-${x}}", "aXbXc"),
    ],
)
def test_unset_variables_can_be_kept_as_written(text, expected):
    result = evaluate(text, VALUES, keep_unset=True)
    assert (result.text, result.undefined) == (expected, () if text == "${x:-d}" else ("x",))


def test_unknown_values_stay_visible_even_with_a_default():
    assert evaluate("${s} ${s:-d} ${s%x} ${v}", VALUES, unknown={"s"}).text == "${s} ${s:-d} ${s%x} aXbXc"


def test_errors_name_the_line():
    with pytest.raises(SubstitutionError, match="line 3"):
        evaluate("a\nb\n${v", VALUES)


def test_deep_nesting_is_an_error_not_a_crash():
    with pytest.raises(SubstitutionError, match="nested deeper"):
        evaluate("${a:-" * 5000 + "}" * 5000, {})


@pytest.mark.parametrize("text", ["${v//a/${v}}", "${v}" * 100, "${v##*b}" * 60])
def test_results_beyond_the_limit_are_refused(text):
    with pytest.raises(SubstitutionError, match="characters"):
        evaluate(text, {"v": "a" * (MAX_WORK // 50)})


def test_a_long_value_is_trimmed_in_time_that_grows_with_its_length():
    assert evaluate("${v##*b*a?}", {"v": "ab" * 20_000}).text == ""


@given(st.text(alphabet=st.characters(exclude_characters="$\0", exclude_categories=["Cs"])))
def test_text_without_a_dollar_stays(text):
    assert evaluate(text, {}).text == text


@given(st.text(alphabet="${}v:-=#%/^,*?[]\\ a1\n", max_size=30), st.text(alphabet="ab*é", max_size=6))
def test_any_text_gives_a_text_or_a_substitution_error(text, value):
    with contextlib.suppress(SubstitutionError):
        assert isinstance(evaluate(text, {"v": value}).text, str)
