"""What no entry leads to is not passed over when it differs."""

from __future__ import annotations

import pytest

import kdiff

FOREIGN = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: demo, namespace: argocd}\n"
    "spec: {project: default, source: {repoURL: https://git.example.com/other/other, path: x}, destination: {namespace: x}}\n"
)


def claim(size):
    spec = f"spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}}}}}}}"
    return f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: web}}\n{spec}\n"


def flux(name, path):
    return (
        f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n"
        f"spec: {{path: ./{path}, prune: true, interval: 1h, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )


@pytest.fixture
def compare(tmp_path, kustomize):
    def run(base, head, **options):
        for side, files in (("base", base), ("head", head)):
            for path, content in files.items():
                (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / side / path).write_text(content)
        return kdiff.render_diff(tmp_path / "base", tmp_path / "head", options=kdiff.Options(**options))

    return run


def changes(report):
    return [(c.status, c.scope, c.object.kind) for c in report.changes]


def web(size):
    return {"web/kustomization.yaml": "resources: [pvc.yaml]\n", "web/pvc.yaml": claim(size)}


SAME = {"same/kustomization.yaml": "resources: [cm.yaml]\n", "same/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}


def test_an_example_does_not_hide_what_differs(compare):
    files = {"docs/app.yaml": FOREIGN, **SAME}
    report = compare({**files, **web("2Gi")}, {**files, **web("1Gi")})
    assert changes(report) == [("changed", "web", "PersistentVolumeClaim")]
    assert [h.rule for h in report.hazards] == ["pvc-shrink"]
    assert report.summary.targets.total == 2  # `same` is not built
    assert "entries: web (they differ, and nothing else leads to them)" in [note.message for note in report.notes]


def test_applications_that_nobody_can_list_do_not_hide_what_differs(compare):
    repo = "https://git.example.com/me/repo"
    files = {
        "root/kustomization.yaml": "resources: [set.yaml]\n",
        "root/set.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web, namespace: argocd}\n"
        "spec:\n  generators: [{clusters: {}}]\n  template:\n    metadata: {name: 'web-{{name}}'}\n"
        f"    spec: {{project: default, source: {{repoURL: {repo}, path: web}}, destination: {{namespace: web}}}}\n",
        "argocd/app.yaml": FOREIGN.replace("https://git.example.com/other/other, path: x", f"{repo}, path: root"),
    }
    report = compare({**files, **web("2Gi")}, {**files, **web("1Gi")}, self_source=(repo,))
    assert changes(report) == [("changed", "web", "PersistentVolumeClaim")]


def test_the_first_flux_object_does_not_hide_the_rest_of_base(compare):
    base = {**web("2Gi"), **SAME}
    head = {**web("1Gi"), **SAME, "clusters/prod/same.yaml": flux("same", "same"), "clusters/prod/root.yaml": flux("root", "clusters/prod")}
    report = compare(base, head)
    assert ("changed", "web", "PersistentVolumeClaim") in changes(report)
    assert "removed" not in {status for status, *_ in changes(report)}  # head reaches `same` by another way


def test_what_one_side_reaches_is_no_entry_of_the_other(compare):
    root = {"clusters/prod/root.yaml": flux("root", "clusters/prod")}
    report = compare({**root, **web("2Gi")}, {**root, **web("1Gi"), "clusters/prod/web.yaml": flux("web", "web")})
    assert {status for status, *_ in changes(report)} == {"added"}


def test_a_remote_base_that_nothing_leads_to_fails_only_where_it_differs(compare):
    def files(tag):
        return {"docs/app.yaml": FOREIGN, "far/kustomization.yaml": f"resources: ['https://example.invalid/x.yaml?ref={tag}']\n"}

    assert compare(files("v1"), files("v1"), no_remote=True).outcome == "unchanged"
    assert {f.target for f in compare(files("v1"), files("v2"), no_remote=True).failures} == {"far"}


def test_manifests_that_no_target_reads_are_noted(compare):
    def files(size):
        workflow = f"on: push\n# {size}\n"
        return {"docs/app.yaml": FOREIGN, "loose/pvc.yaml": claim(size), ".github/workflows/ci.yaml": workflow}

    notes = [note.message for note in compare(files("2Gi"), files("1Gi")).notes if note.kind == "not-read"]
    assert notes == ["1 manifest differs and is read by no target: loose/pvc.yaml; --entry names further directories to start from"]
    named = compare(files("2Gi"), files("1Gi"), entry=("docs",))
    assert "not-read" not in {note.kind for note in named.notes}


def test_beside_a_failed_target_nothing_is_entered_but_named(compare):
    broken = {"clusters/prod/kustomization.yaml": "resources: [apps.yaml, gone.yaml]\n", "clusters/prod/apps.yaml": flux("web", "web")}
    base = {**broken, **SAME, "db/kustomization.yaml": "resources: [pvc.yaml]\n", "db/pvc.yaml": claim("1Gi")}
    head = {**broken, **SAME, **web("1Gi")}
    report = compare(base, head)
    assert (report.changes, report.outcome) == ((), "incomplete")
    assert "not compared, as a target that may lead there failed: db, web; --entry compares them" in [n.message for n in report.notes]


def test_manifests_beside_plain_kustomizations_are_noted_too(compare):
    notes = compare({**SAME, "loose/pvc.yaml": claim("2Gi")}, {**SAME, "loose/pvc.yaml": claim("1Gi")}).notes
    assert [note.kind for note in notes if "loose/pvc.yaml" in note.message] == ["not-read"]
