"""Reports of fewer changes say the truth about what stays."""

from __future__ import annotations

from pathlib import Path

import pytest

import kdiff
from kdiff.model.report import Report
from kdiff.reports.formats import FORMATS


def manifest(kind: str, name: str, api: str = "v1", body: str = "") -> str:
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name.rpartition('/')[2]}, namespace: {name.rpartition('/')[0] or 'null'}}}\n{body}---\n"


def deployment(name: str, image: str) -> str:
    pod = f"{{metadata: {{labels: {{app: {name.rpartition('/')[2]}}}}}, spec: {{containers: [{{name: c, image: '{image}'}}]}}}}"
    return manifest(
        "Deployment",
        name,
        "apps/v1",
        f"spec: {{replicas: 2, selector: {{matchLabels: {{app: {name.rpartition('/')[2]}}}}}, template: {pod}}}\n",
    )


BASE = (
    deployment("shop/web", "r.io/web:1.0.0")
    + deployment("shop/api", "r.io/web:1.0.0")
    + deployment("blog/web", "r.io/blog:1.0.0")
    + manifest("PersistentVolumeClaim", "shop/data", body="spec: {}\n")
    + manifest("Namespace", "old")
    + manifest("ConfigMap", "shop/same")
)
HEAD = (
    deployment("shop/web", "r.io/web:1.1.0")
    + deployment("shop/api", "r.io/web:1.1.0")
    + deployment("blog/web", "r.io/blog:1.1.0")
    + manifest("ConfigMap", "shop/new")
    + manifest("ConfigMap", "shop/same")
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    root = tmp_path_factory.mktemp("narrow")
    for name, text in (("base.yaml", BASE), ("head.yaml", HEAD)):
        Path(root / name).write_text(text)
    return kdiff.render_diff(root / "base.yaml", root / "head.yaml")


WEB, API, BLOG = "apps/v1/Deployment shop/web", "apps/v1/Deployment shop/api", "apps/v1/Deployment blog/web"
PVC, OLD, NEW = "v1/PersistentVolumeClaim shop/data", "v1/Namespace old", "v1/ConfigMap shop/new"


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"kind": "Deployment"}, {WEB, API, BLOG}),
        ({"kind": "apps/Deployment", "namespace": "shop"}, {WEB, API}),
        ({"kind": ("ConfigMap", "Persistent*")}, {NEW, PVC}),
        ({"kind": "deployment"}, set()),
        ({"name": "web"}, {WEB, BLOG}),
        ({"namespace": ""}, {OLD}),
        ({"status": "removed"}, {PVC, OLD}),
        ({"status": ["added", "removed"], "namespace": "shop"}, {NEW, PVC}),
        ({"status": "moved"}, set()),
        ({"target": "nowhere"}, set()),
        ({"name": ()}, set()),
        ({}, {WEB, API, BLOG, PVC, OLD, NEW}),
    ],
)
def test_what_stays(report: Report, criteria: dict[str, str], expected: set[str]) -> None:
    narrowed = report.only(**criteria)
    assert {change.id for change in narrowed} == expected
    totals = narrowed.summary.objects
    assert totals.added + totals.removed + totals.changed + totals.renamed == len(expected)
    assert sum(c.added + c.removed + c.changed for c in narrowed.impact.by_kind.values()) == len(expected)
    assert sum(c.added + c.removed + c.changed for c in narrowed.impact.by_namespace.values()) == len(expected)
    assert narrowed.outcome == ("changed" if expected else "unchanged")
    assert (narrowed.notes == report.notes) is (len(expected) == len(report.changes))
    for name in FORMATS:
        assert narrowed.render(name) or (name == "diff" and not expected)
    assert Report.from_json(narrowed.to_json()).to_json() == narrowed.to_json()


def test_impact_is_that_of_what_stays(report: Report) -> None:
    impact = report.only(namespace="shop", kind="Deployment").impact
    assert [r.object for r in impact.rollouts] == [API, WEB]
    assert impact.pods == 4
    assert [(image.image, image.objects) for image in impact.images] == [("r.io/web", (API, WEB))]
    assert impact.cluster_scoped == 0
    assert impact.routine
    assert report.only(kind="Namespace").impact.cluster_scoped == 1
    assert not report.impact.routine


def test_hazards_are_those_of_what_stays(report: Report) -> None:
    rules = {hazard.rule for hazard in report.hazards}
    assert {"removed-pvc", "removed-namespace"} <= rules
    narrowed = report.only(kind="Namespace")
    assert {hazard.rule for hazard in narrowed.hazards} == {"removed-namespace"}
    assert narrowed.summary.hazards.blocking == 1
    assert not report.only(kind="Deployment", namespace="blog").hazards


def test_groups_are_those_of_what_stays(report: Report) -> None:
    assert [len(group.objects) for group in report.groups] == [2]
    assert [len(group.objects) for group in report.only(namespace="shop").groups] == [2]
    assert report.only(name="web").groups == ()


def test_a_filter_does_not_hide_what_was_not_compared(report: Report) -> None:
    failure = kdiff.Failure("head", "apps/x", "timeout", "too slow")
    incomplete = Report(report.tool, report.base, report.head, "incomplete", changes=report.changes, failures=(failure,))
    narrowed = incomplete.only(name="nothing")
    assert (narrowed.outcome, narrowed.failures, narrowed.changes) == ("incomplete", (failure,), ())


def test_what_was_left_out_is_said(report: Report) -> None:
    note = next(note for note in report.only(kind=("Namespace", "X")).notes if note.kind == "narrowed")
    assert note.message == "left out: 5 of 6 changed objects; asked for kind Namespace or X"


def test_a_misspelt_status_or_criterion_is_refused(report: Report) -> None:
    with pytest.raises(kdiff.UsageError, match='no status "delete"; known are added, removed'):
        report.only(status="delete")
    with pytest.raises(TypeError, match="kinds"):
        report.only(kinds="Deployment")


def test_changes_by_target(report: Report) -> None:
    by_target = report.by_target()
    assert {change.id for changes in by_target.values() for change in changes} == {change.id for change in report}
    for (scope, target), changes in by_target.items():
        assert all(change.scope == scope and target in (*change.targets.base, *change.targets.head) for change in changes)
