"""Turns lists of ids into the few words that a sentence has room for, and verbs that agree with them."""

from __future__ import annotations

from collections.abc import Sequence


def some(ids: Sequence[str], shown: int = 3) -> str:
    """`a, b, c and 4 more`, `a and b`, `a`; "" for none."""
    if len(ids) > shown:
        return f"{', '.join(ids[:shown])} and {len(ids) - shown} more"
    return " and ".join([", ".join(ids[:-1]), ids[-1]] if len(ids) > 1 else list(ids))


def count(number: int, noun: str) -> str:
    """`1 object`, `2 objects`."""
    return f"{number} {noun}{'s'[: number != 1]}"


def agree(ids: Sequence[str], singular: str, plural: str) -> str:
    """The form that fits `ids` as subject or object: `uses` or `use`, `it` or `them`."""
    return singular if len(ids) == 1 else plural
