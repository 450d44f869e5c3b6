"""The report as workflow commands: annotations on a GitHub, Gitea or Forgejo run. cli/github.py writes what else a step leaves."""

from __future__ import annotations

from collections import defaultdict

from kdiff.model.hazard import Severity
from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import command_data, command_property, visible
from kdiff.reports.findings import Finding, findings
from kdiff.reports.style import Style

LIMIT = 10  # annotations of one level that a step can show (GitHub docs: limits of annotations)
_COMMAND: dict[Severity, str] = {"blocking": "error", "caution": "warning", "info": "notice"}


def render_github(report: Report, _style: Style) -> str:
    """One command a line: the verdict, then what was not compared and each hazard that nobody waived.

    More than a step can show of a level are counted in the last one of it.
    """
    by_level: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings(report):
        if finding.waived is None:
            by_level[_COMMAND[finding.severity]].append(finding)
    lines = [_line("notice", "kdiff", wording.verdict(report))]
    for level in _COMMAND.values():
        room = LIMIT - (level == "notice")
        found = by_level[level]
        shown = found if len(found) <= room else found[: room - 1]
        lines += [_annotation(level, finding) for finding in shown]
        if len(shown) < len(found):
            lines.append(_line(level, "kdiff", f"{len(found) - len(shown)} more: see the report"))
    return "".join(line + "\n" for line in lines)


def _annotation(level: str, finding: Finding) -> str:
    where = f",file={command_property(visible(finding.file))}" if finding.file is not None else ""
    where += f",line={finding.line}" if finding.line is not None else ""
    title = f"{finding.rule}: {finding.subject}" if finding.subject else finding.rule
    return _line(level, title, finding.message if finding.failure is None else f"{finding.why}: {finding.message}", where)


def _line(level: str, title: str, message: str, where: str = "") -> str:
    return f"::{level} title={command_property(title)}{where}::{command_data(message)}"
