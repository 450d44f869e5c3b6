"""The loop between targets and rendering, over small trees that are really rendered."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml

import kdiff


def flux(name, path, *substitute_from, optional="false", source="flux-system"):
    sources = "".join(f"\n    - {{kind: ConfigMap, name: {each}, optional: {optional}}}" for each in substitute_from)
    post_build = f"\n  postBuild:\n    substituteFrom:{sources}" if sources else ""
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\n"
        f"spec:\n  path: ./{path}\n  sourceRef: {{kind: GitRepository, name: {source}}}{post_build}\n"
    )


def config_map(name, value, namespace="flux-system"):
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\ndata: {{N: '{value}'}}\n"


@pytest.fixture
def compare(tmp_path, kustomize):
    """The report on two trees of files, `None` for a file that only the base has."""

    def run(files, changed, **options):
        for side, content in (("base", files), ("head", {**files, **changed})):
            for path, text in content.items():
                if text is not None:
                    (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
                    (tmp_path / side / path).write_text(text)
        entry = next(path for path in ("clusters/prod", "root") if (tmp_path / "base" / path).is_dir())
        return kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=[entry], options=kdiff.Options(**options))

    return run


def failures(report):
    return [(failure.side, failure.target.removeprefix("Kustomization flux-system/"), failure.class_) for failure in report.failures]


BROKEN = "resources: [gone.yaml]\n"
VARS = {
    "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars"),
    "vars/kustomization.yaml": "resources: [vars.yaml]\n",
    "vars/vars.yaml": config_map("cluster-vars", 3),
    "web/web.yaml": config_map("web", "${N}", "web"),
}
READS_AND_FAILS = {"vars/kustomization.yaml": "resources: [vars.yaml, gone.yaml]\n"}


@pytest.mark.parametrize("broken", [BROKEN, READS_AND_FAILS["vars/kustomization.yaml"]])
@pytest.mark.parametrize("optional", ["false", "true"])
def test_what_substitutes_from_a_failed_target_fails_with_it(compare, broken, optional):
    files = {**VARS, "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars", optional=optional)}
    report = compare(files, {"vars/kustomization.yaml": broken})
    assert failures(report) == [("head", "vars", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.failures[1].message == (
        "its variables come from ConfigMap flux-system/cluster-vars, which Kustomization flux-system/vars may hold, and that failed"
    )
    assert report.changes == ()
    assert [note for note in report.notes if note.kind in ("missing-variables", "undefined-variable")] == []


def test_a_target_that_failed_on_both_sides_takes_its_users_along(compare):
    report = compare({**VARS, **READS_AND_FAILS}, {"web/web.yaml": config_map("web", "${N} more", "web")})
    assert failures(report) == [("both", "vars", "missing-resource"), ("both", "web", "undefined-variable")]


def test_what_only_the_cluster_holds_is_a_note_still(compare):
    files = {**VARS, "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "from-the-cluster")}
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "vars", "missing-resource")]
    assert len([note for note in report.notes if note.kind == "missing-variables"]) == 1


def test_a_target_without_variables_is_compared(compare):
    report = compare(
        {**VARS, "web/web.yaml": config_map("web", 1, "web")}, {**READS_AND_FAILS, "web/web.yaml": config_map("web", 2, "web")}
    )
    assert failures(report) == [("head", "vars", "missing-resource")]
    assert [change.id for change in report.changes] == ["v1/ConfigMap web/web"]


def test_a_chain_of_substitutions_fails_to_its_end(compare):
    files = {
        **VARS,
        "clusters/prod/all.yaml": "---\n".join((flux("vars", "vars"), flux("mid", "mid", "cluster-vars"), flux("web", "web", "mid-vars"))),
        "mid/mid.yaml": config_map("mid-vars", "${N}"),
    }
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert [target for _, target, _ in failures(report)] == ["mid", "vars", "web"]
    assert report.changes == ()


def test_variables_below_a_failed_target_are_unknown_too(compare):
    files = {
        "clusters/prod/all.yaml": flux("apps", "apps") + "---\n" + flux("web", "web", "cluster-vars"),
        "apps/kustomization.yaml": "resources: [vars.yaml]\n",
        "apps/vars.yaml": flux("vars", "vars"),
        "vars/vars.yaml": config_map("cluster-vars", 3),
        "web/web.yaml": config_map("web", "${N}", "web"),
    }
    report = compare(files, {"apps/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "apps", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.changes == ()


def test_variables_of_a_target_that_goes_over_to_another_source_are_unknown(compare):
    other = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux-system}\n"
    other += "spec: {url: 'https://git.example.com/a/other'}\n---\n"
    head = other + flux("vars", "vars", source="other") + "---\n" + flux("web", "web", "cluster-vars")
    report = compare(VARS, {"clusters/prod/all.yaml": head})
    assert failures(report) == [("head", "vars", "missing-source"), ("head", "web", "undefined-variable")]
    assert [(change.status, change.object.kind) for change in report.changes] == [("changed", "Kustomization"), ("added", "GitRepository")]


def test_children_of_a_target_whose_variables_are_unknown_are_no_removals(compare):
    files = {
        **VARS,
        "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars"),
        "web/child.yaml": flux("child", "child-${N}"),
        "child-3/child.yaml": config_map("child", 1, "web"),
    }
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "vars", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.changes == ()


CHART = {
    "charts/web/Chart.yaml": "name: web\nversion: 1.0.0\n",
    "charts/web/README.md": "one\n",
    "charts/web/templates/a.yaml": "{{ .Values.a }}\n",
    "charts/web/values.yaml": "a: 1\n",
}
HELM_RELEASE = """---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: apps}
spec:
  interval: 1m
  chart:
    spec:
      chart: ./charts/web
      valuesFiles: [values/web.yaml]
      sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
