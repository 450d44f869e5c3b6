"""What a step of a GitHub, Gitea or Forgejo workflow leaves behind besides annotations: its summary and its outputs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kdiff.errors import UsageError
from kdiff.model.report import Report
from kdiff.reports.markdown import render_markdown
from kdiff.reports.style import Style

# A step's summary may hold 1 MiB (GitHub docs: step isolation and limits); a UTF-16 unit takes at most three bytes of UTF-8.
SUMMARY_CHARS = (1 << 20) // 3


def write_step_files(report: Report, style: Style, paths: Sequence[tuple[str, str]], environ: Mapping[str, str]) -> None:
    """Append to the files that `GITHUB_STEP_SUMMARY` and `GITHUB_OUTPUT` name; a variable that is not set asks for nothing.

    `paths` are (format, file) of the reports that were written. Outputs: `outcome`; `changed` and `incomplete`, true or false;
    `hazards`, the number that nobody waived; `report`, the path of the JSON report, else of the first that was written.

    Raises:
        UsageError: a file cannot be written.
    """
    summary, output = environ.get("GITHUB_STEP_SUMMARY"), environ.get("GITHUB_OUTPUT")
    if summary:
        _append(summary, render_markdown(report, replace(style, max_chars=SUMMARY_CHARS)) + "\n")
    if output:
        _append(output, "".join(_assignment(name, value) for name, value in _outputs(report, paths).items()))


def _outputs(report: Report, paths: Sequence[tuple[str, str]]) -> dict[str, str]:
    totals = report.summary.hazards
    named = [path for format_, path in paths if format_ == "json"] or [path for _, path in paths]
    return {
        "outcome": report.outcome,
        "changed": str(bool(report.changes)).lower(),
        "incomplete": str(report.outcome == "incomplete").lower(),
        "hazards": str(totals.blocking + totals.caution + totals.info),
        "report": named[0] if named else "",
    }


def _assignment(name: str, value: str) -> str:
    """A value between lines that nobody can guess, so that no value ends early and sets another output (GitHub docs)."""
    delimiter = f"kdiff-{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _append(name: str, text: str) -> None:
    try:
        with Path(name).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"-o github: {name} cannot be written: {error.strerror or error}") from None
