"""The kustomization that Flux builds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kdiff.documents.load import load_document
from kdiff.documents.split import split_documents
from kdiff.model.failure import Failure
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.target import Target
from kdiff.model.tree import OutsideTree, TreeOrigin
from kdiff.render.flux_overlay import flux_overlay


class MemoryTree:
    """Files in memory; a value of None is a symbolic link to a directory."""

    origin = TreeOrigin("head", "directory")
    remotes: tuple[str, ...] = ()
    notes: tuple[Any, ...] = ()
    manifests: tuple[str, ...] = ()
    directory = None

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self.files = files
        self.paths = set(files)

    def read(self, path: str) -> bytes:
        if path.startswith(".."):
            raise OutsideTree(path)
        content = self.files[path]
        if content is None:
            raise IsADirectoryError(path)
        return content.encode()

    def is_file(self, path: str) -> bool:
        return self.files.get(path) is not None

    def is_dir(self, path: str) -> bool:
        return path == "." or (path in self.files and self.files[path] is None) or any(file.startswith(f"{path}/") for file in self.files)

    def list_dir(self, path: str) -> tuple[str, ...]:
        start = "" if path == "." else f"{path}/"
        return tuple(sorted({file.removeprefix(start).split("/")[0] for file in self.files if file.startswith(start)}))

    def resolve(self, path: str) -> str:
        return path


OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"


def target(files: Mapping[str, str | None], spec: dict[str, Any] | None = None, *, path: str = "app", version: str = "v1") -> Target:
    owner = None
    if spec is not None:
        value = {
            "apiVersion": f"kustomize.toolkit.fluxcd.io/{version}",
            "kind": "Kustomization",
            "metadata": {"name": "web"},
            "spec": {"path": path, **spec},
        }
        owner = KubeObject(
            ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "apps", "web"),
            version,
            json.dumps(value).encode(),
            lambda _: {},
            target="root",
        )
    return Target(id="Kustomization apps/web", scope="root", kind="flux", path=path, tree=MemoryTree(files), owner=owner)


def merged(
    kustomization: str, spec: dict[str, Any], *, version: str = "v1", more: Mapping[str, str | None] | None = None
) -> dict[str, Any]:
    """What becomes of the app's kustomization, without the two fields that every file has."""
    overlay = flux_overlay(target({"app/kustomization.yaml": kustomization, "app/a.yaml": OBJECT, **(more or {})}, spec, version=version))
    assert not isinstance(overlay, Failure), overlay
    assert list(overlay) == ["app/kustomization.yaml"]
    value = json.loads(overlay["app/kustomization.yaml"])
    assert value.pop("kind") == "Kustomization"
    assert value.pop("apiVersion") == "kustomize.config.k8s.io/v1beta1"
    return value


PATCH = {"patch": "- op: remove\n  path: /x\n", "target": {"kind": "Deployment", "labelSelector": "a=b"}}


