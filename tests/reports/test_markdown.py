from __future__ import annotations

import dataclasses
import re

import pytest

from kdiff.reports.markdown import render_markdown
from kdiff.reports.style import Style

HOSTILE = "x</details>`a`|b\n```\n<script>x()</script> @everyone [ok](javascript:x) \x1b[2J\u202e"


def outside_fences(text: str) -> str:
    return re.sub(r"(?ms)^ *(`{3,})[a-z]*\n.*?^ *\1\n", "", text)


def outside_code(text: str) -> str:
    """The Markdown without fenced blocks and code spans: what is left may act."""
    return re.sub(r"(?s)(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", outside_fences(text))


def assert_balanced(text: str) -> None:
    left = outside_code(text)
    assert left.count("<details>") == left.count("</details>")
    assert left.count("<summary>") == left.count("</summary>") == left.count("<details>")
    assert not re.search(r"(?m)^ *`{3,}[a-z]*$", outside_fences(text))


def test_the_parts_come_in_order(full_report) -> None:
    text = render_markdown(full_report, Style(comment_key="shop"))
    parts = ["<!-- kdiff:shop -->\n### 🔴 kdiff: `base` → `head`", "**18 objects differ", "#### Hazards", "`removed-namespace`"]
    parts += [
        "#### Not compared",
        "no such file",
        "#### Blast radius",
        "| `Deployment` |  | 13 |",
        "| `ghcr.io/acme/web` | `1.2.0` | `1.3.0` | 1 |",
    ]
    parts += [
        "#### Changes",
        "moved `v1/Namespace shop`",
        "<code>apps/v1/Deployment shop/web",
        "removed <code>v1/Service shop/old</code>",
        "#### Notes",
        "106 unchanged",
    ]
    at = [text.index(part) for part in parts]
    assert at == sorted(at)
    assert_balanced(text)


def test_equal_edits_are_printed_once(full_report) -> None:
    text = render_markdown(full_report, Style())
    assert text.count("in 12 targets, the same edit") == 1
    assert text.count("apps/api/overlays/t07") == 1


@pytest.mark.parametrize("max_chars", [2000, 3000, 4000, 6000, 65_536])
def test_it_fits_and_counts_what_is_left_out(full_report, build, max_chars) -> None:
    diff = "@@ -1,9 +1,9 @@\n" + "".join(f"-line {i} 😀\n" for i in range(60))
    many = [build.change(build.ref("ConfigMap", f"c{i:03}"), unified=diff) for i in range(100)]
    hazards = tuple(dataclasses.replace(full_report.hazards[1], object=f"v1/ConfigMap shop/c{i:03}") for i in range(100))
    report = dataclasses.replace(full_report, changes=tuple(many), hazards=hazards)
    text = render_markdown(report, Style(max_chars=max_chars))
    assert len(text.encode("utf-16-le")) // 2 <= max_chars
    assert_balanced(text)
    shown = text.count("<details>")
    shortened = re.search(r"(\d+) objects? shown without a diff", text)
    left_out = re.search(r"(\d+) objects? left out", text)
    assert shown + sum(int(m[1]) for m in (shortened, left_out) if m) == 100
    hazards_shown = text.count("**caution**")
    more = re.search(r"(\d+) (?:more )?hazards? left out", text)
    assert hazards_shown + (int(more[1]) if more else 0) == 100


def test_the_worst_stay_when_room_is_short(full_report, build) -> None:
    small = [build.change(build.ref("ConfigMap", f"a{i:03}"), unified="@@ -1 +1 @@\n-a\n+b\n") for i in range(200)]
    lost = build.change(build.ref("PersistentVolumeClaim", "z"), "removed", effects=("delete",), unified="@@ -1 +0,0 @@\n-a\n")
    report = dataclasses.replace(full_report, changes=(*small, lost), hazards=())
    text = render_markdown(report, Style(max_chars=6000))
    assert "removed <code>v1/PersistentVolumeClaim shop/z</code>" in text
    assert "objects left out" in text


def test_hostile_text_is_inert(full_report, build) -> None:
    obj = build.ref("Widget", HOSTILE)
    unified = "@@ -1,3 +1,3 @@\n" + "".join(f" {line}\n" for line in HOSTILE.split("\n")) + "-a\n+b `````\n"
    changed = build.change(obj, scope=HOSTILE, unified=unified, fields=(build.replaced(HOSTILE, "a\n", "a", class_="format"),))
    moved = build.change(obj, "renamed", base=obj, scope=HOSTILE)
    report = dataclasses.replace(
        full_report,
        base=dataclasses.replace(full_report.base, label=HOSTILE),
        changes=(changed, moved),
        hazards=(dataclasses.replace(full_report.hazards[0], message=HOSTILE, object=obj.id),),
        failures=(dataclasses.replace(full_report.failures[0], message=HOSTILE, target=HOSTILE),),
        notes=(dataclasses.replace(full_report.notes[0], message=HOSTILE, object=HOSTILE),),
    )
    for style in (Style(), Style(stat=True), Style(full=True)):
        text = render_markdown(report, style)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert_balanced(text)
        left = outside_code(text)
        summaries = re.findall("(?s)<summary>.*?</summary>", left)  # one line each, read as HTML, not as Markdown
        assert all("\n" not in line and "<script" not in line for line in summaries)
        prose = re.sub(r"\\[<>\[\]]", "", re.sub("(?s)<summary>.*?</summary>", "<summary></summary>", left))
        for active in ("<script", "[ok](", "x</details>", "@everyone"):
            assert active not in prose


def test_summary_and_nothing_different(full_report, build) -> None:
    assert "<details>" not in render_markdown(full_report, Style(summary_only=True))
    same = render_markdown(build.report(), Style())
    assert "🟢" in same
    assert "Nothing differs" in same
    assert "####" not in same


def test_blanks_at_line_ends_are_visible(full_report) -> None:
    assert "\n-d: 4·\n+d: 5\n" in render_markdown(full_report, Style())
