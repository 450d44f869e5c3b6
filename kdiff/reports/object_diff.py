"""The unified YAML diff of one change, with as much context as was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kdiff.model.change import Change
from kdiff.model.mask import TOKEN, has_token
from kdiff.model.value import Value
from kdiff.reports.escape import visible
from kdiff.reports.line_diff import line_hunks

DEFAULT_CONTEXT = 3  # of Change.unified
WHOLE = 1_000_000_000  # context that shows whole objects
NO_NEWLINE = "\\ No newline at end of file"

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def object_diff(change: Change, context: int = DEFAULT_CONTEXT) -> tuple[str, ...]:
    """Lines of the hunks (`@@` headers, then lines with their sign), made inert; no `---`/`+++` header, no newlines.

    More context than `Change.unified` holds needs the values of a live report; a saved report shows what it has.
    """
    lines: Iterable[str]
    if context > DEFAULT_CONTEXT and (change.base_value is not None or change.head_value is not None):
        lines = _from_values(change.base_value, change.head_value, context)
    elif context < DEFAULT_CONTEXT:
        lines = _narrowed(_body(change.unified), context)
    else:
        lines = _body(change.unified)
    return tuple(visible(line, keep_tabs=True) for line in lines)


def diff_header(change: Change) -> tuple[str, str]:
    """`--- base/<id>` and `+++ head/<id>` with the scope after a tab, where diff -u puts a time."""
    scope = visible(change.scope)
    base = f"base/{visible(change.base_id)}\t{scope}" if change.base_id and change.status != "added" else "/dev/null"
    head = f"head/{visible(change.id)}\t{scope}" if change.status != "removed" else "/dev/null"
    return f"--- {base}", f"+++ {head}"


def _body(unified: str) -> list[str]:
    lines = unified.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    start = next((i for i, line in enumerate(lines) if line.startswith("@@")), 0)
    return lines[start:]


def _narrowed(lines: list[str], context: int) -> list[str]:
    """The same hunks with less context around each difference."""
    base = head = 0
    kept: list[str] = []
    block: list[tuple[str, int, int]] = []

    def flush() -> None:
        touched = [i for i, (line, _, _) in enumerate(block) if line[:1] in "+-"]
        keep = sorted({j for i in touched for j in range(max(0, i - context), min(len(block), i + context + 1))})
        runs: list[list[int]] = []
        for i in keep:
            if runs and i == runs[-1][-1] + 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        for run in runs:
            part = [block[i] for i in run]
            removed = sum(line[:1] not in "+\\" for line, _, _ in part)
            added = sum(line[:1] not in "-\\" for line, _, _ in part)
            first_base, first_head = part[0][1], part[0][2]
            kept.append(f"@@ -{first_base - (removed == 0)},{removed} +{first_head - (added == 0)},{added} @@")
            kept.extend(line for line, _, _ in part)
        block.clear()

    for line in lines:
        start = _HUNK.match(line)
        if start:
            flush()
            base, head = int(start[1]), int(start[2])
            continue
        block.append((line, base, head))
        base += line[:1] not in "+\\"
        head += line[:1] not in "-\\"
    flush()
    return kept


def _from_values(base: dict[str, Value] | None, head: dict[str, Value] | None, context: int) -> Iterator[str]:
    from kdiff.documents.dump import dump_value  # noqa: PLC0415 - only where more context is asked for

    texts = _show_tokens(dump_value(base) if base is not None else "", dump_value(head) if head is not None else "")
    for hunk in line_hunks(*texts, context):
        yield hunk.header
        for sign, line in hunk.lines:
            yield sign + line.removesuffix("\n")


def _show_tokens(base: str, head: str) -> tuple[str, str]:
    """Masking tokens as Change.unified shows them: `<masked>` where both sides hold it, else numbered in order of appearance."""
    if not (has_token(base) or has_token(head)):
        return base, head
    both = set(TOKEN.findall(base)) & set(TOKEN.findall(head))
    numbers: dict[str, int] = {}

    def shown(match: re.Match[str]) -> str:
        digest = match[1]
        return "<masked>" if digest in both else f"<masked {numbers.setdefault(digest, len(numbers) + 1)}>"

    return TOKEN.sub(shown, base), TOKEN.sub(shown, head)
