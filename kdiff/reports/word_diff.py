"""Which words differ between a removed line and the added line that replaces it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from kdiff.model.value import Value

# A line of text, or its parts in turn: equal, different, equal, ... (the first may be empty).
Marked = str | list[Value]

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # words of one line; beyond, a line is one change
_ALIKE = 0.4  # share of equal words below which marking words tells nothing


def mark_words(lines: Sequence[str]) -> list[Marked]:
    """Lines of a unified diff; each keeps its sign. A run of `-` followed by a run of `+` is paired line by line."""
    marked: list[Marked] = list(lines)
    at = 0
    while at < len(lines):
        start = at
        while at < len(lines) and lines[at].startswith("-"):
            at += 1
        middle = at
        while at < len(lines) and lines[at].startswith("+"):
            at += 1
        for removed, added in zip(range(start, middle), range(middle, at), strict=False):
            marked[removed], marked[added] = _mark_pair(lines[removed], lines[added])
        if at == start:
            at += 1
    return marked


def _mark_pair(removed: str, added: str) -> tuple[Marked, Marked]:
    before, after = _WORDS.findall(removed[1:]), _WORDS.findall(added[1:])
    if not before or not after or max(len(before), len(after)) > _LONGEST:
        return removed, added
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    equal = sum(len(word) for block in blocks for word in before[block.a : block.a + block.size] if not word.isspace())
    total = max(sum(len(word) for word in words if not word.isspace()) for words in (before, after))
    if equal < _ALIKE * total and not _same_key(removed, added):
        return removed, added
    return (
        _parts(removed[0], before, [(block.a, block.size) for block in blocks]),
        _parts(added[0], after, [(block.b, block.size) for block in blocks]),
    )


def _same_key(removed: str, added: str) -> bool:
    """True for two values of one YAML key."""
    key, colon, _ = removed[1:].partition(": ")
    return bool(colon) and added[1:].startswith(key + colon)


def _parts(sign: str, words: list[str], equal: Sequence[tuple[int, int]]) -> Marked:
    parts = [sign]
    at = 0
    for start, size in equal:
        if start > at:
            parts.append("".join(words[at:start]))
            parts.append("")
        parts[-1] += "".join(words[start : start + size])
        at = start + size
    if len(parts) > 1 and not parts[-1]:
        parts.pop()
    return [*parts] if len(parts) > 1 else parts[0]
