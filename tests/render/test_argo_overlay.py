from __future__ import annotations

import json
import subprocess

import pytest

from kdiff.documents.load import load_document
from kdiff.model.failure import Failure
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.target import Target
from kdiff.model.tree import TreeOrigin
from kdiff.render.argo_overlay import argo_overlay, destination_namespace, place_in_destination
from kdiff.targets.artifacts import tree_of_files

DEPLOYMENT = b"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - image: nginx:1
        name: c
"""
CONFIG = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
COMPONENT = b"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: comp-\n"


def application_target(files, source=None, path="app", **destination):
    value = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "https://x/y", "path": path, **(source or {})}, "destination": destination},
    }
    key = ObjectKey("argoproj.io", "Application", "argocd", "web")
    owner = KubeObject(key, "v1alpha1", json.dumps(value).encode(), lambda _: {}, target="root")
    return Target("Application argocd/web", "root", "argo", path, tree=tree_of_files(files, TreeOrigin("head", "directory")), owner=owner)


def kustomized(extra, kustomize_options, **files):
    tree = {"app/kustomization.yaml": b"resources: [d.yaml]\n" + extra.encode(), "app/d.yaml": DEPLOYMENT, **files}
    return application_target(tree, {"kustomize": kustomize_options})


def overlaid(target):
    overlay = argo_overlay(target)
    assert not isinstance(overlay, Failure), overlay
    return {path: load_document(content) for path, content in overlay.items()}


@pytest.mark.parametrize(
    ("existing", "options", "field", "expected"),
    [
        ("", {"namePrefix": "a-"}, "namePrefix", "a-"),
        ("nameSuffix: -b\n", {"nameSuffix": "-z"}, "nameSuffix", "-z"),
        ("", {"namespace": "n1"}, "namespace", "n1"),
        ("", {"images": ["nginx:2"]}, "images", [{"name": "nginx", "newTag": "2"}]),
        ("", {"images": ["r.io:5000/x/nginx:3"]}, "images", [{"name": "r.io:5000/x/nginx", "newTag": "3"}]),
        ("", {"images": ["nginx=r.io:5000/n"]}, "images", [{"name": "nginx", "newName": "r.io:5000/n"}]),
        ("", {"images": ["nginx=m/n:2@sha256:ab"]}, "images", [{"name": "nginx", "newName": "m/n", "newTag": "2", "digest": "sha256:ab"}]),
        ('images: [{name: nginx, newName: old, newTag: "7"}]\n', {"images": ["nginx:2"]}, "images", [{"name": "nginx", "newTag": "2"}]),
        (
            'images: [{name: nginx, newName: old, newTag: "7"}, {name: a, newTag: "1"}]\n',
            {"images": ["nginx=*:9"]},
            "images",
            [{"name": "a", "newTag": "1"}, {"name": "nginx", "newName": "old", "newTag": "9"}],
        ),
        ("", {"images": ["nginx=*:9"]}, "images", [{"name": "nginx", "newTag": "9"}]),
        ("", {"images": ["nginx:$ARGOCD_APP_NAME"]}, "images", [{"name": "nginx", "newTag": "web"}]),
        ("", {"images": ["nginx:${ARGOCD_APP_REVISION}"]}, "images", [{"name": "nginx", "newTag": "ARGOCD_APP_REVISION"}]),
        ("", {"replicas": [{"name": "web", "count": "3"}]}, "replicas", [{"name": "web", "count": 3}]),
        ("replicas: [{name: web, count: 9}]\n", {"replicas": [{"name": "web", "count": 3}]}, "replicas", [{"name": "web", "count": 3}]),
        ("commonLabels: {x: z}\n", {"commonLabels": {"a": "b"}}, "commonLabels", {"x": "z", "a": "b"}),
        ("commonLabels: {a: z}\n", {"commonLabels": {"a": "b"}, "forceCommonLabels": True}, "commonLabels", {"a": "b"}),
        (
            "",
            {"commonLabels": {"a": "$ARGOCD_APP_SOURCE_PATH $$x"}, "labelWithoutSelector": True},
            "labels",
            [{"pairs": {"a": "app $x"}, "includeTemplates": False}],
        ),
        (
            "labels: [{pairs: {x: z}}]\n",
            {"commonLabels": {"a": "b"}, "labelWithoutSelector": True, "labelIncludeTemplates": True},
            "labels",
            [{"pairs": {"x": "z"}}, {"pairs": {"a": "b"}, "includeTemplates": True}],
        ),
        (
            "labels: [{pairs: {x: z}}]\n",
            {"commonLabels": {"a": "b"}, "labelWithoutSelector": True},
            "labels",
            [{"pairs": {"x": "z", "a": "b"}}],
        ),
        ("", {"commonAnnotations": {"a": "$ARGOCD_APP_NAME"}}, "commonAnnotations", {"a": "$ARGOCD_APP_NAME"}),
        ("", {"commonAnnotations": {"a": "$ARGOCD_APP_NAME"}, "commonAnnotationsEnvsubst": True}, "commonAnnotations", {"a": "web"}),
        ("patches: [{path: p.yaml}]\n", {"patches": [{"patch": "x", "foo": 1}]}, "patches", [{"path": "p.yaml"}, {"patch": "x"}]),
        ("components: [../comp]\n", {"components": ["../comp", "../more"]}, "components", ["../comp", "../more"]),
        ("", {"components": ["../comp", "../gone"], "ignoreMissingComponents": True}, "components", ["../comp"]),
    ],
)
def test_each_option_edits_the_kustomization_as_kustomize_edit_does(existing, options, field, expected):
    target = kustomized(existing, options, **{"comp/kustomization.yaml": COMPONENT})
    assert overlaid(target)["app/kustomization.yaml"][field] == expected


@pytest.mark.parametrize(
    ("existing", "options"),
    [
        ("commonLabels: {a: z}\n", {"commonLabels": {"a": "b"}}),
        ("commonAnnotations: {a: z}\n", {"commonAnnotations": {"a": "b"}}),
        ("", {"commonLabels": {"a": "b"}, "labelIncludeTemplates": True}),
        ("", {"images": ["nginx"]}),
        ("", {"replicas": [{"name": "web", "count": "many"}]}),
        ("patches: {}\n", {"patches": [{"patch": "x"}]}),
        ("a: [\n", {"namePrefix": "x-"}),
    ],
)
def test_what_kustomize_edit_refuses_fails_the_target(existing, options):
    failure = argo_overlay(kustomized(existing, options))
    assert isinstance(failure, Failure)
    assert (failure.class_, failure.target, failure.scope) == ("invalid-kustomization", "Application argocd/web", "root")


@pytest.mark.parametrize("options", [{}, {"version": "v5.0.0"}])
def test_without_edits_the_tree_is_built_as_it_is(options):
    assert argo_overlay(kustomized("", options)) == {}


def test_options_without_a_kustomization_leave_the_failure_to_the_build():
    assert argo_overlay(application_target({"app/d.yaml": DEPLOYMENT}, {"kustomize": {"namePrefix": "a-"}})) == {}


def test_the_file_of_the_image_updater_is_merged_in():
    override = b"kustomize:\n  images:\n  - nginx:9\n"
    target = kustomized("", {"namePrefix": "a-"}, **{"app/.argocd-source-web.yaml": override, "app/.argocd-source-other.yaml": b"["})
    edited = overlaid(target)["app/kustomization.yaml"]
    assert (edited["namePrefix"], edited["images"]) == ("a-", [{"name": "nginx", "newTag": "9"}])


def test_the_kustomization_keeps_its_name_and_its_other_fields():
    files = {
        "app/kustomization.yml": b"resources: [d.yaml]\nconfigMapGenerator: [{name: g, literals: ['a=01']}]\n",
        "app/d.yaml": DEPLOYMENT,
    }
    edited = overlaid(application_target(files, {"kustomize": {"namePrefix": "a-"}}))
    assert edited == {
        "app/kustomization.yml": {
            "resources": ["d.yaml"],
            "configMapGenerator": [{"name": "g", "literals": ["a=01"]}],
            "namePrefix": "a-",
        }
    }


PLAIN = {
    "app/a.yaml": CONFIG,
    "app/b.yml": CONFIG,
    "app/c.json": b'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}}',
    "app/values.yaml": b"replicas: 1\n",
    "app/broken.yaml": b"a: [\n",
    "app/broken-manifest.yaml": b"apiVersion: v1\nkind: [\nmetadata: {}\n",
    "app/marked.yaml": b"# +argocd:skip-file-rendering\n" + CONFIG,
    "app/notes.txt": CONFIG,
    "app/more.jsonnet": b"{}",
    "app/sub/d.yaml": CONFIG,
    "app/sub/kustomization.yaml": b"resources: [d.yaml]\n",
}


@pytest.mark.parametrize(
    ("directory", "listed"),
    [
        ({}, ["a.yaml", "b.yml", "broken-manifest.yaml", "c.json"]),
        ({"recurse": True}, ["a.yaml", "b.yml", "broken-manifest.yaml", "c.json", "sub/d.yaml"]),
        ({"recurse": True, "include": "*.yaml", "exclude": "b*"}, ["a.yaml", "sub/d.yaml"]),
        ({"recurse": True, "include": "{a.*,sub/*}"}, ["a.yaml", "sub/d.yaml"]),
        ({"include": "notes*", "disableExtensionFilter": True}, ["notes.txt"]),
    ],
)
def test_a_plain_directory_lists_what_argo_takes_for_manifests(directory, listed):
    overlay = overlaid(application_target(PLAIN, {"directory": directory}))
    assert overlay == {"app/kustomization.yaml": {"resources": [f"./{path}" for path in listed]}}


@pytest.mark.parametrize(
    ("raw", "placed"),
    [
        (b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n", b"  name: c\n  namespace: shop\n"),
        (
            b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    namespace: x\n  name: c\nspec: {}\n",
            b"  name: c\n  namespace: shop\nspec: {}\n",
        ),
        (
            b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  ownerReferences:\n  - name: x\n",
            b"  namespace: shop\n  ownerReferences:\n",
        ),
        (
            b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    a: |\n      x\n\n      y\n  name: c\n",
            b"  name: c\n  namespace: shop\n",
        ),
    ],
)
def test_objects_without_a_namespace_are_placed_in_the_destination(raw, placed):
    result = place_in_destination(raw, application_target(PLAIN, namespace="shop"))
    assert placed in result
    assert load_document(result, canonical=True)["metadata"]["namespace"] == "shop"


@pytest.mark.parametrize(
    "raw",
    [
        b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  namespace: own\n",
        b"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n\n",
        b"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: n\n",
    ],
)
def test_objects_with_a_namespace_and_cluster_scoped_ones_stay(raw):
    assert place_in_destination(raw, application_target(PLAIN, namespace="shop")) == raw


def test_several_documents_stay_apart():
    target = application_target(PLAIN, namespace="shop")
    assert place_in_destination(CONFIG + b"---\n" + CONFIG, target).count(b"namespace: shop") == 2


def test_a_destination_without_namespace_changes_nothing():
    target = application_target(PLAIN)
    assert destination_namespace(target) is None
    assert place_in_destination(CONFIG, target) == CONFIG


def test_a_namespace_that_yaml_could_misread_is_quoted():
    placed = place_in_destination(CONFIG, application_target(PLAIN, namespace="123"))
    assert load_document(placed, canonical=True)["metadata"]["namespace"] == "123"


@pytest.mark.parametrize(
    ("files", "source", "words"),
    [
        (
            {"app/kustomization.yaml": b"resources: [d.yaml]\n", "app/d.yaml": DEPLOYMENT, "comp/kustomization.yaml": COMPONENT},
            {
                "kustomize": {
                    "namespace": "shop",
                    "images": ["nginx:2"],
                    "commonLabels": {"team": "a"},
                    "replicas": [{"name": "web", "count": 4}],
                    "components": ["../comp"],
                    "patches": [
                        {"target": {"kind": "Deployment"}, "patch": '[{"op": "add", "path": "/metadata/annotations", "value": {"p": "q"}}]'}
                    ],
                }
            },
            ["name: comp-web", "namespace: shop", "image: nginx:2", "team: a", "replicas: 4", "p: q"],
        ),
        ({"app/d.yaml": DEPLOYMENT, "app/values.yaml": b"a: b\n"}, {}, ["name: web"]),
        ({"app/readme.txt": b""}, {}, []),
    ],
)
def test_kustomize_builds_the_overlay(kustomize, tmp_path, files, source, words):
    overlay = argo_overlay(application_target(files, source))
    assert not isinstance(overlay, Failure)
    for path, content in {**files, **overlay}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    command = [kustomize, "kustomize" if kustomize.endswith("kubectl") else "build", str(tmp_path / "app")]
    built = subprocess.run(command, capture_output=True, text=True, check=True, env={"KUBECONFIG": "/dev/null"})
    assert [word for word in words if word not in built.stdout] == []
    assert bool(built.stdout) is bool(words)
