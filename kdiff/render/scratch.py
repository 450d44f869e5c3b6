"""Lays out in a scratch directory what one build may read, at the same paths as in the tree, and builds it there."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from kdiff.process import Command, Outcome, Runner, clean_environment


@dataclass(frozen=True)
class BuildTask:
    """One build as a value that any machine can run: it needs no tree, only the renderer.

    `files` are (tree path, content), `links` (tree path, tree path it leads to). `directory` is built with `argv`, to which
    the file to write and the directory are added. Limits are seconds and bytes.
    """

    directory: str
    files: tuple[tuple[str, bytes], ...] = field(repr=False)
    links: tuple[tuple[str, str], ...]
    directories: tuple[str, ...]
    argv: tuple[str, ...]
    timeout: float
    max_output: int


@dataclass(frozen=True)
class TaskResult:
    """What came of a task: how the renderer ended, what it wrote (None when it wrote nothing or too much), where the root was."""

    outcome: Outcome
    output: bytes | None = field(repr=False)
    root: str


def run_task(task: BuildTask, run: Runner) -> TaskResult:
    """Lay out the files of `task`, run the renderer on them, read what it wrote, and remove it all again.

    kustomize keeps clones of remote bases in TMPDIR and git its settings in HOME: both lie in the scratch directory.

    Raises:
        OSError: the scratch directory cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="kdiff-", ignore_cleanup_errors=True) as top:
        scratch = Path(top).resolve()
        above = max(
            (_steps_up(path) for path in (task.directory, *task.directories, *(p for p, _ in (*task.files, *task.links)))), default=0
        )
        root = scratch.joinpath("tree", *("up" for _ in range(above)), "root")
        _lay_out(task, root)
        output = scratch / "output.yaml"
        home, temporary = scratch / "home", scratch / "tmp"
        home.mkdir()
        temporary.mkdir()
        # GOGC off below a soft limit spends a third less time on garbage, with the same bytes.
        environment = clean_environment({
            "HOME": str(home), "TMPDIR": str(temporary), "KUBECONFIG": os.devnull, "GOGC": "off", "GOMEMLIMIT": "200MiB",
        })  # fmt: skip
        outcome = run(
            Command(
                (*task.argv, "-o", str(output), str(root / task.directory)),
                cwd=str(root),
                env=environment,
                timeout=task.timeout,
                output=str(output),
                output_limit=task.max_output,
            )
        )
        written = output.read_bytes() if outcome.ok and output.is_file() else None
        return TaskResult(outcome, written, str(root))


def _steps_up(path: str) -> int:
    return path.split("/").count("..")


def _lay_out(task: BuildTask, root: Path) -> None:
    root.mkdir(parents=True)
    for directory in task.directories:
        Path(os.path.normpath(root / directory)).mkdir(parents=True, exist_ok=True)
    for path, content in task.files:
        file = Path(os.path.normpath(root / path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    for path, leads_to in task.links:
        link = Path(os.path.normpath(root / path))
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(os.path.normpath(root / leads_to), link.parent))
