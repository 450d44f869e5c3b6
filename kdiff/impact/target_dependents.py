"""Finds which targets depend on each changed or failed target, over what they declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kdiff.kube.graph import ReferenceGraph
from kdiff.model.change import Change
from kdiff.model.impact import Dependents
from kdiff.model.object import ObjectKey
from kdiff.model.side import Side
from kdiff.model.target import Target


def find_target_dependents(
    changes: Iterable[Change], base: Side, head: Side, graphs: Mapping[str, ReferenceGraph]
) -> tuple[Dependents, ...]:
    """Dependents of each target with a changed object and of each that failed on either side, sorted by scope and target.

    A target depends on those it names in `dependsOn`, on the one that renders it, and on those that render its source or a
    ConfigMap or Secret it substitutes from; read at head. `transitive` counts those beyond the direct ones.
    """
    touched = {(c.scope, target) for c in changes for target in (*c.targets.base, *c.targets.head)}
    touched |= {(s.target.scope, s.target.id) for side in (base, head) for s in side.states if s.failure is not None}
    dependents: dict[tuple[str, str], set[str]] = {}
    scopes = {scope for scope, _ in touched}
    for target in (s.target for s in head.states if s.target.scope in scopes):
        for needed in _needs(target, graphs[target.scope]):
            if needed != target.id:
                dependents.setdefault((target.scope, needed), set()).add(target.id)
    found = []
    for scope, name in sorted(touched):
        direct = dependents.get((scope, name), set())
        if direct:
            further = _reach(scope, name, dependents) - direct
            found.append(Dependents(name, tuple(sorted(direct)), len(further), scope))
    return tuple(found)


def _needs(target: Target, graph: ReferenceGraph) -> set[str]:
    needs = set(target.depends_on)
    if target.parent is not None:
        needs.add(target.parent)
    for name in target.substitutes_from:
        kind, _, place = name.partition(" ")
        needs |= _renderers(graph, "", kind.rpartition("/")[2], place)
    if target.source is not None:
        kind, _, place = target.source.partition(" ")
        needs |= _renderers(graph, "source.toolkit.fluxcd.io", kind, place)
    return needs


def _renderers(graph: ReferenceGraph, group: str, kind: str, place: str) -> set[str]:
    """Targets that render the object `namespace/name`, or `name` alone."""
    namespace, _, name = place.rpartition("/")
    return {o.target for o in graph.objects.get(graph.settle(ObjectKey(group, kind, namespace, name)), ())}


def _reach(scope: str, start: str, dependents: Mapping[tuple[str, str], set[str]]) -> set[str]:
    seen, ahead = {start}, [start]
    while ahead:
        for target in dependents.get((scope, ahead.pop()), ()):
            if target not in seen:
                seen.add(target)
                ahead.append(target)
    return seen - {start}