"""


def application(name, *, path="charts/web", revision="HEAD", **more):
    fields = "".join(f", {key}: {value}" for key, value in more.items())
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n"
        "  destination: {namespace: web, server: 'https://kubernetes.default.svc'}\n"
        f"  source: {{repoURL: 'https://git.example.com/a/b', path: {path}, targetRevision: {revision}{fields}}}\n---\n"
    )


def application_set(directories, *, path="'{{path}}'", revision="HEAD", name="'{{path.basename}}'"):
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n"
        f"  generators: [{{git: {{repoURL: 'https://git.example.com/a/b', revision: HEAD, directories: [{{path: {directories}}}]}}}}]\n"
        f"  template:\n    metadata: {{name: {name}}}\n    spec:\n      destination: {{namespace: web}}\n"
        f"      source: {{repoURL: 'https://git.example.com/a/b', path: {path}, targetRevision: {revision}}}\n"
    )


RELEASES = {**CHART, "clusters/prod/all.yaml": flux("apps", "apps"), "apps/web.yaml": HELM_RELEASE, "values/web.yaml": "b: 1\n"}
APPLICATIONS = {**CHART, "root/kustomization.yaml": "resources: [all.yaml]\n", "root/all.yaml": application("web")}
GENERATED = {**CHART, "root/kustomization.yaml": "resources: [all.yaml]\n", "root/all.yaml": application_set("charts/*")}


@pytest.mark.parametrize(
    ("files", "target"),
    [(RELEASES, "HelmRelease apps/web"), (APPLICATIONS, "Application argocd/web"), (GENERATED, "Application argocd/web")],
)
def test_a_chart_that_changes_and_is_not_rendered_is_a_failure(compare, files, target):
    report = compare(files, {"charts/web/values.yaml": "a: 2\n", "charts/web/README.md": "two\n"})
    assert failures(report) == [("both", target, "renderer-missing")]
    assert report.failures[0].message == "the Helm chart at charts/web is not rendered, and its files differ: charts/web/values.yaml"
    assert (report.outcome, report.changes, report.summary.targets.failed) == ("incomplete", (), 1)


@pytest.mark.parametrize("files", [RELEASES, APPLICATIONS, GENERATED])
def test_a_chart_whose_own_files_do_not_change_is_a_note(compare, files):
    report = compare(files, {"charts/web/README.md": "two\n"})
    assert (report.outcome, report.failures) == ("unchanged", ())
    assert any("rendered" in note.message for note in report.notes if note.kind == "not-rendered")


def test_values_files_of_a_release_count(compare):
    report = compare(RELEASES, {"values/web.yaml": "b: 2\n"})
    assert failures(report) == [("both", "HelmRelease apps/web", "renderer-missing")]


def test_a_release_of_a_foreign_repository_has_other_files(compare):
    source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: apps}\n"
    source += "spec: {url: 'https://git.example.com/a/other', ref: {tag: v1}}\n"
    release = HELM_RELEASE.replace("name: flux-system, namespace: flux-system", "name: other")
    report = compare({**RELEASES, "apps/web.yaml": source + release}, {"charts/web/values.yaml": "a: 2\n"})
    assert report.outcome == "unchanged"


def test_values_that_a_chart_of_elsewhere_takes_from_this_tree_count(compare):
    sources = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  sources:\n"
        "  - {repoURL: 'https://charts.example.com', chart: redis, targetRevision: 1.0.0, helm: {valueFiles: [$values/values/web.yaml]}}\n"
        "  - {repoURL: 'https://git.example.com/a/b', targetRevision: HEAD, ref: values}\n"
    )
    files = {"root/kustomization.yaml": "resources: [all.yaml]\n", "root/all.yaml": sources, "values/web.yaml": "a: 1\n"}
    report = compare(files, {"values/web.yaml": "a: 2\n"})
    assert failures(report) == [("both", "Application argocd/web", "renderer-missing")]
    assert report.failures[0].message == "the Helm chart is not rendered, and its files differ: values/web.yaml"


LISTED = (
    "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n"
    "  generators: [{list: {elements: [{n: web}, {n: api}]}}]\n"
    "  template:\n    metadata: {name: '{{n}}'}\n    spec:\n      destination: {namespace: web}\n"
    "      source: {repoURL: 'https://git.example.com/a/b', path: 'charts/{{n}}', targetRevision: HEAD}\n"
)
BOTH = {**CHART, **{path.replace("web", "api"): text for path, text in CHART.items()}}


@pytest.mark.parametrize("applications", [LISTED, application("web") + application("api", path="charts/api")])
@pytest.mark.parametrize("leaves", [True, False])
def test_a_chart_that_one_side_lacks_is_a_failure_of_what_both_sides_have(compare, applications, leaves):
    files = {"root/kustomization.yaml": "resources: [all.yaml]\n", "root/all.yaml": applications, **BOTH}
    without = {path: text if leaves else None for path, text in CHART.items()}
    report = compare({**files, **without}, {path: None if leaves else text for path, text in CHART.items()})
    assert failures(report) == [("both", "Application argocd/web", "renderer-missing")]
    assert "its files differ: charts/web/Chart.yaml" in report.failures[0].message


JSONNET = {
    "root/kustomization.yaml": "resources: [all.yaml]\n",
    "root/all.yaml": application("web", path="web", directory="{recurse: true, exclude: '*/no.jsonnet'}"),
    "web/sub/a.jsonnet": "{}",
    "web/sub/no.jsonnet": "{}",
}


@pytest.mark.parametrize(
    ("files", "changed", "fails"),
    [
        (JSONNET, {"web/sub/a.jsonnet": "{a: 1}"}, True),
        (JSONNET, {"web/sub/a.jsonnet": None, "web/cm.yaml": config_map("a", 1)}, True),  # the last one
        (JSONNET, {"web/sub/no.jsonnet": "{a: 1}"}, False),
        ({**JSONNET, "root/all.yaml": application("web", path="web"), "web/b.jsonnet": "{}"}, {"web/sub/a.jsonnet": "{a: 1}"}, False),
    ],
)
def test_jsonnet_counts_where_argo_cd_evaluates_it(compare, files, changed, fails):
    assert failures(compare(files, changed)) == ([("both", "Application argocd/web Jsonnet", "renderer-missing")] if fails else [])


def test_what_a_failure_speaks_of_is_not_called_unread(compare, tmp_path):
    template = {"charts/web/templates/a.yaml": config_map("a", 1), "charts/api/templates/a.yaml": config_map("a", 1)}
    edits = {path: config_map("a", 2) for path in template}
    compare({**APPLICATIONS, **template}, edits)
    report = kdiff.render_diff(tmp_path / "base", tmp_path / "head")
    assert failures(report) == [("both", "Application argocd/web", "renderer-missing")]
    notes = [note.message for note in report.notes if note.kind == "not-read"]
    assert [(note.count("charts/api/templates/a.yaml"), note.count("charts/web")) for note in notes] == [(1, 0)]


def changes(report):
    return [(change.status, change.id.removeprefix("argoproj.io/v1alpha1/")) for change in report.changes]


def test_a_generated_application_that_is_not_rendered_is_an_object_all_the_same(compare):
    report = compare(GENERATED, {"charts/db/Chart.yaml": "name: db\n"})
    assert (report.outcome, report.failures, changes(report)) == ("changed", (), [("added", "Application argocd/db")])
    assert report.changes[0].targets.head == ("root",)
    counted = report.summary.objects
    assert (counted.base, counted.head, counted.added, counted.unchanged) == (2, 3, 1, 2)


def test_what_an_edited_application_set_generates_is_added_and_removed(compare):
    head = application_set("charts/*", name="'{{path.basename}}-v2'")
    report = compare(GENERATED, {"root/all.yaml": head})
    assert (report.outcome, report.failures) == ("changed", ())
    assert changes(report) == [
        ("removed", "Application argocd/web"),
        ("added", "Application argocd/web-v2"),
        ("changed", "ApplicationSet argocd/all"),
    ]


WEB = {"web/kustomization.yaml": "resources: [web.yaml]\n", "web/web.yaml": config_map("web", 1)}
ONE = {**WEB, "root/kustomization.yaml": "resources: [all.yaml]\n", "root/all.yaml": application("web", path="web")}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (application("web", path="web"), application("web", path="web", revision="v1.0.0")),
        (application("web", path="web"), application("web", path="web", plugin="{name: p}")),
        (application_set("web"), application_set("web", revision="v1.0.0")),
        (application_set("web"), application_set("web").replace("git:", "scmProvider:")),
    ],
)
def test_what_is_no_longer_built_from_this_tree_has_not_left(compare, base, head):
    report = compare({**ONE, "root/all.yaml": base}, {"root/all.yaml": head})
    assert failures(report) == [("head", "Application argocd/web", "missing-source")]
    assert {change.status for change in report.changes} == {"changed"}


def test_a_source_keeps_its_id_when_the_one_before_it_becomes_foreign(compare):
    def sources(revision):
        return (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  sources:\n"
            f"  - {{repoURL: 'https://git.example.com/a/b', path: web, targetRevision: {revision}}}\n"
            "  - {repoURL: 'https://git.example.com/a/b', path: db, targetRevision: HEAD}\n"
        )

    files = {**ONE, "root/all.yaml": sources("HEAD"), "db/kustomization.yaml": "resources: [db.yaml]\n", "db/db.yaml": config_map("db", 1)}
    report = compare(files, {"root/all.yaml": sources("v1.0.0"), "db/db.yaml": config_map("db", 2)})
    assert failures(report) == [("head", "Application argocd/web", "missing-source")]
    assert [(change.status, change.object.kind) for change in report.changes] == [("changed", "Application"), ("changed", "ConfigMap")]


def test_a_source_that_an_application_gives_up_has_left(compare):
    two = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  sources:\n"
        "  - {repoURL: 'https://git.example.com/a/b', path: web}\n"
    )
    files = {**ONE, "root/all.yaml": two + "  - {repoURL: 'https://git.example.com/a/b', path: db}\n"}
    files |= {"db/kustomization.yaml": "resources: [db.yaml]\n", "db/db.yaml": config_map("db", 1)}
    report = compare(files, {"root/all.yaml": two})
    assert report.failures == ()
    assert ("removed", "db") in [(change.status, change.object.name) for change in report.changes]


def test_an_application_that_goes_over_to_another_branch_has_not_left(tmp_path, monkeypatch, kustomize):
    def git(*arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def commit(revision):
        for path, text in {**WEB, "root/kustomization.yaml": "resources: [all.yaml]\n"}.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        every = application("web", path="web", revision=revision) + application("other", path="web", revision="main")
        (tmp_path / "root/all.yaml").write_text(every)
        git("add", ".")
        git("commit", "-q", "-m", "x")

    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", "https://git.example.com/a/b")
    commit("main")
    git("checkout", "-q", "-b", "topic")
    commit("staging")
    report = kdiff.render_diff("git:main", "git:topic", entry=["root"])
    assert failures(report) == [("head", "Application argocd/web", "missing-source")]
    assert [(change.status, change.object.kind) for change in report.changes] == [("changed", "Application")]
    unnamed = kdiff.render_diff("git:topic~1", "git:topic", entry=["root"])
    assert (unnamed.failures, [change.object.kind for change in unnamed.changes]) == ((), ["Application"])


RING = {
    "clusters/prod/all.yaml": flux("vars", "vars", "cluster-vars"),
    "vars/vars.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-vars, namespace: flux-system}\ndata: {N: 'a${N}'}\n",
}


def unsettled(report):
    return [note.message for note in report.notes if note.kind == "unsettled"]


def test_variables_that_never_settle_are_said_with_their_scope(compare):
    message = "variables in clusters/prod are substituted from one another, or from themselves, and still changed after 8 rounds"
    assert unsettled(compare(RING, {})) == [f"{message}; the last values are compared"]


def test_a_chain_that_settles_in_the_last_round_is_not_said(compare):
    links = range(1, 7)
    files = {"clusters/prod/all.yaml": "---\n".join([flux("v0", "v0"), *(flux(f"v{i}", f"v{i}", f"c{i - 1}") for i in links)])}
    files |= {"v0/a.yaml": config_map("c0", "one")} | {f"v{i}/a.yaml": config_map(f"c{i}", "${N}") for i in links}
    report = compare(files, {"v0/a.yaml": config_map("c0", "two")})
    assert unsettled(report) == []
    assert report.summary.objects.changed == 7


def test_a_kustomization_that_a_resource_set_makes_from_now_on_has_not_left(compare):
    files = {"clusters/prod/web.yaml": flux("web", "web"), "web/web.yaml": config_map("web", 1, "web")}
    made = json.dumps(yaml.safe_load(flux("web", "web")))
    resource_set = (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: apps, namespace: flux-system}\n"
        f"spec:\n  resources:\n  - {made}\n"
    )
    report = compare(files, {"clusters/prod/web.yaml": resource_set})
    assert failures(report) == [("head", "web", "missing-source")]
    assert sorted((c.status, c.object.kind) for c in report.changes) == [("added", "ResourceSet"), ("removed", "Kustomization")]
