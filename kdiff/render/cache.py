"""Outputs of earlier builds on disk, by digest, so that the next run need not render them again."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from kdiff.model.options import Options

# Wherever an object of kind Secret may stand in YAML or JSON, also inside another object's text: such output is never stored.
_SECRET = re.compile(rb"kind['\"\\]*\s*:\s*['\"\\]*Secret(?:List)?\b(?!\w)")
_SUFFIX = ".out"
_STALE = 3600.0  # seconds after which a half-written file is some dead run's


class OutputCache:
    """A directory of `<digest>.out` files: a SHA-256 line, then the output.

    Any number of runs may use it at once: files appear whole by renaming, and one that vanishes or is damaged is simply not
    there. Every failure to write, such as a full disk, is passed over: a cache is never a reason to fail.
    """

    def __init__(self, directory: Path, size: int) -> None:
        """`size` bounds the bytes that `evict` leaves."""
        self.directory = directory
        self.size = size

    def get(self, digest: str) -> bytes | None:
        """The output stored for `digest`, if it is there and whole; it then counts as used now."""
        path = self._path(digest)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        checksum, _, output = content.partition(b"\n")
        if checksum != _checksum(output):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)
        return output

    def put(self, digest: str, output: bytes) -> None:
        """Store `output` unless it holds a Secret or would fill more than half of the cache."""
        if len(output) * 2 > self.size or _SECRET.search(output):
            return
        path = self._path(digest)
        temporary = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(output) + b"\n" + output)
            Path(temporary).replace(path)
        except OSError:
            if temporary is not None:
                with suppress(OSError):
                    Path(temporary).unlink()

    def evict(self) -> None:
        """Remove what was used longest ago until the cache is within its size again, and what dead runs left half written."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        newest = entries[-1][0] if entries else 0.0
        for used, size, path in entries:
            stale = path.suffix != _SUFFIX and newest - used > _STALE
            if total > self.size or stale:
                with suppress(OSError):
                    path.unlink()
                total -= size

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        with suppress(OSError):
            for path in self.directory.glob("*/*"):
                with suppress(OSError):
                    status = path.stat()
                    yield status.st_mtime, status.st_size, path

    def _path(self, digest: str) -> Path:
        return self.directory / digest[:2] / (digest + _SUFFIX)


def open_cache(options: Options) -> OutputCache | None:
    """The cache that `options` ask for: `cache_dir`, else `kdiff` in XDG_CACHE_HOME or ~/.cache (XDG Base Directory Specification)."""
    if not options.cache or options.cache_size <= 0:
        return None
    if options.cache_dir:
        return OutputCache(Path(options.cache_dir) / "outputs", options.cache_size)
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not Path(home).is_absolute():  # the specification: relative paths there are to be ignored
        home = str(Path("~/.cache").expanduser())
    return OutputCache(Path(home) / "kdiff" / "outputs", options.cache_size)


def _checksum(output: bytes) -> bytes:
    return hashlib.sha256(output).hexdigest().encode()
