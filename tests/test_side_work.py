"""Applications that ApplicationSets generate are objects of the target that renders the set."""

from __future__ import annotations

import json

import pytest

import kdiff

URL = "https://git.example.com/a/b"
APPLICATION = "argoproj.io/v1alpha1/Application argocd/"
FINALIZER = "resources-finalizer.argocd.argoproj.io"


def config_map(name, value=1):
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: web}}\ndata: {{N: '{value}'}}\n"


FROM_FILES = f"{{git: {{repoURL: '{URL}', files: [{{path: 'config/*.yaml'}}]}}}}"


def application_set(generator=FROM_FILES, *, finalizers="[]", name="all", **policy):
    """One Application for each file in `config`, which says what is in it."""
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}, namespace: argocd, finalizers: {finalizers}}}\n"
        f"spec:\n  goTemplate: true\n  generators: [{generator}]\n  syncPolicy: {json.dumps(policy)}\n"
        "  template:\n    metadata: {name: '{{.name}}'}\n    spec:\n      project: '{{.project}}'\n"
        "      destination: {name: '{{.cluster}}', namespace: web}\n      syncPolicy: {automated: {prune: true}}\n"
        f"      source: {{repoURL: '{URL}', path: '{{{{.directory}}}}', targetRevision: '{{{{.revision}}}}'}}\n"
    )


def config(name, *, project="default", cluster="in-cluster", revision="HEAD"):
    return f"name: {name}\nproject: {project}\ncluster: {cluster}\nrevision: {revision}\ndirectory: {name}\n"


FILES = {
    "root/kustomization.yaml": "resources: [all.yaml]\n",
    "root/all.yaml": application_set(),
    "config/web.yaml": config("web"),
    "config/db.yaml": config("db"),
    "web/kustomization.yaml": "resources: [web.yaml]\n",
    "web/web.yaml": config_map("web"),
    "db/kustomization.yaml": "resources: [db.yaml]\n",
    "db/db.yaml": config_map("db"),
}


@pytest.fixture
def compare(tmp_path, kustomize):
    """The report on FILES and the same with `changed`, `None` for a file that head has not; `base` are other files of the base."""

    def run(changed, base=()):
        before = {**FILES, **dict(base)}
        for side, content in (("base", before), ("head", {**before, **changed})):
            for path, text in content.items():
                if text is not None:
                    (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
                    (tmp_path / side / path).write_text(text)
        return kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=["root"])

    return run


def changes(report):
    return {change.id.removeprefix("argoproj.io/v1alpha1/"): change.status for change in report.changes}


def change_of(report, name):
    return next(change for change in report.changes if change.id == APPLICATION + name)


def failures(report):
    return [(failure.side, failure.target, failure.class_) for failure in report.failures]


@pytest.mark.parametrize(
    ("edit", "pointer", "before", "after"),
    [
        ({"project": "ops"}, "/spec/project", "default", "ops"),
        ({"cluster": "prod"}, "/spec/destination/name", "in-cluster", "prod"),
    ],
)
def test_an_edit_of_a_generators_file_shows_in_the_application(compare, edit, pointer, before, after):
    report = compare({"config/web.yaml": config("web", **edit)})
    (change,) = report.changes
    assert (change.id, change.status, change.targets.head) == (APPLICATION + "web", "changed", ("root",))
    assert [(field.pointer, field.before, field.after) for field in change.fields] == [(pointer, before, after)]
    counted = report.summary.objects
    assert (report.outcome, counted.base, counted.head, counted.changed, counted.unchanged) == ("changed", 5, 5, 1, 4)


def test_an_edit_of_the_template_shows_in_each_application(compare):
    report = compare({"root/all.yaml": application_set().replace("prune: true", "prune: false")})
    assert changes(report) == dict.fromkeys(("Application argocd/db", "Application argocd/web", "ApplicationSet argocd/all"), "changed")
    assert {f.pointer for f in change_of(report, "web").fields} == {"/spec/syncPolicy/automated/prune"}


def test_a_generators_file_that_comes_brings_an_application(compare):
    files = {"config/new.yaml": config("new"), "new/kustomization.yaml": "resources: [a.yaml]\n", "new/a.yaml": config_map("new")}
    assert changes(compare(files)) == {"Application argocd/new": "added", "v1/ConfigMap web/new": "added"}


DELETED, LEFT = ("delete",), ("orphaned",)


