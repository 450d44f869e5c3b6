"""When two values are the same: strict about types, safe at any depth; and fingerprints to look values up by."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kdiff.model.mask import OPEN
from kdiff.model.value import Scalar, Value


def is_number(value: Value) -> bool:
    """True for int and float; a boolean is no number though Python thinks so."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_scalar(base: Scalar, head: Scalar) -> bool:
    """Equal as JSON: numbers by value (1 and 1.0), everything else by type and value (true is not 1)."""
    if type(base) is type(head):
        return base == head
    return is_number(base) and is_number(head) and base == head


def same_value(base: Value, head: Value) -> bool:
    """Equal as JSON values, at any depth. The order of keys does not matter."""
    stack = [(base, head)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            stack.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif isinstance(b, (dict, list)) or not same_scalar(a, b):
            return False
    return True


def surely_same(base: Value, head: Value) -> bool:
    """True only for values that are the same; fast where they differ, False as well where only a slow look could tell."""
    try:
        if base != head:
            return False
    except RecursionError:
        return False
    return same_value(base, head)


def leaves(value: Value) -> Iterator[tuple[tuple[str, ...], Scalar]]:
    """(path, scalar) of every scalar. List places are `*`; an empty list or map, and what lies below 50 levels, is one leaf."""
    stack: list[tuple[tuple[str, ...], Value]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if not isinstance(node, (dict, list)):
            yield path, node
        elif not node or len(path) == 50:
            yield path, fingerprint(node)
        elif isinstance(node, dict):
            stack.extend(((*path, key), item) for key, item in node.items())
        else:
            stack.extend(((*path, "*"), item) for item in node)


def fingerprint(value: Value) -> str:
    """Text to match values by: equal only for values that are the same, though not for all of those.

    1 and 1.0 get different texts, and of values a thousand levels deep each its own: decide with `same_value`.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        return f"deep {id(value)}"


def clone(value: Value) -> Value:
    """A deep copy, at any depth."""
    root: list[Value] = [value]
    stack: list[dict[str, Value] | list[Value]] = [root]
    while stack:
        parent = stack.pop()
        places = list(parent.items()) if isinstance(parent, dict) else list(enumerate(parent))
        for place, node in places:
            if isinstance(node, (dict, list)):
                copied: dict[str, Value] | list[Value] = dict(node) if isinstance(node, dict) else list(node)
                parent[place] = copied  # type: ignore[index]
                stack.append(copied)
    return root[0]


def holds_token(value: Value) -> bool:
    """True when a masking token stands anywhere in `value`, keys included."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if OPEN in node:
                return True
        elif isinstance(node, dict):
            if any(OPEN in key for key in node):
                return True
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return False
