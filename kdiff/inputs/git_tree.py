"""A git revision as a Tree, read from the object store; nothing is checked out."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from kdiff.errors import UnreadablePath
from kdiff.inputs.boundary import Boundary
from kdiff.inputs.git_repository import GitEntry, GitRepository
from kdiff.inputs.names import is_text, shown
from kdiff.inputs.tree_gaps import TreeGaps, may_hold_objects
from kdiff.inputs.tree_notes import TreeNotes
from kdiff.model.failure import Note
from kdiff.model.tree import Gap, OutsideTree, TreeOrigin


class GitTree:
    """The files of `commit` below `prefix`. The boundary is the revision's top, so `..` reaches the files beside `prefix`.

    A submodule is an empty directory, as in a checkout that has not fetched it, or a gap once open_trees knows that it differs.
    """

    def __init__(self, repository: GitRepository, commit: str, prefix: str, origin: TreeOrigin) -> None:
        """Raises OutsideTree for a `prefix` that leads out of the revision, SourceError where git refuses."""
        self.origin = origin
        self.manifests: tuple[str, ...] = ()  # open_trees decides it, once both sides are known
        self._repository = repository
        self.tree_notes = TreeNotes()
        self._gaps = TreeGaps()
        self._entries: dict[str, GitEntry] = {}
        self._directories: dict[str, set[str]] = {"": set()}
        self._submodules: dict[str, str] = {}
        self._oddly_named: dict[str, list[str]] = {}  # by the first part of a path that is not UTF-8: the files there
        self._endings_read: set[str] = set()
        for path, entry in repository.list_files(commit).items():
            self._add(path, entry)
        self._boundary = Boundary("", self._read_link)
        self._boundary = Boundary(self._boundary.locate(prefix), self._read_link)
        for inner, files in self._oddly_named.items():
            if self._is_below(inner):
                path = self._boundary.outward(inner)
                reason = self.tree_notes.add("name", path)
                if any(map(may_hold_objects, files)):
                    self._gaps.add(shown(path), Gap("file" if inner in files else "directory", reason))

    @property
    def remotes(self) -> tuple[str, ...]:
        """URLs of the repository's remotes, without credentials."""
        return tuple(sorted(set(self._repository.remotes.values())))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Names that are no text, submodules, links that lead out, and what was met while reading."""
        for path in self.paths:
            if self._entries[posixpath.join(self._boundary.prefix, path)].is_link:
                try:
                    self._boundary.locate(path)
                except OutsideTree as error:
                    self.tree_notes.add_link(path, error)
        return self.tree_notes.in_order

    @cached_property
    def paths(self) -> Collection[str]:
        """Every file below the root, sorted."""
        prefix = self._boundary.prefix
        start = len(prefix) + 1 if prefix else 0
        return dict.fromkeys(sorted(inner[start:] for inner in self._entries if self._is_below(inner))).keys()

    @property
    def gaps(self) -> Mapping[str, Gap]:
        """What is missing in `paths`."""
        return self._gaps.found

    def add_gap(self, path: str, gap: Gap) -> None:
        """Let nobody look at or below `path` any more."""
        self._gaps.add(path, gap)

    @property
    def submodules(self) -> Mapping[str, str]:
        """Those below the root, with their commits."""
        return {self._boundary.outward(inner): commit for inner, commit in self._submodules.items() if self._is_below(inner)}

    def read(self, path: str) -> bytes:
        """Content of a file. One that is too large is noted, and raises UnreadablePath."""
        entry = self._entries.get(self._locate(path))
        if entry is None:
            raise FileNotFoundError(path)
        content = self._repository.read(entry.oid, self._like(path))
        if content is None:
            raise UnreadablePath(self.tree_notes.add("too-large", path))
        return self.tree_notes.look_at(content, path)

    def is_file(self, path: str) -> bool:
        """True for a file."""
        return self._located(path) in self._entries

    def is_dir(self, path: str) -> bool:
        """True for a directory."""
        return self._located(path) in self._directories

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted. Raises UnreadablePath where one that is not UTF-8 may lead to objects."""
        inner = self._locate(path)
        if inner in self._entries:
            raise NotADirectoryError(path)
        if inner not in self._directories:
            raise FileNotFoundError(path)
        for odd, files in self._oddly_named.items():
            if posixpath.dirname(odd) == inner and any(map(may_hold_objects, files)):
                raise UnreadablePath(self.tree_notes.add("name", self._boundary.outward(odd)))
        return tuple(sorted(self._directories[inner]))

    def resolve(self, path: str) -> str:
        """The tree path where `path` really lies."""
        return self._boundary.outward(self._boundary.locate(path))

    def _add(self, path: str, entry: GitEntry) -> None:
        if not is_text(path):
            parts = path.split("/")
            odd = next(depth for depth, name in enumerate(parts, 1) if not is_text(name))
            self._oddly_named.setdefault("/".join(parts[:odd]), []).append(path)
            return
        if entry.is_submodule:
            self._submodules[path] = entry.oid
            self._directories[path] = set()
        else:
            self._entries[path] = entry
        parent, _, name = path.rpartition("/")
        while parent not in self._directories:
            self._directories[parent] = {name}
            parent, _, name = parent.rpartition("/")
        self._directories[parent].add(name)

    def _is_below(self, inner: str) -> bool:
        prefix = self._boundary.prefix
        return not prefix or inner.startswith(f"{prefix}/")

    def _locate(self, path: str) -> str:
        inner = self._boundary.locate(path)
        if self._gaps:
            self._gaps.refuse(self._boundary.outward(inner))
        return inner

    def _located(self, path: str) -> str | None:
        try:
            return self._locate(path)
        except OutsideTree:
            return None

    def _read_link(self, inner: str) -> str | None:
        entry = self._entries.get(inner)
        if entry is None or not entry.is_link:
            return None
        content = self._repository.read(entry.oid, (e.oid for e in self._entries.values() if e.is_link)) or b"/"
        target = content.decode("utf-8", "surrogateescape")
        return "/.." if target.startswith("/") else target

    def _like(self, path: str) -> Iterator[str]:
        """Objects that will be wanted when the file at `path` is: all of the revision with the same ending, once for each ending."""
        ending = _ending(path)
        if ending not in self._endings_read:
            self._endings_read.add(ending)
            yield from (entry.oid for inner, entry in self._entries.items() if _ending(inner) == ending)


def _ending(path: str) -> str:
    return path[max(path.rfind("."), path.rfind("/")) + 1 :]
