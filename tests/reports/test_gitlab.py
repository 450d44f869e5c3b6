from __future__ import annotations

import json

from kdiff.reports.gitlab import render_gitlab
from kdiff.reports.style import Style


def test_issues_have_the_keys_that_gitlab_reads(full_report) -> None:
    issues = json.loads(render_gitlab(full_report, Style()))
    assert [(i["check_name"], i["severity"]) for i in issues] == [
        ("not-compared", "blocker"),
        ("removed-namespace", "critical"),
        ("image-unpinned", "major"),
    ]
    assert issues[1]["location"] == {"path": "apps/web/kustomization.yaml", "lines": {"begin": 12}}
    assert issues[1]["description"] == "clusters/prod: Namespace shop leaves and Flux prunes it: 14 objects go with it."
    assert len({i["fingerprint"] for i in issues}) == 3
    assert all(set(i) == {"description", "check_name", "fingerprint", "severity", "location"} for i in issues)


def test_nothing_to_say_is_an_empty_array(build) -> None:
    assert json.loads(render_gitlab(build.report(), Style())) == []
