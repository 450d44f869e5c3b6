"""What `kubectl diff` hands over: LIVE and MERGED as its source lays them out."""

from __future__ import annotations

import pytest

import kdiff
from kdiff.inputs.external_diff import plain_label

METADATA = "metadata: {{name: web, namespace: shop, generation: {generation}, resourceVersion: '{version}', uid: 1-2-3, creationTimestamp: '2026-01-01T00:00:00Z'}}\n"
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\n" + METADATA + "spec: {{replicas: {replicas}}}\nstatus: {{replicas: {status}}}\n"
LIVE = {"generation": 3, "version": "100", "replicas": 2, "status": 2}


@pytest.fixture
def directories(tmp_path):
    def write(live: dict[str, str], merged: dict[str, str]) -> kdiff.Report:
        for name, files in (("LIVE-2318721", live), ("MERGED-88", merged)):
            (tmp_path / name).mkdir()
            for file, text in files.items():
                (tmp_path / name / file).write_text(text)
        return kdiff.render_diff(tmp_path / "LIVE-2318721", tmp_path / "MERGED-88")

    return write


def differences(directories, **merged) -> kdiff.Report:
    name = "apps.v1.Deployment.shop.web"
    return directories({name: DEPLOYMENT.format(**LIVE)}, {name: DEPLOYMENT.format(**LIVE | merged)})


def test_what_the_server_counts_is_left_out_and_counted(directories) -> None:
    report = differences(directories, generation=4, version="101", replicas=3)
    assert [field.path for change in report for field in change.fields] == ["spec.replicas"]
    assert [note.message for note in report.notes if note.kind == "ignored"] == [
        "kubectl diff: pointer=/metadata/generation left out differences in 1 object",
        "kubectl diff: pointer=/metadata/resourceVersion left out differences in 1 object",
    ]


def test_nothing_but_counts_is_no_difference(directories) -> None:
    report = differences(directories, generation=4)
    assert (report.outcome, report.summary.objects.unchanged) == ("unchanged", 1)
    assert [note.kind for note in report.notes] == ["ignored"]


def test_a_status_that_is_applied_is_shown(directories) -> None:
    assert [field.path for change in differences(directories, status=5) for field in change.fields] == ["status.replicas"]


def test_an_object_that_is_not_live_yet_has_an_empty_file(directories) -> None:
    name = "v1.Namespace..shop"
    report = directories({name: ""}, {name: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: 1}\n"})
    assert [(change.status, change.id) for change in report] == [("added", "v1/Namespace shop")]


def test_secrets_that_kubectl_masked_differ_visibly(directories) -> None:
    name = "v1.Secret.shop.key"
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: shop}\ndata: {same: '***', other: '*** (%s)'}\n"
    report = directories({name: secret % "before"}, {name: secret % "after"})
    assert [(field.path, field.redacted) for change in report for field in change.fields] == [("data.other", True)]


def test_labels_are_the_same_in_every_run(directories) -> None:
    report = differences(directories, replicas=3)
    assert (report.base.label, report.head.label) == ("LIVE", "MERGED")


def test_elsewhere_generation_is_a_field_like_others(tmp_path) -> None:
    for name, generation in (("a", 3), ("b", 4)):
        (tmp_path / f"{name}.yaml").write_text(DEPLOYMENT.format(**LIVE | {"generation": generation}))
    report = kdiff.render_diff(tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert [field.path for change in report for field in change.fields] == ["metadata.generation"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("/tmp/LIVE-2318721", "LIVE"),
        ("MERGED-1/", "MERGED"),
        ("LIVE", "LIVE"),
        ("/tmp/LIVE-1/x", "/tmp/LIVE-1/x"),
        ("OLIVE-1", "OLIVE-1"),
    ],
)
def test_labels(label, expected) -> None:
    assert plain_label(label) == expected
