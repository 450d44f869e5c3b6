"""The report for a terminal: danger first, then what changes by scope, target and object, counts last."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from kdiff.model.change import Change, Effect, FieldChange, InnerChange
from kdiff.model.codec import Absent
from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard
from kdiff.model.report import Report
from kdiff.model.value import Value
from kdiff.reports import wording
from kdiff.reports.escape import log_line, visible
from kdiff.reports.line_diff import line_hunks
from kdiff.reports.object_diff import WHOLE, object_diff
from kdiff.reports.outline import Entry, Members, Outline, outline, own_fields, rollout_of, shown_targets
from kdiff.reports.style import Style

# What is longer is folded, with a count, unless --full is given.
FOLD_LINES = 40
FOLD_NAMES = 5
FOLD_COUNTS = 10
FOLD_REACH = 3
FOLD_NOTES = 2

_COLORS = {
    "head": "1",
    "path": "36",
    "faint": "2",
    "+": "32",
    "-": "31",
    "~": "33",
    ">": "35",
    "=": "35",
    "@": "36",
    "blocking": "1;97;41",
    "caution": "1;33",
    "info": "1;34",
    "failure": "1;31",
}


def render_text(report: Report, style: Style) -> str:
    """The whole report as lines. Nothing from a tree can act on a terminal or a CI log."""
    page = _Page(style)
    plan = outline(report, fold=not style.full)
    sides, tool = wording.sides(report), wording.tool_line(report)
    if page.fits(f"{sides}  {tool}"):
        page.line(page.paint("head", sides) + page.paint("faint", f"  {tool}"))
    else:
        page.line(page.paint("head", sides))
        page.line(page.paint("faint", tool))
    page.blank()
    page.wrapped(wording.verdict(report), "", "")
    _hazards(page, plan)
    _failures(page, report.failures)
    _impact(page, report, plan)
    if style.stat:
        _stat(page, report, plan)
    elif not style.summary_only:
        _changes(page, plan)
    _notes(page, plan)
    page.blank()
    for line in wording.count_lines(report):
        page.wrapped(line, "", "  ", color="faint")
    return page.text()


class _Page:
    """Lines so far. Colour is put on after all that measures width."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self._lines: list[str] = []

    def text(self) -> str:
        """All lines, each with its newline."""
        return "".join(line + "\n" for line in self._lines)

    def paint(self, color: str, text: str) -> str:
        """`text` in a colour, if colours are on."""
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self.style.color and text else text

    def line(self, text: str) -> None:
        """A finished line."""
        self._lines.append(log_line(text).rstrip(" "))

    def blank(self) -> None:
        """An empty line, never two."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def heading(self, text: str, aside: str = "") -> None:
        """A section begins."""
        self.blank()
        self.line(self.paint("head", text) + self.paint("faint", aside))

    def wrapped(self, text: str, first: str, rest: str, color: str = "") -> None:
        """Prose, wrapped at the width; `first` and `rest` begin its lines."""
        lines = textwrap.wrap(text, max(20, self.style.width - cells(rest)), break_long_words=False, break_on_hyphens=False)
        for i, line in enumerate(lines or [""]):
            self.line((rest if i else first) + (self.paint(color, log_line(line)) if color else log_line(line)))

    def fits(self, text: str) -> bool:
        """True when `text` needs no second line."""
        return cells(text) <= self.style.width

    def folded(self, lines: list[tuple[str, str]], indent: str) -> None:
        """Lines with the colour of each behind a gutter; beyond a limit only their number."""
        limit = len(lines) if self.style.full or len(lines) <= FOLD_LINES + 3 else FOLD_LINES
        for color, line in lines[:limit]:
            self.line(f"{indent}{self.paint('faint', '|')} " + (self.paint(color, line) if color else line))
        if limit < len(lines):
            self.line(f"{indent}{self.paint('faint', f'| ... {len(lines) - limit} more lines, --full shows them')}")


def cells(text: str) -> int:
    """Columns that `text` takes on a terminal (Unicode TR11; combining marks take none)."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _hazards(page: _Page, plan: Outline) -> None:
    if not plan.hazards and not plan.waived:
        return
    page.heading("Hazards")
    for hazard in plan.hazards:
        _hazard(page, hazard, plan.names.subject(hazard))
    for hazard in plan.waived:
        waiver = hazard.waived
        reason = f"waived by {visible(waiver.by)}: {visible(waiver.reason)}" if waiver else ""
        page.wrapped(f"{visible(hazard.rule)}  {plan.names.subject(hazard)}  ({reason})", "  waived    ", " " * 12, color="faint")


