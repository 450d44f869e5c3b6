from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kdiff.errors import KdiffError
from kdiff.model.report import Report
from kdiff.reports.schema import report_schema

DOCS = Path(__file__).parents[2] / "docs"


def validate(data: object) -> None:
    jsonschema.Draft202012Validator(report_schema()).validate(data)


def test_the_schema_is_a_schema_and_the_published_one() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    published = json.loads((DOCS / "report-v1.schema.json").read_text(encoding="utf-8"))
    assert published == report_schema(), "run: kdiff schema > docs/report-v1.schema.json"


def test_reports_are_valid(full_report, build) -> None:
    validate(json.loads(full_report.to_json()))
    validate(json.loads(build.report().to_json()))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("outcome",), "fine"),
        (("changes", 0, "status"), "edited"),
        (("changes", 0, "fields", 0, "op"), None),
        (("summary", "objects", "added"), "1"),
        (("failures", 0, "class"), "other"),
        (("hazards", 0, "severity"), "high"),
        (("base", "revision"), 1),
        (("schema",), "kdiff.report/v2"),
    ],
)
def test_what_does_not_fit_is_refused(full_report, path, value) -> None:
    data = json.loads(full_report.to_json())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        validate(data)
    if path != ("base", "revision"):
        with pytest.raises(KdiffError):
            Report.from_json(json.dumps(data))


def test_a_report_survives_its_json(full_report) -> None:
    read = Report.from_json(full_report.to_json())
    assert read == full_report
    assert read.to_json() == full_report.to_json()


def test_absent_differs_from_null_in_json(full_report) -> None:
    data = json.loads(full_report.to_json())
    web = next(c for c in data["changes"] if c["id"] == "apps/v1/Deployment shop/web")
    by_path = {f["path"]: f for f in web["fields"]}
    assert "before" not in by_path["spec.paused"]
    assert by_path["spec.x"]["before"] is None
    assert "after" not in by_path["spec.x"]
