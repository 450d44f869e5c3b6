"""The report as one page to open from disk: nothing is loaded, only our own script and styles run, foreign text stays text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kdiff.model.hazard import SEVERITIES, Hazard
from kdiff.model.json_text import json_text
from kdiff.model.report import Report
from kdiff.model.value import Value
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.impact_graph import ImpactGraph, impact_graph
from kdiff.reports.outline import Outline, outline
from kdiff.reports.page_entries import (
    anchors,
    anchors_by_object,
    hazard_objects,
    make_choices,
    make_rows,
    make_tree,
    script_data,
    worst_severities,
)
from kdiff.reports.rule_pages import rule_page
from kdiff.reports.style import Style

_REACH = 8  # dependents that a line names


@dataclass(frozen=True)
class Card:
    """A hazard as the page shows it; `anchors` are of the rows of its objects, `page` of the rule's page."""

    hazard: Hazard
    subject: str
    anchor: str | None
    message: str
    why: str
    place: str
    page: str | None


def render_html(report: Report, style: Style) -> str:
    """The whole page. The same report gives the same bytes.

    The Content-Security-Policy (W3C CSP 3) allows the one script and the one style sheet of the page by their hashes and nothing
    else; `require-trusted-types-for` keeps even our own script from turning text into markup.
    """
    from markupsafe import Markup  # noqa: PLC0415

    plan = outline(report)
    severities = worst_severities(report)
    rows = () if style.summary_only else make_rows(report, plan, severities)
    where = anchors(rows)
    by_object = anchors_by_object(report, where) if rows else {}
    graph = impact_graph(report, severities)
    script, styles = (_asset(name) for name in ("report.js", "report.css"))
    pages = {h.rule: page for h in report.hazards if (page := rule_page(h.rule))}
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(styles)}'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )
    page = _template().render(
        report=report,
        policy=policy,
        script=Markup(script),  # noqa: S704 - our own file
        styles=Markup(styles),  # noqa: S704 - our own file
        data=Markup(inert_json(script_data(report, rows, severities, style))),  # noqa: S704 - escaped by inert_json
        title=f"kdiff: {wording.sides(report)}",
        base=visible(report.base.label),
        head=visible(report.head.label),
        revisions=[visible(side.revision[:12]) if side.revision else "" for side in (report.base, report.head)],
        light=_light(report),
        verdict=wording.verdict(report),
        count_lines=wording.count_lines(report),
        tool=wording.tool_line(report),
        counts=wording.object_counts(report),
        rows=rows,
        tree=make_tree(report, where, severities) if rows else (),
        choices=make_choices(report),
        severities=SEVERITIES,
        has_severity=sorted({*severities.values()}, key=SEVERITIES.index),
        cards=[_card(hazard, plan, by_object, pages) for hazard in plan.hazards],
        waived=[_card(hazard, plan, by_object, pages) for hazard in plan.waived],
        pages={rule: Markup(_page_html(page, set(pages))) for rule, page in pages.items()},  # noqa: S704 - made by markdown-it
        failures=[(plan.names.targets(f.scope, [f.target])[0], f, "\n".join(map(visible, f.message.split("\n")))) for f in report.failures],
        notes=[(visible(kind), notes) for kind, notes in plan.notes.items()],
        reach=wording.reach_lines(report.impact, _REACH),
        rollouts=_rollouts(report, plan),
        images=[(visible(i.image), i, wording.image_version(i)) for i in report.impact.images],
        tables=_tables(report),
        graph=graph,
        picture=_picture(graph) if graph.boxes else None,
        where=where,
        counts_text=wording.counts_text,
    )
    return str(page)


def inert_json(data: Value) -> str:
    """JSON that ends no script element and begins no markup (HTML, 4.12.1.3: restrictions for contents of script elements)."""
    text = json_text(data)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=PackageLoader("kdiff.reports", "page"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"visible": visible, "fitted": _fitted}
    return environment.get_template("report.html.j2")


def _fitted(text: str, width: float, of_a_char: float) -> str:
    """`text`, shortened where it would be wider than `width`: SVG does not wrap or cut."""
    most = max(4, int(width / of_a_char))
    return text if len(text) <= most else text[: most - 1] + "…"


def _asset(name: str) -> str:
    return (resources.files("kdiff.reports") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _light(report: Report) -> str:
    """The worst thing that the page has to say."""
    totals = report.summary.hazards
    if totals.blocking or report.failures:
        return "blocking"
    if totals.caution or report.outcome == "incomplete":
        return "caution"
    return "calm" if report.impact.routine or not report.changes else "info"


def _card(hazard: Hazard, plan: Outline, by_object: dict[tuple[str, str], str], pages: dict[str, str]) -> Card:
    anchor = next((by_object[hazard.scope, name] for name in hazard_objects(hazard) if (hazard.scope, name) in by_object), None)
    return Card(
        hazard,
        plan.names.subject(hazard),
        anchor,
        visible(hazard.message),
        visible(hazard.why),
        wording.hazard_place(hazard),
        hazard.rule if hazard.rule in pages else None,
    )


def _rollouts(report: Report, plan: Outline) -> tuple[str, list[str]]:
    if not plan.rollouts:
        return "", []
    names = [
        visible(wording.short_id(r.object))
        + plan.names.of_object(r.scope)
        + (f": {wording.plural(r.replicas, 'pod')}" if r.replicas is not None else "")
        for r in report.impact.rollouts
    ]
    return wording.rollouts_line(report.impact.rollouts, report.impact.pods), names


def _tables(report: Report) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Counts by kind, namespace and target; one of a single row says what the verdict says."""
    impact = report.impact
    found = (("kind", impact.by_kind), ("namespace", impact.by_namespace), ("target", impact.by_target))
    return [
        (name, [(wording.target_names([key]) if name == "target" else visible(key), counts) for key, counts in by.items()])
        for name, by in found
        if len(by) > 1
    ]


def _picture(graph: ImpactGraph) -> Any:
    from kdiff.reports.impact_layout import lay_out  # noqa: PLC0415 - only where there is something to draw

    return lay_out(graph)


def _page_html(page: str, linked: set[str]) -> str:
    """A rule's page as HTML: raw HTML is text, links to rules of this report stay inside it, others are their words."""
    from markdown_it import MarkdownIt  # noqa: PLC0415

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(page.partition("\n")[2])  # the title is shown already
    for token in tokens:
        if token.children:
            token.children = list(_inner_links(token.children, linked))
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _inner_links(tokens: list[Any], linked: set[str]) -> Iterator[Any]:
    kept = False
    for token in tokens:
        if token.type == "link_open":
            rule = str(token.attrs.get("href", "")).removesuffix(".md")
            kept = rule in linked
            token.attrs = {"href": f"#rule-{rule}"}
        if token.type not in ("link_open", "link_close") or kept:
            yield token
