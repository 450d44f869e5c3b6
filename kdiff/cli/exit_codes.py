"""Each exit status of the command, and which wins when several apply (report-v1, Exit status)."""

from __future__ import annotations

from collections.abc import Iterable

from kdiff.model.hazard import SEVERITIES, Hazard
from kdiff.model.report import Report

SAME = 0
DIFFERENT = 1
TROUBLE = 2  # something could not be compared, or the call was wrong
HAZARD = 3  # a hazard that --fail-on names
INTERRUPTED = 130  # 128 + SIGINT, as shells do
BROKEN_PIPE = 141  # 128 + SIGPIPE


def exit_status(report: Report, *, exit_zero: bool = False, fail_on: Iterable[str] = ()) -> int:
    """The status of a finished comparison. A hazard that was asked for wins over trouble, trouble over a difference."""
    names = set(fail_on)
    if any(_fails(hazard, names) for hazard in report.hazards):
        return HAZARD
    if report.outcome == "incomplete":
        return TROUBLE
    return DIFFERENT if report.outcome == "changed" and not exit_zero else SAME


def _fails(hazard: Hazard, names: set[str]) -> bool:
    """`caution` stands for blocking hazards too, `info` for all."""
    at_least = SEVERITIES[SEVERITIES.index(hazard.severity) :]
    return hazard.waived is None and (hazard.rule in names or not names.isdisjoint(at_least))