@pytest.mark.parametrize(
    ("policy", "application", "objects", "reason"),
    [
        ({}, DELETED, DELETED, ""),
        ({"applicationsSync": "create-delete"}, DELETED, DELETED, ""),
        ({"preserveResourcesOnDeletion": True}, DELETED, LEFT, "Application argocd/web goes without the finalizer"),
        (
            {"applicationsSync": "create-update"},
            LEFT,
            LEFT,
            "ApplicationSet argocd/all deletes no Application (applicationsSync: create-update)",
        ),
        (
            {"applicationsSync": "create-only"},
            LEFT,
            LEFT,
            "ApplicationSet argocd/all deletes no Application (applicationsSync: create-only)",
        ),
    ],
)
def test_what_becomes_of_an_application_that_is_no_longer_generated(compare, policy, application, objects, reason):
    report = compare({"config/web.yaml": None}, {"root/all.yaml": application_set(**policy)})
    assert changes(report) == {"Application argocd/web": "removed", "v1/ConfigMap web/web": "removed"}
    assert {change.object.kind: change.effects for change in report.changes} == {"Application": application, "ConfigMap": objects}
    left = [hazard for hazard in report.hazards if hazard.rule == "not-pruned"]
    assert bool(left) is bool(reason)
    assert all(reason in hazard.message for hazard in left)


@pytest.mark.parametrize(
    ("policy", "finalizers", "effects"),
    [
        ({}, "[]", DELETED),
        ({"applicationsSync": "create-only"}, "[]", DELETED),  # by the owner reference
        ({"applicationsSync": "create-only"}, f"[{FINALIZER}]", LEFT),
        ({}, f"[{FINALIZER}]", DELETED),
    ],
)
def test_what_becomes_of_applications_whose_set_goes(compare, policy, finalizers, effects):
    report = compare({"root/kustomization.yaml": "resources: []\n"}, {"root/all.yaml": application_set(finalizers=finalizers, **policy)})
    assert change_of(report, "web").effects == effects
    assert {change.effects for change in report.changes if change.object.kind == "ConfigMap"} == {effects}


LIST = "{list: {elements: [{name: web, directory: web, project: default, cluster: in-cluster, revision: HEAD}]}}"


@pytest.mark.parametrize("revision", ["HEAD", "v1.0.0"])  # rendered, or from another revision
@pytest.mark.parametrize("turned", [False, True])
def test_what_a_set_may_generate_unseen_is_withheld(compare, revision, turned):
    known, unknown = application_set(LIST.replace("HEAD", revision)), application_set("{clusters: {}}")
    base, head = (unknown, known) if turned else (known, unknown)
    report = compare({"root/all.yaml": head}, {"root/all.yaml": base})
    assert changes(report) == {"ApplicationSet argocd/all": "changed"}
    assert failures(report) == [("base" if turned else "head", "Application argocd/web", "missing-source")]
    assert [note.object for note in report.notes if note.kind == "withheld" and note.object] == [APPLICATION + "web"]


def test_an_application_goes_where_its_set_goes_though_that_fails(compare):
    moved = {
        "root/kustomization.yaml": "resources: [root.yaml]\n",
        "root/root.yaml": f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: sets, namespace: argocd}}\nspec:\n"
        f"  source: {{repoURL: '{URL}', path: sets}}\n  destination: {{namespace: argocd}}\n",
        "sets/kustomization.yaml": "resources: [all.yaml, gone.yaml]\n",
        "sets/all.yaml": application_set(),
    }
    report = compare(moved)
    assert failures(report)[-1] == ("head", "Application argocd/sets", "missing-resource")
    assert "Application" not in {change.object.kind for change in report.changes if change.status == "removed"}


def test_secrets_are_masked_in_generated_applications(compare):
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: web}\nstringData: {password: correct-horse-battery}\n"
    files = {"root/kustomization.yaml": "resources: [all.yaml, secret.yaml]\n", "root/secret.yaml": secret}
    report = compare({"config/web.yaml": config("web", project="correct-horse-battery")}, files)
    assert [field.redacted for field in change_of(report, "web").fields] == [True]
    assert "correct-horse" not in report.to_json()


def test_a_set_that_two_targets_render_generates_in_both_and_one_application_is_followed(compare):
    entry = {
        "root/kustomization.yaml": "resources: [all.yaml, root.yaml]\n",
        "root/root.yaml": f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: root, namespace: argocd}}\nspec:\n"
        f"  source: {{repoURL: '{URL}', path: root}}\n  destination: {{namespace: argocd}}\n",
    }
    report = compare({"config/web.yaml": config("web", project="ops")}, entry)
    assert [(change.id, change.targets.head) for change in report.changes] == [(APPLICATION + "web", ("Application argocd/root",))]
    assert report.summary.objects.head == 6


RENAMED = {"root/all.yaml": application_set(name="every")}


