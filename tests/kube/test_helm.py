from __future__ import annotations

import pytest

from kdiff.kube.flux import SourceRef
from kdiff.kube.helm import ChartUse, described_chart, is_ignored, local_dependencies, parse_ignore_file, release_chart

GIT = SourceRef("GitRepository", "apps", "team")


@pytest.mark.parametrize(
    ("content", "path", "expected"),
    [
        ("*.md", "README.md", True),
        ("*.md", "templates/notes.md", True),
        ("*.md", "templates/a.yaml", False),
        ("ci/", "ci/values.yaml", True),
        ("ci/", "ci", False),
        ("ci", "charts/a/ci/values.yaml", True),
        ("/ci", "charts/a/ci/values.yaml", False),
        ("docs/*.txt", "docs/a.txt", True),
        ("docs/*.txt", "docs/b/a.txt", False),
        ("# *.md\n\n  *.txt  \r\n", "a.md", False),
        ("# *.md\n\n  *.txt  \r\n", "a.txt", True),
        ("", "templates/.swp", True),
        ("*\n!a.yaml", "b.yaml", False),
        ("**/a", "a", False),
    ],
)
def test_what_helm_leaves_out(content, path, expected):
    assert is_ignored(parse_ignore_file(content), path) is expected


def release(**spec):
    return {"kind": "HelmRelease", "metadata": {"name": "web", "namespace": "apps"}, "spec": spec}


def chart(path, **more):
    return {"spec": {"chart": path, "sourceRef": {"kind": "GitRepository", "name": "team"}, **more}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (release(chart=chart("./charts/web")), ChartUse(GIT, "charts/web")),
        (
            release(chart=chart("charts/web", valuesFiles=["./a.yaml"], valuesFile="b.yaml")),
            ChartUse(GIT, "charts/web", ("a.yaml", "b.yaml")),
        ),
        (release(chart={"spec": {"chart": "redis", "sourceRef": {"kind": "HelmRepository", "name": "x"}}}), None),
        (release(chartRef={"kind": "HelmChart", "name": "c", "namespace": "x"}), SourceRef("HelmChart", "x", "c")),
        (release(chartRef={"kind": "ExternalArtifact", "name": "c"}), ChartUse(SourceRef("ExternalArtifact", "apps", "c"), ".")),
        (release(), None),
        ([], None),
    ],
)
def test_where_the_chart_of_a_release_comes_from(value, expected):
    assert release_chart(value) == expected


def test_a_helm_chart_describes_one():
    value = {"metadata": {"namespace": "apps"}, "spec": {"chart": "a", "sourceRef": {"kind": "Bucket", "name": "b"}}}
    assert described_chart(value) == ChartUse(SourceRef("Bucket", "apps", "b"), "a")
    assert described_chart({"spec": {"chart": "a", "sourceRef": {"kind": "HelmRepository", "name": "b"}}}) is None


def test_local_dependencies():
    dependencies = [{"repository": "file://../common"}, {"repository": "https://charts.example.com"}, {"name": "sub"}]
    assert list(local_dependencies({"dependencies": dependencies})) == ["../common"]
