"""The only place that starts a process: without a shell, and within limits that end it with all it started."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

_POLL = 0.05  # seconds between looks at a running child's limits
_LOOK_FOR_ORPHANS = 1.0  # seconds between looks for a child that is gone while something it started holds its pipes
_GRACE = 5.0  # seconds that killed processes get to disappear
_MESSAGE_LIMIT = 8 * 1024 * 1024  # characters of messages kept in memory for one child
_MARK = "KDIFF_RUN"  # environment variable that every descendant of one run inherits, whatever group it moves to
_PROC = Path("/proc")
_Verdict: TypeAlias = Literal["timeout", "size", "unwanted"] | None  # which limit ended a child, if any did

# What a child may know of the caller's environment: where programs and homes are, and how the network is reached.
# Tokens, cloud credentials and GIT_* of a surrounding hook are not among it.
_PASSED_ON = (
    "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
)  # fmt: skip

# No prompt for a password or a host key, and only transports that leave the machine (git(1), GIT_ALLOW_PROTOCOL): `file` would
# read outside the tree, `ext` runs programs.
_SETTLED = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_ALLOW_PROTOCOL": "https:http:ssh:git",
    "KUBECONFIG": os.devnull,
}

# Where there is no setsid(1) (macOS), 9 ms of Python make the child a group leader and note its pid.
_LAUNCHER = """\
import os, sys
os.setsid()
with open(sys.argv[1], "w") as note:
    note.write(str(os.getpid()))
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.stderr.write(f"{sys.argv[2]}: {error.strerror}\\n")
    sys.exit(126)
"""


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment that children get: a short list of the caller's variables, no prompts, English messages, and `extra`.

    HOME stays unless `extra` replaces it: a private remote base needs the caller's known hosts and git settings.
    """
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed, **_SETTLED, **(extra or {})}


