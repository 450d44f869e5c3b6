"""Finds the likely other half of added and removed objects; bounded, so that a thousand of them stay fast."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import product

from kdiff.compare.equality import leaves
from kdiff.model.object import KubeObject
from kdiff.model.value import Value

Features = frozenset[str]
Match = tuple[int, int, float]  # index in removed, index in added, similarity

_COMMON = 1000  # a leaf that joins more pairs than this tells nothing
_BUDGET = 500_000  # pairs looked at per kind
_CLOSE = 5  # candidates per object that are measured exactly


def find_counterparts(removed: Sequence[KubeObject], added: Sequence[KubeObject], threshold: float) -> list[Match]:
    """One to one matches within one group and kind.

    The same name in another namespace comes first, whatever the content, then content of at least `threshold`. Similarity is
    twice the shared leaves over all leaves, namespace and name left out: 1.0 means equal content.
    """
    matches: list[Match] = []
    by_kind: dict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, objects in enumerate((removed, added)):
        for n, each in enumerate(objects):
            by_kind[each.key.group, each.key.kind][side].append(n)
    for left, right in by_kind.values():
        if left and right:
            matches += _match_kind({n: removed[n] for n in left}, {n: added[n] for n in right}, threshold)
    return matches


def similarity(old: Value, new: Value) -> float:
    """How alike two objects are, by the measure of `find_counterparts`."""
    return _similarity(_features(old), _features(new))


def _match_kind(removed: dict[int, KubeObject], added: dict[int, KubeObject], threshold: float) -> list[Match]:
    old = {n: _features(o.value) for n, o in removed.items()}
    new = {n: _features(o.value) for n, o in added.items()}
    names: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, objects in enumerate((removed, added)):
        for n, each in objects.items():
            names[each.key.name][side].append(n)
    named: list[Match] = []
    budget = _BUDGET
    for left, right in names.values():
        both = list(product(left, right))
        if len(both) > budget:
            both = list(zip(left, right, strict=False))
        budget -= len(both)
        named += [(i, j, _similarity(old[i], new[j])) for i, j in both]
    matches = _best(named)
    taken_old, taken_new = {i for i, _, _ in matches}, {j for _, j, _ in matches}
    rest_old = {n: f for n, f in old.items() if n not in taken_old}
    rest_new = {n: f for n, f in new.items() if n not in taken_new}
    return matches + _best(m for m in _candidates(rest_old, rest_new) if m[2] >= threshold)


def _best(candidates: Iterable[Match]) -> list[Match]:
    """One to one, the most similar first."""
    chosen: list[Match] = []
    used_old: set[int] = set()
    used_new: set[int] = set()
    for i, j, score in sorted(candidates, key=lambda m: (-m[2], m[0], m[1])):
        if i not in used_old and j not in used_new:
            chosen.append((i, j, score))
            used_old.add(i)
            used_new.add(j)
    return chosen


def _candidates(old: dict[int, Features], new: dict[int, Features]) -> list[Match]:
    """Pairs that share leaves that are not everywhere, the closest few of each object."""
    holders: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, objects in enumerate((old, new)):
        for n, features in objects.items():
            for feature in sorted(features):  # sets of strings have another order in every run
                holders[feature][side].append(n)
    shared: dict[int, Counter[int]] = defaultdict(Counter)
    budget = _BUDGET
    for left, right in sorted(holders.values(), key=lambda h: len(h[0]) * len(h[1])):
        pairs = len(left) * len(right)
        if pairs > _COMMON or pairs > budget:
            break
        budget -= pairs
        for i in left:
            shared[i].update(right)
    alike: dict[Features, list[int]] = defaultdict(list)
    for j, features in new.items():
        alike[features].append(j)
    return [
        (i, j, _similarity(features, new[j]))
        for i, features in old.items()
        for j in sorted({*_closest(shared[i]), *alike.get(features, [])[:_CLOSE]})
    ]


def _closest(counts: Counter[int]) -> list[int]:
    return nsmallest(_CLOSE, counts, key=lambda j: (-counts[j], j))


def _features(each: Value) -> Features:
    """Every leaf but what identifies the object; an element's place in its list does not count."""
    skipped = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
    return frozenset("\0".join((*path, repr(value))) for path, value in leaves(each) if path not in skipped)


def _similarity(old: Features, new: Features) -> float:
    return round(2 * len(old & new) / (len(old) + len(new)), 4) if old or new else 1.0
