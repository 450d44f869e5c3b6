from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.tree import TreeOrigin
from kdiff.targets.argo_targets import argo_targets
from kdiff.targets.artifacts import tree_of_files

URL = "https://git.example.com/team/gitops.git"
FILES = {
    "apps/web/kustomization.yaml": b"resources: [a.yaml]\n",
    "apps/db/kustomization.yaml": b"resources: [a.yaml]\n",
    "plain/a.yaml": b"kind: ConfigMap\n",
    "chart/Chart.yaml": b"name: c\n",
    "both/Chart.yaml": b"name: c\n",
    "both/kustomization.yaml": b"resources: []\n",
    "jsonnet/a.jsonnet": b"{}",
    "overridden/kustomization.yaml": b"resources: []\n",
    "overridden/.argocd-source-web.yaml": b"plugin: {name: p}\n",
    "broken/.argocd-source.yaml": b"[",
    "root/apps.yaml": b"",
}
TREE = replace(tree_of_files(FILES, TreeOrigin("head", "directory")), remotes=("git@git.example.com:team/gitops.git",))
BARE = replace(TREE, remotes=())
ENTRY = Target("root", "root", "flux", "root", tree=TREE)


def application(name, *sources, namespace="argocd", **spec):
    where = {"source": sources[0]} if len(sources) == 1 else {"sources": list(sources)}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"destination": {"namespace": "shop", "server": "https://kubernetes.default.svc"}, **where, **spec},
    }


def source(path, url=URL, **more):
    return {"repoURL": url, "path": path, **more}


def rendered(value, target):
    metadata = value["metadata"]
    key = ObjectKey("argoproj.io", value["kind"], metadata.get("namespace", ""), metadata["name"])
    return KubeObject(key, "v1alpha1", json.dumps(value).encode(), lambda _: {"metadata": {"name": "masked"}}, target=target)


def follow(*values, tree=TREE, options=None, base_name=""):
    state = TargetState(ENTRY, tuple(rendered(value, ENTRY.id) for value in values))
    return argo_targets([state], "root", tree, options or Options(), base_name)


def notes(followed, kind):
    return [note.message for note in followed.notes if note.kind == kind]


def test_an_application_is_a_target_with_all_that_its_spec_says():
    (target,) = follow(application("web", source("./apps/web/"), syncPolicy={"automated": {"prune": True}})).targets
    assert (target.id, target.scope, target.kind, target.path, target.parent) == (
        "Application argocd/web",
        "root",
        "argo",
        "apps/web",
        "root",
    )
    assert target.prune is True
    assert target.owner.id == "argoproj.io/v1alpha1/Application argocd/web"


@pytest.mark.parametrize(
    ("policy", "prune"),
    [
        (None, False),
        ({"automated": {}}, False),
        ({"automated": {"prune": True, "enabled": False}}, False),
        ({"automated": {"prune": True}}, True),
    ],
)
def test_only_an_automated_sync_that_says_so_prunes(policy, prune):
    (target,) = follow(application("web", source("apps/web"), syncPolicy=policy)).targets
    assert target.prune is prune


@pytest.mark.parametrize(
    ("url", "path", "tree", "named", "followed"),
    [
        (URL, "apps/web", TREE, (), True),
        ("ssh://git@git.example.com:22/team/gitops", "apps/web", TREE, (), True),
        ("https://git.example.com/other/thing", "apps/web", TREE, (), False),
        ("https://git.example.com/upstream/gitops", "apps/web", TREE, (), True),  # a fork of it
        ("https://git.example.com/upstream/gitops", "apps/gone", TREE, (), False),
        ("https://git.example.com/other/thing", "apps/web", TREE, ("https://git.example.com/other/thing",), True),
        ("https://git.example.com/other/thing", "apps/web", BARE, (), True),
        ("https://git.example.com/other/thing", "apps/gone", BARE, (), False),
        ("https://git.example.com/other/thing", ".", BARE, (), False),
    ],
)
def test_which_repositories_are_the_tree(url, path, tree, named, followed):
    result = follow(application("web", source(path, url)), tree=tree, options=Options(self_source=named))
    assert bool(result.targets) is followed
    assert bool(notes(result, "self-source")) is followed
    assert bool(notes(result, "foreign-source")) is not followed


