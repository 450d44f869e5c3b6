"""What the changes reach (report-v1: Impact)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kdiff.model.codec import OPTIONAL


@dataclass(frozen=True)
class Counts:
    """How many objects of each status."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    renamed: int = 0
    moved: int = 0


@dataclass(frozen=True)
class Rollout:
    """A workload whose pods are replaced. `because` lists pointers into it, or ids of objects it follows."""

    object: str
    replicas: int | None
    because: tuple[str, ...]
    scope: str = field(default="", metadata=OPTIONAL)


@dataclass(frozen=True)
class Dependents:
    """Who depends on a changed object or target: direct ids, sorted, and how many more follow from those."""

    of: str
    direct: tuple[str, ...]
    transitive: int
    scope: str = field(default="", metadata=OPTIONAL)


@dataclass(frozen=True)
class ImageChange:
    """One image repository whose version changes; `from_` or `to` is None when new or gone."""

    image: str
    from_: str | None
    to: str | None
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Impact:
    """Blast radius. `pods` sums the known replicas of `rollouts`.

    Keys of `by_namespace`: `-` for objects that name none. Of `by_kind`: `Kind.group` where two groups share a kind name. Of
    `by_target`: `scope: id` where two scopes share a target id.
    """

    by_kind: Mapping[str, Counts] = field(default_factory=dict)
    by_namespace: Mapping[str, Counts] = field(default_factory=dict)
    by_target: Mapping[str, Counts] = field(default_factory=dict)
    cluster_scoped: int = 0
    crds: int = 0
    rollouts: tuple[Rollout, ...] = ()
    pods: int = 0
    dependents: tuple[Dependents, ...] = ()
    target_dependents: tuple[Dependents, ...] = ()
    images: tuple[ImageChange, ...] = ()
    routine: bool = False
