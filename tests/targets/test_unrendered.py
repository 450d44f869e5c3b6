from __future__ import annotations

import pytest

from kdiff.errors import SourceError
from kdiff.model.tree import TreeOrigin
from kdiff.targets.artifacts import ArtifactTree, tree_of_files
from kdiff.targets.unrendered import Memo, Unrendered, deciding_files, find_change

CHART = {
    "charts/web/Chart.yaml": b"name: web\ndependencies:\n- {name: common, repository: 'file://../common'}\n",
    "charts/web/.helmignore": b"ci/\n",
    "charts/web/README.md": b"one",
    "charts/web/values.yaml": b"a: 1\n",
    "charts/web/values-prod.yaml": b"a: 2\n",
    "charts/web/values-dev.yaml": b"a: 3\n",
    "charts/web/templates/a.yaml": b"kind: A\n",
    "charts/web/ci/test.yaml": b"",
    "charts/web/files/a.txt": b"",
    "charts/web/charts/sub/values.yaml": b"",
    "charts/web/charts/sub/README.md": b"",
    "charts/web/charts/_off/values.yaml": b"",
    "charts/web/charts/README.md": b"",
    "charts/common/Chart.yaml": b"name: common\n",
    "charts/common/templates/_a.tpl": b"",
    "charts/common/README.md": b"",
    "charts/other/Chart.yaml": b"name: other\n",
    "values/web.yaml": b"",
}


def tree(files):
    return tree_of_files(files, TreeOrigin("head", "directory"))


def chart(files=CHART, **more):
    return Unrendered("Application argocd/web", "Helm", tree(files), **{"path": "charts/web", **more})


def test_what_decides_what_a_chart_renders():
    common = {"charts/common/Chart.yaml", "charts/common/templates/_a.tpl"}
    own = {f"charts/web/{name}" for name in ("Chart.yaml", "values.yaml", "templates/a.yaml", "charts/sub/values.yaml")}
    assert deciding_files(chart()) == own | common
    named = deciding_files(chart(named=("charts/web/values-prod.yaml", "values/*.yaml")))
    assert named == own | common | {"charts/web/values-prod.yaml", "values/web.yaml"}


def test_a_template_may_read_any_file_of_its_chart():
    files = {**CHART, "charts/web/templates/a.yaml": b'{{ .Files.Get "README.md" }}'}
    assert {"charts/web/README.md", "charts/web/values-dev.yaml"} <= deciding_files(chart(files))
    assert "charts/web/ci/test.yaml" not in deciding_files(chart(files))


@pytest.mark.parametrize(
    ("changed", "named", "reads"),
    [
        ({"charts/common/templates/_a.tpl": b'{{ define "x" }}{{ .Files.Get "README.md" }}'}, (), True),  # with the parent's .Files
        ({"charts/web/charts/sub/values.yaml": b"a: '{{ .Files }}'"}, (), True),
        ({"values/web.yaml": b"a: '{{ .Files }}'"}, (), False),
        ({"values/web.yaml": b"a: '{{ .Files }}'"}, ("values/web.yaml",), True),
        ({"charts/web/templates/a.yaml": b'{{ include "elsewhere.all" . }}'}, (), True),  # nobody knows what it reads
        ({"charts/web/templates/a.yaml": b'{{- template "elsewhere.all" $ }}'}, (), True),
        ({"charts/web/templates/a.yaml": b'{{ include (printf "%s.all" .Values.a) . }}'}, (), True),
        ({"charts/web/templates/a.yaml": b'{{ include (print $.Template.BasePath "/b.yaml") . }}\ntemplate:\n  metadata'}, (), False),
        (
            {
                "charts/web/templates/a.yaml": b'{{ include "x" . }}',
                "charts/common/templates/_a.tpl": b'{{- define "x" -}}',
                "values/web.yaml": b"{{ include `x` . }}",
            },
            ("values/web.yaml",),
            False,
        ),
    ],
)
def test_who_may_read_the_other_files_of_a_chart(changed, named, reads):
    found = deciding_files(chart({**CHART, **changed}, named=named))
    others = {"charts/web/README.md", "charts/web/files/a.txt", "charts/common/README.md", "charts/web/charts/sub/README.md"}
    assert found & others == (others if reads else set())


