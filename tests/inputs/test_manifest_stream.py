"""ManifestStream: a tree of one file."""

from __future__ import annotations

import pytest

from kdiff.errors import SourceError
from kdiff.inputs.manifest_stream import ManifestStream
from kdiff.model.tree import OutsideTree, TreeOrigin

ORIGIN = TreeOrigin("base.yaml", "file")


def test_it_holds_its_one_file() -> None:
    tree = ManifestStream("base.yaml", b"kind: X\n", ORIGIN)
    assert tree.manifests == tree.paths == tree.list_dir(".") == ("base.yaml",)
    assert tree.read("./base.yaml") == b"kind: X\n"
    assert tree.is_file("base.yaml")
    assert tree.is_dir(".")
    assert tree.resolve("a/../base.yaml") == "base.yaml"
    assert not tree.is_file("other.yaml")
    assert not tree.is_dir("base.yaml")
    assert tree.notes == ()
    for path in ("../x", "..", "/etc/passwd"):
        with pytest.raises(OutsideTree):
            tree.read(path)
    with pytest.raises(FileNotFoundError):
        tree.read("other.yaml")
    with pytest.raises(FileNotFoundError):
        tree.list_dir("other")
    with pytest.raises(NotADirectoryError):
        tree.list_dir("base.yaml")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n", b"a: \xff", b"kind: X\0", "kind: X".encode("utf-16")])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(SourceError, match=r"base\.yaml: neither YAML nor JSON"):
        ManifestStream("base.yaml", content, ORIGIN)


def test_an_lfs_pointer_is_noted() -> None:
    (note,) = ManifestStream("b", b"version https://git-lfs.github.com/spec/v1\n", ORIGIN).notes
    assert note.kind == "lfs-pointer"
