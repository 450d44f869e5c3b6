"""Two clusters whose objects and targets have the same ids: every format says which is which."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET

import pytest

from kdiff.model.change import ChangeTargets, Move
from kdiff.model.failure import Failure, Note
from kdiff.model.hazard import Hazard
from kdiff.model.impact import Dependents, Impact, Rollout
from kdiff.reports.scope_names import note_texts

CLUSTERS = ("clusters/eu", "clusters/us")
APPS, OTHER = "Kustomization flux-system/apps", "Kustomization flux-system/other"


@pytest.fixture
def twins(build):
    """Each cluster has the same changes, hazards, failure and rollout."""
    sides = ChangeTargets((APPS,), (APPS,))
    changes, hazards, failures, rollouts, dependents = [], [], [], [], []
    for scope in CLUSTERS:
        changes.append(build.change(build.ref("ConfigMap", "a"), "removed", scope=scope, targets=ChangeTargets((APPS,), ())))
        moved = Move((OTHER,), (APPS,))
        changes.append(build.change(build.WEB, "moved", scope=scope, targets=ChangeTargets((OTHER,), (APPS,)), moved=moved))
        # what differs in one field only keeps the edits apart
        field = build.replaced("spec.replicas", 1, scope)
        changes.append(build.change(build.ref("Widget", "w"), scope=scope, targets=sides, fields=(field,)))
        hazards.append(Hazard("removed-pvc", "blocking", "the data of a goes", "why", "help", object="v1/ConfigMap shop/a", scope=scope))
        hazards.append(Hazard("suspends", "caution", "nothing more is applied", "why", "help", target=APPS, scope=scope))
        failures.append(Failure("head", OTHER, "timeout", "too slow", scope))
        rollouts.append(Rollout(build.WEB.id, 2, ("/spec/template",), scope))
        dependents.append(Dependents(build.WEB.id, ("v1/Service shop/web",), 0, scope))
    impact = Impact(rollouts=tuple(rollouts), pods=4, dependents=tuple(dependents))
    order = sorted(changes, key=lambda c: (c.scope, c.id))
    return build.report(*order, outcome="incomplete", hazards=tuple(hazards), failures=tuple(failures), impact=impact)


def test_no_line_of_text_stands_twice(twins) -> None:
    for line in twins.render("text", stat=True, width=200).split("\n"):
        if re.search(r"ConfigMap|Deployment|Widget|Kustomization", line) and "reach" not in line:
            assert sum(cluster in line for cluster in CLUSTERS) == 1, line
    assert f"- v1/ConfigMap shop/a  {APPS} of clusters/eu" in twins.render("text", stat=True, width=200)


def test_what_hangs_on_both_is_said_once_with_their_number(twins) -> None:
    assert "Deployment shop/web: 1 depends on it: Service shop/web (in 2 scopes)" in twins.render("text", width=200)


@pytest.mark.parametrize("layout", [{}, {"stat": True}])
def test_no_line_of_markdown_stands_twice(twins, layout) -> None:
    for line in twins.render("markdown", **layout).split("\n"):
        if re.search(r"^- \S+ \*\*|^- \*\*|^<details>|^  - |^- (moved|removed|changed)", line):
            assert sum(cluster in line for cluster in CLUSTERS) == 1, line


def test_findings_are_told_apart(twins) -> None:
    lines = twins.render("github").split("\n")[1:-1]
    assert len(lines) == len(set(lines)) == 6
    described = [issue["description"] for issue in json.loads(twins.render("gitlab"))]
    assert len(described) == len(set(described)) == 6
    names = [(case.get("classname"), case.get("name")) for case in ET.fromstring(twins.render("junit")).iter("testcase")]
    assert len(names) == len(set(names)) == 7
    run = json.loads(twins.render("sarif"))["runs"][0]
    said = [r["message"]["text"] for r in (*run["results"], *run["invocations"][0]["toolExecutionNotifications"])]
    assert len(said) == len(set(said)) == 6
    assert len({r["partialFingerprints"]["kdiffHazard/v1"] for r in run["results"]}) == 4


def test_lines_of_a_diff_are_told_apart(twins) -> None:
    lines = [line for line in twins.render("diff").split("\n") if line.startswith("#")]
    assert len(lines) == len(set(lines)) == 4


def test_the_page_filters_and_names_by_cluster(twins) -> None:
    page = twins.render("html")
    for cluster in CLUSTERS:
        assert f"{APPS} of {cluster}" in page
        assert f"v1/ConfigMap shop/a in {cluster}" in page


@pytest.mark.parametrize(
    ("scopes", "said"),
    [
        (("clusters/eu",), ""),
        (("clusters/eu", "clusters/us"), " (in clusters/eu, clusters/us)"),
        (("a", "b", "c", "d"), " (in 4 scopes)"),
        (("",), ""),
    ],
)
def test_a_note_of_several_scopes_is_said_once_and_names_them(build, scopes, said) -> None:
    notes = tuple(Note("not-rendered", "1 HelmRelease is compared as written", scope=scope) for scope in scopes)
    report = build.report(notes=notes)
    assert note_texts(report) == {"not-rendered": (f"not-rendered: 1 HelmRelease is compared as written{said}",)}
    for name in ("text", "markdown", "sarif", "html"):
        assert report.render(name, width=200).count("1 HelmRelease is compared") == 1


def test_a_note_of_one_scope_among_several_says_which(twins) -> None:
    notes = (
        Note("missing-variables", "v1/ConfigMap a/vars is not here", APPS, scope=CLUSTERS[1]),
        Note("ignored", "x", CLUSTERS[0], scope=CLUSTERS[0]),
    )
    said = note_texts(dataclasses.replace(twins, notes=notes))
    assert said == {
        "missing-variables": (f"missing-variables: {APPS}: v1/ConfigMap a/vars is not here (in clusters/us)",),
        "ignored": ("ignored: clusters/eu: x",),
    }


def test_one_scope_says_nothing_more(twins, build) -> None:
    def of_one(found):
        return tuple(each for each in found if each.scope == CLUSTERS[0])

    impact = dataclasses.replace(twins.impact, rollouts=of_one(twins.impact.rollouts), dependents=of_one(twins.impact.dependents))
    one = build.report(
        *of_one(twins.changes), outcome="incomplete", hazards=of_one(twins.hazards), failures=of_one(twins.failures), impact=impact
    )
    for name in ("text", "markdown", "github", "gitlab", "junit", "diff"):
        assert not re.search("(?: (?:of|in) |: )clusters/eu", one.render(name, stat=True).replace(", in clusters/eu", "")), name
