"""GitTree: a revision reads as a checkout of it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kdiff.errors import UnreadablePath
from kdiff.inputs import git_repository
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.inputs.git_repository import GitRepository
from kdiff.inputs.git_tree import GitTree
from kdiff.model.tree import Gap, OutsideTree, Tree, TreeOrigin
from tests.inputs.conftest import Git

Commit = Callable[..., str]

FILES = {
    "kustomization.yaml": "resources: [apps]\n",
    "apps/web/deployment.yaml": "kind: Deployment\n",
    "apps/web/config/app.properties": "a=1\r\nb = \xff\n",
    "apps/with space/quo'te\"d.yaml": "",
    "apps/new\nline.yaml": "x: 1\n",
    "apps/zażółć/😀.yml": "",
    "-dash": "-",
    "binary": b"\0\xff\n\n",
    "no-ending/Kustomization": "{}",
    "current": "->apps/web",
    "apps/again": "->../current/config",
    "apps/file.yaml": "->web/deployment.yaml",
    "ring": "->ring",
    "out": "->../../etc",
    "far": "->/etc/passwd",
    "dangling": "->nothing/here",
    "script.sh": "#!/bin/sh\n",
}
ASKED = [
    *FILES, ".", "..", "apps", "apps/web", "current/deployment.yaml", "current/../binary", "apps/again/app.properties", "nothing", "binary/x",
    "apps/./web//config", "far/x", "out/passwd", "../x", "/etc/passwd", "apps/again/../web",
]  # fmt: skip


def opened(commit: str, prefix: str = ".") -> GitTree:
    return GitTree(GitRepository(str(Path.cwd())), commit, prefix, TreeOrigin("git:x", "git", commit))


def answers(tree: Tree, path: str) -> list[object]:
    return [answer(method, path) for method in (tree.is_file, tree.is_dir, tree.read, tree.list_dir, tree.resolve)]


def answer(method: Callable[[str], object], path: str) -> object:
    try:
        return method(path)
    except OSError:
        return "absent"
    except OutsideTree:
        return "outside"


@pytest.mark.parametrize("prefix", [".", "apps", "apps/web", "current"])
def test_a_revision_reads_as_its_checkout_does(commit: Commit, prefix: str) -> None:
    head = commit(FILES)
    checkout = DirectoryTree(str(Path.cwd() / prefix), TreeOrigin("x", "directory"))
    revision = opened(head, prefix)
    assert list(revision.paths) == list(checkout.paths)
    for path in [*ASKED, *(f"../{path}" for path in ASKED), *(f"../../{path}" for path in ASKED)]:
        assert answers(revision, path) == answers(checkout, path), path
    assert [(note.kind, note.message) for note in revision.notes] == [(note.kind, note.message) for note in checkout.notes]


def test_it_is_the_revision_and_not_the_checkout_that_is_read(git: Git, commit: Commit) -> None:
    old = commit({"a.yaml": "old", "gone.yaml": ""})
    commit({"a.yaml": "new"})
    git("rm", "--quiet", "gone.yaml")
    Path("untracked.yaml").write_text("")
    tree = opened(old)
    assert tree.read("a.yaml") == b"old"
    assert list(tree.paths) == ["a.yaml", "gone.yaml"]


def test_a_linked_worktree_is_a_place_like_any_other(git: Git, commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = commit({"a.yaml": "a"})
    git("worktree", "add", "--quiet", str(tmp_path / "linked"), "HEAD")
    monkeypatch.chdir(tmp_path / "linked")
    assert opened(head).read("a.yaml") == b"a"


def test_submodules_are_empty_directories_or_gaps(git: Git, commit: Commit) -> None:
    head = commit({"apps/a.yaml": ""})
    git("update-index", "--add", "--cacheinfo", f"160000,{head},apps/vendored")
    git("update-index", "--add", "--cacheinfo", f"160000,{head},elsewhere")
    git("commit", "--quiet", "--message", "submodules")
    tree = opened(git("rev-parse", "HEAD"), "apps")
    assert list(tree.paths) == ["a.yaml"]
    assert tree.is_dir("vendored")
    assert tree.list_dir("vendored") == ()
    assert not tree.is_file("vendored")
    assert tree.submodules == {"vendored": head}
    tree.add_gap("vendored", Gap("submodule", "vendored differs"))
    assert tree.gaps == {"vendored": Gap("submodule", "vendored differs")}
    for method in (tree.is_dir, tree.is_file, tree.read, tree.list_dir):
        for path in ("vendored", "vendored/x"):
            with pytest.raises(UnreadablePath, match="vendored differs"):
                method(path)


def test_lfs_pointers_and_files_beyond_the_limit_are_noted(commit: Commit, monkeypatch: pytest.MonkeyPatch) -> None:
    head = commit({"crd.yaml": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "big.txt": "x" * 1001})
    tree = opened(head)
    assert tree.read("crd.yaml").startswith(b"version ")
    monkeypatch.setattr(git_repository, "_READ_AHEAD", 1000)
    monkeypatch.setattr(git_repository, "MAX_FILE", 1000)
    with pytest.raises(UnreadablePath, match=r"big\.txt is too large"):
        tree.read("big.txt")
    assert [(note.kind, note.message.split()[0]) for note in tree.notes] == [("lfs-pointer", "crd.yaml"), ("too-large", "big.txt")]


def test_names_that_are_not_utf8_are_left_out_and_noted(git: Git, commit: Commit) -> None:
    commit({"a.yaml": "", "plain/a.yaml": ""})
    blob = git("hash-object", "-w", "--stdin", stdin=b"x")
    names = (b"odd/caf\xe9.yaml", b"plain/caf\xe9.txt", b"plain/d\xe9r/pic.png", b"d\xe9r/x/kustomization.yaml", b"d\xe9r/pic.png")
    git("update-index", "-z", "--index-info", stdin=b"".join(f"100644 {blob}\t".encode() + name + b"\0" for name in names))
    git("commit", "--quiet", "--message", "latin")
    tree = opened(git("rev-parse", "HEAD"))
    assert list(tree.paths) == ["a.yaml", "plain/a.yaml"]
    assert [(path, gap.kind) for path, gap in tree.gaps.items()] == [("d\\xe9r", "directory"), ("odd/caf\\xe9.yaml", "file")]
    assert tree.list_dir("plain") == ("a.yaml",)
    with pytest.raises(UnreadablePath, match="a name that is not UTF-8"):
        tree.list_dir(".")
    named = [note.message.split()[0] for note in tree.notes if note.kind == "name"]
    assert named == ["d\\xe9r", "odd/caf\\xe9.yaml", "plain/caf\\xe9.txt", "plain/d\\xe9r"]


def test_files_of_one_ending_take_one_call(commit: Commit, monkeypatch: pytest.MonkeyPatch) -> None:
    head = commit({f"d{n}/{name}": f"{n} {name}" for n in range(30) for name in ("a.yaml", "b.conf", "Kustomization")})
    tree = opened(head)
    calls: list[object] = []
    real = git_repository.capture
    monkeypatch.setattr(git_repository, "capture", lambda command: calls.append(command) or real(command))
    assert all(tree.read(path) == f"{path[1 : path.index('/')]} {Path(path).name}".encode() for path in tree.paths)
    assert len(calls) == 3


@pytest.mark.parametrize("prefix", ["..", "a/../..", "out"])
def test_a_root_outside_the_revision_is_refused(commit: Commit, prefix: str) -> None:
    head = commit({"out": "->../..", "a/b": ""})
    with pytest.raises(OutsideTree):
        opened(head, prefix)


def test_remotes_are_told_without_credentials(git: Git, commit: Commit) -> None:
    git("remote", "add", "origin", "https://user:secret@example.org/o/r")
    assert opened(commit({})).remotes == ("https://example.org/o/r",)
