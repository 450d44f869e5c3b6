"""A progress line on standard error while targets render; only on a terminal, gone when done."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TextIO

from kdiff.model.progress import Progress
from kdiff.reports.escape import visible

_INTERVAL = 0.05  # seconds between two drawings
_BAR = 20  # columns


@contextmanager
def progress_line(stderr: TextIO | None, environ: Mapping[str, str], *, wanted: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Gives the callback for `render_diff`, or None where nobody would see it or it would disturb."""
    if not wanted or stderr is None or not stderr.isatty() or environ.get("TERM") == "dumb" or environ.get("CI"):
        yield None
        return
    drawn = 0.0

    def draw(progress: Progress) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - drawn >= _INTERVAL:
            drawn = now
            _write(stderr, f"\r{_line(progress, shutil.get_terminal_size().columns - 1)}\x1b[K")

    try:
        yield draw
    finally:
        _write(stderr, "\r\x1b[K")


def _write(stderr: TextIO, text: str) -> None:
    with suppress(OSError):  # a terminal that is gone ends no comparison
        stderr.write(text)
        stderr.flush()


def _line(progress: Progress, width: int) -> str:
    done = _BAR * progress.done // max(1, progress.total)
    line = f"rendering [{'#' * done}{'.' * (_BAR - done)}] {progress.done}/{progress.total} "
    return (line + visible(progress.target))[:width]
