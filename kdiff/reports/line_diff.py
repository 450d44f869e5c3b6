"""Lines that differ between two texts, as hunks with context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdiff.documents.sequences import match_sequences


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
    for x, y in [*match_sequences(a, b), (len(a), len(b))]:
        if i < x or j < y:
            ranges.append((i, x, j, y))
        i, j = x + 1, y + 1
    return ranges


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
