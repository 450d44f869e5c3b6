"""Flux and Argo CD followed together."""

from __future__ import annotations

import pytest

from kdiff.documents.load import load_document
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.target import Target, TargetKind
from kdiff.model.tree import TreeOrigin
from kdiff.targets.artifacts import tree_of_files
from kdiff.targets.follow_targets import follow_targets

TREE = tree_of_files(
    {"apps/web/kustomization.yaml": b"resources: []\n", "apps/db/kustomization.yaml": b"resources: []\n"}, TreeOrigin("head", "directory")
)
KUSTOMIZATION = b"""apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: web
  namespace: flux-system
spec:
  path: apps/web
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
"""
APPLICATION = b"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: db
  namespace: argocd
spec:
  destination:
    namespace: db
    server: https://kubernetes.default.svc
  source:
    path: apps/db
    repoURL: https://git.example.com/a/b
"""


def entry(kind: TargetKind) -> TargetState:
    target = Target(id=".", scope=".", kind=kind, path=".", tree=TREE)
    objects = tuple(
        KubeObject(key, version, raw, load_document, target=".")  # type: ignore[arg-type, return-value]
        for key, version, raw in (
            (ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "flux-system", "web"), "v1", KUSTOMIZATION),
            (ObjectKey("argoproj.io", "Application", "argocd", "db"), "v1alpha1", APPLICATION),
        )
    )
    return TargetState(target, objects)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("kustomization", ["Application argocd/db", "Kustomization flux-system/web"]), ("manifests", [])],
)
def test_both_are_followed_and_rendered_manifests_are_not(kind: TargetKind, expected: list[str]) -> None:
    followed = follow_targets([entry(kind)], ".", TREE, Options())
    assert [target.id for target in followed.targets] == expected
    assert bool(followed.notes) == bool(expected)
