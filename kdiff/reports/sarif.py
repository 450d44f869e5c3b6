"""The report as SARIF 2.1.0 (OASIS): hazards as results, what was not compared as failed parts of the invocation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kdiff.model.hazard import Severity
from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.findings import Finding, findings
from kdiff.reports.rule_pages import rule_page, rule_summary
from kdiff.reports.scope_names import note_texts
from kdiff.reports.style import Style

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVEL: dict[Severity, str] = {"blocking": "error", "caution": "warning", "info": "note"}
# GitHub ranks results by this number: critical from 9.0, high from 7.0, medium from 4.0 (docs: SARIF support for code scanning).
_RANK: dict[Severity, str] = {"blocking": "8.0", "caution": "5.0", "info": "1.0"}
_URI_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def render_sarif(report: Report, style: Style) -> str:
    """One run. Waived hazards are suppressed results; `executionSuccessful` is false when something was not compared.

    `automationDetails.id` holds `Style.comment_key`, so that platforms keep several comparisons of one commit apart.
    """
    found = findings(report)
    results = [f for f in found if f.failure is None]
    rules = list(dict.fromkeys(f.rule for f in results))
    run = {
        "tool": {"driver": _driver(report, rules, results)},
        "automationDetails": {"id": f"kdiff/{visible(style.comment_key)}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report.outcome != "incomplete",
                "toolExecutionNotifications": [_failed(f) for f in found if f.failure]
                + [_noted(kind, text) for kind, texts in note_texts(report).items() for text in texts],
            }
        ],
        "results": [_result(f, rules) for f in results],
        "properties": {
            "verdict": wording.verdict(report),
            "base": visible(report.base.label),
            "head": visible(report.head.label),
            "outcome": report.outcome,
        },
    }
    return _json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _json(value: Any) -> str:
    import json  # noqa: PLC0415

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _driver(report: Report, rules: Iterable[str], results: Iterable[Finding]) -> dict[str, Any]:
    worst: dict[str, Finding] = {}
    for finding in results:  # in report order, the worst of a rule first
        worst.setdefault(finding.rule, finding)
    return {
        "name": visible(report.tool.name),
        "version": visible(report.tool.version),
        "informationUri": "https://kdiff.dev",
        "rules": [_rule(worst[rule]) for rule in rules],
    }


def _rule(finding: Finding) -> dict[str, Any]:
    page = rule_page(finding.rule)
    summary = rule_summary(page) if page else ""
    rule: dict[str, Any] = {
        "id": finding.rule,
        "name": "".join(part.capitalize() for part in finding.rule.split("-")),
        "shortDescription": {"text": summary or finding.why or finding.rule},
        "defaultConfiguration": {"level": _LEVEL[finding.severity]},
        "properties": {"security-severity": _RANK[finding.severity], "tags": ["kubernetes", "gitops"]},
    }
    if page:
        rule["help"] = {"text": page, "markdown": page}
    if finding.hazard is not None and finding.hazard.help.startswith("https://"):
        rule["helpUri"] = _uri(finding.hazard.help.removeprefix("https://"), "https://")
    return rule


def _result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVEL[finding.severity],
        "message": {"text": finding.located_message + (f"\n{finding.why}" if finding.why else "")},
        "locations": [_location(finding)],
        "partialFingerprints": {"kdiffHazard/v1": finding.fingerprint},
        "properties": {"severity": finding.severity},
    }
    if finding.waived is not None:
        result["suppressions"] = [
            {
                "kind": "inSource" if finding.waived.by == "annotation" else "external",
                "status": "accepted",
                "justification": visible(finding.waived.reason),
            }
        ]
    return result


def _location(finding: Finding) -> dict[str, Any]:
    """A result without a physical location is refused by GitHub: the root of the tree stands in where nobody knows better."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file or ".")}}
    if finding.line is not None:
        physical["region"] = {"startLine": max(1, finding.line)}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.subject, "kind": "resource"}]
    return location


def _failed(finding: Finding) -> dict[str, Any]:
    return {
        "descriptor": {"id": finding.rule},
        "level": "error",
        "message": {"text": f"{finding.subject}: {finding.why}: {finding.message}"},
        "locations": [_location(finding)],
    }


def _noted(kind: str, text: str) -> dict[str, Any]:
    return {"descriptor": {"id": visible(kind)}, "level": "note", "message": {"text": text}}


def _uri(path: str, prefix: str = "") -> str:
    """A relative reference (RFC 3986). A first segment with a colon would read as a scheme; `:` is always encoded."""
    return prefix + "".join(chr(b) if b in _URI_SAFE else f"%{b:02X}" for b in path.encode("utf-8", "replace"))
