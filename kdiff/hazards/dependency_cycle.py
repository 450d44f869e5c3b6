"""dependency-cycle: dependsOn forms a ring, and nothing in it is applied any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kdiff.hazards.missing import is_dependency
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import ObjectKey


def _check(context: Context) -> Iterator[Finding]:
    for scope in sorted({change.scope for change in context.changes}):
        base, head = context.base_graphs[scope], context.head_graphs[scope]
        old = set(_rings(base))
        for ring in _rings(head):
            if ring in old:
                continue
            names = ["/".join(filter(None, (key.namespace, key.name))) for key in ring]
            ids = head.ids(ring)
            yield Finding(
                message=f"{' -> '.join([*names, names[0]])} depend on one another, so Flux applies none of them"
                if len(ring) > 1
                else f"{names[0]} depends on itself, so Flux never applies it",
                why="Each waits until what it depends on is ready at the current revision.",
                scope=scope,
                object=ids[0],
                objects=ids,
            )


def _rings(graph: ReferenceGraph) -> list[tuple[ObjectKey, ...]]:
    """Every largest set of objects that depend on one another, as one way round it where there is only one, sorted."""
    links: dict[ObjectKey, list[ObjectKey]] = {}
    for reference in graph.references:
        if is_dependency(reference) and reference.target in graph:
            links.setdefault(reference.source.key, []).append(reference.target)
    reached = {key: _reached(links, key) for key in _on_a_ring(links)}
    rings = {tuple(sorted(other for other in reached if other in reached[key] and key in reached[other])) for key in reached}
    return sorted(_round(ring, links) for ring in rings if ring)


def _on_a_ring(links: Mapping[ObjectKey, list[ObjectKey]]) -> set[ObjectKey]:
    """What is left when everything that nothing depends on, or that depends on nothing, is taken away again and again."""
    left = set(links)
    while True:
        awaited = {target for key in left for target in links[key]}
        stay = {key for key in left if key in awaited and any(target in left for target in links[key])}
        if stay == left:
            return left
        left = stay


def _reached(links: Mapping[ObjectKey, list[ObjectKey]], start: ObjectKey) -> set[ObjectKey]:
    seen: set[ObjectKey] = set()
    ahead = [start]
    while ahead:
        for target in links.get(ahead.pop(), ()):
            if target not in seen:
                seen.add(target)
                ahead.append(target)
    return seen


def _round(ring: tuple[ObjectKey, ...], links: Mapping[ObjectKey, list[ObjectKey]]) -> tuple[ObjectKey, ...]:
    """The ring in the order of its dependencies, from its first name on; in the order of names where it has more than one way round."""
    order = [ring[0]]
    while len(order) < len(ring):
        following = [target for target in links[order[-1]] if target in ring]
        if len(following) != 1 or following[0] in order:
            return ring
        order.append(following[0])
    return tuple(order)


RULE = Rule("dependency-cycle", "blocking", "dependsOn forms a ring", _check)
