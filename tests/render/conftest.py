"""Trees on disk for tests of what reads and builds them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kdiff.model.tree import Gap, OutsideTree, TreeOrigin


class DiskTree:
    """The files below `root`, as they are; nothing outside `boundary` is reached."""

    origin = TreeOrigin("tree", "directory")
    remotes: tuple[str, ...] = ()
    notes: tuple[Any, ...] = ()
    manifests: tuple[str, ...] = ()
    gaps: Mapping[str, Gap] = {}

    def __init__(self, root: Path, boundary: Path | None = None) -> None:
        self.root = root.resolve()
        self.boundary = (boundary or root).resolve()
        self.directory = str(self.root)

    @property
    def paths(self) -> list[str]:
        return [str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_symlink() or p.is_file()]

    def _place(self, path: str) -> Path:
        real = Path(os.path.realpath(os.path.normpath(self.root / path)))
        if real != self.boundary and self.boundary not in real.parents:
            raise OutsideTree(path)
        return real

    def resolve(self, path: str) -> str:
        return os.path.relpath(self._place(path), self.root)

    def read(self, path: str) -> bytes:
        return self._place(path).read_bytes()

    def is_file(self, path: str) -> bool:
        return self._place(path).is_file()

    def is_dir(self, path: str) -> bool:
        return self._place(path).is_dir()

    def list_dir(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(entry.name for entry in self._place(path).iterdir()))


@pytest.fixture
def make_tree(tmp_path: Path) -> Callable[..., DiskTree]:
    """Write files (text, or a Path for a symbolic link) and give them as a tree."""

    def make(files: Mapping[str, str | Path], name: str = "tree", boundary: Path | None = None) -> DiskTree:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                file.symlink_to(content)
            else:
                file.write_text(content)
        return DiskTree(root, boundary)

    return make