@pytest.mark.parametrize(
    ("kustomization", "spec", "expected"),
    [
        ("resources: [a.yaml]", {"targetNamespace": "web"}, {"namespace": "web"}),
        ("resources: [a.yaml]\nnamespace: old", {"targetNamespace": "web"}, {"namespace": "web"}),
        ("resources: [a.yaml]\nnamePrefix: a-\nnameSuffix: -z", {"namePrefix": "p-", "nameSuffix": "-s"}, {"namePrefix": "p-", "nameSuffix": "-s"}),
        ("resources: [a.yaml]", {"patches": [PATCH]}, {"patches": [PATCH]}),
        ("resources: [a.yaml]\npatches: [{path: p.yaml}]", {"patches": [PATCH]}, {"patches": [{"path": "p.yaml"}, PATCH]}),
        ("resources: [a.yaml]", {"patches": [{"patch": "x", "options": {"allowNameChange": True}, "target": {"kind": "A", "else": "b"}}]}, {"patches": [{"patch": "x", "target": {"kind": "A"}}]}),
        ("resources: [a.yaml]\ncomponents: [../one]", {"components": ["../two"]}, {"components": ["../one", "../two"]}),
        ("resources: [a.yaml]", {"components": ["../gone", "../there"], "ignoreMissingComponents": True}, {"components": ["../there"]}),
        ("resources: [a.yaml]", {"components": ["../gone"]}, {"components": ["../gone"]}),
        ("resources: [a.yaml]", {"buildMetadata": ["originAnnotations"]}, {"buildMetadata": ["originAnnotations"]}),
        ("resources: [a.yaml]", {"images": [{"name": "web", "newTag": "2"}]}, {"images": [{"name": "web", "newTag": "2"}]}),
        ("resources: [a.yaml]\nimages: [{name: web, newName: r/web, newTag: '1'}]", {"images": [{"name": "web", "newTag": "2"}]}, {"images": [{"name": "web", "newName": "r/web", "newTag": "2"}]}),
        ("resources: [a.yaml]\nimages: [{name: web, digest: d}]", {"images": [{"name": "web", "newTag": "2"}]}, {"images": [{"name": "web", "newTag": "2"}]}),
        ("resources: [a.yaml]\nimages: [{name: web, newTag: '1'}]", {"images": [{"name": "web", "newName": "x"}]}, {"images": [{"name": "web", "newTag": "1", "newName": "x"}]}),
        ("resources: [a.yaml]\nimages: [{name: web, newTag: '1'}]", {"images": [{"name": "api", "newTag": "2"}]}, {"images": [{"name": "web", "newTag": "1"}, {"name": "api", "newTag": "2"}]}),
    ],
)  # fmt: skip
def test_the_spec_is_merged_into_the_kustomization(kustomization: str, spec: dict[str, Any], expected: dict[str, Any]) -> None:
    assert merged(kustomization, spec, more={"there/kustomization.yaml": ""}) == {"resources": ["a.yaml"], **expected}


@pytest.mark.parametrize("kustomization", ["re\u017fources: [a.yaml]", "resources: [a.yaml]\nRESOURCES: [b.yaml]\nResources: [c.yaml]"])
def test_fields_count_in_every_spelling_and_the_last_in_order_of_bytes(kustomization: str) -> None:
    assert merged(kustomization, {"targetNamespace": "web"}) == {"resources": ["a.yaml"], "namespace": "web"}


def test_fields_that_v1_dropped_count_in_older_versions_only() -> None:
    spec = {
        "targetNamespace": "web",
        "patchesStrategicMerge": [{"kind": "Deployment"}],
        "patchesJson6902": [{"patch": [{"op": "remove", "path": "/x"}], "target": {"kind": "A", "name": "b"}}],
    }
    assert merged("resources: [a.yaml]", spec) == {"resources": ["a.yaml"], "namespace": "web"}
    assert merged("resources: [a.yaml]", spec, version="v1beta2") == {
        "resources": ["a.yaml"],
        "namespace": "web",
        "patchesStrategicMerge": ['{"kind": "Deployment"}'],
        "patchesJson6902": [{"patch": '[{"op": "remove", "path": "/x"}]', "target": {"kind": "A", "name": "b"}}],
    }


@pytest.mark.parametrize("kustomization", ["", "# nothing\n", "resources: []\n", "components: [../one]\n"])
def test_a_kustomization_that_lists_nothing_is_not_refused(kustomization: str) -> None:
    assert merged(kustomization, {})["buildMetadata"] == ["originAnnotations"]


def test_a_field_that_kustomize_does_not_know_is_lost() -> None:
    assert merged("resources: [a.yaml]\nresource: [b.yaml]\nx-anchors: {a: 1}", {}) == {"resources": ["a.yaml"]}
    assert merged("Resources: [a.yaml]\nNAMESPACE: old", {}) == {"resources": ["a.yaml"], "namespace": "old"}


def test_scalars_become_the_strings_that_flux_reads() -> None:
    kustomization = "resources: [a.yaml]\nnamespace: 5\ncommonLabels: {v: 1.10, on: true}\nimages: [{name: web, newTag: 1.27}]\nreplicas: [{name: web, count: 2}]"
    assert merged(kustomization, {}) == {
        "resources": ["a.yaml"],
        "namespace": "5",
        "commonLabels": {"v": "1.1", "true": "true"},
        "images": [{"name": "web", "newTag": "1.27"}],
        "replicas": [{"name": "web", "count": 2}],
    }


