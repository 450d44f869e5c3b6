"""The report as a GitLab code-quality artifact: what was not compared and each hazard that nobody waived."""

from __future__ import annotations

from typing import Any

from kdiff.model.hazard import Severity
from kdiff.model.json_text import json_text
from kdiff.model.report import Report
from kdiff.reports.escape import visible
from kdiff.reports.findings import Finding, findings
from kdiff.reports.style import Style

_SEVERITY: dict[Severity, str] = {"blocking": "critical", "caution": "major", "info": "info"}


def render_gitlab(report: Report, _style: Style) -> str:
    """A JSON array, empty when there is nothing to say. Keys as GitLab's docs list them (Code Quality: report format)."""
    return json_text([_issue(finding) for finding in findings(report) if finding.waived is None], 2) + "\n"


def _issue(finding: Finding) -> dict[str, Any]:
    message = " ".join(finding.message.split("\n"))
    return {
        "description": f"{finding.subject}: {finding.why}: {message}" if finding.failure else finding.located_message,
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": "blocker" if finding.failure else _SEVERITY[finding.severity],
        "location": {"path": visible(finding.file or "."), "lines": {"begin": finding.line or 1}},
    }
