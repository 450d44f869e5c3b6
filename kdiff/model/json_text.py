"""JSON text of any value, however deeply nested: `json` alone gives up at Python's recursion limit."""

from __future__ import annotations

import json

from kdiff.model.value import Value


def json_text(value: Value, indent: int | None = None, *, sort_keys: bool = False) -> str:
    """What `json.dumps(value, ensure_ascii=False)` writes, also for values deeper than the interpreter's stack."""
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, sort_keys=sort_keys)
    except RecursionError:
        return _unrolled(value, indent, sort_keys=sort_keys)


def _unrolled(value: Value, indent: int | None, *, sort_keys: bool) -> str:
    """The same text, made with a stack of our own: of values still to be written, and of text to be copied."""
    out: list[str] = []
    stack: list[tuple[bool, Value, int]] = [(False, value, 0)]  # (is text, item, depth)
    while stack:
        is_text, item, depth = stack.pop()
        if is_text:
            out.append(str(item))
        elif isinstance(item, (dict, list)) and item:
            start, end = "{}" if isinstance(item, dict) else "[]"
            inner = "" if indent is None else "\n" + " " * (indent * (depth + 1))
            outer = "" if indent is None else "\n" + " " * (indent * depth)
            separator = ("," if indent is not None else ", ") + inner
            todo: list[tuple[bool, Value, int]] = [(True, start + inner, depth)]
            members = (sorted(item.items()) if sort_keys else item.items()) if isinstance(item, dict) else ((None, x) for x in item)
            for n, (key, member) in enumerate(members):
                label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
                todo += [(True, (separator if n else "") + label, depth), (False, member, depth + 1)]
            stack += [*todo, (True, outer + end, depth)][::-1]
        else:
            out.append(json.dumps(item, ensure_ascii=False))
    return "".join(out)
