"""open_trees: what the user names, in every form, and what is refused."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kdiff.errors import KdiffError, SourceError, UsageError
from kdiff.inputs import open_trees as module
from kdiff.inputs.git_repository import GitRepository
from kdiff.inputs.open_trees import open_trees
from kdiff.model.options import Options
from kdiff.model.tree import Tree, TreeOrigin
from tests.inputs.conftest import Git, write

Commit = Callable[..., str]
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def told(tree: Tree) -> tuple[str, str, list[str], tuple[str, ...]]:
    return (tree.origin.label, tree.origin.kind, list(tree.paths), tree.manifests)


def opened(base: str, head: str, stdin: bytes | None = None, **options: object) -> tuple[Tree, Tree]:
    with open_trees(base, head, Options(**options), io.BytesIO(stdin) if stdin is not None else None) as trees:  # type: ignore[arg-type]
        for tree in trees:
            for path in tree.paths:
                tree.read(path)
        return trees


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(
        tmp_path,
        {
            "tree/kustomization.yaml": "{}",
            "other/apps/kustomization.yaml": "{}",
            "base.yaml": OBJECT,
            "head.json": "{}",
            "rendered/a.yaml": OBJECT,
            "LIVE-1/v1.ConfigMap.shop.a": OBJECT,
            "MERGED-1/v1.ConfigMap.shop.a": OBJECT,
            "odd 'name'\n.yaml": OBJECT,
            "binary": b"\0",
        },
    )
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


STDIN = (["stdin.yaml"], ("stdin.yaml",))


@pytest.mark.parametrize(
    ("base", "head", "of_base", "of_head"),
    [
        ("tree", "other/", ("tree", "directory", ["kustomization.yaml"], ()), ("other/", "directory", ["apps/kustomization.yaml"], ())),
        ("tree", "empty", ("tree", "directory", ["kustomization.yaml"], ()), ("empty", "directory", [], ())),
        ("rendered", "tree", ("rendered", "directory", ["a.yaml"], ()), ("tree", "directory", ["kustomization.yaml"], ())),
        ("rendered", "empty", ("rendered", "directory", ["a.yaml"], ("a.yaml",)), ("empty", "directory", [], ())),
        (
            "base.yaml",
            "head.json",
            ("base.yaml", "file", ["base.yaml"], ("base.yaml",)),
            ("head.json", "file", ["head.json"], ("head.json",)),
        ),
        (
            "./base.yaml",
            "rendered",
            ("./base.yaml", "file", ["base.yaml"], ("base.yaml",)),
            ("rendered", "directory", ["a.yaml"], ("a.yaml",)),
        ),
        ("-", "base.yaml", ("-", "stdin", *STDIN), ("base.yaml", "file", ["base.yaml"], ("base.yaml",))),
        ("empty", "-", ("empty", "directory", [], ()), ("-", "stdin", *STDIN)),
        ("/dev/null", "-", ("/dev/null", "file", ["null"], ("null",)), ("-", "stdin", *STDIN)),
        (
            "LIVE-1",
            "MERGED-1",
            ("LIVE", "directory", ["v1.ConfigMap.shop.a"], ("v1.ConfigMap.shop.a",)),
            ("MERGED", "directory", ["v1.ConfigMap.shop.a"], ("v1.ConfigMap.shop.a",)),
        ),
        (
            "empty",
            "MERGED-1",
            ("empty", "directory", [], ()),
            ("MERGED", "directory", ["v1.ConfigMap.shop.a"], ("v1.ConfigMap.shop.a",)),
        ),
        (
            "odd 'name'\n.yaml",
            "base.yaml",
            ("\"odd 'name'\\n.yaml\"", "file", ["odd 'name'\n.yaml"], ("odd 'name'\n.yaml",)),
            ("base.yaml", "file", ["base.yaml"], ("base.yaml",)),
        ),
    ],
)
def test_paths_files_and_standard_input(
    place: Path, base: str, head: str, of_base: tuple[object, ...], of_head: tuple[object, ...]
) -> None:
    trees = opened(base, head, OBJECT.encode())
    assert (told(trees[0]), told(trees[1])) == (of_base, of_head)
    assert all(tree.origin.revision is None for tree in trees)


@pytest.mark.parametrize("options", [{"entry": (".",)}, {"all_targets": True}])
def test_who_names_entries_means_trees_to_build(place: Path, options: dict[str, object]) -> None:
    assert [tree.manifests for tree in opened("rendered", "rendered", **options)] == [(), ()]
    assert [tree.manifests for tree in opened("LIVE-1", "MERGED-1", **options)] == [("v1.ConfigMap.shop.a",)] * 2


def test_a_shells_process_substitution_is_a_file(place: Path) -> None:
    os.mkfifo("pipe")
    thread = threading.Thread(target=lambda: Path("pipe").write_text(OBJECT))
    thread.start()
    base, _ = opened("pipe", "base.yaml")
    thread.join()
    assert base.read("pipe") == OBJECT.encode()


@pytest.mark.parametrize(
    ("base", "head", "kind", "message"),
    [
        ("absent", "tree", SourceError, r"absent: no such file or directory; a revision of git is written git:REV"),
        ("base.yaml/x", "tree", SourceError, r"base\.yaml/x: cannot be read: not a directory"),
        ("x" * 300, "tree", SourceError, "cannot be read: file name too long"),
        ("tree", "", UsageError, "BASE or HEAD is empty"),
        ("tree", "a\0b", UsageError, "BASE or HEAD is empty"),
        ("-", "-", UsageError, "cannot both be standard input"),
        ("binary", "base.yaml", SourceError, "binary: neither YAML nor JSON"),
        ("/dev/zero", "base.yaml", SourceError, "neither a directory nor a file"),
        ("base.yaml", "tree", UsageError, r"base\.yaml holds rendered manifests, tree does not; render it first"),
        ("other", "-", UsageError, "- holds rendered manifests, other does not"),
        ("git:main", "tree", SourceError, "the current directory is in no git repository"),
        ("git:", "tree", UsageError, "write git:REV"),
    ],
)
def test_what_is_refused_in_one_line(place: Path, base: str, head: str, kind: type[KdiffError], message: str) -> None:
    before = sorted(place.rglob("*"))
    with pytest.raises(kind, match=message) as refused:
        opened(base, head, OBJECT.encode())
    assert str(refused.value).isprintable()
    assert sorted(place.rglob("*")) == before


def test_too_much_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILE", 10)
    with pytest.raises(SourceError, match=r"base\.yaml: more than 0 MiB"):
        opened("base.yaml", "base.yaml")


def test_a_directory_without_permission_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.os, "scandir", refuse)
    with pytest.raises(SourceError, match="tree: cannot be read: permission denied"):
        opened("tree", "tree")


class TestRevisions:
    """`git:REV[:PATH]` of the repository around the current directory."""

    @pytest.fixture(autouse=True)
    def _history(self, git: Git, commit: Commit) -> None:
        self.first = commit({"apps/kustomization.yaml": "{}", "rendered/a.yaml": OBJECT, "clusters/prod/kustomization.yaml": "a: 1"})
        git("checkout", "--quiet", "-b", "feature")
        self.feature = commit({"clusters/prod/kustomization.yaml": "a: 2"})
        git("checkout", "--quiet", "main")
        self.main = commit({"clusters/prod/kustomization.yaml": "a: 3"})
        git("tag", "--annotate", "v1", "--message", "tag")

    def test_two_revisions(self) -> None:
        base, head = opened("git:main", "git:feature:clusters/prod")
        assert base.origin == TreeOrigin("git:main", "git", self.main)
        assert head.origin == TreeOrigin("git:feature:clusters/prod", "git", self.feature)
        assert "clusters/prod/kustomization.yaml" in base.paths
        assert list(head.paths) == ["kustomization.yaml"]

    @pytest.mark.parametrize("revision", ["v1", "refs/heads/main", "HEAD", "@", "main@{0}", "HEAD^{/change}"])
    def test_however_git_spells_it(self, revision: str) -> None:
        assert opened(f"git:{revision}", ".")[0].origin.revision == self.main

    @pytest.mark.parametrize("here", [".", "clusters", "clusters/prod"])
    def test_against_the_checkout_like_is_compared_with_like(self, here: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(here)
        base, head = opened("git:HEAD", ".")
        assert list(base.paths) == list(head.paths)
        assert [base.read(path) for path in base.paths] == [head.read(path) for path in head.paths]

    def test_a_file_at_a_revision_is_rendered_manifests(self) -> None:
        base, head = opened("git:feature:rendered/a.yaml", "rendered/a.yaml")
        assert told(base) == ("git:feature:rendered/a.yaml", "git", ["a.yaml"], ("a.yaml",))
        assert told(head) == ("rendered/a.yaml", "file", ["a.yaml"], ("a.yaml",))
        assert told(opened("git:feature", "rendered/a.yaml")[0]) == told(base)

    def test_a_directory_of_rendered_manifests_too(self) -> None:
        assert [tree.manifests for tree in opened("git:feature:rendered", "git:main:rendered")] == [("a.yaml",)] * 2

    @pytest.mark.parametrize("turned", [False, True])
    def test_against_the_checkout_what_git_leaves_out_is_left_out(self, git: Git, *, turned: bool) -> None:
        write(Path(".git"), {"info/exclude": "node_modules\n*.env\n"})
        write(Path.cwd(), {"apps/node_modules/p/kustomization.yaml": "{}", "apps/.env": "A=1", "apps/new.yaml": OBJECT})
        git("worktree", "add", "--quiet", "apps/tree", "feature")
        sides = (".", "git:HEAD") if turned else ("git:HEAD", ".")
        checkout, revision = sorted(opened(*sides), key=lambda tree: tree.origin.kind)
        assert {*checkout.paths} - {*revision.paths} == {"apps/new.yaml"}
        assert checkout.list_dir("apps") == ("kustomization.yaml", "new.yaml")
        assert (checkout.read("apps/.env"), checkout.is_dir("apps/node_modules/p")) == (b"A=1", True)
        assert checkout.list_dir("apps/node_modules") == ("p",)
        (note,) = checkout.notes
        assert note.kind == "left-out"
        assert note.message.startswith("3 files and directories")
        assert note.message.endswith(": apps/.env, apps/node_modules, apps/tree")
        assert [tree.notes for tree in opened("git:HEAD", "clusters")] == [(), ()]
        assert "apps/node_modules/p/kustomization.yaml" in opened(".", ".")[0].paths

    def test_a_bare_repository_has_no_files(self, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
        monkeypatch.chdir(tmp_path / "bare.git")
        with pytest.raises(SourceError, match="a bare repository has no files"):
            opened("git:main", ".")
        assert list(opened("git:main", "git:main")[0].paths)

    def test_merge_base_stands_for_base(self) -> None:
        base, head = opened("git:main", "git:feature", merge_base=True)
        assert base.origin == TreeOrigin("git:main", "git", self.first)
        assert head.origin.revision == self.feature

    def test_merge_base_of_a_checkout_is_that_of_its_head(self, git: Git, tmp_path: Path) -> None:
        git("worktree", "add", "--quiet", str(tmp_path / "linked"), "feature")
        base, _ = opened("git:main", str(tmp_path / "linked" / "clusters"), merge_base=True)
        assert base.origin.revision == self.first
        assert list(base.paths) == ["prod/kustomization.yaml"]

    @pytest.mark.parametrize(
        ("base", "head", "options", "kind", "message"),
        [
            (".", "git:main", {"merge_base": True}, UsageError, r"--merge-base needs BASE to be git:REV, and \. is not"),
            ("git:main", "/", {"merge_base": True}, UsageError, "--merge-base needs HEAD to be git:REV or a directory of this repository"),
            ("git:main", "-", {"merge_base": True}, UsageError, "--merge-base needs HEAD"),
            ("git:nope", ".", {}, SourceError, "no commit named nope"),
            ("git:main:nope", ".", {}, SourceError, r"git:main:nope: the revision main has no nope; paths count from its top"),
            ("git:main:../x", ".", {}, SourceError, "leads out of the repository"),
            ("git:--help", ".", {}, SourceError, "no commit named --help"),
            ("git:main:apps", "rendered/a.yaml", {}, UsageError, "holds rendered manifests, git:main:apps does not"),
        ],
    )
    def test_what_is_refused(self, base: str, head: str, options: dict[str, object], kind: type[KdiffError], message: str) -> None:
        with pytest.raises(kind, match=message):
            opened(base, head, OBJECT.encode(), **options)

    def test_histories_without_a_common_ancestor(self, git: Git) -> None:
        git("checkout", "--quiet", "--orphan", "alone")
        git("commit", "--quiet", "--message", "alone")
        with pytest.raises(SourceError, match="no ancestor in common"):
            opened("git:main", "git:alone", merge_base=True)

    def test_a_shallow_clone_is_told_how_to_get_the_merge_base(self, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        clone = tmp_path / "clone"
        git("clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{Path.cwd()}", str(clone))
        monkeypatch.chdir(clone)
        with pytest.raises(SourceError, match="lacks the merge base; run: git fetch --unshallow origin"):
            opened("git:origin/main", "git:origin/feature", merge_base=True)

    def test_content_is_let_go_at_the_end_also_after_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        repositories: list[GitRepository] = []

        def noted(directory: str) -> GitRepository:
            repositories.append(GitRepository(directory))
            return repositories[-1]

        monkeypatch.setattr(module, "GitRepository", noted)
        with suppress(RuntimeError), open_trees("git:main", ".", Options()) as (base, _):
            base.read("apps/kustomization.yaml")
            assert repositories[0]._contents
            raise RuntimeError
        assert not repositories[0]._contents