def _hazard(page: _Page, hazard: Hazard, subject: str) -> None:
    head = f"  {page.paint(hazard.severity, hazard.severity)}{' ' * (10 - len(hazard.severity))}{visible(hazard.rule)}"
    if page.fits(f"{'':12}{hazard.rule}  {subject}"):
        page.line(f"{head}  {page.paint('head', subject)}")
    else:
        page.line(head)
        page.line(" " * 12 + page.paint("head", log_line(subject)))
    page.wrapped(visible(hazard.message), " " * 12, " " * 12)
    if page.style.full and hazard.why:
        page.wrapped(visible(hazard.why), " " * 12, " " * 12, color="faint")
    place = wording.hazard_place(hazard)
    hints = [*([f"at {place}"] if place else []), f"kdiff explain {visible(hazard.rule)}"]
    together = "; ".join(hints)
    for hint in [together] if page.fits(" " * 12 + together) else hints:
        page.wrapped(hint, " " * 12, " " * 12, color="faint")


def _failures(page: _Page, failures: tuple[Failure, ...]) -> None:
    if not failures:
        return
    page.heading("Not compared")
    for failure in failures:
        scope = f", in {wording.target_names([failure.scope])}" if failure.scope and failure.scope != failure.target else ""
        side = f"({'both sides' if failure.side == 'both' else failure.side}{scope})"
        target = wording.target_names([failure.target])
        head = f"  {page.paint('failure', failure.class_)}  {target}"
        if page.fits(f"  {failure.class_}  {target}  {side}"):
            page.line(f"{head}  {side}")
        else:
            page.line(head)
            page.wrapped(side, " " * 6, " " * 6)
        for line in failure.message.split("\n"):
            page.wrapped(visible(line), " " * 6, " " * 6)


def _impact(page: _Page, report: Report, plan: Outline) -> None:
    impact = report.impact
    full = page.style.full
    names, lines, counts = (None, None, None) if full else (FOLD_NAMES, FOLD_REACH, FOLD_COUNTS)
    pods = [wording.rollouts_line(impact.rollouts, impact.pods)] if impact.rollouts else []
    changes = {(change.scope, change.id): change for change in report.changes}
    for rollout in impact.rollouts:
        replicas = wording.plural(rollout.replicas, "pod") if rollout.replicas is not None else "pods unknown"
        because = wording.listed(wording.rollout_causes(rollout, changes.get((rollout.scope, rollout.object))), names)
        name = visible(wording.short_id(rollout.object)) + plan.names.of_object(rollout.scope)
        pods.append(f"{name} ({replicas})" + (f" because of {because}" if because else ""))
    images = [f"{visible(i.image)}  {wording.image_version(i)}  ({wording.plural(len(i.objects), 'object')})" for i in impact.images]
    crds = f", {wording.plural(impact.crds, 'CRD')} among them" if impact.crds else ""
    cluster = [f"{wording.plural(impact.cluster_scoped, 'cluster-scoped object')}{crds}"] if impact.cluster_scoped else []
    rows = [
        *_rows("pods", pods, names),
        *_rows("images", images, names),
        *_rows("reach", wording.reach_lines(impact, lines), lines),
        *_rows("kinds", filter(None, [wording.counts_row(impact.by_kind, counts)])),
        *_rows("namespaces", filter(None, [wording.counts_row(impact.by_namespace, counts)])),
        *_rows("cluster", cluster),
    ]
    if not rows:
        return
    page.heading("Impact")
    for title, text in rows:
        page.wrapped(text, f"  {page.paint('faint', title)}{' ' * (12 - len(title))}", " " * 14)


def _rows(title: str, texts: Iterable[str], limit: int | None = None) -> list[tuple[str, str]]:
    """The title beside the first text only; what goes beyond `limit` is counted, unless it is a single one."""
    given = list(texts)
    shown = given if limit is None or len(given) <= limit + 1 else given[:limit]
    more = [f"and {len(given) - len(shown)} more"] if len(shown) < len(given) else []
    return [("" if n else title, text) for n, text in enumerate([*shown, *more])]


