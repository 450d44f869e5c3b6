"""The standard streams as a caller may leave them: closed, full, without a reader, of an encoding that lacks characters."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

from kdiff.errors import UsageError
from kdiff.reports.escape import log_line, visible

CLOSED = "standard output is closed; open it, or write the report to a file with -o FORMAT=FILE"


def settle_process() -> None:
    """Make descriptors 0 to 2 somebody's, and file names UTF-8; the latter may start the process anew.

    A file that is opened later must not become what a child or Python takes for its standard output. Names in a repository are
    UTF-8, so where Python reads them otherwise (a locale of another charset, `PYTHONUTF8=0` in the C locale) the same command
    line runs in UTF-8 mode (PEP 540), with the streams as they were.
    """
    handle = os.open(os.devnull, os.O_RDWR)
    while handle <= 2:
        handle = os.open(os.devnull, os.O_RDWR)
    os.close(handle)
    chosen = "utf8" in sys._xoptions  # noqa: SLF001 - documented; it also ends the loop
    if sys.getfilesystemencoding() != "utf-8" and not chosen and sys.executable:
        if sys.stdout is not None:
            os.environ.setdefault("PYTHONIOENCODING", f"{sys.stdout.encoding}:backslashreplace")
        os.execv(sys.executable, [sys.orig_argv[0], "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - this very process, once more


def print_text(text: str, stream: TextIO | None, *, utf8: bool = False) -> None:
    """Print, whatever the stream's encoding: what it lacks becomes an escape, or with `utf8` the bytes are UTF-8 all the same.

    Raises:
        UsageError: standard output is closed, or cannot be written to.
        BrokenPipeError: its reader has gone.
    """
    if stream is None:
        raise UsageError(CLOSED)
    raw = getattr(stream, "buffer", None) if utf8 else None
    try:
        if raw is None:
            encoding = stream.encoding or "utf-8"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        else:
            stream.flush()
            raw.write(text.encode("utf-8", "backslashreplace"))
        stream.flush()
    except OSError as error:
        _silence(stream)
        if isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"standard output cannot be written: {error.strerror or error}") from None


def complain(message: str) -> None:
    """One inert line on standard error, if it can be written at all: the exit status says the rest."""
    with contextlib.suppress(UsageError, BrokenPipeError):
        print_text(log_line(visible(message)) + "\n", sys.stderr)


def _silence(stream: TextIO) -> None:
    """Nothing more is written when Python flushes at exit, which would be status 120 (Python docs, signal: note on SIGPIPE)."""
    with contextlib.suppress(OSError, ValueError):
        handle = os.open(os.devnull, os.O_WRONLY)
        os.dup2(handle, stream.fileno())
        os.close(handle)