@pytest.mark.parametrize(
    ("policy", "finalizers", "raised"),
    [({}, "[]", True), ({"applicationsSync": "create-update"}, f"[{FINALIZER}]", False)],
)
def test_an_application_that_another_set_takes_over_is_deleted_in_between(compare, policy, finalizers, raised):
    report = compare(RENAMED, {"root/all.yaml": application_set(finalizers=finalizers, **policy)})
    assert changes(report) == {"ApplicationSet argocd/all": "removed", "ApplicationSet argocd/every": "added"}
    found = [hazard for hazard in report.hazards if hazard.rule == "moved-without-handover"]
    assert [hazard.object for hazard in found] == ([APPLICATION + "db", APPLICATION + "web"] if raised else [])
    assert {hazard.source.file for hazard in found} <= {"root/all.yaml"}  # of the set that generates it now


def test_a_set_that_a_second_target_renders_is_one_duplicate(compare):
    root = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: sets, namespace: argocd}\nspec:\n"
        f"  source: {{repoURL: '{URL}', path: sets}}\n  destination: {{namespace: argocd}}\n"
    )
    sets = {"root/root.yaml": root, "sets/kustomization.yaml": "resources: [all.yaml]\n", "sets/all.yaml": application_set()}
    report = compare({"root/kustomization.yaml": "resources: [all.yaml, root.yaml]\n", **sets})
    assert [hazard.object for hazard in report.hazards if hazard.rule == "duplicate-object"] == [
        "argoproj.io/v1alpha1/ApplicationSet argocd/all"
    ]


def test_an_application_that_moves_with_its_set_is_not_said_beside_it(compare):
    root = (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: sets, namespace: argocd}}\nspec:\n"
        f"  source: {{repoURL: '{URL}', path: sets}}\n  destination: {{namespace: argocd}}\n"
    )
    sets = {"root/root.yaml": root, "sets/kustomization.yaml": "resources: [all.yaml]\n", "sets/all.yaml": application_set()}
    report = compare({"root/kustomization.yaml": "resources: [root.yaml]\n"}, sets)
    assert {change.object.kind for change in report.changes if change.status == "moved"} == {"Application", "ApplicationSet"}
    (hazard,) = [hazard for hazard in report.hazards if hazard.rule == "moved-without-handover"]
    assert hazard.objects == ("argoproj.io/v1alpha1/ApplicationSet argocd/all",)


@pytest.mark.parametrize(
    ("patch", "differs"),
    [
        ("{{- if .prune }}\nspec: {syncPolicy: {automated: {prune: {{ .prune }} }}}\n{{- end }}", True),
        ("spec: {info: [{name: all, value: {{ toJson . | quote }} }]}", True),
        ("spec: {revisionHistoryLimit: 3}", False),
    ],
)
def test_parameters_that_only_a_template_patch_reads_are_not_lost(compare, patch, differs):
    files = {"root/all.yaml": application_set() + f"  templatePatch: {json.dumps(patch)}\n"}
    report = compare({"config/web.yaml": config("web") + "prune: 'false'\n"}, files)
    assert (report.changes, [target for _, target, _ in failures(report)]) == (
        (),
        ["Application argocd/web templatePatch"] if differs else [],
    )


@pytest.mark.parametrize("revision", ["HEAD", "v1.0.0"])
def test_what_leaves_beside_an_unknown_application_is_removed_though_its_file_stays(compare, revision):
    base = {
        "root/all.yaml": application_set(LIST.replace("HEAD", revision)),
        "root/kustomization.yaml": "resources: [all.yaml, other.yaml]\n",
        "root/other.yaml": config_map("other"),
    }
    head = {"root/all.yaml": application_set("{clusters: {}}"), "root/kustomization.yaml": "resources: [all.yaml]\n"}
    assert changes(compare(head, base)) == {"ApplicationSet argocd/all": "changed", "v1/ConfigMap web/other": "removed"}


def test_what_leaves_beside_an_unapplied_patch_is_removed_though_its_file_is_edited(compare):
    patched = application_set() + '  templatePatch: "spec: {info: [{name: {{ .prune }}}]}"\n'
    files = {
        "root/all.yaml": patched,
        "web/kustomization.yaml": "resources: [web.yaml, other.yaml]\n",
        "web/other.yaml": config_map("other"),
    }
    head = {"config/web.yaml": config("web") + "prune: a\n", "web/kustomization.yaml": FILES["web/kustomization.yaml"]}
    report = compare({**head, "web/other.yaml": config_map("other", 2)}, files)
    assert changes(report) == {"v1/ConfigMap web/other": "removed"}
