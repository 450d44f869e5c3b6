"""How far a run has come, for a progress bar or a caller's own display."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """`done` of `total` builds known so far are finished; `target` is the id of the last one. `total` grows as trees are followed."""

    done: int
    total: int
    target: str
