from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from kdiff.cli import github
from kdiff.cli.destinations import read_destinations, write_reports
from kdiff.cli.github import write_step_files
from kdiff.config.settings import Settings
from kdiff.errors import UsageError
from kdiff.model.report import HazardTotals, Summary
from kdiff.reports.style import Style

ASSIGNMENT = re.compile(r"([a-z]+)<<(kdiff-[0-9a-f]{32})\n(.*?)\n\2\n", re.DOTALL)


def outputs(path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    found = ASSIGNMENT.findall(text)
    assert "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, mark, value in found) == text
    assert len({mark for _, mark, _ in found}) == len(found), "no delimiter is used twice"
    return {name: value for name, _, value in found}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ({}, {"outcome": "changed", "changed": "true", "incomplete": "false", "hazards": "0"}),
        ({"changes": (), "outcome": "unchanged"}, {"outcome": "unchanged", "changed": "false", "incomplete": "false", "hazards": "0"}),
        ({"changes": (), "outcome": "incomplete"}, {"outcome": "incomplete", "changed": "false", "incomplete": "true", "hazards": "0"}),
        (
            {"summary": Summary(hazards=HazardTotals(1, 2, 3))},
            {"outcome": "changed", "changed": "true", "incomplete": "false", "hazards": "6"},
        ),
    ],
)
def test_outputs(make, tmp_path, report, expected) -> None:
    path = tmp_path / "output"
    write_step_files(make(**report), Style(), (), {"GITHUB_OUTPUT": str(path)})
    assert outputs(path) == {**expected, "report": ""}


@pytest.mark.parametrize(
    ("paths", "report"),
    [
        ([("text", "a.txt"), ("json", "b.json")], "b.json"),
        ([("html", "a.html"), ("text", "b")], "a.html"),
        ([("json", "x\ny=<<z\n1\nz")], "x\ny=<<z\n1\nz"),
    ],
)
def test_the_path_of_the_report(make, tmp_path, paths, report) -> None:
    path = tmp_path / "output"
    write_step_files(make(), Style(), paths, {"GITHUB_OUTPUT": str(path)})
    assert outputs(path)["report"] == report


def test_the_summary_is_markdown_and_is_appended(make, tmp_path) -> None:
    path = tmp_path / "summary"
    path.write_text("before\n", encoding="utf-8")
    write_step_files(make(), Style(comment_key="prod", max_chars=900), (), {"GITHUB_STEP_SUMMARY": str(path)})
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- kdiff:prod -->\n")
    assert "apps/v1/Deployment shop/web" in text


def test_a_summary_fits_its_limit_in_bytes(make, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(github, "SUMMARY_CHARS", 5000)
    report = make()
    path = tmp_path / "summary"
    many = tuple(replace(report.changes[0], unified="@@ -1 +1 @@\n-" + "漢" * 3000 + "\n", scope=f"s{n}") for n in range(9))
    write_step_files(replace(report, changes=many), Style(), (), {"GITHUB_STEP_SUMMARY": str(path)})
    assert path.stat().st_size <= 15000


def test_the_format_writes_them_and_no_other_does(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    stdout = io.StringIO()
    write_reports(make(), read_destinations(("text",)), Settings(), stdout, environ)
    assert list(tmp_path.iterdir()) == []
    write_reports(make(), read_destinations(("github", "json=r.json")), Settings(), stdout, environ)
    assert outputs(tmp_path / "output")["report"] == "r.json"
    assert (tmp_path / "summary").exists()
    assert "::notice title=kdiff::" in stdout.getvalue()


def test_outside_of_a_workflow_nothing_is_written(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_step_files(make(), Style(), (), {})
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_one_line(make, tmp_path) -> None:
    with pytest.raises(UsageError, match=r"^-o github: .* cannot be written: "):
        write_step_files(make(), Style(), (), {"GITHUB_OUTPUT": str(tmp_path)})
