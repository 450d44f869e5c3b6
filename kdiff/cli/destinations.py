"""Where reports go: standard output, or files that appear whole or not at all, and only once the comparison is done."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from kdiff.cli.streams import CLOSED, print_text
from kdiff.config.convert import nearest
from kdiff.config.settings import Settings
from kdiff.errors import UsageError
from kdiff.model.report import Report
from kdiff.reports.formats import FORMATS
from kdiff.reports.style import Style

FILE_WIDTH = 100  # columns, where no terminal says otherwise
_FOR_PEOPLE = "text"  # speaks the terminal's encoding; the other formats are files of UTF-8 wherever they go
_STDOUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
_DESCRIPTOR = re.compile(r"/dev/(?:stderr|fd/\d+)|/proc/self/fd/\d+")


@dataclass(frozen=True)
class Destination:
    """One `-o FORMAT[=FILE]`; `path` None is standard output."""

    format: str
    path: str | None


def read_destinations(output: Sequence[str]) -> tuple[Destination, ...]:
    """What `-o` asks for, checked before anything is rendered.

    Raises:
        UsageError: an unknown format, a file that cannot be made, or two reports for one place.
    """
    found: list[Destination] = []
    for word in output:
        name, equals, path = word.partition("=")
        if name not in FORMATS:
            raise UsageError(f'-o {word}: unknown format "{name}"{nearest(name, FORMATS) or "; known are " + ", ".join(FORMATS)}')
        if equals and not path:
            raise UsageError(f"-o {word}: names no file; write {name}=FILE, or {name} for standard output")
        destination = Destination(name, path if equals and path not in _STDOUT else None)
        if destination.path is not None:
            _check_file(destination.path)
        taken = next((d for d in found if _place(d) == _place(destination)), None)
        if taken is not None:
            place = destination.path or "standard output"
            raise UsageError(f"-o {taken.format} and -o {name} both go to {place}; send one to another file: -o {name}=FILE")
        found.append(destination)
    return tuple(found)


def _place(destination: Destination) -> str | None:
    return os.path.realpath(destination.path) if destination.path is not None else None


def _check_file(name: str) -> None:
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"-o: {name} is a directory; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"-o: {name} cannot be written: there is no directory {path.parent}")


def check_stdout(destinations: Sequence[Destination], settings: Settings, stdout: TextIO | None) -> None:
    """Before anything is rendered: UsageError when a report is to be printed and nothing can be."""
    if stdout is None and not settings.quiet and any(d.path is None for d in destinations):
        raise UsageError(CLOSED)


def write_reports(
    report: Report, destinations: Sequence[Destination], settings: Settings, stdout: TextIO | None, environ: Mapping[str, str]
) -> None:
    """Make every report first, then write files, then print; so a failure leaves no half of the answer behind.

    The format `github` also leaves the step's summary and outputs.

    Raises:
        UsageError: a file or standard output cannot be written.
        BrokenPipeError: the reader of standard output has gone.
    """
    texts = [FORMATS[d.format](report, _style(d, settings, stdout, environ)) for d in destinations]
    for destination, text in zip(destinations, texts, strict=True):
        if destination.path is not None:
            _write_file(destination.path, text)
    for destination, text in zip(destinations, texts, strict=True):
        if destination.path is None and not settings.quiet:
            print_text(text, stdout, utf8=destination.format != _FOR_PEOPLE)
    github = next((d for d in destinations if d.format == "github"), None)
    if github is not None:
        from kdiff.cli.github import write_step_files  # noqa: PLC0415

        paths = [(d.format, d.path) for d in destinations if d.path is not None]
        write_step_files(report, _style(github, settings, stdout, environ), paths, environ)


def _style(destination: Destination, settings: Settings, stdout: TextIO | None, environ: Mapping[str, str]) -> Style:
    terminal = destination.path is None and stdout is not None and stdout.isatty()
    style = Style(
        color=settings.color == "always" or (settings.color == "auto" and destination.path is None and wants_color(terminal, environ)),
        width=shutil.get_terminal_size((FILE_WIDTH, 24)).columns if terminal else FILE_WIDTH,
        context=settings.context,
        full=settings.full,
        summary_only=settings.summary,
        stat=settings.stat,
        comment_key=settings.comment_key,
    )
    return replace(style, max_chars=settings.max_chars)


def wants_color(terminal: bool, environ: Mapping[str, str]) -> bool:
    """The usual signs: NO_COLOR (no-color.org) forbids, FORCE_COLOR (force-color.org) demands, TERM=dumb cannot."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return terminal and environ.get("TERM") != "dumb"


def _write_file(name: str, text: str) -> None:
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        path = Path(name)
        if _DESCRIPTOR.fullmatch(name) or (path.exists() and not path.is_file()):  # written to, never replaced
            with path.open("ab") as file:
                file.write(data)
            return
        path = Path(os.path.realpath(name))
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, scratch = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(scratch).chmod(mode)
            Path(scratch).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()
            raise
    except OSError as error:
        raise UsageError(f"-o: {name} cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
