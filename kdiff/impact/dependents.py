"""Finds who depends on each changed object, over the reference graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kdiff.kube.graph import ReferenceGraph
from kdiff.model.change import Change, ObjectRef
from kdiff.model.impact import Dependents
from kdiff.model.object import ObjectKey


def find_dependents(
    changes: Iterable[Change], base: Mapping[str, ReferenceGraph], head: Mapping[str, ReferenceGraph]
) -> tuple[Dependents, ...]:
    """Dependents of each changed object that has any, in the order of `changes`.

    They are read at head. What depended at base on a removed object still counts when it exists at head: it has lost it.
    `transitive` counts those beyond the direct ones.
    """
    found = []
    for change in changes:
        now = head[change.scope]
        graph = base[change.scope] if change.status == "removed" else now
        key = object_key(change.object)
        direct = {k for k in graph.dependents_of(key) if k in now}
        if direct:
            further = {k for k in graph.reach_of(key) if k in now} - direct
            found.append(Dependents(change.id, now.ids(direct), len(further), change.scope))
    return tuple(found)


def object_key(ref: ObjectRef) -> ObjectKey:
    """The key by which graphs know the object."""
    return ObjectKey(ref.group, ref.kind, ref.namespace or "", ref.name)
