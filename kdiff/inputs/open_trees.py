"""What the user named as BASE and HEAD, opened as two Trees."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TypeAlias

from kdiff.errors import SourceError, UnreadablePath, UsageError
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.inputs.external_diff import is_external_diff, plain_label
from kdiff.inputs.find_manifests import find_manifests
from kdiff.inputs.git_repository import MAX_FILE, GitRepository
from kdiff.inputs.git_tree import GitTree
from kdiff.inputs.manifest_stream import ManifestStream
from kdiff.inputs.names import is_text, shown
from kdiff.inputs.revisions import Revision, find_commit, find_merge_base, head_of, parse_revision, place
from kdiff.inputs.submodules import compare_submodules
from kdiff.inputs.work_tree import find_work_tree
from kdiff.model.options import Options
from kdiff.model.tree import OutsideTree, Tree, TreeOrigin

_Opened: TypeAlias = DirectoryTree | GitTree | ManifestStream


@contextmanager
def open_trees(base: str, head: str, options: Options, stdin: BinaryIO | None = None) -> Iterator[tuple[Tree, Tree]]:
    """Both sides as Trees. Nothing is written anywhere; content of git objects is kept until the end.

    Each of `base` and `head` is a directory, a file of rendered manifests, `-` for standard input (one side only), or
    `git:REV[:PATH]` of the repository around the current directory, PATH counted from the top of the revision. `git:REV` without
    PATH, opposite a directory or file of the same repository, is that directory or file at REV: `kdiff git:main .` compares like
    with like everywhere in a checkout. Directories in the layout of kubectl's external diff, and such as hold rendered manifests
    only, are not built but read.

    A directory in a work tree of the repository that the other side is a revision of holds what a clone would: what git ignores,
    and other repositories, are left out of its lists. Two directories are taken as they are.

    With `options.merge_base`, base is the merge base of the revision it names and of head's, as a pull request is compared.

    Raises:
        UsageError: names that make no sense, alone or together.
        SourceError: what they name cannot be read.
    """
    if base == head == "-":
        raise UsageError("BASE and HEAD cannot both be standard input; put one of them in a file")
    repository = GitRepository(os.getcwd())  # noqa: PTH109 - a path with bytes that are not UTF-8 stays as it is
    revisions = [parse_revision(base), parse_revision(head)]
    commits = [find_commit(one, repository, options) if one else None for one in revisions]
    if options.merge_base:
        if revisions[0] is None or commits[0] is None:
            raise UsageError(f"--merge-base needs BASE to be git:REV, and {shown(base)} is not")
        commits[0] = find_merge_base(revisions[0], commits[0], commits[1] or head_of(head, repository), repository)
    trees = [
        _open_revision(place(revision, other, repository), commit, repository)
        if revision and commit
        else _open_path(argument, stdin, repository if any(revisions) else None)
        for argument, other, revision, commit in zip((base, head), (head, base), revisions, commits, strict=True)
    ]
    if not (isinstance(trees[0], ManifestStream) or isinstance(trees[1], ManifestStream)):
        compare_submodules(trees[0], trees[1])
    _settle_manifests(trees[0], trees[1], options)
    try:
        yield trees[0], trees[1]
    finally:
        repository.forget()


def _open_revision(revision: Revision, commit: str, repository: GitRepository) -> _Opened:
    path = revision.path or "."
    origin = TreeOrigin(revision.label, "git", commit)
    try:
        tree = GitTree(repository, commit, path, origin)
        if tree.is_file("."):
            return ManifestStream(_file_name(path), tree.read("."), origin)
    except OutsideTree:
        raise SourceError(f"{revision.label}: the path leads out of the repository; name one inside it") from None
    except UnreadablePath:
        raise SourceError(f"{revision.label}: the file is larger than {MAX_FILE >> 20} MiB; that is no manifest") from None
    if not tree.is_dir("."):
        raise SourceError(f"{revision.label}: the revision {shown(revision.name)} has no {shown(path)}; paths count from its top")
    return tree


def _open_path(argument: str, stdin: BinaryIO | None, repository: GitRepository | None) -> _Opened:
    """`repository` is the one that the other side is a revision of: a work tree of it then counts for what a clone would hold."""
    label = shown(argument)
    if argument == "-":
        return ManifestStream("stdin.yaml", _read_stdin(stdin), TreeOrigin(label, "stdin"))
    if not argument or "\0" in argument:
        raise UsageError("BASE or HEAD is empty; give a directory, a file, `-` or git:REV")
    try:
        mode = Path(argument).stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(argument).close()
            work_tree = find_work_tree(os.path.realpath(argument), repository) if repository else None
            return DirectoryTree(argument, TreeOrigin(label, "directory"), work_tree)
        # a FIFO is what a shell makes of `<(kustomize build ...)`
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or argument == os.devnull:
            with Path(argument).open("rb") as file:
                return ManifestStream(_file_name(argument), _bounded(file, label), TreeOrigin(label, "file"))
    except FileNotFoundError:
        raise SourceError(f"{label}: no such file or directory; a revision of git is written git:REV") from None
    except OSError as error:
        raise SourceError(f"{label}: cannot be read: {(error.strerror or 'unknown error').lower()}") from None
    raise SourceError(f"{label}: neither a directory nor a file; give one of them, `-` or git:REV")


def _read_stdin(stdin: BinaryIO | None) -> bytes:
    if stdin is None and sys.stdin is None:  # `<&-` in a shell
        raise SourceError("standard input is closed; name a file instead of -")
    try:
        return _bounded(stdin or sys.stdin.buffer, "standard input")
    except OSError as error:
        raise SourceError(f"standard input cannot be read: {(error.strerror or 'unknown error').lower()}") from None


def _bounded(file: BinaryIO, label: str) -> bytes:
    content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise SourceError(f"{label}: more than {MAX_FILE >> 20} MiB; compare parts of it")
    return content


def _file_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if name and is_text(name) else "manifests.yaml"


def _settle_manifests(base: _Opened, head: _Opened, options: Options) -> None:
    """Both sides are rendered manifests, or both are trees to build; an empty directory goes with either."""
    guess = not (options.entry or options.all_targets)
    found = [find_manifests(tree, guess=guess) for tree in (base, head)]
    if None not in found and any(found):
        for tree, manifests in zip((base, head), found, strict=True):
            tree.manifests = manifests or ()
            if is_external_diff(tree, tree.manifests):
                tree.origin = replace(tree.origin, label=plain_label(tree.origin.label))
        return
    for tree, other in ((base, head), (head, base)):
        if isinstance(tree, ManifestStream):
            raise UsageError(
                f"{tree.origin.label} holds rendered manifests, {other.origin.label} does not; "
                "render it first with kustomize build, or name a file on both sides"
            )
