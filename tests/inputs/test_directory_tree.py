"""DirectoryTree: files as they lie on disk."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdiff.errors import SourceError, UnreadablePath
from kdiff.inputs import directory_tree
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.model.failure import Note
from kdiff.model.tree import Gap, OutsideTree, TreeOrigin
from tests.inputs.conftest import write


def opened(path: Path) -> DirectoryTree:
    return DirectoryTree(str(path), TreeOrigin(str(path.name), "directory"))


ODD = ["with space", "quo'te\"d", "new\nline", "zażółć", "-dash", "git:main", "*", "tab\t", "😀.yaml"]


def test_paths_are_all_files_below_the_root_whatever_their_names(tmp_path: Path) -> None:
    write(tmp_path, {name: name for name in ODD})
    write(tmp_path, {"a/b/c.yaml": "", "link": "->a", ".git/config": "x", "sub/.git": "gitdir: elsewhere", ".hidden/x": ""})
    tree = opened(tmp_path)
    assert list(tree.paths) == sorted([*ODD, "a/b/c.yaml", "link", ".hidden/x"])
    assert all(tree.read(name) == name.encode() for name in ODD)
    assert tree.notes == ()


def test_links_are_followed_inside_and_told_when_they_lead_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    root = tmp_path / "tree"
    write(
        root,
        {"real/app.yaml": "inside", "link": "->real", "file": "->real/app.yaml", "out": "->../secret", "far": "->/etc", "ring": "->ring"},
    )
    write(root, {"absolute": f"->{root}/real"})
    tree = opened(root)
    for path in ("link/app.yaml", "file", "absolute/app.yaml"):
        assert tree.read(path) == b"inside"
        assert tree.is_file(path)
        assert tree.resolve(path) == "real/app.yaml"
    assert tree.is_dir("link")
    assert tree.list_dir("absolute") == ("app.yaml",)
    assert {"out", "far", "link"} <= set(tree.paths)
    for path in ("out", "far/passwd", "../secret", "/etc/passwd", "ring"):
        assert not tree.is_file(path)
        assert not tree.is_dir(path)
        for method in (tree.read, tree.list_dir, tree.resolve):
            with pytest.raises(OutsideTree):
                method(path)
    assert [(note.kind, note.message.split()[0]) for note in tree.notes] == [
        ("link-outside", "far"), ("link-outside", "out"), ("link-ring", "ring")]  # fmt: skip


def test_inside_a_checkout_the_whole_checkout_may_be_read_but_not_what_git_keeps(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    write(tmp_path / "repo", {".git/config": "token", "base/x.yaml": "x", "over/lay/y.yaml": "y", "over/to-base": "->../base"})
    tree = opened(tmp_path / "repo" / "over" / "lay")
    assert list(tree.paths) == ["y.yaml"]
    assert tree.read("../../base/x.yaml") == b"x"
    assert tree.resolve("../to-base/x.yaml") == "../../base/x.yaml"
    assert tree.list_dir("../..") == ("base", "over")
    for hidden in ("../../.git/config", "../../.git"):
        assert not tree.is_file(hidden)
        assert not tree.is_dir(hidden)
        with pytest.raises(FileNotFoundError):
            tree.read(hidden)
    with pytest.raises(OutsideTree):
        tree.read("../../../secret")


def test_what_cannot_be_read_is_not_absent_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory_tree, "MAX_FILE", 10)
    write(tmp_path, {"large.yaml": "x" * 11, "small.yaml": "x" * 10, "fine/x": ""})
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "fine" / "Kustomization")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)
        server.bind("socket")
        tree = opened(tmp_path)
        assert tree.read("small.yaml") == b"x" * 10
        for path in ("fine", "absent", "small.yaml/below"):
            with pytest.raises(FileNotFoundError):
                tree.read(path)
        for path in ("large.yaml", "pipe", "socket"):
            with pytest.raises(UnreadablePath, match=path):
                tree.read(path)
        with pytest.raises(UnreadablePath, match="pipe is no regular file"):
            tree.is_file("pipe")
        assert not tree.is_dir("pipe")
        assert set(tree.paths) == {"large.yaml", "small.yaml", "fine/x"}
        # only what may hold manifests is missing there
        assert tree.gaps == {"fine/Kustomization": Gap("file", "fine/Kustomization is no regular file and was not read")}
        assert {(note.kind, note.message.split()[0]) for note in tree.notes} == {
            ("special-file", "fine/Kustomization"),
            ("special-file", "pipe"),
            ("special-file", "socket"),
            ("too-large", "large.yaml"),
        }


@pytest.mark.parametrize(("number", "why"), [(errno.EACCES, "permission denied"), (errno.EIO, "input/output error")])
def test_what_the_system_refuses_is_not_absent_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str) -> None:
    """As a root that may read everything cannot see: `closed.yaml` cannot be opened, `dir` not listed, nothing below `dir/in` be looked at."""
    write(tmp_path, {"closed.yaml": "x", "dir/x": "", "dir/in/x": ""})

    def refusing(system: Callable[..., Any], *endings: str) -> Callable[..., Any]:
        def call(path: str, *arguments: Any, **named: Any) -> Any:
            if str(path).rstrip("/").endswith(endings):
                raise OSError(number, os.strerror(number))
            return system(path, *arguments, **named)

        return call

    for name, endings in (("open", ("closed.yaml",)), ("scandir", ("/dir",)), ("listdir", ("/dir",)), ("lstat", ("dir/in/x",))):
        monkeypatch.setattr(directory_tree.os, name, refusing(getattr(os, name), *endings))
    tree = opened(tmp_path)
    assert tree.is_file("closed.yaml")
    asked = [(tree.read, "closed.yaml"), (tree.list_dir, "dir"), (tree.is_file, "dir/in/x"), (tree.is_dir, "dir/in/x")]
    for method, path in asked:
        with pytest.raises(UnreadablePath, match=f"^{path} cannot be read: {why}$"):
            method(path)
    assert list(tree.paths) == ["closed.yaml"]
    assert tree.gaps == {"dir": Gap("directory", f"dir cannot be read: {why}")}
    with pytest.raises(UnreadablePath, match="dir cannot be read"):
        tree.is_file("dir/x")
    assert [(note.kind, note.message.split()[0]) for note in tree.notes] == [
        ("unreadable", path) for path in ("closed.yaml", "dir", "dir/in/x")
    ]


def test_a_root_that_cannot_be_listed_stops_the_run(tmp_path: Path) -> None:
    tree = opened(tmp_path / "gone")
    with pytest.raises(SourceError, match="cannot be listed"):
        len(tree.paths)


def test_names_that_are_not_utf8_are_left_out_and_noted(tmp_path: Path) -> None:
    write(tmp_path, {"plain/a.yaml": "", "odd/b.yaml": ""})
    try:
        for name in (b"plain/caf\xe9.txt", b"odd/caf\xe9.yaml"):
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
        for name in (b"plain/d\xe9r", b"d\xe9r"):
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).mkdir()
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9r/kustomization.yaml")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    tree = opened(tmp_path)
    assert list(tree.paths) == ["odd/b.yaml", "plain/a.yaml"]
    assert [(path, gap.kind) for path, gap in tree.gaps.items()] == [("d\\xe9r", "directory"), ("odd/caf\\xe9.yaml", "file")]
    assert tree.list_dir("plain") == ("a.yaml",)
    for directory in (".", "odd"):
        with pytest.raises(UnreadablePath, match="a name that is not UTF-8"):
            tree.list_dir(directory)
    named = [note.message.split()[0] for note in tree.notes if note.kind == "name"]
    assert named == ["d\\xe9r", "odd/caf\\xe9.yaml", "plain/caf\\xe9.txt", "plain/d\\xe9r"]


def test_list_dir_tells_files_from_absence(tmp_path: Path) -> None:
    write(tmp_path, {"b/x": "", "a": "", "c/.git/HEAD": ""})
    tree = opened(tmp_path)
    assert tree.list_dir(".") == ("a", "b", "c")
    assert tree.list_dir("c") == ()
    with pytest.raises(NotADirectoryError):
        tree.list_dir("a")
    with pytest.raises(FileNotFoundError):
        tree.list_dir("absent")


def test_lfs_pointers_are_noted_and_absent_submodules_known(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    modules = '[submodule "one"]\n\tpath = libs/one\n\turl = x\n[submodule "two"]\n\tpath = libs/two\n[submodule "o"]\n path = ../other\n'
    write(tmp_path, {".gitmodules": modules, ".git/x": "", "libs/two/there": "", "crd.yaml": pointer, "plain.yaml": "version: 1"})
    (tmp_path / "libs" / "one").mkdir()
    tree = opened(tmp_path)
    assert tree.read("crd.yaml") == pointer.encode()
    tree.read("plain.yaml")
    assert [(note.kind, note.message.split()[0]) for note in tree.notes] == [("lfs-pointer", "crd.yaml")]
    assert tree.submodules == {"libs/one": None}
    assert all(isinstance(note, Note) for note in tree.notes)
