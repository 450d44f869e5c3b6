"""What a tree could not read as it is meant, gathered while it is read."""

from __future__ import annotations

from kdiff.inputs.names import shown
from kdiff.model.failure import Note
from kdiff.model.tree import LinkRing, OutsideTree

# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer file begins with this line
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"

_SENTENCES = {
    "link-outside": "{} is a symbolic link that leads out of the tree; it is not followed",
    "link-ring": "{} is a symbolic link that leads back to itself; it is not followed",
    "lfs-pointer": "{} is a git LFS pointer; its content is not here and was not compared (`git lfs pull` brings it to a checkout)",
    "special-file": "{} is no regular file and was not read",
    "too-large": "{} is too large and was not read",
    "unreadable": "{} cannot be read",
    "name": "{} has a name that is not UTF-8, by which no kustomization can name it; it was not read",
}


class TreeNotes:
    """Notes about files, each said once; may be added to from several threads."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Note] = {}

    def add(self, kind: str, path: str, why: str = "") -> str:
        """Note that the file at `path`, as seen from the tree's root, is of that `kind`. Gives the sentence."""
        sentence = _SENTENCES[kind].format(shown(path)) + (f": {why}" if why else "")
        self.say(kind, path, sentence)
        return sentence

    def add_link(self, path: str, error: OutsideTree) -> None:
        """Note the link at `path`, which cannot be followed."""
        self.add("link-ring" if isinstance(error, LinkRing) else "link-outside", path)

    def say(self, kind: str, path: str, sentence: str) -> None:
        """Note `sentence` about `path`."""
        self._found[kind, path] = Note(kind, sentence)

    def look_at(self, content: bytes, path: str) -> bytes:
        """`content`, noted when it is a pointer to what git LFS keeps elsewhere."""
        if content.startswith(_LFS_POINTER):
            self.add("lfs-pointer", path)
        return content

    @property
    def in_order(self) -> tuple[Note, ...]:
        """All notes so far."""
        return tuple(self._found[key] for key in sorted(self._found.copy()))
