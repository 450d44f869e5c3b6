"""Where a path of a tree really lies: links followed step by step, never out of the boundary."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from kdiff.model.tree import LinkRing, OutsideTree

_MOST_LINKS = 40  # as Linux counts them (path_resolution(7))


class Boundary:
    """Maps tree paths to inner paths, which are relative to the boundary; `""` is the boundary itself.

    A `..` in a link also goes up from a part that does not exist, which the system would refuse.

    `prefix` is the inner path of the tree's root. `read_link` gives the target of an inner path that is a symbolic link, and
    None for anything else; an absolute target must already be turned into `/` and an inner path, or into `/..` when it leads out.
    """

    def __init__(self, prefix: str, read_link: Callable[[str], str | None]) -> None:
        self.prefix = prefix
        self._read_link = read_link
        self._located: dict[str, str] = {}

    def locate(self, path: str) -> str:
        """The inner path where a tree path really lies; parts that do not exist stay. `..` is taken away first, as text.

        Raises OutsideTree; for links that lead in a ring LinkRing, which is one.
        """
        found = self._located.get(path)
        if found is None:
            found = self._located[path] = self._follow(path)
        return found

    def outward(self, inner: str) -> str:
        """The tree path of an inner path."""
        if not self.prefix:
            return inner or "."
        return posixpath.relpath(f"/{inner}", f"/{self.prefix}")

    def _follow(self, path: str) -> str:
        joined = posixpath.normpath(posixpath.join(self.prefix, path))
        if path.startswith("/") or "\0" in path:
            raise OutsideTree(path)
        pending = joined.split("/")[::-1]
        done: list[str] = []
        links = 0
        while pending:
            name = pending.pop()
            if name in ("", "."):
                continue
            if name == "..":
                if not done:
                    raise OutsideTree(path)
                done.pop()
                continue
            done.append(name)
            target = self._read_link("/".join(done))
            if target is None:
                continue
            links += 1
            if links > _MOST_LINKS:
                raise LinkRing(path)
            if target.startswith("/"):
                done.clear()
            else:
                done.pop()
            pending += target.split("/")[::-1]
        return "/".join(done)