def _changes(page: _Page, plan: Outline) -> None:
    for entry in plan.shared:
        rows, folded = _member_rows(entry)
        page.heading(f"The same edit of {wording.plural(len(entry.changes), 'object')}", ", --stat lists them" if folded else "")
        for text, effects in rows:
            facts = [wording.EFFECT[effect] for effect in effects]
            page.wrapped(text + (f"  ({', '.join(facts)})" if facts else ""), f"  {page.paint('~', '~')} ", "      ")
        _content(page, entry.lead, "    ")
    for scope in plan.scopes:
        page.heading(wording.target_names([scope.scope]))
        named = any(section.targets != (scope.scope,) for section in scope.sections)
        for section in scope.sections:
            if named:
                page.line("  " + page.paint("head", wording.target_names(section.targets)))
            for entry in section.entries:
                _object(page, entry.lead, plan, "    " if named else "  ")


def _member_rows(entry: Entry) -> tuple[list[tuple[str, tuple[Effect, ...]]], bool]:
    """Who gets an edit, row by row, and whether some are only counted. Of many that differ in target only, one row tells."""
    alike: dict[tuple[str, tuple[Effect, ...]], list[Members]] = {}
    for row in entry.members:
        alike.setdefault((visible(row.kind), row.effects), []).append(row)
    rows: list[tuple[str, tuple[Effect, ...]]] = []
    folded = False
    for (kind, effects), members in alike.items():
        if len(members) > FOLD_NAMES:
            places = [f"{visible(name)} in {wording.target_names(row.targets)}" for row in members for name in row.names]
            rows.append((f"{len(places)} {kind}: {_some(places)}", effects))
            folded = folded or _is_folded(places)
            continue
        for row in members:
            targets, names = [wording.target_names([t]) for t in row.targets], [visible(name) for name in row.names]
            folded = folded or _is_folded(targets) or _is_folded(names)
            many = f"{len(targets)} targets"
            if len(names) == 1:
                text = f"{kind} {names[0]} in {targets[0] if len(targets) == 1 else f'{many}: {_some(targets)}'}"
            else:
                text = f"{len(names)} {kind} in {targets[0] if len(targets) == 1 else f'{many} ({_some(targets)})'}: {_some(names)}"
            rows.append((text, effects))
    return rows, folded


def _some(names: Sequence[str]) -> str:
    """Names in a row; of many the first few and a count."""
    return wording.listed(names, FOLD_NAMES if _is_folded(names) else None)


def _is_folded(names: Sequence[str]) -> bool:
    return len(names) > FOLD_NAMES + 3


def _object(page: _Page, change: Change, plan: Outline, indent: str) -> None:
    sign = wording.SIGN[change.status]
    facts = wording.listed(wording.change_facts(change, rollout_of(change, plan.rollouts)))
    if change.status in ("added", "removed") and not page.style.full:
        lines = sum(line[:1] in "+-" for line in object_diff(change))
        facts = "; ".join(filter(None, (facts, f"{wording.plural(lines, 'line')} of YAML, --full shows them" if lines else "")))
    title = f"{indent}{page.paint(sign, f'{sign} {visible(change.id)}')}"
    if not facts or page.fits(f"{indent}{sign} {visible(change.id)}  ({facts})"):
        page.line(title + (f"  {page.paint('faint', f'({facts})')}" if facts else ""))
    else:
        page.line(title)
        page.wrapped(f"({facts})", indent + "    ", indent + "    ", color="faint")
    _content(page, change, indent + "    ")


def _content(page: _Page, change: Change, indent: str) -> None:
    if page.style.full:
        page.folded(
            [(line[0] if line[:1] in ("+", "-", "@") else "", wording.diff_line(line)) for line in object_diff(change, WHOLE)],
            indent,
        )
        return
    if change.status in ("added", "removed"):
        return
    own, follows = own_fields(change)
    for field in own:
        _field(page, field, indent)
    for name, fields in follows.items():
        what = wording.plural(len(fields), "field")
        verb = "follows" if len(fields) == 1 else "follow"
        page.wrapped(
            f"{what} {verb} the new name of {visible(name)}: {wording.listed((visible(f.path) for f in fields), FOLD_NAMES)}",
            indent,
            indent + "  ",
            color="faint",
        )


def _field(page: _Page, field: FieldChange, indent: str) -> None:
    sign = wording.OP_SIGN[field.op]
    remarks = [*wording.field_remarks(field), *(["masked in part"] if field.redacted and field.inner else [])]
    suffix = f"  ({', '.join(remarks)})" if remarks else ""
    if field.inner:
        page.line(f"{indent}{page.paint(sign, sign)} {page.paint('path', visible(field.path))}, inside its text{suffix}")
        for inner in field.inner:
            _values(page, inner, wording.OP_SIGN[inner.op], indent + "    ", "")
        return
    if (
        isinstance(field.before, str)
        and isinstance(field.after, str)
        and (wording.is_multiline(field.before) or wording.is_multiline(field.after))
    ):
        page.line(f"{indent}{page.paint(sign, sign)} {page.paint('path', visible(field.path))}{suffix}")
        page.folded(_string_lines(field.before, field.after, page.style.context), indent + "  ")
        return
    _values(page, field, sign, indent, suffix)