def test_nothing_to_add_means_no_overlay() -> None:
    files = {"app/kustomization.yml": "resources: [a.yaml]", "app/a.yaml": OBJECT}
    assert flux_overlay(target(files, {"prune": True})) == {}
    assert flux_overlay(target(files)) == {}


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_the_file_that_is_there_is_replaced(name: str) -> None:
    overlay = flux_overlay(target({f"app/{name}": "resources: [a.yaml]"}, {"targetNamespace": "web"}))
    assert not isinstance(overlay, Failure)
    assert list(overlay) == [f"app/{name}"]


def generated(files: Mapping[str, str | None], path: str = "app") -> dict[str, Any]:
    overlay = flux_overlay(target(files, path=path))
    assert not isinstance(overlay, Failure), overlay
    ((where, content),) = overlay.items()
    assert where == ("kustomization.yaml" if path == "." else f"{path}/kustomization.yaml")
    return json.loads(content)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"app/b.yaml": OBJECT, "app/a.yml": OBJECT, "app/c.json": "{}", "app/README.md": ""}, ["./a.yml", "./b.yaml"]),
        ({"app/deep/down/a.yaml": OBJECT, "app/z.yaml": OBJECT}, ["./deep/down/a.yaml", "./z.yaml"]),
        ({"app/sub/kustomization.yaml": "", "app/sub/a.yaml": OBJECT, "app/z.yaml": OBJECT}, ["./sub", "./z.yaml"]),
        ({"app/sub/Kustomization": "", "app/sub/a.yaml": OBJECT}, ["./sub"]),
        ({"app/a.yaml": OBJECT, "app/.sops.yaml": "", "app/cloudbuild.yaml": ""}, ["./a.yaml"]),
        ({"app/a.yaml": OBJECT, "app/draft.yaml": OBJECT, ".sourceignore": "draft.yaml"}, ["./a.yaml"]),
        ({"app/a.yaml": OBJECT, "app/old/b.yaml": OBJECT, "app/.sourceignore": "old/"}, ["./a.yaml"]),
        ({"app/a.yaml": OBJECT, "app/old/b.yaml": OBJECT, "other/.sourceignore": "old/"}, ["./a.yaml", "./old/b.yaml"]),
        ({"app/a.yaml": OBJECT, "app/link": None}, ["./a.yaml"]),
    ],
)
def test_a_directory_without_kustomization_gets_one(files: Mapping[str, str | None], expected: list[str]) -> None:
    assert generated(files)["resources"] == expected


def test_the_root_of_the_tree_may_be_generated_too() -> None:
    assert generated({"a.yaml": OBJECT, "sub/b.yaml": OBJECT}, path=".")["resources"] == ["./a.yaml", "./sub/b.yaml"]


def test_an_empty_directory_builds_to_nothing() -> None:
    value = generated({"app/README.md": ""})
    assert value["namespace"] == "_placeholder"
    assert "resources" not in value


@pytest.mark.parametrize(
    ("files", "path", "spec", "class_", "said"),
    [
        ({"other/a.yaml": OBJECT}, "app", {}, "missing-kustomization", "spec.path app is not in the tree"),
        ({"k8s/app/a.yaml": OBJECT}, "app", {}, "missing-kustomization", "not in the tree, but below k8s; if the source is made of k8s"),
        ({"app/a.yaml": OBJECT}, "${X}/app", {}, "missing-kustomization", "nothing that kdiff has seen substitutes its variable"),
        ({"other/a.yaml": OBJECT}, "app", {"path": "../app"}, "load-restriction", "../app leads out of the tree"),
        ({"app": OBJECT}, "app", {}, "invalid-kustomization", "is a file"),
        ({"app/kustomization.yaml": "- a"}, "app", {}, "invalid-kustomization", "is not a mapping"),
        ({"app/kustomization.yaml": "a: [\n"}, "app", {}, "invalid-kustomization", "app/kustomization.yaml"),
        (
            {"app/kustomization.yaml": "patches: [p.yaml]"},
            "app",
            {"patches": [PATCH]},
            "invalid-kustomization",
            "patches of the kustomization",
        ),
        (
            {"app/kustomization.yaml": "components: {}"},
            "app",
            {"components": ["../c"]},
            "invalid-kustomization",
            "components of the kustomization",
        ),
        ({"app/a.yaml": OBJECT}, "app", {"components": ["https://git.example.com/c"]}, "invalid-kustomization", "must be local"),
        ({"app/a.yaml": OBJECT}, "app", {"components": ["/etc"]}, "invalid-kustomization", "must be local"),
    ],
)
def test_what_flux_would_not_build(files: Mapping[str, str | None], path: str, spec: dict[str, Any], class_: str, said: str) -> None:
    failure = flux_overlay(target(files, spec, path=path))
    assert isinstance(failure, Failure)
    assert (failure.target, failure.scope, failure.class_) == ("Kustomization apps/web", "root", class_)
    assert said in failure.message
    assert "\n" not in failure.message


