"""Where any of many known texts occur in a text: complete, also for overlaps, and fast for thousands of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Literal

Role = Literal["text", "word", "base64", "password"]

SHORTEST = 6
"""Characters that a text must have to be looked for anywhere."""

# Places of a password: a key or variable of such a name, `key=value` and `key: value` within a text, the userinfo of an address.
_NAME = r"(?:pass(?:word|wd|phrase|code)?|pwd|token|(?<![a-z])pin)"
_PASSWORD_NAME = re.compile(rf"{_NAME}$", re.IGNORECASE)
_PASSWORD = re.compile(
    rf"(?:{_NAME}[\"']?[ \t]*(?:[:=]|\n[ \t]*value:)[ \t]*[\"']?|://[^/\s@:\0]*:)([^\s\"'@,;&\0]{{1,{SHORTEST - 1}}})(?=[\s\"'@,;&\0]|\Z)",
    re.IGNORECASE,
)

BREAK = r"(?:\s|\\{1,8}[nrt])"
"""What stands between lines of base64: blanks, or an escaped one, for which JSON within JSON doubles the backslashes."""

# Every text of at least SHORTEST characters holds one of its own pieces of _PIECE characters at each position that is a
# multiple of _STRIDE in the text searched, whatever its offset: _PIECE + _STRIDE - 1 <= SHORTEST.
_PIECE, _STRIDE = 4, 3

_BASE64_AFTER = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")


class SecretIndex:
    """The texts to look for.

    A `word` counts only where no letter or digit adjoins it; around `base64` the whole run is taken; a `password`, which is
    shorter than `SHORTEST`, counts only where a password stands.
    """

    def __init__(self, texts: Iterable[tuple[str, Role]]) -> None:
        """Texts shorter than `SHORTEST` are left out unless they are passwords."""
        self._by_piece: dict[str, list[tuple[str, int, Role]]] = {}
        self.passwords: set[str] = set()
        for text, role in sorted(set(texts)):
            if role == "password":
                self.passwords.add(text)
            if len(text) < SHORTEST:
                continue
            for offset in self._rarest(text):
                self._by_piece.setdefault(text[offset : offset + _PIECE], []).append((text, offset, role))

    def _rarest(self, text: str) -> range:
        """Offsets of the pieces to file `text` under: in its middle, where it begins or at its end, wherever the fewest lie yet.

        Secrets that share a beginning (`sk_live_`) would otherwise all be tried wherever that stands.
        """
        last = len(text) - SHORTEST
        fewest, chosen = math.inf, range(0)
        for start in (last // 2, 0, last):
            window = range(start, start + _STRIDE)
            filed = sum([len(self._by_piece.get(text[i : i + _PIECE], ())) for i in window])
            if filed < fewest:
                fewest, chosen = filed, window
            if not filed:
                break
        return chosen

    def __bool__(self) -> bool:
        return bool(self._by_piece or self.passwords)

    def is_password(self, name: str, text: str) -> bool:
        """True when `text` is a known password and `name`, of its field or variable, says that one stands there."""
        return text in self.passwords and bool(_PASSWORD_NAME.search(name))

    def spans(self, text: str, *, words: bool = True) -> list[tuple[int, int]]:
        """Begin and end of every stretch of `text` that known texts cover, in order, overlapping ones joined.

        Base64 in lines, also indented or with breaks that are escaped, is covered whole where it holds a known stretch.
        """
        if len(text) < SHORTEST or not self:
            return []
        found = [(begin, end) for begin, end, _ in self._occurrences(text, words=words)]
        if len(text) > _FULL_LINE:
            for match in _WRAPPED_BASE64.finditer(text):
                begin, end = _run(text, match.start(), match.start())[0], match.end()
                joined = _BREAK.sub("", text[begin:end])
                if any(role == "base64" for _, _, role in self._occurrences(joined, words=False)):
                    found.append((begin, end))
        if self.passwords:
            found += [match.span(1) for match in _PASSWORD.finditer(text) if match[1] in self.passwords]
        return _joined(found)

    def _occurrences(self, text: str, *, words: bool) -> Iterator[tuple[int, int, Role]]:
        by_piece = self._by_piece
        hits = [at for at in range(0, len(text), _STRIDE) if text[at : at + _PIECE] in by_piece]
        for at in hits:
            for known, offset, role in by_piece[text[at : at + _PIECE]]:
                begin = at - offset
                if begin < 0 or not text.startswith(known, begin):
                    continue
                end = begin + len(known)
                if role == "word":
                    if not words or text[begin - 1 : begin].isalnum() or text[end : end + 1].isalnum():
                        continue
                elif role == "base64":
                    begin, end = _run(text, begin, end)
                yield begin, end, role


# A line that is full, as wrapped base64 has them: 64 characters in PEM, 76 in MIME, fewer where a key stands before it.
_FULL_LINE = 40
_CHARACTERS = "[A-Za-z0-9+/_-]"
_BREAK = re.compile(BREAK)

# From the end of the first full line to the end of the last line. The first character is named alone, so that the search is fast.
_WRAPPED_BASE64 = re.compile(
    rf"[\s\\](?<={_CHARACTERS}{{{_FULL_LINE}}}[\s\\])(?:(?<=\s)|(?<=\\)\\{{0,7}}[nrt]){BREAK}*"
    rf"(?:{_CHARACTERS}{{{_FULL_LINE},}}{BREAK}+)*{_CHARACTERS}+={{0,2}}"
)

# How far a run of base64 is followed to either side of a secret.
_REACH = 4096


def _run(text: str, begin: int, end: int) -> tuple[int, int]:
    furthest = max(0, begin - _REACH)
    while begin > furthest and text[begin - 1] in _BASE64:
        begin -= 1
    after = _BASE64_AFTER.match(text, end, end + _REACH)
    return begin, after.end() if after else end


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans.sort()
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        if joined and begin < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
