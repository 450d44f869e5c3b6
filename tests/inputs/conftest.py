"""Real git repositories in temporary directories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git in `tmp_path/repo`, an empty repository on branch main that is the current directory; `at` names another place."""
    identity = {f"GIT_{role}_{part}": "kdiff" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **identity, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}

    def run(*arguments: str, at: Path | None = None, stdin: bytes = b"") -> str:
        done = subprocess.run(("git", *arguments), cwd=at or repo, env=environment, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    repo = tmp_path / "repo"
    repo.mkdir()
    run("init", "--quiet", "--initial-branch=main")
    monkeypatch.chdir(repo)
    return run


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files below `root`; a text that begins with `->` makes a symbolic link."""
    for path, content in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str) and content.startswith("->"):
            full.symlink_to(content[2:])
        else:
            full.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def commit(git: Git) -> Callable[..., str]:
    """Writes files in the repository and commits all of it; gives the commit's id."""

    def run(files: dict[str, str | bytes], message: str = "change") -> str:
        write(Path.cwd(), files)
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", message)
        return git("rev-parse", "HEAD")

    return run