def test_deep_nesting_is_never_a_traceback() -> None:
    """Whether it can be written depends on the Python version; either way something is said."""
    overlay = flux_overlay(target({"app/kustomization.yaml": "metadata: " + "[" * 1500 + "]" * 1500}, {"targetNamespace": "web"}))
    assert overlay["app/kustomization.yaml"] if not isinstance(overlay, Failure) else "nested too deep" in overlay.message


DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {team: old, app: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, envFrom: [{configMapRef: {name: settings}}]}]
"""


def test_real_kustomize_builds_what_flux_would(kustomize: str, tmp_path: Path) -> None:
    """Every field at once; commonMetadata must stay off selectors and templates, and win over what is there."""
    files = {
        "app/web.yaml": DEPLOYMENT,
        "app/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: settings, literals: ['A=ü \"1\"']}]\n",
        "parts/pin/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nimages: [{name: web, newName: r/web}]\n",
    }
    spec = {
        "targetNamespace": "shop",
        "namePrefix": "p-",
        "components": ["../parts/pin", "../parts/gone"],
        "ignoreMissingComponents": True,
        "images": [{"name": "r/web", "newTag": "2"}],
        "patches": [{"patch": "- {op: add, path: /spec/replicas, value: 3}", "target": {"kind": "Deployment"}}],
        "commonMetadata": {"labels": {"team": "new"}, "annotations": {"note": "yes", "example.com/t": "a: b"}},
    }
    overlay = flux_overlay(target(files, spec))
    assert not isinstance(overlay, Failure)
    for path, content in {**{path: text.encode() for path, text in files.items()}, **overlay}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    command = [kustomize, *(["kustomize"] if Path(kustomize).name == "kubectl" else ["build"]), str(tmp_path / "app")]
    built = subprocess.run([*command, "--load-restrictor", "LoadRestrictionsNone"], capture_output=True, check=True).stdout
    objects: list[Any] = [load_document(document.raw, canonical=True) for document in split_documents(built, canonical=True)]
    config, deployment = sorted(objects, key=lambda item: item["kind"])
    assert config["data"] == {"A": 'ü "1"'}
    assert config["metadata"]["labels"] == {"team": "new"}
    assert deployment["metadata"]["namespace"] == config["metadata"]["namespace"] == "shop"
    assert deployment["metadata"]["name"] == "p-web"
    assert deployment["metadata"]["labels"] == {"team": "new", "app": "web"}
    assert deployment["metadata"]["annotations"] == config["metadata"]["annotations"] == {"note": "yes", "example.com/t": "a: b"}
    assert deployment["spec"]["replicas"] == 3
    assert deployment["spec"]["selector"] == {"matchLabels": {"app": "web"}}
    assert deployment["spec"]["template"]["metadata"] == {"labels": {"app": "web"}}
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "r/web:2"
    assert container["envFrom"] == [{"configMapRef": {"name": config["metadata"]["name"]}}]


def test_real_kustomize_accepts_an_empty_directory(kustomize: str, tmp_path: Path) -> None:
    overlay = flux_overlay(target({"app/README.md": ""}, {"commonMetadata": {"labels": {"a": "b"}}}))
    assert not isinstance(overlay, Failure)
    (tmp_path / "kustomization.yaml").write_bytes(overlay["app/kustomization.yaml"])
    command = [kustomize, *(["kustomize"] if Path(kustomize).name == "kubectl" else ["build"]), str(tmp_path)]
    assert subprocess.run(command, capture_output=True, check=True).stdout.strip() == b""
