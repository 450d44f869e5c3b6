"""Says which elements of two lists belong together, and whether their order differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kdiff.compare.equality import fingerprint, leaves
from kdiff.documents.sequences import match_sequences
from kdiff.kube.field_types import FieldType
from kdiff.kube.list_keys import Key, customary_key, element_keys, env_order_differs, key_values
from kdiff.model.value import Value

_ALIKE_CELLS = 2500  # element pairs that are compared for likeness in one gap
_ALIKE = 0.3  # likeness from which two elements count as one that was edited


@dataclass(frozen=True)
class Alignment:
    """Which element of base is which of head.

    `pairs` are (base index, head index); `reorder` holds the two orders (the keys, or the elements where there are none) when
    the order differs and counts, `moved_freely` is True when it differs and does not. `labels` name elements for people, by
    head index, or base index for those in `removed`.
    """

    pairs: list[tuple[int, int]]
    removed: list[int]
    added: list[int]
    reorder: tuple[list[Value], list[Value]] | None = None
    moved_freely: bool = False
    base_labels: Sequence[str] | None = None
    head_labels: Sequence[str] | None = None


def align(base: list[Value], head: list[Value], kind: FieldType, user_keys: tuple[tuple[str, str | None], ...] | None) -> Alignment:
    """Align two lists: by the user's keys, by declared keys, as sets, by customary names, else by what they have in common."""
    if user_keys:
        keyed = _by_key(base, head, user_keys, "free")
        if keyed is not None:
            return keyed
    if kind.shape == "keyed":
        keyed = _by_key(base, head, kind.keys, kind.order)
        if keyed is not None:
            return keyed
    if kind.shape == "set":
        return _as_sets(base, head)
    customary = customary_key(base, head)
    if customary is not None:
        keyed = _by_key(base, head, customary, "counts")
        if keyed is not None and keyed.pairs:
            return keyed
    return _in_order(base, head)


def _by_key(base: list[Value], head: list[Value], keys: tuple[tuple[str, str | None], ...], order: str) -> Alignment | None:
    base_keys, head_keys = element_keys(base, keys), element_keys(head, keys)
    if base_keys is None or head_keys is None:
        return None
    place = {key: j for j, key in enumerate(head_keys)}
    pairs = [(i, place[key]) for i, key in enumerate(base_keys) if key in place]
    paired = {j for _, j in pairs}
    common = [j for _, j in pairs]
    differs = common != sorted(common)
    counts = differs and (order == "counts" or (order == "env" and env_order_differs(base, head)))
    return Alignment(
        pairs,
        [i for i, key in enumerate(base_keys) if key not in place],
        [j for j in range(len(head)) if j not in paired],
        ([_shown(k) for k in base_keys], [_shown(k) for k in head_keys]) if counts else None,
        differs and not counts,
        _labels(base_keys, keys, (base_keys, head_keys)),
        _labels(head_keys, keys, (base_keys, head_keys)),
    )


def _shown(key: Key) -> Value:
    values = key_values(key)
    return values[0] if len(values) == 1 else values


def _labels(own: list[Key], keys: tuple[tuple[str, str | None], ...], both: tuple[list[Key], list[Key]]) -> list[str]:
    """`name=web`; of a composite key only the first part, where that alone tells the elements apart on each side."""
    short = all(len({k[:2] for k in side}) == len(side) for side in both)
    names = [name for name, _ in keys][: 1 if short else None]
    return [",".join(f"{n}={_text(v)}" for n, v in zip(names, key_values(key), strict=False)) for key in own]


def _text(value: Value) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _as_sets(base: list[Value], head: list[Value]) -> Alignment:
    """Equal elements are pairs wherever they stand (x-kubernetes-list-type: set)."""
    places: dict[str, list[int]] = {}
    for j, item in enumerate(head):
        places.setdefault(fingerprint(item), []).append(j)
    pairs, removed = [], []
    for i, item in enumerate(base):
        found = places.get(fingerprint(item))
        if found:
            pairs.append((i, found.pop(0)))
        else:
            removed.append(i)
    common = [j for _, j in pairs]
    return Alignment(pairs, removed, sorted(set(range(len(head))) - set(common)), moved_freely=common != sorted(common))


def _in_order(base: list[Value], head: list[Value]) -> Alignment:
    base_prints, head_prints = [fingerprint(x) for x in base], [fingerprint(x) for x in head]
    if base_prints != head_prints and Counter(base_prints) == Counter(head_prints):
        return Alignment([], [], [], reorder=(base, head))
    matched = match_sequences(base_prints, head_prints)
    pairs: list[tuple[int, int]] = list(matched)
    removed: list[int] = []
    added: list[int] = []
    for (a, b), (c, d) in zip([(-1, -1), *matched], [*matched, (len(base), len(head))], strict=True):
        gap_pairs = _pair_gap(base, head, list(range(a + 1, c)), list(range(b + 1, d)))
        pairs += gap_pairs
        removed += sorted(set(range(a + 1, c)) - {i for i, _ in gap_pairs})
        added += sorted(set(range(b + 1, d)) - {j for _, j in gap_pairs})
    return Alignment(sorted(pairs), removed, added)


def _pair_gap(base: list[Value], head: list[Value], left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Pairs of edited elements between two equal ones: those that are alike, then by place where the numbers agree."""
    if not left or not right:
        return []
    if len(left) == len(right) == 1:
        return [(left[0], right[0])]
    if len(left) * len(right) > _ALIKE_CELLS:
        return list(zip(left, right, strict=False))
    containers = all(isinstance(base[i], (dict, list)) for i in left) and all(isinstance(head[j], (dict, list)) for j in right)
    alike = _pair_alike(base, head, left, right) if containers else []
    pairs = list(alike)
    ends = [*alike, (left[-1] + 1, right[-1] + 1)]
    a, b = left[0], right[0]
    for i, j in ends:
        if not containers or i - a == j - b:
            pairs += zip(range(a, i), range(b, j), strict=False)
        a, b = i + 1, j + 1
    return sorted(pairs)


def _pair_alike(base: list[Value], head: list[Value], left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """The pairs, rising on both sides, whose likeness adds up to most."""
    base_leaves = [frozenset((p, type(v), v) for p, v in leaves(base[i])) for i in left]
    head_leaves = [frozenset((p, type(v), v) for p, v in leaves(head[j])) for j in right]

    def likeness(x: frozenset[object], y: frozenset[object]) -> float:
        share = 2 * len(x & y) / (len(x) + len(y)) if x or y else 1.0
        return share if share >= _ALIKE else 0.0

    scores = [[likeness(x, y) for y in head_leaves] for x in base_leaves]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            here = best[i + 1][j + 1] + scores[i][j] if scores[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], here)
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
