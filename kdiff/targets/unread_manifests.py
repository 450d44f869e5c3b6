"""Manifests that a change touches and that no target reads: what applies them, if anything, is not in the tree."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from kdiff.errors import UnreadablePath
from kdiff.model.failure import Note
from kdiff.model.tree import OutsideTree, Tree, is_manifest

# A note names this many files and counts the others.
_NAMED = 4
_OBJECT = tuple(re.compile(rb"^[\"' \t{,]*%b[\"']?:" % field, re.MULTILINE) for field in (b"apiVersion", b"kind"))


def note_unread_manifests(base: Tree, head: Tree, read: AbstractSet[str]) -> tuple[Note, ...]:
    """A note of kind `not-read` on the files that differ, look like Kubernetes objects and are not in `read`; none when there are none."""
    paths = sorted(path for path in {*base.paths, *head.paths} - read if is_manifest(path))
    found = [path for path in paths if _differs(_content(base, path), _content(head, path))]
    if not found:
        return ()
    named = ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
    which = "manifests differ and are" if len(found) > 1 else "manifest differs and is"
    return (Note("not-read", f"{len(found)} {which} read by no target: {named}; --entry names further directories to start from"),)


def _differs(old: bytes, new: bytes) -> bool:
    return old != new and any(all(field.search(content) for field in _OBJECT) for content in (old, new))


def _content(tree: Tree, path: str) -> bytes:
    try:
        return tree.read(path)
    except (OSError, OutsideTree, UnreadablePath):  # absent, or said elsewhere
        return b""
