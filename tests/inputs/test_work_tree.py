"""What a clone of a work tree would not hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kdiff.errors import SourceError
from kdiff.inputs.git_repository import GitRepository
from kdiff.inputs.work_tree import WorkTree, find_work_tree, left_out_sentence
from tests.inputs.conftest import Git, write

Commit = Callable[..., str]


def found(place: str = ".") -> WorkTree | None:
    return find_work_tree(os.path.realpath(place), GitRepository(str(Path.cwd())))


def test_ignored_files_and_other_repositories_are_told_and_nothing_else(git: Git, commit: Commit, tmp_path: Path) -> None:
    head = commit({".gitignore": ".venv/\nbuild\n*.env\n", "apps/a.yaml": ""})
    write(Path.cwd(), {"build/forced.yaml": "", ".venv/lib/x": "", "apps/.env": "", "build/not": "", "new/x.yaml": "", "wei\trd/? x": ""})
    git("add", "--force", "build/forced.yaml")
    git("worktree", "add", "--quiet", "trees/one", "HEAD")
    for clone in ("clone", "build/clone"):
        git("clone", "--quiet", ".", clone)
    write(Path.cwd(), {"broken/.git/HEAD": "", "broken/a.yaml": ""})  # no repository, so a part of this one
    git("update-index", "--add", "--cacheinfo", f"160000,{head},libs/absent")
    git("clone", "--quiet", ".", "libs/there")
    git("-c", "advice.addEmbeddedRepo=false", "add", "libs/there")
    git("commit", "--quiet", "--allow-empty", "--message", "on its own", at=Path("libs/there"))
    ahead = git("rev-parse", "HEAD", at=Path("libs/there"))
    expected = WorkTree(
        frozenset({".venv", "apps/.env", "build/not", "build/clone"}),
        frozenset({"trees/one", "clone"}),
        {"libs/absent": head, "libs/there": ahead},
    )
    index = Path(".git/index").read_bytes()
    assert found() == found("apps") == expected
    assert Path(".git/index").read_bytes() == index
    assert found("libs/there") is None
    assert found(str(tmp_path)) is None


def test_a_linked_worktree_is_one_of_the_repository(git: Git, commit: Commit) -> None:
    commit({".gitignore": "x\n"})
    git("worktree", "add", "--quiet", "trees/one", "HEAD")
    write(Path("trees/one"), {"x/y": ""})
    assert found("trees/one") == WorkTree(frozenset({"x"}))


def test_nothing_that_the_repository_configures_is_started(git: Git, commit: Commit, tmp_path: Path) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    spy.chmod(0o755)
    commit({".gitignore": "x\n", ".gitattributes": "* filter=spy\n", "a.yaml": "a"})
    git("clone", "--quiet", ".", "nested")
    for key, value in (("core.fsmonitor", spy), ("filter.spy.clean", spy), ("filter.spy.process", spy), ("core.hooksPath", tmp_path)):
        git("config", key, str(value))
        git("config", key, str(value), at=Path("nested"))
    (tmp_path / "post-index-change").write_bytes(spy.read_bytes())
    write(Path.cwd(), {"a.yaml": "other", "x/y": ""})
    assert found() == WorkTree(frozenset({"x"}), frozenset({"nested"}))
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("place", ["bare.git", "bare.git/hooks", "project"])
def test_a_bare_repository_has_no_files(git: Git, commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    commit({"a.yaml": ""})
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "project/.bare"))
    write(tmp_path, {"project/.git": "gitdir: ./.bare\n"})
    (tmp_path / "bare.git/hooks").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / place)
    with pytest.raises(SourceError, match="a bare repository has no files to compare; name a revision"):
        found()
    git("worktree", "add", "--quiet", "tree", "main", at=Path.cwd() if place != "bare.git/hooks" else Path.cwd().parent)
    assert found("tree" if place != "bare.git/hooks" else "../tree") == WorkTree()


def test_what_was_left_out_is_counted_and_named() -> None:
    assert left_out_sentence(["a"]).startswith("1 file or directory that git ignores")
    assert left_out_sentence(["a", "b", "c", "d\n"]).endswith("(a kustomization may still name them): a, b, c and 1 more")
    assert left_out_sentence(["d\n"]).isprintable()
