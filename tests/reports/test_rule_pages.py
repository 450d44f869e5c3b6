from __future__ import annotations

import pytest

from kdiff.reports.rule_pages import rule_page, rule_summary


def test_a_rule_has_its_page() -> None:
    page = rule_page("removed-pvc")
    assert page.startswith("# removed-pvc\n")
    assert rule_summary(page).startswith("A PersistentVolumeClaim leaves")


@pytest.mark.parametrize("name", ["no-such-rule", "../changelog", "..", "", "removed-pvc.md", "Removed-PVC", "removed-pvc\n", "a/b"])
def test_only_names_of_rules_are_looked_up(name) -> None:
    assert rule_page(name) is None


@pytest.mark.parametrize(
    ("page", "summary"),
    [("# a\n\n## What\n\nOne\ntwo.\n\nThree.\n", "One two."), ("# a\n", ""), ("# a\n\n## What\n\n- x\n\n## Why\n\ny\n", "- x")],
)
def test_the_summary_is_the_first_paragraph(page, summary) -> None:
    assert rule_summary(page) == summary
