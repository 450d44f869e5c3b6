"""One file, or standard input, of rendered manifests as a Tree."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping

from kdiff.errors import SourceError
from kdiff.inputs.tree_notes import TreeNotes
from kdiff.model.failure import Note
from kdiff.model.tree import Gap, OutsideTree, TreeOrigin


class ManifestStream:
    """A tree whose only file, `name`, holds rendered manifests."""

    remotes: tuple[str, ...] = ()
    gaps: Mapping[str, Gap] = {}

    def __init__(self, name: str, content: bytes, origin: TreeOrigin) -> None:
        """Raises SourceError for content that is no text, and so neither YAML nor JSON."""
        try:
            is_text = "\0" not in content.decode("utf-8")
        except UnicodeDecodeError:
            is_text = False
        if not is_text:
            raise SourceError(f"{origin.label}: neither YAML nor JSON; give UTF-8 text, as kustomize build writes it")
        self.origin = origin
        self.manifests = (name,)
        self._name = name
        self._notes = TreeNotes()
        self._content = self._notes.look_at(content, name)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Whether the file is a pointer to what git LFS keeps elsewhere."""
        return self._notes.in_order

    @property
    def paths(self) -> Collection[str]:
        """The one file."""
        return self.manifests

    def read(self, path: str) -> bytes:
        """Content of the file."""
        if self.resolve(path) != self._name:
            raise FileNotFoundError(path)
        return self._content

    def is_file(self, path: str) -> bool:
        """True for the one file."""
        return posixpath.normpath(path) == self._name

    def is_dir(self, path: str) -> bool:
        """True for the root."""
        return posixpath.normpath(path) == "."

    def list_dir(self, path: str) -> tuple[str, ...]:
        """The one name."""
        if self.is_file(path):
            raise NotADirectoryError(path)
        if self.resolve(path) != ".":
            raise FileNotFoundError(path)
        return self.manifests

    def resolve(self, path: str) -> str:
        """`path` normalised."""
        plain = posixpath.normpath(path)
        if plain.startswith(("/", "../")) or plain == "..":
            raise OutsideTree(path)
        return plain
