"""A directory on this machine as a Tree."""

# os, not pathlib, which takes three times as long over twenty thousand files
# ruff: noqa: PTH115, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Collection
from functools import cached_property

from kdiff.errors import SourceError
from kdiff.inputs.boundary import Boundary
from kdiff.inputs.git_repository import MAX_FILE, find_remotes
from kdiff.inputs.names import is_text
from kdiff.inputs.tree_notes import TreeNotes
from kdiff.model.failure import Note
from kdiff.model.tree import OutsideTree, TreeOrigin


class DirectoryTree:
    """Reads files where they are. The boundary is the checkout around the directory, or else the directory itself.

    What git keeps for itself (`.git`) is not part of the tree, whoever names it: it may hold credentials.
    """

    def __init__(self, directory: str, origin: TreeOrigin) -> None:
        root = os.path.realpath(directory)
        self.origin = origin
        self.manifests: tuple[str, ...] = ()  # open_trees decides it, once both sides are known
        self._root = root
        self._top = find_checkout(root) or root
        self._boundary = Boundary("" if root == self._top else os.path.relpath(root, self._top), self._read_link)
        self._links: dict[str, str | None] = {}
        self._notes = TreeNotes()

    @cached_property
    def remotes(self) -> tuple[str, ...]:
        """URLs of the checkout's remotes, without credentials."""
        return find_remotes(self._top) if os.path.lexists(f"{self._top}/.git") else ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was met so far, and submodules that are not checked out."""
        self._note_submodules()
        return self._notes.in_order

    @cached_property
    def paths(self) -> Collection[str]:
        """Every file below the root, sorted."""
        found: list[str] = []
        waiting = [""]
        while waiting:
            prefix = waiting.pop()
            try:
                with os.scandir(f"{self._root}/{prefix}") as entries:
                    for entry in entries:
                        if entry.name == ".git":
                            continue
                        path = prefix + entry.name
                        if not is_text(entry.name):
                            self._notes.add("name", path)
                        elif entry.is_dir(follow_symlinks=False):
                            waiting.append(f"{path}/")
                        elif entry.is_symlink():
                            found.append(path)
                            self._note_link(path)
                        elif entry.is_file():
                            found.append(path)
                        else:
                            self._notes.add("special-file", path)
            except OSError:
                if not prefix:
                    raise SourceError(f"{self.origin.label}: this directory cannot be listed; check its permissions") from None
                self._notes.add("unreadable", prefix.rstrip("/"))
        return dict.fromkeys(sorted(found)).keys()

    def read(self, path: str) -> bytes:
        """Content of a file; FileNotFoundError also for one that cannot be read, which is noted."""
        try:
            with open(self._full(path), "rb", opener=_open_at_once) as file:
                status = os.fstat(file.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE:
                    return self._notes.look_at(file.read(), path)
        except OSError as error:
            if isinstance(error, PermissionError):
                self._notes.add("unreadable", path)
            raise FileNotFoundError(path) from None
        self._notes.add("too-large" if stat.S_ISREG(status.st_mode) else "special-file", path)
        raise FileNotFoundError(path)

    def is_file(self, path: str) -> bool:
        """True for a regular file."""
        return stat.S_ISREG(self._mode(path))

    def is_dir(self, path: str) -> bool:
        """True for a directory."""
        return stat.S_ISDIR(self._mode(path))

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted."""
        try:
            names = os.listdir(self._full(path))
        except PermissionError:
            self._notes.add("unreadable", path)
            return ()
        return tuple(sorted(name for name in names if name != ".git" and is_text(name)))

    def resolve(self, path: str) -> str:
        """The tree path where `path` really lies."""
        return self._boundary.outward(self._boundary.locate(path))

    def _full(self, path: str) -> str:
        inner = self._boundary.locate(path)
        if ".git" in inner.split("/"):
            raise FileNotFoundError(path)
        return f"{self._top}/{inner}"

    def _mode(self, path: str) -> int:
        try:
            return os.lstat(self._full(path)).st_mode
        except (OSError, OutsideTree):
            return 0

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
        except OutsideTree:
            self._notes.add("link-outside", path)

    def _note_submodules(self) -> None:
        """An initialised submodule is a directory with files; one that is not is empty (gitsubmodules(7))."""
        try:
            with open(f"{self._top}/.gitmodules", encoding="utf-8", errors="replace") as modules:
                declared = re.findall(r"^\s*path\s*=\s*(.+?)\s*$", modules.read(1 << 20), re.MULTILINE)
        except OSError:
            return
        for inner in declared:
            path = self._boundary.outward(posixpath.normpath(inner))
            if not path.startswith("../") and self.is_dir(path) and not self.list_dir(path):
                self._notes.add("submodule", path)


def _open_at_once(path: str, flags: int) -> int:
    """Without waiting for a FIFO's writer, and without a link: those were followed before."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def find_checkout(directory: str) -> str | None:
    """The top level of the git checkout that the absolute `directory` lies in, if any."""
    while not os.path.lexists(f"{directory}/.git"):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory
