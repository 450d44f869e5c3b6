from __future__ import annotations

import dataclasses

import pytest

from kdiff.reports.diff import render_diff_text
from kdiff.reports.object_diff import object_diff
from kdiff.reports.style import Style

SEVEN = "--- b\n+++ h\n@@ -1,7 +1,7 @@\n a: 1\n b: 2\n c: 3\n-d: 4\n+d: 5\n e: 6\n f: 7\n g: 8\n"


def test_every_side_is_named_and_what_is_missing_comes_first(full_report) -> None:
    text = render_diff_text(full_report, Style())
    assert text.startswith("# not compared: head apps/broken: missing-resource: no such file: x.yaml\n")
    assert (
        "--- base/apps/v1/Deployment shop/web\tapps/web/overlays/prod\n+++ head/apps/v1/Deployment shop/web\tapps/web/overlays/prod\n@@"
        in text
    )
    assert "--- base/v1/Service shop/old\tapps/web/overlays/prod\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a: 1\n-b: 2\n" in text
    there = "Kustomization flux-system/{} of clusters/prod"
    assert f"# v1/Namespace shop moved from {there.format('a')} to {there.format('b')}\n" in text


def test_nothing_different_is_nothing(build) -> None:
    assert render_diff_text(build.report(), Style()) == ""


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (3, SEVEN.split("\n")[2:-1]),
        (1, ["@@ -3,3 +3,3 @@", " c: 3", "-d: 4", "+d: 5", " e: 6"]),
        (0, ["@@ -4,1 +4,1 @@", "-d: 4", "+d: 5"]),
    ],
)
def test_context_can_be_narrowed(build, context, expected) -> None:
    assert list(object_diff(build.change(build.WEB, unified=SEVEN), context)) == expected


def test_narrowing_splits_a_hunk() -> None:
    unified = "@@ -1,5 +1,6 @@\n-a\n b\n c\n d\n-e\n+E\n+F\n+G\n"

    class Given:
        pass

    given = Given()
    given.unified, given.base_value, given.head_value = unified, None, None
    assert list(object_diff(given, 0)) == ["@@ -1,1 +0,0 @@", "-a", "@@ -5,1 +4,3 @@", "-e", "+E", "+F", "+G"]


def test_more_context_comes_from_the_values_of_a_live_report(build) -> None:
    base = {f"k{i:02}": i for i in range(20)}
    live = build.change(build.WEB, unified=SEVEN, base_value=base, head_value={**base, "k10": "ten"})
    assert len(object_diff(live, 5)) == 1 + 5 + 2 + 5
    assert " k19: 19" in object_diff(live, 100)
    saved = build.change(build.WEB, unified=SEVEN)
    assert object_diff(saved, 100) == object_diff(saved, 3)


def test_masks_tell_equal_from_different(build) -> None:
    base = {"a": "\ufdd0aa\ufdd1", "b": "\ufdd0bb\ufdd1", "c": {"d": 1}}
    head = {"a": "\ufdd0aa\ufdd1", "b": "\ufdd0cc\ufdd1", "c": {"d": 1}}
    lines = object_diff(build.change(build.WEB, base_value=base, head_value=head), 9)
    text = "\n".join(lines)
    assert "<masked>" in text
    assert "<masked 1>" in text
    assert "<masked 2>" in text
    assert "aa" not in text.replace("@@", "")


def test_lines_cannot_command_a_terminal_or_a_log(build, full_report) -> None:
    unified = "@@ -1,2 +1,2 @@\n ::error::x\n-\x1b[2J\n+\u202e ##[x]\n"
    text = render_diff_text(dataclasses.replace(full_report, changes=(build.change(build.WEB, unified=unified),)), Style())
    assert " \\x3a:error::x\n-\\x1b[2J\n+\\u202e #\\x23[x]\n" in text
