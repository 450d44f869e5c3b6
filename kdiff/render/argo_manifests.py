"""Which files of a plain directory Argo CD takes for manifests (reposerver/repository.go, getPotentiallyValidManifests)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.kube.fields import text
from kdiff.kube.globs import match_text
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value

SKIP_MARKER = b"+argocd:skip-file-rendering"
_EXTENSIONS = (".yaml", ".yml", ".json")
_MANIFEST_WORDS = (b"apiVersion:", b"kind:", b"metadata:")


def manifest_files(tree: Tree, directory: str, options: Mapping[str, Value]) -> Iterator[str]:
    """Paths of manifests, from `directory`, in order of names. `options` is spec.source.directory.

    Only with `recurse` are sub-directories read, and links to directories never are. `include` and `exclude` are globs over the
    path in which `*` crosses slashes (gobwas/glob without separators). Jsonnet is left out, and so are kustomizations,
    which Argo CD would send to the cluster as objects.
    """
    include, exclude = text(dict(options), "include"), text(dict(options), "exclude")
    any_extension = options.get("disableExtensionFilter") is True
    waiting = [""]
    while waiting:
        relative = waiting.pop()
        path = posixpath.normpath(posixpath.join(directory, relative))
        if not relative or tree.is_dir(path):
            if not relative or (options.get("recurse") is True and path not in tree.paths):
                waiting += [posixpath.join(relative, name) for name in reversed(_names(tree, path))]
            continue
        if not (any_extension or relative.endswith(_EXTENSIONS)) or posixpath.basename(relative) in KUSTOMIZATION_NAMES:
            continue
        if (exclude and match_text(exclude, relative)) or (include and not match_text(include, relative)):
            continue
        if _is_manifest(tree, path):
            yield relative


def _names(tree: Tree, path: str) -> tuple[str, ...]:
    try:
        return tree.list_dir(path)
    except (OSError, OutsideTree):
        return ()


def _is_manifest(tree: Tree, path: str) -> bool:
    """False for what Argo CD passes over: marked files, and YAML that neither is nor looks like a Kubernetes object.

    A file that looks like one and cannot be read stays in, so that the build fails as Argo CD's does (getObjsFromYAMLOrJSON).
    """
    try:
        content = tree.read(path)
    except OutsideTree:
        return True  # refused before the build, as Argo CD refuses the link
    except OSError:
        return False
    if SKIP_MARKER in content:
        return False
    looks_like_one = path.endswith(".json") or all(word in content for word in _MANIFEST_WORDS)
    has_objects = False
    try:
        for document in split_documents(content):
            if not text(load_document(document.raw), "kind"):
                return has_objects or looks_like_one
            has_objects = True
    except DocumentError:
        return has_objects or looks_like_one
    return has_objects
