"""`git:REV[:PATH]`: what it names, and the commit it stands for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from kdiff.errors import SourceError, UsageError
from kdiff.inputs.git_repository import GitRepository, fetch_line
from kdiff.inputs.names import shown
from kdiff.inputs.work_tree import find_checkout
from kdiff.model.options import Options

_PREFIX = "git:"
# A colon inside braces belongs to the revision: `HEAD@{10:30}`, `HEAD^{/fix: typo}` (gitrevisions(7)).
_FORM = re.compile(r"git:((?:\{[^}]*\}|[^:{])*)(?::(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Revision:
    """One side as it was written, and its two parts; `path` is None where none was written."""

    label: str
    name: str
    path: str | None


def parse_revision(argument: str) -> Revision | None:
    """None for an argument that names no git revision. Raises UsageError for one that names an empty one."""
    if not argument.startswith(_PREFIX):
        return None
    form = _FORM.fullmatch(argument)
    if form is None or not form[1]:
        raise UsageError(f"{shown(argument)}: write git:REV or git:REV:PATH, for example git:main or git:HEAD~1:clusters/prod")
    return Revision(shown(argument), form[1], form[2])


def place(revision: Revision, other: str, repository: GitRepository) -> Revision:
    """`revision` with a path from the revision's top; without one of its own, that of the `other` side in this repository.

    A PATH that begins with `./` or `../` counts from the current directory (gitrevisions(7)).
    """
    here = os.path.realpath(os.getcwd())  # noqa: PTH109 - a path with bytes that are not UTF-8 stays as it is
    if revision.path is None:
        inner = _path_in(os.path.realpath(other), repository) if _exists(other) else "."
        return replace(revision, path=inner, label=revision.label if inner == "." else f"{revision.label}:{shown(inner)}")
    if revision.path.split("/")[0] in (".", ".."):
        inner = os.path.normpath(f"{_path_in(here, repository)}/{revision.path}")
        return replace(revision, path=inner)
    return replace(revision, path=revision.path.lstrip("/") or ".")


def find_commit(revision: Revision, repository: GitRepository, options: Options) -> str:
    """The commit that `revision` names. Raises SourceError with the command that fetches it, where a shallow clone may lack it."""
    commit = repository.find_commit(revision.name)
    if commit is not None:
        return commit
    name = shown(revision.name)
    if repository.is_shallow:
        fetch = fetch_line(repository, revision.name, history=options.merge_base)
        raise SourceError(f"{revision.label}: this clone is shallow and lacks the revision {name}; run: {fetch}")
    near = repository.find_remote_names(revision.name)
    hint = f"did you mean {_PREFIX}{near[0]}?" if near else "`git branch --all` and `git tag` list what there is"
    raise SourceError(f"{revision.label}: the repository has no commit named {name}; {hint}")


def find_merge_base(base: Revision, base_commit: str, head_commit: str, repository: GitRepository) -> str:
    """The merge base of two commits. Raises SourceError where they have none, or a shallow clone lacks it."""
    commit = repository.find_merge_base(base_commit, head_commit)
    if commit is not None:
        return commit
    if repository.is_shallow:
        fetch = fetch_line(repository, base.name, history=True)
        raise SourceError(f"{base.label}: this clone is shallow and lacks the merge base; run: {fetch}")
    raise SourceError(f"{base.label}: it has no ancestor in common with HEAD; leave out --merge-base")


def head_of(directory: str, repository: GitRepository) -> str:
    """The commit that the checkout around `directory` has checked out. Raises UsageError for one of another repository."""
    top = find_checkout(os.path.realpath(directory)) if _exists(directory) else None
    checkout = GitRepository(top) if top else None
    commit = checkout.find_commit("HEAD") if checkout and checkout.common_directory == repository.common_directory else None
    if commit is None:
        raise UsageError(f"--merge-base needs HEAD to be git:REV or a directory of this repository, and {shown(directory)} is neither")
    return commit


def _path_in(real: str, repository: GitRepository) -> str:
    """Where an existing path lies in its checkout, `.` for the top and for whatever is no part of `repository`."""
    top = find_checkout(real)
    try:
        same = top is not None and GitRepository(top).common_directory == repository.common_directory
    except SourceError:
        same = False
    return os.path.relpath(real, top) if same else "."


def _exists(argument: str) -> bool:
    return bool(argument) and "\0" not in argument and os.path.exists(argument)  # noqa: PTH110 - as above
