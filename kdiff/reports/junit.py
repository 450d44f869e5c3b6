"""The report as JUnit XML for gates that count test cases: one case for each target and each hazard."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.findings import Finding, findings
from kdiff.reports.style import Style


def render_junit(report: Report, _style: Style) -> str:
    """Two suites. A target that was not compared is an error; a hazard of severity blocking or caution a failure.

    Hazards of severity info pass, waived ones are skipped, changed targets pass with their counts as output. The first case
    always passes and says the verdict, so that no suite is empty.
    """
    found = findings(report)
    root = ET.Element("testsuites", name="kdiff")
    failed = [f for f in found if f.failure]
    compared = [_case("kdiff", "verdict", output=wording.verdict(report))]
    compared += [
        _case("target", wording.target_names([name]), output=wording.counts_text(counts))
        for name, counts in report.impact.by_target.items()
    ]
    _suite(root, "targets", compared + [_failed(f) for f in failed])
    _suite(root, "hazards", [_hazard(f) for f in found if f.failure is None])
    root.set("tests", str(len(found) + len(compared)))
    for outcome in ("failures", "errors"):
        root.set(outcome, str(sum(int(suite.get(outcome, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, cases: Sequence[ET.Element]) -> None:
    def count(tag: str) -> str:
        return str(sum(case.find(tag) is not None for case in cases))

    suite = ET.SubElement(
        root, "testsuite", name=name, tests=str(len(cases)), failures=count("failure"), errors=count("error"), skipped=count("skipped")
    )
    suite.extend(cases)


def _case(group: str, name: str, *, output: str = "", file: str | None = None) -> ET.Element:
    case = ET.Element("testcase", classname=group, name=name)
    if file is not None:
        case.set("file", visible(file))
    if output:
        ET.SubElement(case, "system-out").text = output
    return case


def _failed(finding: Finding) -> ET.Element:
    case = _case("target", finding.subject, file=finding.file)
    ET.SubElement(case, "error", type=finding.rule, message=finding.why).text = finding.message
    return case


def _hazard(finding: Finding) -> ET.Element:
    case = _case(finding.rule, finding.subject or finding.rule, file=finding.file)
    if finding.waived is not None:
        ET.SubElement(case, "skipped", message=f"waived ({visible(finding.waived.by)}): {visible(finding.waived.reason)}")
    elif finding.severity == "info":
        ET.SubElement(case, "system-out").text = finding.message
    else:
        ET.SubElement(case, "failure", type=finding.severity, message=finding.message).text = finding.why
    return case
