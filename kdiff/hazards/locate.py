"""Where in the tree at head a hazard comes from: the document of its object or, where that left, the kustomization it left."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.hazards.rule import Context, Finding
from kdiff.kube.fields import mapping, text
from kdiff.model.hazard import SourceLocation
from kdiff.model.object import ObjectKey
from kdiff.model.side import TargetState
from kdiff.model.tree import OutsideTree

_FIRST_FIELD = re.compile(rb"^(?:apiVersion|kind):", re.MULTILINE)
# kustomize api/konfig, RecognizedKustomizationFileNames.
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class Locator:
    """Finds objects in the files that their targets read. Names are compared as written, so a prefix or a hash hides an object."""

    def __init__(self, context: Context) -> None:
        """Files are read when first asked for."""
        self._context = context
        self._files: dict[str, bytes] = {}

    def locate(self, finding: Finding) -> SourceLocation | None:
        """The place to show beside the finding, or None where it cannot be known."""
        if finding.source is not None or finding.object is None:
            return finding.source
        place = (finding.scope, finding.object)
        at_head = self._context.head_by_id.get(place, ())
        if at_head:
            found = (self._in_files(self._context.head_states[finding.scope, obj.target], obj.generator or obj.key) for obj in at_head)
            return next((location for location in found if location is not None), None)
        at_base = self._context.base_by_id.get(place, ())
        return self._kustomization(self._context.head_states.get((finding.scope, at_base[0].target))) if at_base else None

    def _in_files(self, state: TargetState, key: ObjectKey) -> SourceLocation | None:
        if state.target.tree is not self._context.head.tree:
            return None  # paths of an assembled artifact are not paths of the tree
        found = (SourceLocation(path, line) for path in state.reads for line in self._lines(path, key))
        return next(found, None)

    def _lines(self, path: str, key: ObjectKey) -> Iterator[int]:
        if not path.endswith((".yaml", ".yml")):
            return
        content = self._content(path)
        name, kind = key.name.encode(), key.kind.encode()
        if name not in content or kind not in content:
            return
        try:
            for document in split_documents(content):
                if name in document.raw and kind in document.raw:
                    value = load_document(document.raw)
                    if text(value, "kind") == key.kind and text(mapping(value, "metadata"), "name") == key.name:
                        first = _FIRST_FIELD.search(document.raw)
                        yield document.line + (document.raw.count(b"\n", 0, first.start()) if first else 0)
        except DocumentError:
            return  # a file that is not plain YAML, such as a template

    def _content(self, path: str) -> bytes:
        if path not in self._files:
            try:
                self._files[path] = self._context.head.tree.read(path)
            except (OSError, OutsideTree):
                self._files[path] = b""
        return self._files[path]

    def _kustomization(self, state: TargetState | None) -> SourceLocation | None:
        if state is None or state.target.tree is not self._context.head.tree:
            return None
        names = (posixpath.normpath(posixpath.join(state.target.path, name)) for name in _KUSTOMIZATIONS)
        return next((SourceLocation(name) for name in names if name in state.reads), None)
