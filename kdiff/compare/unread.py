"""What targets that failed would have read: an object that stands on one side only may have moved into one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property

from kdiff.documents.load import load_documents
from kdiff.documents.split import DocumentError
from kdiff.errors import UnreadablePath
from kdiff.kube.definitions import may_define
from kdiff.model.object import ObjectKey
from kdiff.model.side import TargetState
from kdiff.model.tree import OutsideTree, Tree, is_manifest
from kdiff.model.value import Value


class Unread:
    """The files of one side's failed targets that the same target did not read on the other side: what it had there has not moved in.

    Of a target of which nobody could find out what it reads, these are all that differ and that no other target read.
    """

    def __init__(self, states: Iterable[TargetState], others: Iterable[TargetState]) -> None:
        """`states` and `others` are those of one scope on this side and on the other. Nothing is read before someone asks."""
        self._states = tuple(states)
        self._others = {state.target.id: state for state in others}

    def may_define(self, key: ObjectKey) -> bool:
        """Whether one of the files may define the object. Of a file that is no YAML the text decides; it may be why the target failed."""
        documents, broken = self._contents
        name = re.compile(rf"\bname['\"]?:\s*['\"]?{re.escape(key.name)}['\"]?\s*(?:[#,}}\n]|\Z)")
        return any(may_define(document, key) for document in documents) or any(name.search(text) for text in broken)

    @cached_property
    def _contents(self) -> tuple[list[Value], list[str]]:
        documents: list[Value] = []
        broken: list[str] = []
        for raw in set().union(*(self._new(state) for state in self._states if state.failure is not None)):
            found = _documents(raw)
            documents += found or ()
            broken += [] if found is not None else [raw.decode("utf-8", "replace")]
        return documents, broken

    def _new(self, state: TargetState) -> set[bytes]:
        there = self._others.get(state.target.id)
        if state.reads:
            return _files(state.target.tree, state.reads) - (_files(there.target.tree, _own(there)) if there else set())
        rendered = {path for other in self._states if other.failure is None for path in other.reads}
        below = "" if state.target.path == "." else f"{state.target.path}/"
        paths = [path for path in state.target.tree.paths if is_manifest(path) and (path not in rendered or path.startswith(below))]
        other_tree = next((other.target.tree for other in self._others.values()), None)
        if other_tree is None:
            return _files(state.target.tree, paths)
        return {raw for path in paths for raw in _files(state.target.tree, [path]) - _files(other_tree, [path])}


def _own(state: TargetState) -> Iterable[str]:
    """What a target read or, where nobody knows, may have read."""
    return state.reads or state.target.tree.paths


def _documents(raw: bytes) -> list[Value] | None:
    try:
        return load_documents(raw)
    except DocumentError:
        return None


def _files(tree: Tree, paths: Iterable[str]) -> set[bytes]:
    found = set()
    for path in paths:
        with suppress(OSError, OutsideTree, UnreadablePath):
            found.add(tree.read(path))
    return found
