"""`git:REV[:PATH]`: its parts, and the commit it stands for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kdiff.errors import SourceError, UsageError
from kdiff.inputs.git_repository import GitRepository
from kdiff.inputs.revisions import Revision, find_commit, parse_revision, place
from kdiff.model.options import Options
from tests.inputs.conftest import Git

Commit = Callable[..., str]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("git:main", ("main", None)),
        ("git:main:", ("main", "")),
        ("git:main:clusters/prod", ("main", "clusters/prod")),
        ("git:feature/x~2:a:b", ("feature/x~2", "a:b")),
        ("git:HEAD@{10:30}", ("HEAD@{10:30}", None)),
        ("git:HEAD^{/fix: typo}:a b", ("HEAD^{/fix: typo}", "a b")),
        ("git:main:new\nline", ("main", "new\nline")),
        ("main", None),
        ("./git:main", None),
        ("-", None),
    ],
)
def test_parts(argument: str, expected: tuple[str, str | None] | None) -> None:
    found = parse_revision(argument)
    assert (found and (found.name, found.path)) == expected


@pytest.mark.parametrize("argument", ["git:", "git::path", "git:HEAD@{1"])
def test_a_revision_without_a_name_is_misuse(argument: str) -> None:
    with pytest.raises(UsageError, match="write git:REV or git:REV:PATH"):
        parse_revision(argument)


@pytest.mark.parametrize(
    ("written", "here", "other", "path", "label"),
    [
        (None, ".", ".", ".", "git:main"),
        (None, "apps", ".", "apps", "git:main:apps"),
        (None, ".", "apps/web", "apps/web", "git:main:apps/web"),
        (None, "apps/web", "..", "apps", "git:main:apps"),
        (None, ".", "apps/web/a.yaml", "apps/web/a.yaml", "git:main:apps/web/a.yaml"),
        (None, "apps", "-", ".", "git:main"),
        (None, "apps", "git:other", ".", "git:main"),
        (None, "apps", "/", ".", "git:main"),
        ("", "apps", ".", ".", "git:main"),
        ("apps", "apps", "web", "apps", "git:main"),
        ("/apps/", "apps", ".", "apps/", "git:main"),
        ("./web", "apps", ".", "apps/web", "git:main"),
        (".", "apps", ".", "apps", "git:main"),
        ("../x", "apps/web", ".", "apps/x", "git:main"),
        ("../../x", "apps", ".", "../x", "git:main"),
    ],
)
def test_where_a_path_counts_from(
    commit: Commit, monkeypatch: pytest.MonkeyPatch, written: str | None, here: str, other: str, path: str, label: str
) -> None:
    commit({"apps/web/a.yaml": ""})
    monkeypatch.chdir(here)
    placed = place(Revision("git:main", "main", written), other, GitRepository(str(Path.cwd())))
    assert (placed.path, placed.label) == (path, label)


def test_another_repository_does_not_lend_its_place(git: Git, commit: Commit, tmp_path: Path) -> None:
    commit({"apps/a": ""})
    other = tmp_path / "other"
    git("init", "--quiet", str(other))
    (other / "apps").mkdir()
    assert place(Revision("git:main", "main", None), str(other / "apps"), GitRepository(str(Path.cwd()))).path == "."


def test_a_linked_worktree_does(git: Git, commit: Commit, tmp_path: Path) -> None:
    commit({"apps/a": ""})
    git("worktree", "add", "--quiet", str(tmp_path / "linked"), "HEAD")
    assert place(Revision("git:main", "main", None), str(tmp_path / "linked/apps"), GitRepository(str(Path.cwd()))).path == "apps"


def test_an_unknown_revision_is_told_with_what_may_be_meant(git: Git, commit: Commit) -> None:
    head = commit({})
    git("remote", "add", "origin", "https://example.org/o/r")
    git("update-ref", "refs/remotes/origin/release", head)
    repository = GitRepository(str(Path.cwd()))
    with pytest.raises(SourceError, match=r"no commit named release; did you mean git:origin/release\?"):
        find_commit(Revision("git:release", "release", None), repository, Options())
    with pytest.raises(SourceError, match=r"no commit named relaese; .*git branch --all"):
        find_commit(Revision("git:relaese", "relaese", None), repository, Options())


def test_a_shallow_clone_is_told_what_to_fetch(git: Git, commit: Commit, tmp_path: Path) -> None:
    commit({"a": "1"})
    commit({"a": "2"})
    git("clone", "--quiet", "--depth=1", f"file://{Path.cwd()}", str(tmp_path / "clone"))
    repository = GitRepository(str(tmp_path / "clone"))
    with pytest.raises(SourceError, match=r"shallow and lacks the revision main~1; run: git fetch --deepen=1 origin$"):
        find_commit(Revision("git:main~1", "main~1", None), repository, Options())
    with pytest.raises(SourceError, match=r"run: git fetch --unshallow origin side:side$"):
        find_commit(Revision("git:side", "side", None), repository, Options(merge_base=True))
