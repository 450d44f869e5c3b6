"""find_manifests: when a directory is read rather than built."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kdiff.errors import UnreadablePath
from kdiff.inputs import directory_tree
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.inputs.find_manifests import find_manifests
from kdiff.model.tree import TreeOrigin
from tests.inputs.conftest import write

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n"
ARGO = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\n"
LABELLED = "apiVersion: v1\nkind: Service\nmetadata: {labels: {kustomize.toolkit.fluxcd.io/name: a, kind: Kustomization}}\n"
ROLLOUT = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\n"
EXTERNAL = ["apps.v1.Deployment.shop.web", "v1.Namespace..shop", "rbac.authorization.k8s.io.v1.ClusterRole..system:node", "v1.Pod.a.b.c"]


@pytest.mark.parametrize(
    ("files", "guessed", "sure"),
    [
        (dict.fromkeys(EXTERNAL, OBJECT), tuple(sorted(EXTERNAL)), tuple(sorted(EXTERNAL))),
        ({}, (), ()),
        ({"a.yaml": OBJECT, "sub/b.yml": OBJECT, "README.md": "#"}, ("a.yaml", "sub/b.yml"), None),
        ({"a.json": '{"kind": "List", "apiVersion": "v1", "items": []}'}, ("a.json",), None),
        ({"a.json": '{\n  "apiVersion": "v1",\n  "kind": "Pod"\n}', "package.json": '{"name": "x"}'}, ("a.json",), None),
        ({"a.yaml": OBJECT, "empty.yaml": "", "comment.yaml": "---\n# nothing\n\n"}, ("a.yaml",), None),
        ({"a.yaml": OBJECT, ".github/workflows/ci.yaml": "on: push\n"}, ("a.yaml",), None),
        ({"a.yaml": OBJECT, "link.yaml": "->a.yaml", "out.yaml": "->/etc/hosts"}, ("a.yaml", "link.yaml"), None),
        ({"a.yaml": LABELLED, "b.yaml": ROLLOUT}, ("a.yaml", "b.yaml"), None),
        ({"a.yaml": OBJECT, "values.yaml": "replicas: 1\n"}, None, None),
        ({"a.yaml": OBJECT, "deep/down/kustomization.yml": "{}"}, None, None),
        ({"a.yaml": OBJECT, "Kustomization": "{}"}, None, None),
        ({"a.yaml": OBJECT, "b.yaml": FLUX}, None, None),
        ({"a.yaml": OBJECT, "b.yaml": f"---\n{ARGO}"}, None, None),
        ({"README.md": "text"}, None, None),
        ({**dict.fromkeys(EXTERNAL, OBJECT), "notes.txt": ""}, None, None),
        ({**dict.fromkeys(EXTERNAL, OBJECT), "v1.Dir.a.b/x": ""}, None, None),
    ],
)
def test_what_counts_as_rendered(tmp_path: Path, files: dict[str, str], guessed: tuple[str, ...], sure: tuple[str, ...]) -> None:
    write(tmp_path, files)
    tree = DirectoryTree(str(tmp_path), TreeOrigin("x", "directory"))
    assert find_manifests(tree, guess=True) == guessed
    assert find_manifests(tree, guess=False) == sure


@pytest.mark.parametrize(
    ("files", "fifo", "guessed"),
    [
        ({"a.yaml": OBJECT}, "b.yaml", None),
        ({"a.yaml": OBJECT, "big.yaml": OBJECT + "#" * 100}, "agent.socket", None),
        (dict.fromkeys(EXTERNAL[:2], OBJECT), EXTERNAL[2], None),
        # not surely manifests: a tree to build, whose targets may fail one by one
        ({"a.yaml": OBJECT}, "x/kustomization.yaml", ()),
        ({"a.yaml": FLUX, "big.yaml": OBJECT + "#" * 100}, "b.yaml", ()),
        ({"a.yaml": OBJECT}, "agent.socket", ("a.yaml",)),
    ],
)
def test_rendered_manifests_are_read_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], fifo: str, guessed: tuple[str, ...] | None
) -> None:
    monkeypatch.setattr(directory_tree, "MAX_FILE", 100)
    write(tmp_path, files)
    (tmp_path / fifo).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / fifo)
    tree = DirectoryTree(str(tmp_path), TreeOrigin("x", "directory"))
    if guessed is None:
        with pytest.raises(UnreadablePath):
            find_manifests(tree, guess=True)
    else:
        assert find_manifests(tree, guess=True) == (guessed or None)
