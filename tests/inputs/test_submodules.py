"""Submodules that are the same on both sides, and such as are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kdiff.inputs.open_trees import open_trees
from kdiff.model.options import Options
from kdiff.model.tree import Tree
from tests.inputs.conftest import Git, write

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
ABSENT, OTHER = "none", "a directory of files"


def opened(base: str, head: str, **options: object) -> tuple[Tree, Tree]:
    with open_trees(base, head, Options(**options)) as trees:  # type: ignore[arg-type]
        return trees


def submodule_notes(tree: Tree) -> list[str]:
    return [note.message for note in tree.notes if note.kind == "submodule"]


@pytest.fixture
def commits(git: Git, commit: Callable[..., str], tmp_path: Path) -> list[str]:
    """The repository `lib` has two commits. Here, tags: `none` without it, `old` and `new` with it as the submodule libs/one, `files`."""
    library = tmp_path / "lib"
    git("init", "--quiet", str(library))
    found = []
    for number in ("1", "2"):
        write(library, {"a.yaml": number})
        git("add", "--all", at=library)
        git("commit", "--quiet", "--message", number, at=library)
        found.append(git("rev-parse", "HEAD", at=library))
    commit({"apps/kustomization.yaml": "{}"})
    git("tag", "none")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "libs/one")
    for tag, oid in (("old", found[0]), ("new", found[1])):
        git("checkout", "--quiet", oid, at=Path("libs/one"))
        commit({})
        git("tag", tag)
    git("checkout", "--quiet", "-b", "vendored", "none")
    git("rm", "--quiet", "--force", "--cached", "--ignore-unmatch", "libs/one")
    blob = git("hash-object", "-w", "--stdin", stdin=b"x")
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},libs/one/a.yaml")
    git("commit", "--quiet", "--message", "vendored")
    git("tag", "files")
    git("checkout", "--quiet", "--force", "main")
    return found


@pytest.mark.parametrize(
    ("base", "head", "in_base", "in_head"),
    [
        ("git:old", "git:new", "0", "1"),
        ("git:none", "git:new", ABSENT, "1"),
        ("git:new", "git:none", "1", ABSENT),
        ("git:files", "git:new", OTHER, "1"),
        ("git:old", ".", "0", "1"),
        (".", "git:old", "1", "0"),
        ("git:none", ".", ABSENT, "1"),
    ],
)
@pytest.mark.parametrize("initialised", [True, False])
def test_a_commit_that_differs_makes_a_gap(
    git: Git, commits: list[str], base: str, head: str, in_base: str, in_head: str, *, initialised: bool
) -> None:
    if not initialised:
        git("submodule", "--quiet", "deinit", "--force", "--all")
    told = [f"at {commits[int(state)]}" if state.isdigit() else state for state in (in_base, in_head)]
    reason = f"libs/one is a git submodule: {told[0]} in base, {told[1]} in head; its files cannot be compared"
    for tree, state in zip(opened(base, head), (in_base, in_head), strict=True):
        has_it = state.isdigit()
        assert {path: (gap.kind, gap.reason) for path, gap in tree.gaps.items()} == ({"libs/one": ("submodule", reason)} if has_it else {})
        assert submodule_notes(tree) == ([reason] if has_it else [])


@pytest.mark.parametrize("head", ["git:new", "."])
@pytest.mark.parametrize("initialised", [True, False])
def test_the_same_commit_is_an_empty_directory_and_a_note(git: Git, commits: list[str], head: str, *, initialised: bool) -> None:
    if not initialised:
        git("submodule", "--quiet", "deinit", "--force", "--all")
    for tree in opened("git:new", head):
        assert (dict(tree.gaps), [path for path in tree.paths if path.startswith("libs")]) == ({}, [])
        assert submodule_notes(tree) == [
            f"libs/one is a git submodule, at {commits[1]} on both sides; its files are no part of the comparison"
        ]


def test_what_a_submodule_has_checked_out_counts(git: Git, commits: list[str]) -> None:
    git("checkout", "--quiet", commits[0], at=Path("libs/one"))
    assert [dict(tree.gaps) for tree in opened("git:old", ".")] == [{}, {}]
    assert all(tree.gaps for tree in opened("git:new", "."))


def test_of_two_directories_an_empty_submodule_is_a_gap(git: Git, commits: list[str], tmp_path: Path) -> None:
    for name, tag in (("one", "old"), ("two", "new"), ("three", "new")):
        git("-c", "advice.detachedHead=false", "clone", "--quiet", ".", str(tmp_path / name))
        git("checkout", "--quiet", tag, at=tmp_path / name)
    one, two, three = (str(tmp_path / name) for name in ("one", "two", "three"))
    assert [tree.gaps["libs/one"].reason.count(oid) for tree in opened(one, two) for oid in commits] == [1, 1, 1, 1]
    assert [dict(tree.gaps) for tree in opened(two, three)] == [{}, {}]
    write(tmp_path / "three", {"libs/one/a.yaml": OBJECT})
    base, head = opened(two, three)
    assert (list(base.gaps), dict(head.gaps), head.is_file("libs/one/a.yaml")) == (["libs/one"], {}, True)
    (tmp_path / "three/libs/one/a.yaml").unlink()
    for name in ("two", "three"):  # an export: nobody knows the commits, so what lies there is what there is
        (tmp_path / name / ".git").rename(tmp_path / f"{name}.git")
    assert [dict(tree.gaps) for tree in opened(two, three)] == [{}, {}]
    assert [submodule_notes(tree) for tree in opened(two, three)] == [
        ["libs/one is a git submodule, not checked out on both sides; its files are no part of the comparison"]
    ] * 2
