r"""Which prefixes of a value a shell pattern matches, as fluxcd/pkg/envsubst/path.Match decides, for all prefixes in one pass.

Pattern: `*` any bytes, `?` one character, `[a-z]` and `[^a-z]` classes, `\c` the character c. `/` is a character like any other.
The pattern is a row of elements; bit k of a state says that the first k of them have matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_NOT_ASCII = 0x80
_REPLACEMENT = 0xFFFD  # what Go reads in place of a byte that is no UTF-8, one byte wide


@dataclass(frozen=True)
class _Class:
    bit: int
    negated: bool
    ranges: tuple[tuple[int, int], ...]

    def holds(self, rune: int) -> bool:
        return any(low <= rune <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True)
class _Pattern:
    literals: dict[int, int]  # byte -> bits of the elements that are this byte
    stars: int
    any_character: int
    classes: tuple[_Class, ...]
    accept: int

    def close(self, state: int) -> int:
        """With stars that match nothing passed."""
        return state | (state & self.stars) << 1

    def by_byte(self, state: int, byte: int) -> int:
        return self.close((state & self.literals.get(byte, 0)) << 1 | state & self.stars)

    def by_rune(self, state: int, rune: int) -> int:
        if not state:
            return 0
        hit = state & self.any_character
        for each in self.classes:
            if state & each.bit and each.holds(rune):
                hit |= each.bit
        return self.close(hit << 1)


def matched_prefixes(pattern: bytes, data: bytes) -> Iterator[int]:
    """Lengths of the non-empty prefixes of `data` that `pattern` matches whole, ascending; none when it is malformed.

    A prefix may end inside a character, since Go cuts at every byte; the torn bytes then count as a character each.
    """
    compiled = _compiled(pattern)
    if compiled is None:
        return
    ahead = {0: compiled.close(1)}  # states at this position and at the ends of characters that reach beyond it
    torn, torn_until = 0, 0  # states of the prefix that ends here, inside a character
    for at, byte in enumerate(data):
        state = ahead.pop(at, 0)
        rune, width = (byte, 1) if byte < _NOT_ASCII else _rune(data, at)
        here = compiled.by_byte(state, byte)
        if width == 1:
            here |= compiled.by_rune(state, rune)
            torn = compiled.by_byte(torn, byte) | compiled.by_rune(torn, _REPLACEMENT) if at < torn_until else 0
        else:
            ahead[at + width] = ahead.get(at + width, 0) | compiled.by_rune(state, rune)
            torn, torn_until = compiled.by_rune(state, _REPLACEMENT), at + width
        here |= ahead.get(at + 1, 0)
        if not (here or torn or ahead):
            return
        ahead[at + 1] = here
        if (here | (torn if at + 1 < torn_until else 0)) & compiled.accept:
            yield at + 1


def _rune(data: bytes, at: int) -> tuple[int, int]:
    """utf8.DecodeRune: the character that starts at `at` and its width in bytes."""
    first = data[at]
    width = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    try:
        return ord(data[at : at + width].decode()), width
    except (UnicodeDecodeError, TypeError):
        return _REPLACEMENT, 1


def _compiled(pattern: bytes) -> _Pattern | None:
    literals: dict[int, int] = {}
    stars = any_character = 0
    classes: list[_Class] = []
    at, bit = 0, 1
    while at < len(pattern):
        char = pattern[at : at + 1]
        at += 1
        if char == b"*":
            at += len(pattern[at:]) - len(pattern[at:].lstrip(b"*"))
            stars |= bit
        elif char == b"?":
            any_character |= bit
        elif char == b"[":
            ranges = _class_ranges(pattern, at + (pattern[at : at + 1] == b"^"))
            if ranges is None:
                return None
            classes.append(_Class(bit, pattern[at : at + 1] == b"^", ranges[0]))
            at = ranges[1]
        else:
            if char == b"\\":
                char = pattern[at : at + 1]
                at += 1
                if not char:
                    return None
            literals[char[0]] = literals.get(char[0], 0) | bit
        bit <<= 1
    return _Pattern(literals, stars, any_character, tuple(classes), bit)


def _class_ranges(pattern: bytes, at: int) -> tuple[tuple[tuple[int, int], ...], int] | None:
    """The ranges of a class whose first range starts at `at`, and where the class ends; None when malformed."""
    ranges: list[tuple[int, int]] = []
    while not (ranges and pattern[at : at + 1] == b"]"):
        low = _class_character(pattern, at)
        if low is None:
            return None
        high, at = low[0], low[1]
        if pattern[at : at + 1] == b"-":
            upper = _class_character(pattern, at + 1)
            if upper is None:
                return None
            high, at = upper
        ranges.append((low[0], high))
    return tuple(ranges), at + 1


def _class_character(pattern: bytes, at: int) -> tuple[int, int] | None:
    """A character of a class as getEsc of match.go reads it, perhaps escaped, that is not the last of the pattern."""
    if at >= len(pattern) or pattern[at : at + 1] in b"-]":
        return None
    at += pattern[at : at + 1] == b"\\"
    if at >= len(pattern):
        return None
    rune, width = _rune(pattern, at)
    if (rune == _REPLACEMENT and width == 1) or at + width >= len(pattern):
        return None
    return rune, at + width
