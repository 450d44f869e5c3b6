"""Submodules: whether what they hold is the same on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kdiff.inputs.names import shown
from kdiff.inputs.tree_notes import TreeNotes
from kdiff.model.tree import Gap


class HoldsSubmodules(Protocol):
    """A side that may have submodules whose files are no part of it."""

    @property
    def submodules(self) -> Mapping[str, str | None]:
        """The commit of each by tree path below the root; None where nobody can tell it."""

    @property
    def tree_notes(self) -> TreeNotes:
        """Where notes go."""

    def add_gap(self, path: str, gap: Gap) -> None:
        """Let nobody look at or below `path` any more."""

    def is_dir(self, path: str) -> bool:
        """As a tree has it."""


def compare_submodules(base: HoldsSubmodules, head: HoldsSubmodules) -> None:
    """Note each submodule that is the same on both sides, and make a gap of each that is not.

    One with the same commit holds the same files, so it may count as an empty directory on both sides, which is also what a clone
    without --recurse-submodules has (gitsubmodules(7)). Where neither side can tell the commit, both are taken as they lie there.
    """
    for path in sorted({*base.submodules, *head.submodules}):
        having = [side for side in (base, head) if path in side.submodules]
        commits = {side.submodules[path] for side in having}
        said = f"{shown(path)} is a git submodule"
        if len(having) == 2 and len(commits) == 1:
            at = f"at {commit} " if (commit := commits.pop()) else "not checked out "
            _note(having, path, f"{said}, {at}on both sides; its files are no part of the comparison")
            continue
        reason = f"{said}: {_state(base, path)} in base, {_state(head, path)} in head; its files cannot be compared"
        for side in having:
            side.add_gap(path, Gap("submodule", reason))
        _note(having, path, reason)


def _note(sides: list[HoldsSubmodules], path: str, sentence: str) -> None:
    for side in sides:
        side.tree_notes.say("submodule", path, sentence)


def _state(side: HoldsSubmodules, path: str) -> str:
    if path in side.submodules:
        return f"at {side.submodules[path] or 'an unknown commit'}"
    return "a directory of files" if side.is_dir(path) else "none"
