"""The two directories that `kubectl diff` hands to an external diff program, and what in them nobody asked for.

Facts: k8s.io/kubectl pkg/cmd/diff/diff.go. LIVE holds what the cluster has, MERGED what a dry run of the apply answers. kubectl takes
managedFields out of both unless it is given --show-managed-fields, and replaces the values of Secrets by asterisks.
"""

from __future__ import annotations

import re

from kdiff.model.options import IgnoreRule
from kdiff.model.tree import Tree

# InfoObject.Name: `[group.]version.Kind.namespace.name`, the namespace empty where there is none.
_FILE = re.compile(r"(?:[a-z0-9.-]+\.)?v[0-9]+(?:(?:alpha|beta)[0-9]+)?\.[A-Z][A-Za-z0-9]*\.[a-z0-9-]*\.[^/]+")
# CreateDirectory: os.MkdirTemp puts a number behind the name.
_DIRECTORY = re.compile(r"(?:.*/)?(LIVE|MERGED)-[0-9]+/*")

# The API server counts generation up with every change of a spec, in the dry run too, and resourceVersion with every write between
# the two reads (API conventions, metadata). What else it owns is the same on both sides, or a real difference: `status` is a field
# like others where a custom resource has no such subresource.
_SERVER_OWNED = ("/metadata/generation", "/metadata/resourceVersion")


def is_external_diff(tree: Tree, names: tuple[str, ...]) -> bool:
    """Whether `names`, all that the tree's root holds, are the files of one such directory."""
    return bool(names) and all(_FILE.fullmatch(name) and tree.is_file(name) for name in names)


def plain_label(label: str) -> str:
    """`LIVE` or `MERGED` for kubectl's temporary directories, whose names differ in every run; any other label as it is."""
    found = _DIRECTORY.fullmatch(label)
    return found[1] if found else label


def server_owned(base: Tree, head: Tree) -> tuple[IgnoreRule, ...]:
    """Rules that leave out what only the API server decides, if both sides are such directories."""
    for tree in (base, head):
        if tree.origin.kind != "directory" or not is_external_diff(tree, tree.manifests):
            return ()
    return tuple(IgnoreRule(pointer=pointer, origin="kubectl diff:") for pointer in _SERVER_OWNED)