@pytest.mark.parametrize(
    ("revision", "followed"),
    [
        ("HEAD", True),
        ("main", True),
        ("", True),
        ("v1.2.3", False),
        ("0123456789abcdef0123456789abcdef01234567", False),
        ("refs/tags/x", False),
    ],
)
def test_a_fixed_revision_holds_other_files(revision, followed):
    assert bool(follow(application("web", source("apps/web", targetRevision=revision))).targets) is followed


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        (source("chart"), "Helm charts"),
        ({"repoURL": "https://charts.example.com", "chart": "redis", "targetRevision": "1.0.0"}, "Helm charts"),
        (source("apps/web", helm={"valueFiles": ["a.yaml"]}), "Helm charts"),
        (source("apps/web", plugin={"name": "p"}), "plugins"),
        (source("overridden"), "plugins"),
    ],
)
def test_what_kustomize_cannot_render_is_counted(given, counted):
    followed = follow(application("web", given))
    assert (followed.targets, followed.failures) == ((), ())
    assert notes(followed, "not-rendered") == [f"1 Application builds from {counted}, which are not rendered: argocd/web"]


@pytest.mark.parametrize("path", ["both", "plain", "jsonnet"])
def test_kustomizations_win_over_charts_and_plain_directories_are_built(path):
    assert [target.path for target in follow(application("web", source(path))).targets] == [path]


def test_jsonnet_beside_manifests_is_said():
    assert "Jsonnet" in notes(follow(application("web", source("jsonnet"))), "not-rendered")[0]


@pytest.mark.parametrize(
    ("given", "failure_class"),
    [
        (source("apps/gone"), "missing-kustomization"),
        (source("../outside"), "load-restriction"),
        (source("broken"), "invalid-kustomization"),
        (source("apps/web", kustomize={"namePrefix": "a"}, helm={"releaseName": "b"}), "invalid-kustomization"),
    ],
)
def test_what_argo_refuses_is_a_failure(given, failure_class):
    followed = follow(application("web", given))
    assert followed.targets == ()
    assert [(failure.target, failure.class_, failure.scope) for failure in followed.failures] == [
        ("Application argocd/web", failure_class, "root")
    ]


def test_each_source_that_can_be_built_is_a_target():
    chart = {"repoURL": "https://charts.example.com", "chart": "redis", "targetRevision": "1.0.0"}
    values = {"repoURL": URL, "ref": "values"}
    followed = follow(application("web", chart, values, source("apps/web"), source("apps/db"), source("apps/web")))
    assert [(target.id, target.path) for target in followed.targets] == [
        ("Application argocd/web", "apps/web"),
        ("Application argocd/web apps/db", "apps/db"),
    ]
    assert any("second source" in message for message in notes(followed, "not-rendered"))


def test_application_sets_make_targets_whose_owner_is_the_application():
    generator = {"git": {"repoURL": URL, "directories": [{"path": "apps/*"}]}}
    template = {"metadata": {"name": "{{path.basename}}"}, "spec": {"source": source("{{path}}")}}
    made = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "all", "namespace": "argocd"}}
    followed = follow({**made, "spec": {"generators": [generator, {"clusters": {}}], "template": template}})
    assert [(target.id, target.path) for target in followed.targets] == [
        ("Application argocd/db", "apps/db"),
        ("Application argocd/web", "apps/web"),
    ]
    assert yaml.safe_load(followed.targets[0].owner.raw)["spec"]["source"]["path"] == "apps/db"
    assert [(obj.id, obj.target, obj.generator.name) for obj in followed.generated] == [
        ("argoproj.io/v1alpha1/Application argocd/db", "root", "all"),
        ("argoproj.io/v1alpha1/Application argocd/web", "root", "all"),
    ]
    assert [note.object for note in followed.notes if note.kind == "not-rendered"] == ["argoproj.io/v1alpha1/ApplicationSet argocd/all"]


def test_an_application_that_builds_the_entry_supersedes_it():
    followed = follow(application("root", source("root")), application("web", source("apps/web")))
    assert followed.superseded == ("root",)
    assert [(target.id, target.parent) for target in followed.targets] == [
        ("Application argocd/root", None),
        ("Application argocd/web", "Application argocd/root"),
    ]


def test_two_makers_of_one_application_are_said_and_the_entry_wins():
    other = Target(
        "Application argocd/root", "root", "argo", "apps/db", tree=TREE, owner=rendered(application("root", source("apps/db")), "root")
    )
    states = [
        TargetState(other, (rendered(application("web", source("apps/db")), other.id),)),
        TargetState(ENTRY, (rendered(application("web", source("apps/web")), ENTRY.id),)),
    ]
    followed = argo_targets(states, "root", TREE, Options())
    assert [target.path for target in followed.targets] == ["apps/web"]
    assert len(notes(followed, "duplicate-target")) == 1


