from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from kdiff.model.failure import Failure, Note
from kdiff.model.hazard import Hazard, Waiver
from kdiff.model.impact import Counts, ImageChange, Impact
from kdiff.reports import wording
from kdiff.reports.html import inert_json, render_html
from kdiff.reports.style import Style

VOID = {"meta", "input", "rect", "path", "circle"}


class Page(HTMLParser):
    """Elements, their attributes, and the text of scripts and styles; checks that elements are closed as they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.raw: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw.append((self.open[-1], data))
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def data(self) -> dict:
        return json.loads(next(text for tag, text in self.raw if tag == "script"))


def page_of(report, **style) -> Page:
    page = Page(render_html(report, Style(**style)))
    assert page.open == []
    return page


def test_it_tells_the_numbers_that_every_format_tells(full_report) -> None:
    page = page_of(full_report)
    for line in (wording.verdict(full_report), *wording.count_lines(full_report), wording.tool_line(full_report)):
        assert line in page.text
    for note in full_report.notes:
        assert wording.note_text(note) in page.text
    for hazard in full_report.hazards:
        assert hazard.message in page.text
    assert "no such file: x.yaml" in page.text
    assert "Waived (config): night shift" in page.text


def test_every_change_has_one_row_one_leaf_and_its_lines(full_report) -> None:
    page = page_of(full_report)
    rows = [attrs["id"] for tag, attrs in page.elements if tag == "details" and attrs.get("class", "").startswith("change ")]
    assert set(rows) == set(page.data["rows"])
    assert len(rows) == len(set(rows)) == 7, "twelve equal edits are one row"
    assert sorted(n for row in page.data["rows"].values() for n in row["objects"]) == list(range(len(full_report.changes)))
    leaves = [int(attrs["data-object"]) for tag, attrs in page.elements if tag == "a" and attrs.get("class") == "leaf"]
    assert sorted(leaves) == list(range(len(full_report.changes)))
    assert len(page.data["objects"]) == len(full_report.changes)
    web = page.data["rows"]["c" + str(next(n for n, c in enumerate(full_report.changes) if c.object.name == "web"))]
    assert ["-d: ", "4", " "] not in web["lines"], "blanks at line ends are shown"
    assert any(line[0].startswith("-d: ") for line in web["lines"])
    assert ["~", "spec.replicas", "2", "3"] in web["fields"]
    assert "1 field only because of the new name of v1/ConfigMap shop/cfg-b" in web["remarks"]


def test_values_of_secrets_are_nowhere(full_report) -> None:
    secret = next(row for row in page_of(full_report).data["rows"].values() if row["fields"] and row["fields"][0][1] == "data.password")
    assert secret["fields"] == [["~", "data.password", "<masked>", "<masked>"]]


def test_hazards_lead_to_their_objects_and_pages(full_report) -> None:
    page = page_of(full_report)
    links = {attrs["href"] for tag, attrs in page.elements if tag == "a"}
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert "#rule-removed-namespace" in links
    assert "Why it hurts" in page.text
    assert all(link.startswith("#") and link[1:] in ids for link in links), "every link stays in the page and leads somewhere"


def test_policy_allows_this_script_and_these_styles_only(full_report) -> None:
    page = page_of(full_report)
    (policy,) = [attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"]
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for _, text in page.raw}
    assert policy.startswith("default-src 'none'; ")
    assert set(re.findall(r"'sha256-[^']+'", policy)) < hashes, "the data is no script"
    assert "unsafe" not in policy
    assert not re.search(r"https?:", policy)


def test_nothing_is_loaded_and_nothing_inline_acts(full_report) -> None:
    page = page_of(full_report)
    for tag, attrs in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject")
        assert "src" not in attrs
        assert "style" not in attrs
        assert not [name for name in attrs if name.startswith("on")]
    assert not re.search(r"url\((?!#tip)|@import", "".join(text for tag, text in page.raw if tag == "style"))


HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "]]>{{ 7*7 }}{% raw %}",
    "javascript:alert(1)",
    "a\u202eb\u2028c\x1b[31m\x00",
    "\ud800",
]


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_text_stays_text(build, bad) -> None:
    obj = build.ref(bad, bad, bad)
    report = build.report(
        build.change(obj, scope=bad, fields=(build.replaced(bad, bad, bad + "x"),), unified=f"@@ -1 +1 @@\n-{bad}\n+{bad}x\n"),
        outcome="incomplete",
        hazards=(
            Hazard(bad, "caution", bad, bad, bad, object=obj.id, scope=bad),
            Hazard(bad, "info", bad, bad, bad, waived=Waiver("config", bad)),
        ),
        failures=(Failure("head", bad, "timeout", bad, bad),),
        notes=(Note(bad, bad, bad, bad),),
        impact=Impact(by_kind={bad: Counts(1)}, by_target={bad: Counts(1)}, images=(ImageChange(bad, bad, None, (bad,)),)),
    )
    plain = page_of(build.report(build.change(build.ref("K", "n", "s"), scope="t")))
    text = render_html(report, Style())
    page = page_of(report)
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | {
        "h3",
        "article",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
        "circle",
    }
    assert [tag for tag, _ in page.raw] == ["style", "script", "script"], "one sheet, the data, our script"
    assert ("7*7" in bad) == ("7*7" in page.text), "no template is filled in"
    for char in "\u202e\u2028\x1b\x00\ud800":
        assert char not in text


def test_data_ends_no_script_and_keeps_its_value() -> None:
    value = {"</script>": ["<!--", "&amp;", "\u2028\u2029", 'quote " \\']}
    text = inert_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_summary_has_no_changes_and_stat_no_diffs(full_report) -> None:
    assert page_of(full_report, summary_only=True).data["rows"] == {}
    assert all(set(row) == {"objects"} for row in page_of(full_report, stat=True).data["rows"].values())


def test_an_empty_report_is_a_page(build) -> None:
    page = page_of(build.report())
    assert "Nothing differs" in page.text
    assert not [tag for tag, _ in page.elements if tag == "svg"]


def test_the_same_report_gives_the_same_bytes(full_report) -> None:
    assert render_html(full_report, Style()) == render_html(full_report, Style())