@dataclass(frozen=True)
class Command:
    """A program to run. `timeout` is in seconds, `output_limit` in bytes.

    `output` names the file that the child writes its result to; it is watched against `output_limit`, and reading it is the
    caller's. `log` gets each line of messages while the child runs, free of control characters but not of secrets.
    A child's memory is not limited: address space limits break Go's runtime, which reserves far more than it uses.
    """

    argv: tuple[str, ...]
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=clean_environment, repr=False)
    timeout: float = 60.0
    output: str | None = None
    output_limit: int = 256 * 1024 * 1024
    input: bytes = field(default=b"", repr=False)
    log: Callable[[str], None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Outcome:
    """How a child ended. `status` is its exit status, negative for a signal, 126 or 127 when there was nothing to run.

    `timed_out`: it was ended at its time limit; `truncated`: it was ended for writing more than it may; `missing`: no such
    program, or one that cannot be executed, `stderr` says which.
    """

    status: int
    stdout: bytes = field(default=b"", repr=False)
    stderr: str = field(default="", repr=False)
    timed_out: bool = False
    truncated: bool = False
    missing: bool = False

    @property
    def ok(self) -> bool:
        """It ran to its end and reported success."""
        return self.status == 0 and not (self.timed_out or self.truncated or self.missing)


Runner = Callable[[Command], Outcome]


def run(command: Command) -> Outcome:
    """Run a renderer through subprocess-tee: its messages go to `command.log` as they come and are kept.

    The child reads no standard input and leads a session of its own. At a limit it is ended with all that it started, and so is
    what it leaves behind if that holds its pipes. What it prints is text for people only (lines lose their trailing blanks);
    its result belongs in `command.output`. A command whose messages cannot be read as text runs a second time.
    """
    program = _find_program(command)
    if program is None:
        return _missing(command)
    out, err = _Sink(command.log), _Sink(command.log)
    with _watch(command) as family:
        finished = threading.Event()  # Thread.join, once interrupted, takes a living thread for dead on Python 3.11
        threading.Thread(target=_tee, args=(family, program, out, err, finished), daemon=True).start()
        verdict = _supervise(family, finished.wait, lambda: max(out.size, err.size) > _MESSAGE_LIMIT)
    if family.lines_lost and verdict != "unwanted":  # not UTF-8, or a line without end: subprocess-tee loses what follows
        return capture(command)
    done = family.teed
    if done is None:  # something beyond reach holds the pipes: the thread is left to wait for it
        return Outcome(-signal.SIGKILL, timed_out=verdict != "unwanted")
    return Outcome(
        done.returncode,
        (done.stdout or "").encode(),
        done.stderr or "",
        timed_out=verdict == "timeout",
        truncated=verdict == "size",
        missing=done.returncode in (126, 127),
    )


def capture(command: Command) -> Outcome:
    """Run a program whose exact bytes matter, such as git's plumbing: `input` is its standard input, `stdout` what it wrote.

    All three are files, so that nothing that outlives the child can hold the call.
    """
    program = _find_program(command)
    if program is None:
        return _missing(command)
    with contextlib.ExitStack() as stack:
        try:
            stdin, stdout, stderr = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            stdin.write(command.input)
            stdin.seek(0)
        except OSError as error:
            return Outcome(126, stderr=f"no temporary file can be written: {error.strerror}")
        family = stack.enter_context(_watch(command))
        try:
            child = subprocess.Popen(
                (program, *command.argv[1:]),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=command.cwd,
                env=family.environment,
                start_new_session=True,
            )
        except OSError as error:
            return Outcome(126, stderr=f"{command.argv[0]}: {error.strerror}", missing=True)
        family.leader = child.pid

        def ended(pause: float) -> bool:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(pause)
            return child.returncode is not None

        def too_much() -> bool:
            return os.fstat(stdout.fileno()).st_size > command.output_limit or os.fstat(stderr.fileno()).st_size > _MESSAGE_LIMIT

        verdict = _supervise(family, ended, too_much)
        stdout.seek(0)
        stderr.seek(0)
        return Outcome(
            child.returncode if child.returncode is not None else -signal.SIGKILL,
            stdout.read(command.output_limit),
            stderr.read(_MESSAGE_LIMIT).decode("utf-8", "backslashreplace"),
            timed_out=verdict == "timeout",
            truncated=verdict == "size",
        )


def end_all() -> None:
    """End every child of every thread, for Ctrl-C: each call that waits for one returns within moments.

    Cancel what is still queued first: a run that starts later is not affected.
    """
    for family in tuple(_LIVE):
        family.unwanted = True


@dataclass(eq=False)
class _Family:
    """One run: the child and all that it starts."""

    command: Command
    note: str  # where the launcher notes the child's pid
    mark: str = field(default_factory=lambda: secrets.token_hex(16))
    leader: int | None = None  # the child, when it is ours to reap: its number cannot pass to a stranger before
    unwanted: bool = False
    lines_lost: bool = False
    teed: subprocess.CompletedProcess[str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {**self.command.env, _MARK: self.mark}

    def members(self) -> dict[int, int]:
        """Every living process of the family with its parent: those that carry the mark, and all in a session of theirs."""
        if not _PROC.is_dir():
            return {}
        mark = f"{_MARK}={self.mark}".encode()
        processes: dict[int, tuple[int, int]] = {}
        sessions = {self.leader} if self.leader else set()
        marked: set[int] = set()
        for pid in (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()):
            with contextlib.suppress(OSError):  # gone meanwhile, or another user's
                # proc_pid_stat(5): pid (name) state ppid pgrp session
                state, parent, _, session = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[:4]
                if state == b"Z":
                    continue
                processes[pid] = (int(parent), int(session))
                if mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                    marked.add(pid)
                    sessions.add(int(session))
        sessions -= {os.getsid(0)}
        return {pid: parent for pid, (parent, session) in processes.items() if pid in marked or session in sessions}

    def end(self) -> None:
        """Kill what lives of the family. A fork may slip through: repeat it until the child is seen to be gone."""
        leader = self.leader
        if leader is None:
            with contextlib.suppress(OSError, ValueError):
                leader = int(Path(self.note).read_text(encoding="ascii"))
        if leader is not None:
            with contextlib.suppress(OSError):
                os.killpg(leader, signal.SIGKILL)
        for pid in self.members():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def is_orphaned(self) -> bool:
        """The child itself is gone while something that it started lives on."""
        members = self.members()
        return bool(members) and os.getpid() not in members.values()


_LIVE: set[_Family] = set()
_TEEING: dict[int, _Family] = {}  # by thread


@contextlib.contextmanager
def _watch(command: Command) -> Iterator[_Family]:
    with contextlib.ExitStack() as stack:
        note = os.devnull
        if not _PROC.is_dir():
            note = f"{stack.enter_context(tempfile.TemporaryDirectory(prefix='kdiff-'))}/pid"
        family = _Family(command, note)
        _LIVE.add(family)
        stack.callback(_LIVE.discard, family)
        yield family


def _supervise(family: _Family, ended: Callable[[float], bool], too_much: Callable[[], bool]) -> _Verdict:
    """Wait until `ended(pause)`, or end the family at a limit; always with it ended, also on KeyboardInterrupt."""
    command = family.command
    deadline = time.monotonic() + command.timeout
    look = time.monotonic() + _LOOK_FOR_ORPHANS
    orphaned = False
    verdict: _Verdict = None
    try:
        while verdict is None and not ended(_POLL):
            now = time.monotonic()
            if family.unwanted:
                verdict = "unwanted"
            elif now > deadline:
                verdict = "timeout"
            elif too_much() or _written(command) > command.output_limit:
                verdict = "size"
            elif family.leader is None and now > look:  # the child has pipes, and what it left behind may hold them
                look = now + _LOOK_FOR_ORPHANS
                was_orphaned, orphaned = orphaned, family.is_orphaned()
                if was_orphaned and orphaned:
                    family.end()
    finally:
        given_up = time.monotonic() + _GRACE
        while not ended(0) and time.monotonic() < given_up:
            family.end()
            ended(_POLL)
    if verdict is None and (too_much() or _written(command) > command.output_limit):
        return "size"
    return verdict


def _tee(family: _Family, program: str, out: _Sink, err: _Sink, finished: threading.Event) -> None:
    import subprocess_tee  # noqa: PLC0415 - asyncio costs 100 ms

    logging.getLogger("asyncio").addFilter(_note_lost_lines)
    setsid = shutil.which("setsid") if _PROC.is_dir() else None
    leading = (setsid,) if setsid else (sys.executable, "-I", "-S", "-c", _LAUNCHER, family.note)
    place = {"cwd": family.command.cwd} if family.command.cwd else {}
    argv = [*leading, program, *family.command.argv[1:]]
    _TEEING[threading.get_ident()] = family
    try:
        family.teed = subprocess_tee.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=family.environment, **place)
    except OSError as error:
        family.teed = subprocess.CompletedProcess(argv, 126, "", f"{family.command.argv[0]}: {error.strerror}")
    finally:
        del _TEEING[threading.get_ident()]
        finished.set()


def _note_lost_lines(_record: logging.LogRecord) -> bool:
    """A complaint of asyncio is the only sign that subprocess-tee could not read a line; it is noted instead of shown."""
    family = _TEEING.get(threading.get_ident())
    if family is None:
        return True
    family.lines_lost = True
    return False


@dataclass(eq=False)
class _Sink:
    """Where subprocess-tee prints the lines of one stream: counts them, and hands them on."""

    log: Callable[[str], None] | None
    size: int = 0

    def write(self, text: str) -> None:
        self.size += len(text)
        if self.log is not None and text.strip():
            with contextlib.suppress(OSError, ValueError):  # a terminal that went away; an error here would stop the reading
                self.log("".join(c if c.isprintable() else " " for c in text))


def _find_program(command: Command) -> str | None:
    return shutil.which(command.argv[0], path=command.env.get("PATH", os.defpath))


def _missing(command: Command) -> Outcome:
    return Outcome(127, stderr=f"{command.argv[0]}: no such program, or not executable", missing=True)


def _written(command: Command) -> int:
    try:
        return Path(command.output).stat().st_size if command.output else 0
    except OSError:
        return 0
