"""The formats a report can be written in: the one list that `-o`, completion and the documents go by."""

from __future__ import annotations

from collections.abc import Callable

from kdiff.errors import UsageError
from kdiff.model.report import Report
from kdiff.reports.style import Style


def _text(report: Report, style: Style) -> str:
    from kdiff.reports.text import render_text  # noqa: PLC0415

    return render_text(report, style)


def _json(report: Report, _style: Style) -> str:
    return report.to_json()


def _diff(report: Report, style: Style) -> str:
    from kdiff.reports.diff import render_diff_text  # noqa: PLC0415

    return render_diff_text(report, style)


def _markdown(report: Report, style: Style) -> str:
    from kdiff.reports.markdown import render_markdown  # noqa: PLC0415

    return render_markdown(report, style)


def _html(report: Report, style: Style) -> str:
    from kdiff.reports.html import render_html  # noqa: PLC0415

    return render_html(report, style)


def _sarif(report: Report, style: Style) -> str:
    from kdiff.reports.sarif import render_sarif  # noqa: PLC0415

    return render_sarif(report, style)


def _github(report: Report, style: Style) -> str:
    from kdiff.reports.github import render_github  # noqa: PLC0415

    return render_github(report, style)


def _gitlab(report: Report, style: Style) -> str:
    from kdiff.reports.gitlab import render_gitlab  # noqa: PLC0415

    return render_gitlab(report, style)


def _junit(report: Report, style: Style) -> str:
    from kdiff.reports.junit import render_junit  # noqa: PLC0415

    return render_junit(report, style)


# Each imports its module when called, so that a run pays for the formats it writes and no others.
FORMATS: dict[str, Callable[[Report, Style], str]] = {
    "text": _text,
    "json": _json,
    "diff": _diff,
    "markdown": _markdown,
    "html": _html,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
}


def render_report(report: Report, format: str, style: Style) -> str:  # noqa: A002 - what everyone calls it
    """`report` as `kdiff -o FORMAT` would print it.

    Raises:
        UsageError: there is no such format.
    """
    if format not in FORMATS:
        raise UsageError(f'there is no format "{format}"; known are {", ".join(FORMATS)}')
    return FORMATS[format](report, style)