def _values(page: _Page, field: FieldChange | InnerChange, sign: str, indent: str, suffix: str) -> None:
    """`path: before -> after` in one line where it fits, else one line a side; mappings and lists in lines of YAML."""
    start = f"{indent}{page.paint(sign, sign)} {page.paint('path', visible(field.path))}"
    plain = f"{indent}{sign} {visible(field.path)}: "
    if field.redacted:
        page.line(f"{start}  (value masked)")
        return
    before = "" if isinstance(field.before, Absent) else wording.value_text(field.before)
    after = "" if isinstance(field.after, Absent) else wording.value_text(field.after)
    if not (before or after):
        page.line(start + suffix)
        return
    if before and after:
        if page.fits(f"{plain}{before} -> {after}{suffix}"):
            page.line(f"{start}: {page.paint('-', before)} -> {page.paint('+', after)}{suffix}")
            return
    elif page.fits(f"{plain}{before or after}{suffix}"):
        page.line(f"{start}: {page.paint(sign, before or after)}{suffix}")
        return
    page.line(start + suffix)
    lines: list[tuple[str, str]] = []
    if before:
        lines += [("-", f"- {line}") for line in _value_lines(field.before)]
    if after:
        lines += [("+", f"+ {line}") for line in _value_lines(field.after)]
    page.folded(lines, indent + "  ")


def _value_lines(value: Value | Absent) -> list[str]:
    if isinstance(value, str) and wording.is_multiline(value):
        return [line for _, line in _string_lines("", value, 0)]
    if not isinstance(value, (dict, list)):
        return [wording.value_text(value)]
    from kdiff.documents.dump import dump_value  # noqa: PLC0415 - only where a whole subtree is printed

    return [visible(line, keep_tabs=True) for line in dump_value(value).rstrip("\n").split("\n")]


def _string_lines(before: str, after: str, context: int) -> list[tuple[str, str]]:
    """Hunks of two strings; blanks at line ends, a missing final newline and whatever is invisible can be seen."""
    hunks = line_hunks(before, after, context)
    bodies = [line.removesuffix("\n") for hunk in hunks for _, line in hunk.lines]
    ambiguous = any(visible(body, keep_tabs=True) != body or body.endswith("\t") for body in bodies)
    lines: list[tuple[str, str]] = []
    for hunk in hunks:
        if before and after:
            lines.append(("@", hunk.header))
        for sign, line in hunk.lines:
            body = line.removesuffix("\n")
            shown = wording.show_trailing_blanks(visible(body.replace("\\", "\\\\") if ambiguous else body, keep_tabs=True))
            missing = "" if line.endswith("\n") else "  [no final newline]"
            lines.append((sign.strip(), (f"{sign} " if before and after else "") + shown + missing))
    return lines


def _stat(page: _Page, report: Report, plan: Outline) -> None:
    if not report.changes:
        return
    page.heading("Changes")
    for change in report.changes:
        page.line("  " + _stat_line(page, change, plan))


def _stat_line(page: _Page, change: Change, plan: Outline) -> str:
    sign = wording.SIGN[change.status]
    facts = [wording.plural(len(change.fields), "field")] if change.fields and change.status not in ("added", "removed") else []
    facts += wording.change_facts(change, rollout_of(change, plan.rollouts))
    targets = wording.listed(plan.names.targets(change.scope, shown_targets(change)), 2)
    return f"{page.paint(sign, f'{sign} {visible(change.id)}')}  {targets}" + (
        f"  {page.paint('faint', f'({wording.listed(facts)})')}" if facts else ""
    )


def _notes(page: _Page, plan: Outline) -> None:
    if not plan.notes:
        return
    page.heading("Notes")
    for kind, notes in plan.notes.items():
        limit = len(notes) if page.style.full or len(notes) <= FOLD_NOTES + 1 else FOLD_NOTES
        for note in notes[:limit]:
            page.wrapped(note, "  ", "    ")
        if limit < len(notes):
            page.line(f"  {visible(kind)}: {len(notes) - limit} more, --full shows them")
