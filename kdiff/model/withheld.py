"""Which targets may not be compared, because one failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kdiff.model.side import TargetState

Key: TypeAlias = tuple[str, str]  # (scope, target id)


def withheld_targets(base: Mapping[Key, TargetState], head: Mapping[Key, TargetState]) -> tuple[frozenset[Key], frozenset[Key]]:
    """Targets whose objects may not be compared, by side: those that failed on the other side, and those that only they lead to.

    A target below a failed one is missing on that side because nobody knows what the failed one would have rendered, so it is no
    removal; one that the other side has all the same can be compared.
    """
    return withheld_on(base, head), withheld_on(head, base)


def withheld_on(side: Mapping[Key, TargetState], other: Mapping[Key, TargetState]) -> frozenset[Key]:
    """The targets of one `side` that failed on the other, or hang below one that did and are missing there."""
    failed = {key for key, state in other.items() if state.failure is not None}
    hidden = failed & side.keys()
    grew = True
    while grew:
        below = {
            key
            for key, state in side.items()
            if state.target.parent is not None and (key[0], state.target.parent) in hidden and (key not in other or key in failed)
        }
        grew = not below <= hidden
        hidden |= below
    return frozenset(hidden)
