"""What targets that failed would have read: an object that stands on one side only may have moved into one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.errors import UnreadablePath
from kdiff.kube.definitions import may_define
from kdiff.model.object import ObjectKey
from kdiff.model.side import TargetState
from kdiff.model.tree import OutsideTree
from kdiff.model.value import Value


class Unread:
    """The files of one side's failed targets that the same target did not read on the other side: what it had there has not moved in."""

    def __init__(self, states: Iterable[TargetState], others: Iterable[TargetState]) -> None:
        """`states` and `others` are those of one scope on this side and on the other. Nothing is read before someone asks."""
        self._failed = [state for state in states if state.failure is not None]
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
        for state in self._failed:
            there = self._others.get(state.target.id)
            for raw in set(_files(state)) - set(_files(there) if there else ()):
                found = _documents(raw)
                documents += found or ()
                broken += [] if found is not None else [raw.decode("utf-8", "replace")]
        return documents, broken


def _documents(raw: bytes) -> list[Value] | None:
    try:
        return [load_document(document.raw) for document in split_documents(raw)]
    except DocumentError:
        return None


def _files(state: TargetState) -> Iterator[bytes]:
    """What a target reads; all below its directory where nobody could find out what that is."""
    tree, path = state.target.tree, state.target.path
    below = "" if path == "." else f"{path}/"
    for file in state.reads or (p for p in tree.paths if p.startswith(below)):
        with suppress(OSError, OutsideTree, UnreadablePath):
            yield tree.read(file)