def test_a_chart_that_only_moves_is_the_same():
    moved = {path.replace("charts/web/", "apps/web/"): content for path, content in CHART.items()}
    moved["apps/web/Chart.yaml"] = CHART["charts/web/Chart.yaml"]
    moved |= {path.replace("charts/common/", "apps/common/"): content for path, content in CHART.items() if "/common/" in path}
    named = ("charts/web/values-prod.yaml", "values/web.yaml")
    base, head = chart(named=named), chart(moved, path="apps/web", named=("apps/web/values-prod.yaml", "values/web.yaml"))
    assert find_change(base, head) is None
    edited = chart({**moved, "apps/web/values-prod.yaml": b""}, path="apps/web", named=head.named)
    assert find_change(base, edited) == "the Helm chart at apps/web is not rendered, and its files differ: apps/web/values-prod.yaml"


def test_a_file_that_helm_ignores_from_now_on_is_missing():
    change = find_change(chart(), chart({**CHART, "charts/web/.helmignore": b"ci/\ntemplates/a.yaml\n"}))
    assert change == "the Helm chart at charts/web is not rendered, and its files differ: charts/web/templates/a.yaml"


def test_a_chart_of_many_releases_is_read_and_compared_once():
    reads = []

    class Counted(ArtifactTree):
        def read(self, path):
            reads.append(path)
            return super().read(path)

    base, head = (Counted(one.origin, one.files, one.children) for one in (tree(CHART), tree(CHART)))
    memo = Memo()
    for name in ("values/a.yaml", "values/b.yaml"):
        sides = (Unrendered(name, "Helm", each, "charts/web", (name,)) for each in (base, head))
        assert find_change(*sides, memo) is None
    assert reads.count("charts/web/templates/a.yaml") == 4  # looked into and compared, on each side


def test_jsonnet_is_followed_through_its_imports():
    files = {
        "app/a.jsonnet": b"local b = import '../lib/b.libsonnet';\nimportstr \"t.txt\" + (import 'v.libsonnet')",
        "app/t.txt": b"",
        "app/README.md": b"",
        "lib/b.libsonnet": b"(import 'c.libsonnet')",
        "lib/c.libsonnet": b"(import 'b.libsonnet')",
        "vendor/v.libsonnet": b"{}",
        "vendor/unused.libsonnet": b"{}",
    }
    one = Unrendered("a", "Jsonnet", tree(files), "app", ("app/a.jsonnet",), ("vendor",))
    assert {path for path in deciding_files(one) if path in files} == files.keys() - {"app/README.md", "vendor/unused.libsonnet"}


def test_a_plugin_may_build_the_kustomization_in_its_path():
    files = {
        "overlay/kustomization.yaml": b"resources: [../base]\npatches: [{path: ../p.yaml}]\n",
        "overlay/secret.enc": b"",
        "base/kustomization.yaml": b"resources: [a.yaml]\n",
        "base/a.yaml": b"",
        "base/unused.yaml": b"",
        "p.yaml": b"",
    }
    assert deciding_files(Unrendered("a", "plugin", tree(files), "overlay")) == files.keys() - {"base/unused.yaml"}


@pytest.mark.parametrize(
    ("path", "content", "reported"),
    [
        ("charts/web/README.md", b"two", False),
        ("charts/web/values-dev.yaml", b"a: 4\n", False),
        ("charts/web/ci/test.yaml", b"x", False),
        ("charts/other/Chart.yaml", b"name: x\n", False),
        ("charts/web/templates/a.yaml", b"kind: B\n", True),
        ("charts/web/templates/new.yaml", b"", True),
        ("charts/common/templates/_a.tpl", b"x", True),
    ],
)
def test_which_edits_count(path, content, reported):
    change = find_change(chart(), chart({**CHART, path: content}))
    assert change == (f"the Helm chart at charts/web is not rendered, and its files differ: {path}" if reported else None)


def test_a_file_that_cannot_be_read_counts():
    class Unreadable(ArtifactTree):
        def read(self, path):
            if path.endswith("values.yaml"):
                raise SourceError(path)
            return super().read(path)

    one = tree(CHART)
    head = Unreadable(one.origin, one.files, one.children)
    change = find_change(chart(), Unrendered("Application argocd/web", "Helm", head, "charts/web"))
    assert change is not None
    assert "values.yaml" in change
