"""Everything known about one side after rendering: the input of compare, impact and hazards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kdiff.model.failure import Failure, Note
    from kdiff.model.object import KubeObject, ObjectKey
    from kdiff.model.target import Target
    from kdiff.model.tree import SideName, Tree


@dataclass(frozen=True)
class UndefinedVariable:
    """A `${VAR}` without default that had no value while `object` was substituted; `pointer` is the RFC 6901 field.

    `perhaps_from` names ConfigMaps and Secrets that are not in the tree and may hold it in the cluster: then it stays visible as
    `${VAR}`. Otherwise it renders empty.
    """

    variable: str
    object: str
    pointer: str
    perhaps_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class PatchUse:
    """A patch of a kustomization, a Flux Kustomization or a FluxInstance, and how many objects it selects.

    `where` is `<kustomization file> patches[<index>]` (report-v1, Hazard); `selects` names the target the way people do
    (`Deployment web`); `identity` stays equal while the patch is the same, so that only new dead patches are news.
    """

    where: str
    selects: str
    identity: str
    matched: int
    file: str | None = None
    line: int | None = None
    kustomization: str | None = None


@dataclass(frozen=True)
class TargetState:
    """One target on one side: its objects, or why there are none. A failed target has no objects and a `failure`."""

    target: Target
    objects: tuple[KubeObject, ...] = ()
    failure: Failure | None = None
    undefined: tuple[UndefinedVariable, ...] = ()
    patches: tuple[PatchUse, ...] = ()
    notes: tuple[Note, ...] = ()
    reads: tuple[str, ...] = ()  # tree paths of the read set, for source locations


@dataclass(frozen=True)
class Side:
    """One side. `states` is sorted by (scope, target id) and unique in them.

    `withheld` holds (scope, target id) of targets that failed on the other side, or hang below one that did: their
    objects are compared with nothing, though they still exist for impact and hazards that look at this side alone. `partial` holds
    (scope, key) of the ApplicationSets that may generate more Applications than are here.
    """

    name: SideName
    tree: Tree = field(repr=False)
    states: tuple[TargetState, ...] = ()
    notes: tuple[Note, ...] = ()
    withheld: frozenset[tuple[str, str]] = frozenset()
    partial: frozenset[tuple[str, ObjectKey]] = frozenset()

    def in_scope(self, scope: str) -> tuple[TargetState, ...]:
        """The states of one scope."""
        return tuple(s for s in self.states if s.target.scope == scope)

    @property
    def scopes(self) -> tuple[str, ...]:
        """Every scope, sorted."""
        return tuple(sorted({s.target.scope for s in self.states}))
