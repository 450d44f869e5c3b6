"""Whether a directory holds rendered manifests and nothing to build."""

from __future__ import annotations

import re

from kdiff.errors import UnreadablePath
from kdiff.inputs.external_diff import is_external_diff
from kdiff.inputs.manifest_stream import ManifestStream
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.tree import Tree

_API_VERSION = re.compile(rb"""^["']?apiVersion["']?[ \t]*:|"apiVersion"\s*:""", re.MULTILINE)
_KIND = re.compile(rb"""^["']?kind["']?[ \t]*:|"kind"\s*:""", re.MULTILINE)
_CONTENT = re.compile(rb"^(?!---)[^#\s]", re.MULTILINE)
# Objects that lead to other directories of the tree: such a tree is followed, not merely read.
_FLUX = re.compile(rb"""^apiVersion:[ \t]*["']?(?:kustomize\.toolkit\.fluxcd\.io|fluxcd\.controlplane\.io)/""", re.MULTILINE)
_ARGO = re.compile(rb"""^kind:[ \t]*["']?Application(?:Set)?\b""", re.MULTILINE)


def find_manifests(tree: Tree, *, guess: bool) -> tuple[str, ...] | None:
    """Paths of the rendered manifests, () for a tree without files, None for a tree to be built.

    Surely manifests are a file, standard input, and the layout of kubectl's external diff. With `guess`, so is a tree without
    any kustomization whose YAML files all hold objects, none of which leads Flux or Argo CD to other directories.

    Raises:
        UnreadablePath: it is rendered manifests, and one of them, or a directory, cannot be read: its objects have not left.
    """
    if isinstance(tree, ManifestStream):
        return tree.manifests
    try:
        names = tree.list_dir(".")
    except UnreadablePath:
        return _guess(tree) if guess else None
    if not names:
        return ()
    if is_external_diff(tree, names):
        return names
    return _guess(tree) if guess else None


def _guess(tree: Tree) -> tuple[str, ...] | None:
    if any(path.rpartition("/")[2] in KUSTOMIZATION_NAMES for path in (*tree.paths, *tree.gaps)):
        return None
    found: list[str] = []
    unreadable = [gap.reason for gap in tree.gaps.values()]
    for path in tree.paths:
        if path.startswith(".") or "/." in path or not path.endswith((".yaml", ".yml", ".json")):
            continue
        try:
            if not tree.is_file(path):
                continue
            content = tree.read(path)
        except UnreadablePath as error:
            unreadable.append(str(error))
            continue
        if _API_VERSION.search(content) and _KIND.search(content):
            if _FLUX.search(content) or (b"argoproj.io/" in content and _ARGO.search(content)):
                return None
            found.append(path)
        elif not path.endswith(".json") and _CONTENT.search(content):
            return None
    if found and unreadable:
        raise UnreadablePath(f"{tree.origin.label}: {unreadable[0]}, and rendered manifests are compared whole")
    return tuple(found) or None
