"""Matches the elements of a list by key: declared merge keys, a user's own, and names that identify elements by custom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kdiff.model.options import ListKey
from kdiff.model.value import Value

Key = tuple[Value, ...]

# fields that, where every element of an undeclared list has a distinct one, say which element is which
_CUSTOMARY = ("name", "id", "key", "host")

# Expansion of $(NAME) in env values: k8s.io/kubernetes/third_party/forked/golang/expansion; `$$` escapes
_EXPANSION = re.compile(r"\$\$|\$\(([^()]*)\)")


def element_keys(items: Sequence[Value], keys: Sequence[tuple[str, str | None]]) -> list[Key] | None:
    """The key of each element in order, or None when one lacks a key field, holds no scalar there, or two are equal."""
    found: list[Key] = []
    for item in items:
        if not isinstance(item, dict):
            return None
        key: list[Value] = []
        for name, default in keys:
            value = item.get(name)
            if value is None:
                value = default
            if value is None or isinstance(value, (dict, list)):
                return None
            key.extend((type(value).__name__, value))
        found.append(tuple(key))
    return found if len(set(found)) == len(found) else None


def key_values(key: Key) -> list[Value]:
    """The values in a key from `element_keys`, which holds each one's type beside it so that 1 and true differ."""
    return list(key[1::2])


def customary_key(base: Sequence[Value], head: Sequence[Value]) -> tuple[tuple[str, str | None], ...] | None:
    """A field that identifies every element of both lists by a distinct string or number, or None."""
    if not base or not head:
        return None
    for name in _CUSTOMARY:
        keys = ((name, None),)
        if all(
            element_keys(items, keys) is not None and all(isinstance(i, dict) and type(i[name]) in (str, int) for i in items)
            for items in (base, head)
        ):
            return keys
    return None


def user_list_keys(rules: Sequence[ListKey], group: str, kind: str) -> Mapping[str, tuple[tuple[str, str | None], ...]]:
    """Dotted path (list marks `[]` left out) to key fields, from the user's rules for this kind."""
    names = {kind, f"{group}/{kind}"}
    return {rule.path.replace("[]", "").strip("."): tuple((k, None) for k in rule.keys) for rule in rules if rule.kind in names}


def env_order_differs(base: Sequence[Value], head: Sequence[Value]) -> bool:
    """True when some `$(NAME)` of an env list finds its variable on one side only because of the order.

    A reference is expanded only from entries that stand earlier in the list (docs, "Define Dependent Environment Variables").
    """
    resolved_base, resolved_head = _resolved(base), _resolved(head)
    return any(resolved_head[name] != found for name, found in resolved_base.items() if name in resolved_head)


def _resolved(env: Sequence[Value]) -> dict[str, dict[str, bool]]:
    """Variable name to the references in its value and whether each is defined before it. Only names of the list itself count."""
    entries = [(e.get("name"), e.get("value")) for e in env if isinstance(e, dict)]
    names = {name for name, _ in entries}
    seen: set[Value] = set()
    found: dict[str, dict[str, bool]] = {}
    for name, value in entries:
        if isinstance(name, str):
            references = set(_EXPANSION.findall(value)) - {""} if isinstance(value, str) else set()
            found[name] = {r: r in seen for r in references & names}
        seen.add(name)
    return found
