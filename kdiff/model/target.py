"""A target: something that kustomize can build, and what Flux or Argo CD would do with the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kdiff.model.object import KubeObject
    from kdiff.model.tree import Tree

TargetKind = Literal["kustomization", "flux", "argo", "manifests"]


@dataclass(frozen=True)
class Target:
    """One target of one side.

    `id` and `scope` are those of report-v1: a tree path (`.` for the root), `Kustomization ns/name` or
    `Application ns/name`. `path` is the directory to build inside `tree`, normalised, `.` for its root.
    """

    id: str
    scope: str
    kind: TargetKind
    path: str
    tree: Tree = field(compare=False, repr=False)
    owner: KubeObject | None = field(default=None, compare=False)  # the Flux Kustomization or Argo CD Application, as rendered
    parent: str | None = None  # id of the target that rendered `owner`
    depends_on: tuple[str, ...] = ()  # target ids, from spec.dependsOn
    prune: bool | None = None  # None: nobody prunes (plain kustomization)
    suspended: bool = False
    deletion_policy: str | None = None  # Flux spec.deletionPolicy
    force: bool = False  # Flux spec.force: immutable fields are recreated
    substitutes_from: tuple[str, ...] = ()  # object ids `v1/ConfigMap ns/name` or `v1/Secret ns/name`
    source: str | None = None  # id-like name of the source: `OCIRepository flux-system/flux-system`
