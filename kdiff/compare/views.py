"""Other views of a live change: unified text with any context, and DeepDiff."""

from __future__ import annotations

from typing import Any

from kdiff.compare.equality import clone
from kdiff.compare.unified import unified_diff
from kdiff.model.change import Change
from kdiff.model.mask import TOKEN
from kdiff.model.value import Value


def unified_view(change: Change, context: int = 3) -> str:
    """The unified diff of the two sides' own YAML with `context` lines around each edit.

    Of a report that was read back from JSON, which holds no values, the text with three lines.
    """
    if change.base_value is None and change.head_value is None:
        return change.unified
    return unified_diff(change.base_value, change.head_value, change.base_id or change.id, change.id, context)


def deepdiff_view(change: Change) -> Any:
    """A `deepdiff.DeepDiff` of the two masked values; None stands for an object that does not exist.

    Secrets show as `<masked 1>`, `<masked 2>`: equal marks for equal values.
    """
    from deepdiff import DeepDiff  # noqa: PLC0415 - half a second

    marks: dict[str, str] = {}
    return DeepDiff(_shown(change.base_value, marks), _shown(change.head_value, marks), verbose_level=2)


def _shown(value: Value, marks: dict[str, str]) -> Value:
    def shown(text: str) -> str:
        return TOKEN.sub(lambda m: marks.setdefault(m.group(1), f"<masked {len(marks) + 1}>"), text)

    root: list[Value] = [clone(value)]
    stack: list[Value] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            pairs = [(shown(k), shown(v) if isinstance(v, str) else v) for k, v in sorted(node.items())]
            node.clear()
            node.update(pairs)
            stack.extend(node.values())
        elif isinstance(node, list):
            node[:] = [shown(v) if isinstance(v, str) else v for v in node]
            stack.extend(node)
    return root[0]
