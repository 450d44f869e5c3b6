"""The report as a comment on a pull request: verdict, hazards, blast radius, images, failures, then changes, worst first.

It fits `Style.max_chars` by design: whole sentences, rows and objects are taken in order of danger while they fit, and what was
left out is counted. Nothing is ever cut inside a fence or a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kdiff.model.change import Change
from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard
from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import html_code, html_prose, markdown_code, markdown_fence, markdown_text, visible
from kdiff.reports.object_diff import WHOLE, object_diff
from kdiff.reports.outline import Entry, Outline, outline, own_fields, rollout_of, shown_targets
from kdiff.reports.style import Style

_ICON = {"blocking": "🛑", "caution": "⚠️", "info": "ℹ️"}  # noqa: RUF001 - the sign that platforms draw
_RESERVE = 800  # for the lines that count what was left out
_LABEL = 120  # characters of a label in the heading
_REACH = 5  # dependents that are named
_SHARES = {"hazards": 0.4, "failures": 0.5, "impact": 0.5}  # of what is left when the section begins


def render_markdown(report: Report, style: Style) -> str:
    """The comment, with a hidden first line by which a tool finds it again."""
    page = _Page(style.max_chars)
    plan = outline(report)
    page.must(f"<!-- kdiff:{style.comment_key} -->\n")
    page.must(f"### {_light(report)} kdiff: {markdown_code(_clip(report.base.label))} → {markdown_code(_clip(report.head.label))}\n\n")
    page.must(f"**{markdown_text(wording.verdict(report))}**\n\n")
    objects, targets = (markdown_text(line) for line in wording.count_lines(report))
    footer = f"<sub>{objects}<br>{targets}<br>{markdown_text(wording.tool_line(report))}</sub>\n"
    page.reserve(footer)
    page.section(
        "Hazards", [_hazard(h, plan) for h in plan.hazards] + [_waived(h, plan) for h in plan.waived], "hazard", _SHARES["hazards"]
    )
    page.section("Not compared", [_failure(f, plan) for f in report.failures], "target", _SHARES["failures"])
    _impact(page, report, plan)
    if style.stat:
        page.section("Changes", [_line(e, plan) for e in plan.worst_first], "object", 1)
    elif not style.summary_only:
        items = [(_entry(entry, plan, style), len(entry.changes), _line(entry, plan)) for entry in plan.worst_first]
        page.objects(items)
    _notes(page, plan)
    page.release(footer)
    return page.text()


class _Page:
    """Markdown so far, and how much may still come. Lengths are UTF-16 units, the strictest way in which platforms count."""

    def __init__(self, max_chars: int) -> None:
        self._parts: list[str] = []
        self._left = max_chars - _RESERVE

    def text(self) -> str:
        return "".join(self._parts)

    def must(self, text: str) -> None:
        """What is always there: its length is bounded."""
        self._parts.append(text)
        self._left -= _length(text)

    def reserve(self, text: str) -> None:
        """Keep room for `text`, which `release` adds at the end."""
        self._left -= _length(text)

    def release(self, text: str) -> None:
        self._parts.append(text)

    def take(self, text: str, room: float) -> bool:
        """Add `text` if it fits what is left and `room`."""
        fits = _length(text) <= min(self._left, room)
        if fits:
            self.must(text)
        return fits

    def section(self, title: str, items: Sequence[str], noun: str, share: float) -> None:
        """As many whole items as fit `share` of what is left, then how many more there are."""
        if not items:
            return
        heading = f"#### {title}\n\n"
        room = self._left * share
        end = self._left - room
        if not self.take(heading + items[0], room):
            self._parts.append(f"{wording.plural(len(items), noun)} left out: too long for this report.\n\n")
            return
        taken = 1
        while taken < len(items) and self.take(items[taken], self._left - end):
            taken += 1
        self._parts.append(f"\n{wording.plural(len(items) - taken, f'more {noun}')} left out.\n\n" if taken < len(items) else "\n")

    def objects(self, items: Sequence[tuple[str, int, str]]) -> None:
        """Changes (text, number of objects, brief line) worst first: those whose diff does not fit are named, or at least counted."""
        if not items:
            return
        self.must("#### Changes\n\n")
        left_out = shortened = 0
        for text, count, brief in items:
            if self.take(text, self._left):
                continue
            if self.take(brief, self._left):
                shortened += count
            else:
                left_out += count
        lines = []
        if shortened:
            lines.append(f"{wording.plural(shortened, 'object')} shown without a diff: too long for this report.")
        if left_out:
            lines.append(f"{wording.plural(left_out, 'object')} left out, the least dangerous ones.")
        if lines:
            self._parts.append("\n" + " ".join(lines) + "\n")
        self._parts.append("\n")


def _length(text: str) -> int:
    return len(text) + sum(c > "\uffff" for c in text) if not text.isascii() else len(text)


def _clip(label: str) -> str:
    label = visible(label)
    return label if len(label) <= _LABEL else label[:_LABEL] + "…"


def _light(report: Report) -> str:
    totals = report.summary.hazards
    if totals.blocking or report.failures:
        return "🔴"
    if totals.caution or report.outcome == "incomplete":
        return "🟠"
    return "🟢" if report.impact.routine or not report.changes else "🔵"


def _hazard(hazard: Hazard, plan: Outline) -> str:
    place = wording.hazard_place(hazard)
    where = f" ({markdown_code(place)})" if place else ""
    subject = plan.names.subject(hazard)
    about = f": {markdown_code(subject)}" if subject else ""
    return (
        f"- {_ICON[hazard.severity]} **{hazard.severity}** {markdown_code(hazard.rule)}{about}{where}<br>{markdown_text(hazard.message)}\n"
    )


def _waived(hazard: Hazard, plan: Outline) -> str:
    reason = f"{hazard.waived.by}: {hazard.waived.reason}" if hazard.waived else ""
    return f"- waived {markdown_code(hazard.rule)}: {markdown_code(plan.names.subject(hazard))} ({markdown_text(reason)})\n"


def _failure(failure: Failure, plan: Outline) -> str:
    side = "both sides" if failure.side == "both" else failure.side
    fence = markdown_fence("\n".join(map(visible, failure.message.split("\n"))))
    return f"- **{failure.class_}** {markdown_code(plan.names.targets(failure.scope, [failure.target])[0])} ({side})\n\n{_indent(fence)}\n"


def _indent(block: str) -> str:
    return "".join(f"  {line}\n" for line in block.rstrip("\n").split("\n"))


def _impact(page: _Page, report: Report, plan: Outline) -> None:
    impact = report.impact
    facts = []
    if impact.rollouts:
        facts.append(f"- {wording.rollouts_line(impact.rollouts, impact.pods)}\n")
        facts += [
            f"  - {markdown_code(visible(r.object) + plan.names.of_object(r.scope))}{f': {r.replicas}' if r.replicas is not None else ''}\n"
            for r in impact.rollouts
        ]
    if impact.cluster_scoped:
        crds = f", {wording.plural(impact.crds, 'CRD')} among them" if impact.crds else ""
        facts.append(f"- {wording.plural(impact.cluster_scoped, 'cluster-scoped object')}{crds}\n")
    reached = wording.reach_lines(impact, _REACH)
    facts += [f"- {markdown_text(line)}\n" for line in reached[:_REACH]]
    facts += [f"- {len(reached) - _REACH} more are depended on\n"] if len(reached) > _REACH else []
    page.section("Blast radius", facts, "line", _SHARES["impact"])
    rows = [
        f"| {markdown_code(kind, in_table=True)} | {' | '.join(map(_cell, _columns(counts)))} |\n"
        for kind, counts in impact.by_kind.items()
    ]
    if rows:
        rows[0] = f"| Kind | removed | changed | renamed | moved | added |\n|---|--:|--:|--:|--:|--:|\n{rows[0]}"
        page.section("Objects by kind", rows, "kind", _SHARES["impact"])
    images = [
        f"| {markdown_code(i.image, in_table=True)} | {_version(i.from_)} | {_version(i.to)} | {len(i.objects)} |\n" for i in impact.images
    ]
    if images:
        images[0] = f"| Image | from | to | objects |\n|---|---|---|--:|\n{images[0]}"
        page.section("Images", images, "image", _SHARES["impact"])


def _columns(counts: object) -> tuple[int, ...]:
    return tuple(getattr(counts, name) for name in ("removed", "changed", "renamed", "moved", "added"))


def _cell(count: int) -> str:
    return str(count) if count else ""


def _version(version: str | None) -> str:
    return markdown_code(version, in_table=True) if version is not None else "–"  # noqa: RUF001 - a dash for nothing


def _title(entry: Entry, plan: Outline, code: Callable[[str], str], prose: Callable[[str], str]) -> str:
    """What becomes of which object, in one line; `code` and `prose` escape for where it stands."""
    change = entry.lead
    if entry.shared:
        ids = {c.id for c in entry.changes}
        more = f" and {wording.plural(len(ids) - 1, 'more object')}" if len(ids) > 1 else ""
        targets = {target for row in entry.members for target in row.targets}
        return f"{change.status} {code(change.id)}{more} in {wording.plural(len(targets), 'target')}, the same edit"
    facts = ", ".join(wording.change_facts(change, rollout_of(change, plan.rollouts)))
    where = code(", ".join(plan.names.targets(change.scope, shown_targets(change))))
    return f"{change.status} {code(change.id)} in {where}" + (f" ({prose(facts)})" if facts else "")


def _line(entry: Entry, plan: Outline) -> str:
    """A change without its diff."""
    return f"- {_title(entry, plan, markdown_code, markdown_text)}\n"


def _entry(entry: Entry, plan: Outline, style: Style) -> str:
    """A change with its diff, folded. Blank lines separate what is HTML from what is Markdown."""
    change = entry.lead
    blocks: list[str] = []
    if entry.shared:
        rows = [f"- {markdown_code(row.kind)} {_codes(row.names)} in {_codes(row.targets)}\n" for row in entry.members]
        blocks.append("".join(rows))
    lines = object_diff(change, WHOLE if style.full else style.context)
    if lines:
        blocks.append(markdown_fence("\n".join(map(wording.diff_line, lines)), "diff"))
    blocks.append("".join([*_follows(change), *_remarks(change)]))
    body = "\n".join(filter(None, blocks))
    if not body:
        return _line(entry, plan)
    return f"<details><summary>{_title(entry, plan, html_code, html_prose)}</summary>\n\n{body}\n</details>\n\n"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(markdown_code(wording.target_names([name])) for name in names)


def _follows(change: Change) -> list[str]:
    _, follows = own_fields(change)
    return [f"- {wording.plural(len(f), 'field')} only because of the new name of {markdown_code(name)}\n" for name, f in follows.items()]


def _remarks(change: Change) -> list[str]:
    return [f"- {markdown_code(f.path)}: {', '.join(remarks)}\n" for f in change.fields if (remarks := wording.field_remarks(f))]


def _notes(page: _Page, plan: Outline) -> None:
    lines = []
    for notes in plan.notes.values():
        more = f" ({len(notes) - 1} more of this kind)" if len(notes) > 1 else ""
        lines.append(f"- {markdown_text(notes[0])}{more}\n")
    page.section("Notes", lines, "note", 1)
