"""Lets texts that are masked in part be parsed: marks, which every format reads, stand for the masking tokens meanwhile."""

from __future__ import annotations

import re
from collections import defaultdict

from kdiff.model.json_text import json_text
from kdiff.model.mask import MASKED, TOKEN
from kdiff.model.value import Value

# A token that stands alone may stand for a number, which JSON has without quotes: its mark is one of 16 digits, which every
# format reads exactly. Beside letters and digits it is a word, so that no longer number comes of it.
_MARK = re.compile(r"9731\d{12}")
_ALONE = re.compile(rf"(?<![\w.+-]){TOKEN.pattern}(?![\w.+-])")
_QUOTING = re.compile(r"[^'\"\\]")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]{0,2}[ \t]*$", re.MULTILINE)


def mark_tokens(before: str, after: str) -> tuple[str, str]:
    """Both texts with a mark for each token, equal for equal ones; nothing of either where something in them looks like a mark."""
    if _MARK.search(before) or _MARK.search(after):
        return "", ""
    numbers: dict[str, int] = defaultdict(lambda: 9731 * 10**12 + len(numbers))

    def marked(text: str) -> str:
        alone = _ALONE.sub(lambda match: str(numbers[match[1]]), text)
        return TOKEN.sub(lambda match: f"m{numbers[match[1]]}m", alone)

    return marked(before), marked(after)


def quoted_alike(before: str, after: str) -> bool:
    """True when what both texts hide is quoted the same way in both, so that equal tokens mean equal values in YAML and TOML.

    A backslash means another thing in other quotes, and a token does not tell whether it stands for one.
    """
    styles = [_styles(text) for text in (before, after)]
    common = styles[0].keys() & styles[1].keys()
    if not common:
        return True
    headers = [set(_BLOCK_HEADER.findall(text)) for text in (before, after)]
    return headers[0] == headers[1] and all(styles[0][token] == styles[1][token] for token in common)


def _styles(text: str) -> dict[str, set[str]]:
    """For each token the quotes and backslashes of every line where it stands."""
    styles: dict[str, set[str]] = defaultdict(set)
    for line in text.split("\n"):
        for token in TOKEN.findall(line):
            styles[token].add(_QUOTING.sub("", line))
    return styles


def holds_mark(value: Value) -> bool:
    """True when a mark stands anywhere in `value`, keys included."""
    return bool(_MARK.search(value if isinstance(value, str) else json_text(value)))


def hide_marks(path: str) -> str:
    """`path` with `<masked>` for each mark."""
    return re.sub(rf"m?{_MARK.pattern}m?", MASKED, path)
