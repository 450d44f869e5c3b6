"""Finds what two sequences have in common, in order: a patience diff whose work is bounded."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

_CELLS = 1_000_000  # of exact matching in all, half a second; what is left beyond that counts as replaced


def match_sequences(base: Sequence[Hashable], head: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Index pairs of equal elements, rising on both sides.

    Elements that are unique on both sides anchor the match (patience); the gaps between anchors are matched exactly by longest
    common subsequence while the budget lasts. Never quadratic in the length of a text with few repeated lines.
    """
    pairs: list[tuple[int, int]] = []
    budget = _CELLS
    stack = [(0, len(base), 0, len(head))]
    while stack:
        i, i_end, j, j_end = stack.pop()
        while i < i_end and j < j_end and base[i] == head[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        while i < i_end and j < j_end and base[i_end - 1] == head[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            pairs.append((i_end, j_end))
        if i == i_end or j == j_end:
            continue
        anchors = _anchors(base, head, i, i_end, j, j_end)
        if anchors:
            pairs.extend(anchors)
            for (a, b), (c, d) in zip([(i - 1, j - 1), *anchors], [*anchors, (i_end, j_end)], strict=True):
                if c - a > 1 and d - b > 1:
                    stack.append((a + 1, c, b + 1, d))
            continue
        cells = (i_end - i) * (j_end - j)
        if cells <= budget:
            budget -= cells
            pairs.extend(_longest_common(base, head, i, i_end, j, j_end))
    return sorted(pairs)


def _anchors(base: Sequence[Hashable], head: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int) -> list[tuple[int, int]]:
    """Elements that stand once on each side, as many as rise on both."""
    count_base, count_head = Counter(base[i:i_end]), Counter(head[j:j_end])
    place = {head[k]: k for k in range(j, j_end) if count_head[head[k]] == 1}
    candidates = [(k, place[base[k]]) for k in range(i, i_end) if count_base[base[k]] == 1 and base[k] in place]
    tails: list[int] = []
    tail_at: list[int] = []
    previous = [-1] * len(candidates)
    for n, (_, b) in enumerate(candidates):
        at = bisect_left(tails, b)
        previous[n] = tail_at[at - 1] if at else -1
        if at == len(tails):
            tails.append(b)
            tail_at.append(n)
        else:
            tails[at] = b
            tail_at[at] = n
    chain: list[tuple[int, int]] = []
    n = tail_at[-1] if tail_at else -1
    while n >= 0:
        chain.append(candidates[n])
        n = previous[n]
    return chain[::-1]


def _longest_common(base: Sequence[Hashable], head: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int) -> list[tuple[int, int]]:
    width = j_end - j
    rows = [[0] * (width + 1)]
    for a in range(i_end - 1, i - 1, -1):
        below, row = rows[-1], [0] * (width + 1)
        for b in range(width - 1, -1, -1):
            row[b] = below[b + 1] + 1 if base[a] == head[j + b] else max(below[b], row[b + 1])
        rows.append(row)
    rows.reverse()
    pairs, a, b = [], 0, 0
    while a < i_end - i and b < width:
        if base[i + a] == head[j + b]:
            pairs.append((i + a, j + b))
            a, b = a + 1, b + 1
        elif rows[a + 1][b] >= rows[a][b + 1]:
            a += 1
        else:
            b += 1
    return pairs
