"""The places of a tree that nobody can look into."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from kdiff.errors import UnreadablePath
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.tree import Gap, is_manifest


class TreeGaps:
    """Gaps by tree path, found while the tree is walked and compared with the other side."""

    def __init__(self) -> None:
        self._found: dict[str, Gap] = {}

    def add(self, path: str, gap: Gap) -> None:
        """Remember a gap; the first one at a path counts."""
        self._found.setdefault(path, gap)

    def __bool__(self) -> bool:
        """Whether there is any, as there hardly ever is."""
        return bool(self._found)

    def refuse(self, path: str) -> None:
        """Raises UnreadablePath when the normalised `path` lies at or below a gap."""
        place = path
        while place:
            if place in self._found:
                raise UnreadablePath(self._found[place].reason)
            place = posixpath.dirname(place)

    @property
    def found(self) -> Mapping[str, Gap]:
        """All so far, sorted."""
        return dict(sorted(self._found.items()))


def may_hold_objects(name: str) -> bool:
    """Whether a file that is called so, or lies at a path that ends so, may hold manifests or a kustomization."""
    return is_manifest(name) or posixpath.basename(name) in KUSTOMIZATION_NAMES
