"""Path patterns as Go reads them: path.Match for one name, doublestar for whole paths. Linear time, since patterns are foreign."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

# A brace expression that unfolds to more patterns than this matches nothing: it is an attack, not a glob.
MAX_ALTERNATIVES = 256


class _Class(NamedTuple):
    """A set of characters: those within `ranges`, or all others when `negated`."""

    negated: bool
    ranges: tuple[tuple[str, str], ...]

    def accepts(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_ANY = _Class(negated=True, ranges=())
_STAR = None


def is_pattern(path: str) -> bool:
    """True when `path` holds one of the characters that source-watcher takes for a glob (internal/builder, containsGlobChars)."""
    return any(character in path for character in "*?[]")


def match_name(pattern: str, name: str) -> bool:
    r"""Match one path segment: `*`, `?`, `[a-z]`, `[^a]`, `\` (Go path.Match). A malformed pattern matches nothing."""
    tokens = _tokens(pattern)
    if tokens is None:
        return False
    token = position = 0
    star, resume = -1, 0
    while position < len(name):
        current = tokens[token] if token < len(tokens) else _ANY
        if token < len(tokens) and current is _STAR:
            star, resume = token, position
            token += 1
        elif token < len(tokens) and current is not _STAR and current.accepts(name[position]):
            token += 1
            position += 1
        elif star >= 0:
            resume += 1
            token, position = star + 1, resume
        else:
            return False
    return all(rest is _STAR for rest in tokens[token:])


def may_match_below(pattern: str, directory: str) -> bool:
    """Whether some text that begins with `directory` and a slash may match, by `match_name`; a slash is a character like any other."""
    tokens = _tokens(pattern) or ()
    states = {0}
    for character in f"{directory}/":
        states |= {state + 1 for state in states if state < len(tokens) and tokens[state] is _STAR}
        states = {
            state + (token is not _STAR)
            for state in states
            if state < len(tokens) and ((token := tokens[state]) is _STAR or token.accepts(character))
        }
    return bool(states)


def match_path(pattern: str, path: str) -> bool:
    """Match a whole path; `**` as a segment stands for any number of them and `{a,b}` for either (bmatcuk/doublestar v4)."""
    segments = path.split("/")
    return any(_match_segments(alternative.split("/"), segments) for alternative in _alternatives(pattern))


def match_text(pattern: str, text: str) -> bool:
    """Match a whole text in which `/` is a character like any other; `{a,b}` for either (gobwas/glob without separators, Argo CD)."""
    return any(match_name(alternative, text) for alternative in _alternatives(pattern))


def _match_segments(parts: list[str], segments: list[str]) -> bool:
    """Simulate the automaton whose states are positions in `parts`."""
    states = _closure({0}, parts)
    for segment in segments:
        following = {
            state if parts[state] == "**" else state + 1 for state in states if state < len(parts) and _part_accepts(parts[state], segment)
        }
        states = _closure(following, parts)
        if not states:
            return False
    return len(parts) in states


def _part_accepts(part: str, segment: str) -> bool:
    return part == "**" or match_name(part, segment)


def _closure(states: set[int], parts: list[str]) -> set[int]:
    """The states, and those behind every `**` that may stand for nothing."""
    reached: set[int] = set()
    for state in states:
        position = state
        reached.add(position)
        while position < len(parts) and parts[position] == "**":
            position += 1
            reached.add(position)
    return reached


@lru_cache(maxsize=1024)
def _tokens(pattern: str) -> tuple[_Class | None, ...] | None:
    tokens: list[_Class | None] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            if not tokens or tokens[-1] is not _STAR:
                tokens.append(_STAR)
        elif character == "?":
            tokens.append(_ANY)
        elif character == "[":
            parsed = _character_class(pattern, position)
            if parsed is None:
                return None
            accepted, position = parsed
            tokens.append(accepted)
        else:
            if character == "\\":
                if position == len(pattern):
                    return None
                character = pattern[position]
                position += 1
            tokens.append(_Class(negated=False, ranges=((character, character),)))
    return tuple(tokens)


def _character_class(pattern: str, position: int) -> tuple[_Class, int] | None:
    """The class that begins after `[` at `position`, and where the pattern goes on behind `]`."""
    negated = pattern[position : position + 1] in ("^", "!")
    position += negated
    ranges: list[tuple[str, str]] = []
    while position < len(pattern):
        if pattern[position] == "]" and ranges:
            return _Class(negated, tuple(ranges)), position + 1
        bounds: list[str] = []
        while True:
            position += pattern[position : position + 1] == "\\"
            if position >= len(pattern):
                return None
            bounds.append(pattern[position])
            position += 1
            if len(bounds) == 2 or pattern[position : position + 1] != "-":
                break
            position += 1
        ranges.append((bounds[0], bounds[-1]))
    return None


@lru_cache(maxsize=1024)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """Every pattern that the braces of `pattern` stand for."""
    finished: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(finished) + len(waiting) > MAX_ALTERNATIVES:
            return ()
        current = waiting.pop()
        opening = _unescaped(current, "{")
        if opening < 0:
            finished.append(current)
            continue
        options, closing = _options(current, opening + 1)
        if closing < 0:
            return ()
        waiting += [current[:opening] + option + current[closing + 1 :] for option in options]
    return tuple(finished)


def _unescaped(pattern: str, wanted: str) -> int:
    position = 0
    while position < len(pattern):
        if pattern[position] == wanted:
            return position
        position += 2 if pattern[position] == "\\" else 1
    return -1


def _options(pattern: str, start: int) -> tuple[list[str], int]:
    """The comma-separated options of the brace that opened before `start`, and where it closes (-1: nowhere)."""
    options: list[str] = []
    depth, begun, position = 0, start, start
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
        elif character == "{":
            depth += 1
        elif character == "}" and depth:
            depth -= 1
        elif character == "}":
            return [*options, pattern[begun:position]], position
        elif character == "," and not depth:
            options.append(pattern[begun:position])
            begun = position + 1
        position += 1
    return [], -1
