"""Unified diffs of two values' own sorted YAML, quick on long texts, with secrets shown as numbered marks."""

from __future__ import annotations

from kdiff.documents.dump import dump_value
from kdiff.documents.sequences import match_sequences
from kdiff.model.mask import MASKED, TOKEN
from kdiff.model.value import Value


def unified_diff(base: Value, head: Value, base_label: str, head_label: str, context: int = 3, *, digests: bool = False) -> str:
    """A unified diff of two masked values; None stands for an object that does not exist. Empty when the texts are equal.

    Masking tokens show as `<masked>`, or `<masked 1>`, `<masked 2>` where several differ within the changed lines. With
    `digests` they show the first eight hex digits of the token instead: stable from run to run under a fixed key.
    """
    base_lines = [] if base is None else _lines(dump_value(base))
    head_lines = [] if head is None else _lines(dump_value(head))
    hunks = _hunks(base_lines, head_lines, context)
    if not hunks:
        return ""
    head_line = [f"--- {'/dev/null' if base is None else base_label}", f"+++ {'/dev/null' if head is None else head_label}"]
    return show_tokens("\n".join([*head_line, *hunks]) + "\n", digests=digests)


def show_tokens(text: str, *, digests: bool = False) -> str:
    """`text` of a unified diff with every masking token replaced by a mark that a reader can tell apart."""
    if not TOKEN.search(text):
        return text
    changed: dict[str, int] = {}
    for line in text.split("\n"):
        if line[:1] in ("+", "-"):
            for token in TOKEN.findall(line):
                changed.setdefault(token, len(changed) + 1)

    def mark(token: str) -> str:
        if digests:
            return f"<masked {token[:8]}>"
        return f"<masked {changed[token]}>" if token in changed and len(changed) > 1 else MASKED

    return TOKEN.sub(lambda match: mark(match.group(1)), text)


def _lines(text: str) -> list[str]:
    """Lines as YAML means them: only the newline ends one. Lines end in it, save a last one without."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _hunks(base: list[str], head: list[str], context: int) -> list[str]:
    blocks = _blocks(base, head)
    lines: list[str] = []
    start = 0
    while start < len(blocks):
        end = start
        while end + 1 < len(blocks) and blocks[end + 1][0] - blocks[end][1] <= 2 * context:
            end += 1
        lines += _hunk(base, head, blocks[start : end + 1], context)
        start = end + 1
    return lines


def _blocks(base: list[str], head: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs that differ: (base start, base end, head start, head end), in order."""
    matched = match_sequences(base, head)
    blocks = []
    for (a, b), (c, d) in zip([(-1, -1), *matched], [*matched, (len(base), len(head))], strict=True):
        if c - a > 1 or d - b > 1:
            blocks.append((a + 1, c, b + 1, d))
    return blocks


def _hunk(base: list[str], head: list[str], blocks: list[tuple[int, int, int, int]], context: int) -> list[str]:
    before = min(context, blocks[0][0])
    after = min(context, len(base) - blocks[-1][1])
    base_start, head_start = blocks[0][0] - before, blocks[0][2] - before
    base_end, head_end = blocks[-1][1] + after, blocks[-1][3] + after
    lines = [f"@@ -{_range(base_start, base_end)} +{_range(head_start, head_end)} @@"]
    at = base_start
    for a, a_end, b, b_end in blocks:
        lines += [" " + line for line in base[at:a]]
        lines += ["-" + line for line in base[a:a_end]]
        lines += ["+" + line for line in head[b:b_end]]
        at = a_end
    return lines + [" " + line for line in base[at:base_end]]


def _range(start: int, end: int) -> str:
    """GNU form: one line is its number alone; an empty range stands after the line before it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
