"""What lies in a git work tree and would not be in a clone of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from kdiff.errors import SourceError
from kdiff.inputs.git_repository import NO_WORK_TREE, GitRepository
from kdiff.inputs.names import shown

_NAMED = 3  # so many are named, the others counted


@dataclass(frozen=True)
class WorkTree:
    """By path from the top: what git ignores, other repositories (clones, linked worktrees), and submodules with their commits.

    A submodule's commit is what it has checked out, or else what the index asks for; None where git does not say. `skipped` are the
    files of the index that a sparse checkout does not have here: a clone would.
    """

    ignored: frozenset[str] = frozenset()
    nested: frozenset[str] = frozenset()
    submodules: Mapping[str, str | None] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def leaves_out(self, inner: str) -> bool:
        """Whether a clone would not hold what lies at `inner`, while it may hold the directory around it."""
        return inner in self.ignored or inner in self.nested or inner in self.submodules


def find_checkout(directory: str) -> str | None:
    """The top level of the git checkout that the absolute `directory` lies in, if any."""
    while not os.path.lexists(f"{directory}/.git"):
        parent = os.path.dirname(directory)  # noqa: PTH120 - a path with bytes that are not UTF-8 stays as it is
        if parent == directory:
            return None
        directory = parent
    return directory


def find_work_tree(directory: str, repository: GitRepository) -> WorkTree | None:
    """The work tree of `repository` around a directory, given by its real path; None when that is no part of it.

    Nothing but `git ls-files` and `git rev-parse` runs, which start no hook or filter and write no index.

    Raises:
        SourceError: the directory is that of a bare repository, or git refuses.
    """
    top = find_checkout(directory)
    if top is None or not _is_same(GitRepository(top), repository):
        if _is_same(GitRepository(directory), repository):
            raise SourceError(NO_WORK_TREE)
        return None
    checkout = GitRepository(top)
    submodules, nested, skipped = checkout.list_index()
    commits = {inner: checked_out(f"{top}/{inner}") or commit for inner, commit in submodules.items()}
    absent = tuple(path for path in skipped if not os.path.lexists(f"{top}/{path}"))
    return WorkTree(frozenset(checkout.list_ignored()), frozenset(nested), commits, absent)


def checked_out(directory: str) -> str | None:
    """The commit of the repository at `directory`; None when none is there, or git does not say."""
    if not os.path.lexists(f"{directory}/.git"):
        return None
    try:
        return GitRepository(directory).find_commit("HEAD")
    except SourceError:
        return None


def left_out_sentence(paths: list[str]) -> str:
    """What a note says about `paths`, of which there is one at least."""
    named = ", ".join(shown(path) for path in paths[:_NAMED]) + (f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else "")
    what = (
        "1 file or directory that git ignores, or that is another repository, is"
        if len(paths) == 1
        else (f"{len(paths)} files and directories that git ignores, or that are other repositories, are")
    )
    return f"{what} left out, as a clone would not have them (a kustomization may still name them): {named}"


def _is_same(one: GitRepository, other: GitRepository) -> bool:
    try:
        return one.common_directory == other.common_directory
    except SourceError:
        return False
