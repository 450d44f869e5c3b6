"""The report as one plain unified diff of YAML, for tools that read diffs."""

from __future__ import annotations

from kdiff.model.report import Report
from kdiff.reports.escape import log_line, visible
from kdiff.reports.object_diff import WHOLE, diff_header, object_diff
from kdiff.reports.scope_names import scope_names
from kdiff.reports.style import Style


def render_diff_text(report: Report, style: Style) -> str:
    """Every change as `--- base/<id>`, `+++ head/<id>` and its hunks, in report order.

    Lines that begin with `#` stand between the diffs, where readers of the format skip text: what was not compared comes
    first, objects that only moved are named. Empty when nothing differs and all was compared.
    """
    names = scope_names(report)
    lines = [f"# not compared: {f.side} {names.targets(f.scope, [f.target])[0]}: {f.class_}: {visible(f.message)}" for f in report.failures]
    for change in report.changes:
        if change.moved is not None:
            source, goal = (", ".join(names.targets(change.scope, ids)) for ids in (change.moved.from_, change.moved.to))
            lines.append(f"# {visible(change.id)} moved from {source} to {goal}")
        hunks = object_diff(change, WHOLE if style.full else style.context)
        if hunks:
            lines += [*diff_header(change), *map(log_line, hunks)]
    return "".join(line + "\n" for line in lines)