def test_what_a_target_renders_itself_is_not_generated_there():
    template = {"metadata": {"name": "web"}, "spec": {"source": source("apps/db")}}
    made = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "all", "namespace": "argocd"}}
    made["spec"] = {"generators": [{"list": {"elements": [{"a": "b"}]}}], "template": template}
    followed = follow(made, application("web", source("apps/web")))
    assert ([target.path for target in followed.targets], followed.generated) == (["apps/web"], ())
    assert len(notes(followed, "duplicate-target")) == 1


def test_notes_hold_no_credentials():
    followed = follow(application("web", source("apps/web", "https://user:hunter2@git.example.com/team/gitops")))
    assert "hunter2" not in str(followed.notes)


def test_ignored_differences_that_are_not_applied_are_said():
    ignored = [{"kind": "Deployment", "jqPathExpressions": [".spec"]}, {"kind": "Secret", "jsonPointers": ["/data"]}]
    followed = follow(application("web", source("apps/web"), ignoreDifferences=ignored))
    assert notes(followed, "not-ignored") == ["jqPathExpressions in ignoreDifferences are not applied; the fields are compared"]


def test_several_clusters_are_said():
    elsewhere = application("db", source("apps/db"))
    elsewhere["spec"]["destination"] = {"name": "other"}
    assert len(notes(follow(application("web", source("apps/web")), elsewhere), "remote-cluster")) == 1


@pytest.mark.parametrize("spec", [None, [], {"source": 3}, {"sources": ["x"]}, {"source": {"repoURL": 3, "path": []}}])
def test_wrong_types_lead_nowhere(spec):
    value = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "web"}, "spec": spec}
    assert follow(value).targets == ()


def branches(base_name, **options):
    applications = (application(name, source("apps/web", targetRevision=name)) for name in ("main", "next", "refs/tags/x", "HEAD"))
    return follow(*applications, base_name=base_name, options=Options(**options))


def ids(followed):
    return [target.id.removeprefix("Application argocd/") for target in followed.targets]


def test_a_branch_is_this_tree_until_base_names_another_one():
    assert ids(branches("")) == ids(branches("topic")) == ["HEAD", "main", "next"]
    assert ids(branches("origin/main")) == ["HEAD", "main"]
    assert ids(branches("next")) == ["HEAD", "next"]
    assert ids(branches("main", self_source=(URL,))) == ["HEAD", "main", "next"]
    assert branches("main").elsewhere == ("Application argocd/next", "Application argocd/refs/tags/x")


def test_each_revision_is_said_with_how_many_follow_it():
    assert notes(branches(""), "self-source") == [
        f"{URL} is taken for this tree (its URL is a remote of this checkout); 1 Application builds from it",
        f"{URL} is taken for this tree (its URL is a remote of this checkout, its branch main included); 1 Application builds from it",
        f"{URL} is taken for this tree (its URL is a remote of this checkout, its branch next included); 1 Application builds from it",
    ]
    assert notes(branches("main"), "foreign-source") == [
        f"{URL} is not this tree (it {why} of this repository); 1 Application builds from it without being followed: argocd/{rest}"
        for why, rest in (
            ("follows branch next", "next. If it is this tree, name its URL with --self-source"),
            ("is fixed to revision refs/tags/x", "refs/tags/x"),
        )
    ]


def test_a_branch_that_only_a_child_follows_tells_nothing():
    child = Target(
        "Application argocd/root", "root", "argo", "apps/db", tree=TREE, owner=rendered(application("root", source("apps/db")), "root")
    )
    states = [
        TargetState(child, (rendered(application("a", source("apps/web", targetRevision="main")), child.id),)),
        TargetState(ENTRY, (rendered(application("b", source("apps/web", targetRevision="next")), ENTRY.id),)),
    ]
    assert ids(argo_targets(states, "root", TREE, Options(), "main")) == ["a", "b"]


def test_a_generator_that_reads_a_fixed_revision_sees_other_files():
    generator = {"git": {"repoURL": URL, "revision": "v1.0.0", "directories": [{"path": "apps/*"}]}}
    made = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "all", "namespace": "argocd"}}
    template = {"metadata": {"name": "{{path.basename}}"}, "spec": {"source": source("{{path}}")}}
    followed = follow({**made, "spec": {"generators": [generator], "template": template}})
    assert followed.targets == ()
    assert [key.name for key in followed.partial] == ["all"]
    assert "reads revision v1.0.0" in notes(followed, "not-rendered")[0]
