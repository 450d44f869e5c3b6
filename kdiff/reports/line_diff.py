"""Lines that differ between two texts, as hunks with context: a patience diff that stays fast on long texts."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# difflib may take cubic time; beyond this many pairs of lines, without a line in common that is unique, it is a replacement.
_DIFFLIB_LIMIT = 40_000


@dataclass(frozen=True)
class Hunk:
    """Neighbouring differences. Starts count lines from 0; `lines` are (sign, line), sign one of blank, `-`, `+`."""

    base_start: int
    base_count: int
    head_start: int
    head_count: int
    lines: tuple[tuple[str, str], ...]

    @property
    def header(self) -> str:
        """`@@ -1,3 +1,4 @@`, numbered as diff -u does: an empty range names the line before it."""
        base = f"-{self.base_start + (self.base_count > 0)},{self.base_count}"
        head = f"+{self.head_start + (self.head_count > 0)},{self.head_count}"
        return f"@@ {base} {head} @@"


def split_lines(text: str) -> list[str]:
    """Lines with their newline. Only LF ends a line; the last one may lack it."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def line_hunks(base: str, head: str, context: int) -> tuple[Hunk, ...]:
    """Hunks that turn `base` into `head`, with up to `context` equal lines around each; none for equal texts."""
    a, b = split_lines(base), split_lines(head)
    return tuple(_hunks(a, b, _differences(a, b), context))


def _differences(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Ranges (a_from, a_to, b_from, b_to) that differ, in order."""
    ranges: list[tuple[int, int, int, int]] = []
    i = j = 0
    for x, y, size in [*_matches(a, b), (len(a), len(b), 0)]:
        if i < x or j < y:
            ranges.append((i, x, j, y))
        i, j = x + size, y + size
    return ranges


def _matches(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    """Equal blocks (a_start, b_start, size), in order."""
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(a), 0, len(b))]
    while todo:
        a_from, a_to, b_from, b_to = todo.pop()
        start, end = 0, 0
        limit = min(a_to - a_from, b_to - b_from)
        while start < limit and a[a_from + start] == b[b_from + start]:
            start += 1
        while end < limit - start and a[a_to - 1 - end] == b[b_to - 1 - end]:
            end += 1
        if start:
            found.append((a_from, b_from, start))
        if end:
            found.append((a_to - end, b_to - end, end))
        a_from, b_from, a_to, b_to = a_from + start, b_from + start, a_to - end, b_to - end
        if a_from == a_to or b_from == b_to:
            continue
        anchors = _anchors(a, range(a_from, a_to), b, range(b_from, b_to))
        if anchors:
            for x, y in [*anchors, (a_to, b_to)]:
                todo.append((a_from, x, b_from, y))
                a_from, b_from = x, y
        elif (a_to - a_from) * (b_to - b_from) <= _DIFFLIB_LIMIT:
            matcher = SequenceMatcher(None, a[a_from:a_to], b[b_from:b_to], autojunk=False)
            found += [(a_from + m.a, b_from + m.b, m.size) for m in matcher.get_matching_blocks() if m.size]
    return sorted(found)


def _anchors(a: Sequence[str], in_a: range, b: Sequence[str], in_b: range) -> list[tuple[int, int]]:
    """Lines that stand exactly once on each side, in the longest run that keeps their order (patience diff)."""
    times_a, times_b = Counter(a[i] for i in in_a), Counter(b[j] for j in in_b)
    where = {b[j]: j for j in in_b if times_b[b[j]] == 1}
    pairs = [(i, where[a[i]]) for i in in_a if times_a[a[i]] == 1 and a[i] in where]
    tails: list[int] = []
    ends: list[int] = []
    previous = [-1] * len(pairs)
    for k, (_, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        if at == len(tails):
            tails.append(j)
            ends.append(k)
        else:
            tails[at], ends[at] = j, k
        previous[k] = ends[at - 1] if at else -1
    chain: list[tuple[int, int]] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        chain.append(pairs[k])
        k = previous[k]
    return chain[::-1]


def _hunks(a: Sequence[str], b: Sequence[str], ranges: list[tuple[int, int, int, int]], context: int) -> Iterator[Hunk]:
    group: list[tuple[int, int, int, int]] = []
    for this in ranges:
        if group and this[0] - group[-1][1] > 2 * context:
            yield _hunk(a, b, group, context)
            group = []
        group.append(this)
    if group:
        yield _hunk(a, b, group, context)


def _hunk(a: Sequence[str], b: Sequence[str], group: list[tuple[int, int, int, int]], context: int) -> Hunk:
    before = min(context, group[0][0])
    a_start, b_start = group[0][0] - before, group[0][2] - before
    lines: list[tuple[str, str]] = []
    at = a_start
    for a_from, a_to, b_from, b_to in group:
        lines += [(" ", line) for line in a[at:a_from]]
        lines += [("-", line) for line in a[a_from:a_to]]
        lines += [("+", line) for line in b[b_from:b_to]]
        at = a_to
    lines += [(" ", line) for line in a[at : at + context]]
    removed = sum(sign != "+" for sign, _ in lines)
    return Hunk(a_start, removed, b_start, sum(sign != "-" for sign, _ in lines), tuple(lines))
