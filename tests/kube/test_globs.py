"""Go's path patterns."""

from __future__ import annotations

import pytest

from kdiff.kube.globs import match_name, match_path, may_match_below


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*.yaml", "a.yaml", True),
        ("*.yaml", ".yaml", True),
        ("*.yaml", "a.yml", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("[a-c]x", "bx", True),
        ("[^a-c]x", "bx", False),
        ("[^a-c]x", "dx", True),
        ("[]a]x", "]x", True),
        (r"\*", "*", True),
        (r"\*", "a", False),
        ("**", "anything", True),
        ("a*b*c", "axxbyyc", True),
        ("a*b*c", "axxbyy", False),
        ("[a", "a", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_one_segment(pattern: str, name: str, expected: bool) -> None:
    assert match_name(pattern, name) is expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("apps/**", "apps/web/a.yaml", True),
        ("apps/**", "apps", True),
        ("**/a.yaml", "a.yaml", True),
        ("**/a.yaml", "x/y/a.yaml", True),
        ("apps/*", "apps/web/a.yaml", False),
        ("apps/**/*.md", "apps/web/docs/a.md", True),
        ("apps/{web,api}/*.yaml", "apps/api/a.yaml", True),
        ("apps/{web,api}/*.yaml", "apps/db/a.yaml", False),
        ("{a,{b,c}}/x", "c/x", True),
        ("a/**/b/**/c", "a/1/b/2/3/c", True),
        ("a/**/b/**/c", "a/1/2/3/c", False),
        ("{a,b", "a", False),
        (r"\{a\}", "{a}", True),
    ],
)
def test_whole_paths(pattern: str, path: str, expected: bool) -> None:
    assert match_path(pattern, path) is expected


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 60 + "*b", "a" * 5000), ("/".join(["**", "a"] * 40), "/".join("a" * 200) + "/b"), ("{a,b}" * 40, "a" * 40)],
)
def test_hostile_patterns_take_little_work(work, pattern: str, path: str) -> None:
    assert match_path(pattern, path) is False
    assert work(match_path, pattern, path) < 1_000_000


@pytest.mark.parametrize(
    ("pattern", "below", "not_below"),
    [
        ("apps/*/config.json", ["apps", "apps/x", "apps/x/y"], ["app", "clusters", "apps2"]),
        ("apps/x", [], ["apps/x", "apps/y"]),
        ("*.yaml", ["a", "a/b"], []),
        ("[ab]?c*", ["a", "a/c", "axc"], ["c", "a/d", "a/b/c"]),
        ("[", [], ["["]),
        ("", [], ["a"]),
    ],
)
def test_what_lies_below_a_directory_may_match(pattern: str, below: list[str], not_below: list[str]) -> None:
    assert [d for d in (*below, *not_below) if may_match_below(pattern, d)] == below
