"""GitRepository: revisions, objects and remotes from git's plumbing."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kdiff.errors import SourceError
from kdiff.inputs import git_repository
from kdiff.inputs.git_repository import GitRepository, fetch_line, find_remotes, without_credentials
from kdiff.process import Command, Outcome
from tests.inputs.conftest import Git

Commit = Callable[..., str]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://user:ghp_secret@github.com/o/r", "https://github.com/o/r"),
        ("https://ghp_secret@github.com/o/r", "https://github.com/o/r"),
        ("https://x-access-token:a@b@github.com/o/r", "https://github.com/o/r"),
        ("HTTPS://u:p@host:8443/o/r", "HTTPS://host:8443/o/r"),
        ("https://host/o/r@v1", "https://host/o/r@v1"),
        ("ssh://git@host:22/o/r", "ssh://git@host:22/o/r"),
        ("ssh://git:pass@host/o/r", "ssh://git@host/o/r"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("/srv/git/r", "/srv/git/r"),
    ],
)
def test_urls_lose_their_credentials(url: str, expected: str) -> None:
    assert without_credentials(url) == expected


def test_remotes_are_those_of_the_checkout(git: Git) -> None:
    assert find_remotes(str(Path.cwd())) == ()
    git("remote", "add", "up.stream", "https://user:secret@example.org/o/r")
    git("remote", "add", "mine", "git@example.org:me/r")
    assert find_remotes(str(Path.cwd())) == ("git@example.org:me/r", "https://example.org/o/r")
    assert find_remotes("/") == ()


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (
            Outcome(128, stderr="fatal: detected dubious ownership in repository at '/repo it'\nTo add an exception\n"),
            "another user.*run: git config --global --add safe.directory '/repo it'",
        ),
        (Outcome(128, stderr="fatal: not a git repository (or any of the parent directories): .git"), "no git repository"),
        (Outcome(127, missing=True), "git is not installed"),
        (Outcome(-9, timed_out=True), "did not answer"),
        (Outcome(128, stderr="error: could not fetch 0123 from promisor remote"), "git fetch --refetch --no-filter"),
        (
            Outcome(128, stderr="fatal: loose object 12 is\x1b[31m corrupt\nmore"),
            r"git failed: 'fatal: loose object 12 is\\x1b\[31m corrupt'$",
        ),
        (Outcome(3), "git failed: status 3"),
    ],
)
def test_refusals_are_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, outcome: Outcome, expected: str) -> None:
    monkeypatch.setattr(git_repository, "capture", lambda _command: outcome)
    with pytest.raises(SourceError, match=expected) as refused:
        GitRepository("/anywhere").find_commit("main")
    assert "\n" not in str(refused.value)


def test_nothing_of_the_repository_is_touched_and_none_of_its_programs_runs(git: Git, commit: Commit, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    commit({"a.yaml": "a: 1\n", ".gitattributes": "* filter=trap diff=trap text eol=crlf export-ignore\n"})
    for key in ("core.fsmonitor", "filter.trap.smudge", "filter.trap.clean", "diff.trap.textconv", "diff.trap.command", "core.pager"):
        git("config", key, str(trap))
    hooks = Path(".git/hooks")
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / hook).symlink_to(trap)
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    repository = GitRepository(str(Path.cwd()))
    head = repository.find_commit("HEAD")
    assert head
    entry = repository.list_files(head)["a.yaml"]
    assert repository.read(entry.oid) == b"a: 1\n"
    assert repository.find_merge_base(head, head) == head
    assert not (tmp_path / "sprung").exists()
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


def test_the_settings_of_a_surrounding_hook_do_not_lead_elsewhere(
    git: Git, commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = commit({"a": "a"})
    git("init", "--quiet", "--bare", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "other" / "objects"))
    assert GitRepository(str(Path.cwd())).find_commit("main") == head


@pytest.mark.parametrize("revision", ["-h", "--all", "", "nothing", "HEAD:a", "HEAD^{tree}", "a\0b", "HEAD --", "..", "main..main"])
def test_what_is_no_commit_is_none(commit: Commit, revision: str) -> None:
    commit({"a": "a"})
    assert GitRepository(str(Path.cwd())).find_commit(revision) is None


def test_equal_content_is_read_once_and_what_is_wanted_along_in_the_same_go(commit: Commit, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[Command] = []
    real = git_repository.capture
    head = commit({"a": "one\n", "b": "one\n", "c": "", "d": b"\0binary\nmissing\n", "big": "x" * 100})
    repository = GitRepository(str(Path.cwd()))
    entries = repository.list_files(head)
    monkeypatch.setattr(git_repository, "capture", lambda command: commands.append(command) or real(command))
    assert repository.read(entries["a"].oid, [entries["c"].oid, entries["d"].oid]) == b"one\n"
    assert repository.read(entries["b"].oid) == b"one\n"
    assert repository.read(entries["c"].oid) == b""
    assert repository.read(entries["d"].oid) == b"\0binary\nmissing\n"
    assert len(commands) == 1
    repository.forget()
    monkeypatch.setattr(git_repository, "_READ_AHEAD", 50)  # too much to read ahead: alone
    assert repository.read(entries["a"].oid, [entries["big"].oid]) == b"one\n"
    monkeypatch.setattr(git_repository, "MAX_FILE", 50)
    assert repository.read(entries["big"].oid) is None


def test_an_object_that_is_not_here_stops_the_run(commit: Commit) -> None:
    commit({"a": "a"})
    with pytest.raises(SourceError, match=r"lacks the object 0{40}; .*git fetch --refetch --no-filter"):
        GitRepository(str(Path.cwd())).read("0" * 40)


@pytest.fixture
def upstream(git: Git, commit: Commit) -> str:
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("config", "uploadpack.allowFilter", "true")
    commit({"a": "1"})
    git("branch", "side")
    git("tag", "v0.9")
    commit({"a": "2"})
    commit({"a": "3"})
    return f"file://{Path.cwd()}"


@pytest.mark.parametrize(
    ("revision", "line"),
    [
        ("HEAD~2", "git fetch --deepen=2 origin"),
        ("main^", "git fetch --deepen=1 origin"),
        ("main~1^^0", "git fetch --deepen=3 origin"),
        ("side", "git fetch --depth=1 origin side:side"),
        ("origin/side", "git fetch --depth=1 origin +refs/heads/side:refs/remotes/origin/side"),
        ("v0.9", "git fetch --depth=1 origin +refs/tags/v0.9:refs/tags/v0.9"),
        ("refs/heads/side", "git fetch --depth=1 origin +refs/heads/side:refs/heads/side"),
        ("SHA", "git fetch --depth=1 origin SHA"),
        ("SHORT", "git fetch --unshallow origin"),
        ("side~0", "git fetch --unshallow origin side:side"),
    ],
)
def test_the_fetch_that_is_proposed_to_a_shallow_clone_works(git: Git, upstream: str, tmp_path: Path, revision: str, line: str) -> None:
    side = git("rev-parse", "side")
    revision, line = (text.replace("SHA", side).replace("SHORT", side[:8]) for text in (revision, line))
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--depth=1", upstream, str(clone))
    repository = GitRepository(str(clone))
    assert repository.is_shallow
    assert repository.find_commit(revision) is None
    assert fetch_line(repository, revision, history=False) == line
    git(*shlex.split(line)[1:], at=clone)
    assert repository.find_commit(revision) is not None


@pytest.mark.parametrize("revision", ["side", "origin/side", "HEAD~1"])
def test_with_history_it_brings_the_merge_base(git: Git, upstream: str, tmp_path: Path, revision: str) -> None:
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--depth=1", upstream, str(clone))
    repository = GitRepository(str(clone))
    git(*shlex.split(fetch_line(repository, revision, history=True))[1:], at=clone)
    base, head = repository.find_commit(revision), repository.find_commit("HEAD")
    assert base
    assert head
    assert repository.find_merge_base(base, head) == base


def test_a_partial_clone_is_not_filled_in_behind_the_users_back(git: Git, upstream: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--filter=blob:none", upstream, str(clone))
    oid = git("rev-parse", "HEAD~1:a")
    repository = GitRepository(str(clone))
    with pytest.raises(SourceError, match=r"partial clone.*run: git fetch --refetch --no-filter"):
        repository.read(oid)
    git("fetch", "--quiet", "--refetch", "--no-filter", at=clone)
    assert repository.read(oid) == b"2"


def test_unrelated_histories_have_no_merge_base(git: Git, commit: Commit) -> None:
    one = commit({"a": "a"})
    git("checkout", "--quiet", "--orphan", "other")
    other = commit({"b": "b"})
    assert GitRepository(str(Path.cwd())).find_merge_base(one, other) is None


def test_git_is_never_asked_through_a_shell(monkeypatch: pytest.MonkeyPatch, commit: Commit) -> None:
    commit({"a": "a"})
    real = subprocess.Popen.__init__
    calls: list[object] = []

    def watched(self: object, *arguments: object, **settings: object) -> None:
        calls.append(settings.get("shell", False))
        real(self, *arguments, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(subprocess.Popen, "__init__", watched)
    assert GitRepository(str(Path.cwd())).find_commit("$(touch pwned)") is None
    assert calls
    assert not any(calls)
    assert not Path("pwned").exists()
