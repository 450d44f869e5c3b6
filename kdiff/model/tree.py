"""A tree of files that a side (base or head) is read from. Paths are POSIX, relative to the tree's root; `.` is the root."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from kdiff.errors import UnreadablePath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kdiff.model.failure import Note

SideName = Literal["base", "head"]
TreeKind = Literal["directory", "git", "file", "stdin"]


@dataclass(frozen=True)
class TreeOrigin:
    """How a tree is named in the report: `{label, kind, revision}` of report-v1."""

    label: str
    kind: TreeKind
    revision: str | None = None


@dataclass(frozen=True)
class Gap:
    """A place that a side has and nobody can look into; `reason` is a sentence that names it.

    A `file` is one that may hold manifests; a `directory` hides all that lies below it, and so does a `submodule`, whose commit
    is known to differ between the sides.
    """

    kind: Literal["file", "directory", "submodule"]
    reason: str


class Tree(Protocol):
    """Read-only view of one side's files. Implementations live in `inputs/` (and virtual ones in `targets/`).

    No method follows a path out of `boundary`, by `..` or by symbolic link: such a path raises `OutsideTree`. What is there and
    cannot be looked into (no permission, too large, a FIFO, below a gap) raises `UnreadablePath`: absent is what is known to be.
    """

    def __hash__(self) -> int:
        """By identity, so that what was found out about a tree can be kept."""

    @property
    def origin(self) -> TreeOrigin:
        """Label, kind and revision for the report."""

    @property
    def remotes(self) -> tuple[str, ...]:
        """URLs of the checkout's git remotes, to recognise a Flux or Argo CD source that is this very repository."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What could not be read as it is meant: submodules, LFS pointers, unreadable files, links that lead out; sorted.

        Some are found only when a file is read, so ask for them last.
        """

    @property
    def manifests(self) -> tuple[str, ...]:
        """Paths of the files that hold rendered manifests when the side is nothing else; empty for a tree to be built.

        When one side has any, both sides are manifests: an empty directory then stands for no objects.
        """

    @property
    def paths(self) -> Collection[str]:
        """Every file path below the root (not directories, nothing of `.git`). Symbolic links are listed, not followed."""

    @property
    def gaps(self) -> Mapping[str, Gap]:
        """What is missing in `paths` because nobody can look into it, by path, sorted.

        A name that is not UTF-8 is escaped here. Files of which only reading shows that they cannot be read are not among them.
        """

    def read(self, path: str) -> bytes:
        """Content of a file. Raises `FileNotFoundError`, `OutsideTree` or `UnreadablePath`."""

    def is_file(self, path: str) -> bool:
        """True for a file, also through a link that stays inside. False when outside or absent. Raises `UnreadablePath`."""

    def is_dir(self, path: str) -> bool:
        """True for a directory, also through a link that stays inside. False when outside or absent. Raises `UnreadablePath`."""

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted. Raises `FileNotFoundError`, `NotADirectoryError`, `OutsideTree` or `UnreadablePath`.

        What git would not put into a clone of a work tree may be left out; by its own name it can still be read.
        """

    def resolve(self, path: str) -> str:
        """`path` normalised, every symbolic link in it followed; parts that do not exist stay. Raises `OutsideTree`.

        `..` is taken away first, as text. A base that is reached through a link looks for `../x` from where it really lies, as
        kustomize does, so a build is repeatable only where its links are known.
        """


class OutsideTree(Exception):  # noqa: N818 - a fact about a path, turned into a `load-restriction` failure
    """A path leads out of the tree; `args[0]` is that path as it was written, `fault` the rest of the sentence."""

    fault = "leads out of the tree"


class LinkRing(OutsideTree):
    """A path leads in a ring of symbolic links, and so nowhere."""

    fault = "is, or lies behind, a symbolic link that leads back to itself"


def may_be_dir(tree: Tree, path: str) -> bool:
    """True for a directory, and where nobody can tell: whoever builds there will be told why it cannot be read."""
    try:
        return tree.is_dir(path)
    except UnreadablePath:
        return True


def may_be_file(tree: Tree, path: str) -> bool:
    """True for a file, and where nobody can tell."""
    try:
        return tree.is_file(path)
    except UnreadablePath:
        return True


def is_manifest(path: str) -> bool:
    """Whether a file is called like one that may hold objects."""
    return path.endswith((".yaml", ".yml", ".json"))


def find_directories(tree: Tree) -> set[str]:
    """Every directory below the root that holds a file, or that nobody can look into."""
    hidden = {path for path, gap in tree.gaps.items() if gap.kind != "file"}
    return hidden | directories_above((*tree.paths, *tree.gaps))


def directories_above(paths: Iterable[str]) -> set[str]:
    """Every directory above one of `paths`, without the root."""
    found: set[str] = set()
    for path in paths:
        parent = posixpath.dirname(path)
        while parent and parent not in found:
            found.add(parent)
            parent = posixpath.dirname(parent)
    return found


def refuse_gaps(tree: Tree, place: str) -> None:
    """Raises UnreadablePath when something at, above or below `place` is missing in `tree.paths` because nobody can look into it."""
    for path, gap in tree.gaps.items():
        if "." in (place, path) or f"{path}/".startswith(f"{place}/") or f"{place}/".startswith(f"{path}/"):
            raise UnreadablePath(gap.reason)
