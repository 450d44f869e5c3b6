"""Turns lists of ids into the few words that a sentence has room for, and verbs that agree with them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_API_VERSION = re.compile(r"^(?:[a-z0-9.-]+/)?v\d[a-z0-9]*/(?=[A-Z])")


def some(ids: Sequence[str], shown: int = 3) -> str:
    """`a, b, c and 4 more`, `a and b`, `a`; "" for none. Of several object ids without their API versions: `Service shop/web`."""
    if len(ids) == 1:
        return ids[0]
    short = [_API_VERSION.sub("", each) for each in ids]
    if len(short) > shown:
        return f"{', '.join(short[:shown])} and {len(short) - shown} more"
    return " and ".join([", ".join(short[:-1]), short[-1]] if short else [])


def count(number: int, noun: str) -> str:
    """`1 object`, `2 objects`."""
    return f"{number} {noun}{'s'[: number != 1]}"


def agree(ids: Sequence[str], singular: str, plural: str) -> str:
    """The form that fits `ids` as subject or object: `uses` or `use`, `it` or `them`."""
    return singular if len(ids) == 1 else plural
