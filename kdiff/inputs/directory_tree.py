"""A directory on this machine as a Tree."""

# os, not pathlib, which takes three times as long over twenty thousand files
# ruff: noqa: PTH112, PTH114, PTH115, PTH123, PTH208

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from kdiff.errors import SourceError, UnreadablePath
from kdiff.inputs.boundary import Boundary
from kdiff.inputs.git_repository import MAX_FILE, GitRepository, find_remotes
from kdiff.inputs.names import is_text, shown
from kdiff.inputs.tree_gaps import TreeGaps, may_hold_objects
from kdiff.inputs.tree_notes import TreeNotes
from kdiff.inputs.work_tree import WorkTree, find_checkout, left_out_sentence
from kdiff.model.failure import Note
from kdiff.model.tree import Gap, OutsideTree, TreeOrigin

# What the system says of a path that is not there, or that cannot be one; anything else hides what may be there.
_ABSENT = frozenset({
    None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ,
})  # fmt: skip


class DirectoryTree:
    """Reads files where they are. The boundary is the checkout around the directory, or else the directory itself.

    What git keeps for itself (`.git`) is not part of the tree, whoever names it: it may hold credentials. What `work_tree` says a
    clone would not hold is not listed, though it can be read by its own name: people generate files that kustomizations name.
    """

    def __init__(self, directory: str, origin: TreeOrigin, work_tree: WorkTree | None = None) -> None:
        root = os.path.realpath(directory)
        self.origin = origin
        self.tree_notes = TreeNotes()
        self.manifests: tuple[str, ...] = ()  # open_trees decides it, once both sides are known
        self._root = root
        self._top = find_checkout(root) or root
        self._boundary = Boundary("" if root == self._top else os.path.relpath(root, self._top), self._read_link)
        self._links: dict[str, str | None] = {}
        self._work_tree = work_tree
        self._gaps = TreeGaps()
        self._add_skipped(work_tree.skipped if work_tree else ())

    @cached_property
    def remotes(self) -> tuple[str, ...]:
        """URLs of the checkout's remotes, without credentials."""
        return find_remotes(self._top) if os.path.lexists(f"{self._top}/.git") else ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was met so far, and what of a work tree was left out."""
        if self._work_tree:
            inners = sorted(self._work_tree.ignored | self._work_tree.nested)
            if below := [path for path in map(self._boundary.outward, inners) if _is_below(path)]:
                self.tree_notes.say("left-out", "", left_out_sentence(below))
        return self.tree_notes.in_order

    @cached_property
    def paths(self) -> Collection[str]:
        """Every file below the root, sorted."""
        found: list[str] = []
        waiting = [""]
        above = f"{self._boundary.prefix}/".lstrip("/")
        while waiting:
            prefix = waiting.pop()
            try:
                with os.scandir(f"{self._root}/{prefix}") as entries:
                    for entry in entries:
                        path = prefix + entry.name
                        if entry.name == ".git" or self._leaves_out(f"{above}{path}"):
                            continue
                        if not is_text(entry.name):
                            self._meet_odd_name(path)
                        elif entry.is_dir(follow_symlinks=False):
                            waiting.append(f"{path}/")
                        elif entry.is_symlink():
                            found.append(path)
                            self._note_link(path)
                        elif entry.is_file():
                            found.append(path)
                        else:
                            reason = self.tree_notes.add("special-file", path)
                            if may_hold_objects(entry.name):
                                self._gaps.add(path, Gap("file", reason))
            except OSError as error:
                if not prefix:
                    raise SourceError(f"{self.origin.label}: this directory cannot be listed; check its permissions") from None
                path = prefix.rstrip("/")
                self._gaps.add(path, Gap("directory", self.tree_notes.add("unreadable", path, _why(error))))
        return dict.fromkeys(sorted(found)).keys()

    @property
    def gaps(self) -> Mapping[str, Gap]:
        """What is missing in `paths`."""
        self.paths  # noqa: B018 - finds them
        return self._gaps.found

    def add_gap(self, path: str, gap: Gap) -> None:
        """Let nobody look at or below `path` any more."""
        self._gaps.add(path, gap)

    @cached_property
    def submodules(self) -> Mapping[str, str | None]:
        """Those below the root whose files are no part of the tree, with their commits: all of a work tree, else the empty ones.

        An initialised submodule is a directory with files; one that is not is empty (gitsubmodules(7)).
        """
        inners = self._work_tree.submodules if self._work_tree else self._empty_submodules()
        found = {self._boundary.outward(inner): commit for inner, commit in inners.items()}
        return {path: commit for path, commit in found.items() if _is_below(path) and os.path.isdir(f"{self._root}/{path}")}

    def read(self, path: str) -> bytes:
        """Content of a file. What is there and cannot be read is noted, and raises UnreadablePath."""
        try:
            with open(self._full(path), "rb", opener=_open_at_once) as file:
                status = os.fstat(file.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE:
                    return self.tree_notes.look_at(file.read(), path)
        except OSError as error:
            self._refuse_unless_absent(error, path)
            raise FileNotFoundError(path) from None
        raise UnreadablePath(self.tree_notes.add("too-large" if stat.S_ISREG(status.st_mode) else "special-file", path))

    def is_file(self, path: str) -> bool:
        """True for a regular file. Raises UnreadablePath for a special one."""
        mode = self._mode(path)
        if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise UnreadablePath(self.tree_notes.add("special-file", path))
        return stat.S_ISREG(mode)

    def is_dir(self, path: str) -> bool:
        """True for a directory."""
        return stat.S_ISDIR(self._mode(path))

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted, those of gaps too. Raises UnreadablePath where one that is not UTF-8 may lead to objects."""
        full = self._full(path)
        try:
            names = [name for name in os.listdir(full) if name != ".git"]
        except OSError as error:
            self._refuse_unless_absent(error, path)
            raise
        above = f"{self._boundary.locate(path)}/".lstrip("/")
        names = [name for name in names if not self._leaves_out(f"{above}{name}")]
        for name in names:
            if not is_text(name) and _may_lead_to_objects(f"{full}/{name}"):
                raise UnreadablePath(self.tree_notes.add("name", self._boundary.outward(f"{above}{name}")))
        there = self._boundary.outward(above.rstrip("/"))
        hidden = (gap for gap in self._gaps.found if (posixpath.dirname(gap) or ".") == there) if self._gaps else ()
        return tuple(sorted({*filter(is_text, names), *map(posixpath.basename, hidden)}))

    def resolve(self, path: str) -> str:
        """The tree path where `path` really lies."""
        return self._boundary.outward(self._boundary.locate(path))

    def _full(self, path: str) -> str:
        inner = self._boundary.locate(path)
        if ".git" in inner.split("/"):
            raise FileNotFoundError(path)
        if self._gaps:
            self._gaps.refuse(self._boundary.outward(inner))
        return f"{self._top}/{inner}"

    def _mode(self, path: str) -> int:
        """The type of a file, 0 for what is absent or outside."""
        try:
            return os.lstat(self._full(path)).st_mode
        except OutsideTree:
            return 0
        except OSError as error:
            self._refuse_unless_absent(error, path)
            return 0

    def _refuse_unless_absent(self, error: OSError, path: str) -> None:
        if error.errno == errno.ENXIO:  # a socket (open(2))
            raise UnreadablePath(self.tree_notes.add("special-file", path)) from None
        if error.errno not in _ABSENT:
            raise UnreadablePath(self.tree_notes.add("unreadable", path, _why(error))) from None

    def _leaves_out(self, inner: str) -> bool:
        return self._work_tree is not None and self._work_tree.leaves_out(inner)

    def _meet_odd_name(self, path: str) -> None:
        reason = self.tree_notes.add("name", path)
        full = f"{self._root}/{path}"
        if _may_lead_to_objects(full):
            self._gaps.add(shown(path), Gap("directory" if os.path.isdir(full) else "file", reason))

    def _add_skipped(self, inners: Iterable[str]) -> None:
        """What a sparse checkout does not have here and may hold objects is a gap: a file, or the topmost directory that is absent."""
        for inner in filter(may_hold_objects, inners):
            place = inner
            while (above := posixpath.dirname(place)) and not os.path.lexists(f"{self._top}/{above}"):
                place = above
            path = self._boundary.outward(place)
            reason = f"{shown(path)} is left out by a sparse checkout; `git sparse-checkout disable` brings it here"
            self.tree_notes.say("sparse", path, reason)
            self._gaps.add(shown(path), Gap("file" if place == inner else "directory", reason))

    def _read_link(self, inner: str) -> str | None:
        if inner in self._links:
            return self._links[inner]
        try:
            target: str | None = os.readlink(f"{self._top}/{inner}")
        except OSError:
            target = None
        if target is not None and target.startswith("/"):
            target = f"/{target[len(self._top) :]}" if f"{target}/".startswith(f"{self._top}/") else "/.."
        self._links[inner] = target
        return target

    def _note_link(self, path: str) -> None:
        try:
            self._boundary.locate(path)
        except OutsideTree as error:
            self.tree_notes.add_link(path, error)

    def _empty_submodules(self) -> Mapping[str, str | None]:
        try:
            with open(f"{self._top}/.gitmodules", encoding="utf-8", errors="replace") as modules:
                declared = re.findall(r"^\s*path\s*=\s*(.+?)\s*$", modules.read(1 << 20), re.MULTILINE)
        except OSError:
            return {}
        inners = [posixpath.normpath(inner) for inner in declared]
        empty = [inner for inner in inners if inner.split("/")[0] not in ("", "..") and _is_empty(f"{self._top}/{inner}")]
        commits = _index_commits(self._top) if empty else {}
        return {inner: commits.get(inner) for inner in empty}


def _index_commits(top: str) -> Mapping[str, str]:
    try:
        return GitRepository(top).list_index()[0] if os.path.lexists(f"{top}/.git") else {}
    except SourceError:
        return {}


def _is_below(path: str) -> bool:
    return path.partition("/")[0] != ".."


def _is_empty(directory: str) -> bool:
    try:
        return not os.listdir(directory)
    except OSError:
        return False


def _may_lead_to_objects(full: str) -> bool:
    """Whether a file, or any below a directory, may hold manifests."""
    names: Iterable[str] = [full]
    if os.path.isdir(full) and not os.path.islink(full):
        names = (name for _, _, files in os.walk(full) for name in files)
    return any(map(may_hold_objects, names))


def _why(error: OSError) -> str:
    return (error.strerror or "unknown error").lower()


def _open_at_once(path: str, flags: int) -> int:
    """Without waiting for a FIFO's writer, and without a link: those were followed before."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
