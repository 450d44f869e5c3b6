"""The process boundary, with real tiny processes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kdiff import process
from kdiff.process import Command, Outcome, capture, clean_environment, end_all, run

ROADS = {"run": run, "capture": capture}


@pytest.fixture(params=ROADS)
def road(request: pytest.FixtureRequest) -> process.Runner:
    return ROADS[request.param]


def python(code: str, *arguments: str, **settings: object) -> Command:
    settings.setdefault("timeout", 20.0)
    return Command((sys.executable, "-I", "-S", "-c", code, *arguments), **settings)  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        if Path("/proc").is_dir():
            return False
        return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0
    return state != b"Z"


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 3
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(alive, pids))


# a child that starts a grandchild, which may leave the session; both note their pids and sleep
FAMILY = """
import os, subprocess, sys, time
leave, stay = sys.argv[2] == "leave", sys.argv[3] == "stay"
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"], start_new_session=leave)
with open(sys.argv[1], "w") as note:
    note.write(f"{os.getpid()} {child.pid}")
if stay:
    time.sleep(60)
"""


@pytest.fixture
def note(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "pids"
    yield path
    for pid in pids_in(path):  # only what the test itself started
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


def pids_in(note: Path) -> list[int]:
    return [int(pid) for pid in note.read_text().split()] if note.exists() else []


@pytest.mark.parametrize(
    ("code", "status", "stdout", "stderr"),
    [
        ("print('hello')", 0, b"hello\n", ""),
        ("import sys; sys.exit(3)", 3, b"", ""),
        ("import sys; sys.stderr.write('bad\\n'); sys.exit(1)", 1, b"", "bad\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15, b"", ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, b"", ""),
        ("import sys; print(repr(sys.stdin.read()))", 0, b"''\n", ""),
    ],
)
def test_both_roads_tell_how_a_child_ended(road: process.Runner, code: str, status: int, stdout: bytes, stderr: str) -> None:
    outcome = road(python(code))
    assert outcome == Outcome(status, stdout, stderr)
    assert outcome.ok is (status == 0)


@pytest.mark.parametrize("name", ["no-such-program-anywhere", "./not-executable", "./nothing-inside"])
def test_a_program_that_cannot_be_run_is_an_outcome(road: process.Runner, tmp_path: Path, name: str) -> None:
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    broken = tmp_path / "nothing-inside"
    broken.write_bytes(b"\x7fELF-not-really")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    outcome = road(Command((str(tmp_path / name) if name.startswith("./") else name,)))
    assert outcome.missing
    assert not outcome.ok
    assert name.removeprefix("./") in outcome.stderr


def test_capture_keeps_bytes_and_feeds_input() -> None:
    content = bytes(range(256)) * 4096 + b"trailing  \r\n \n"
    copy = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
    assert capture(python(copy, input=content)).stdout == content


@pytest.mark.parametrize(
    "junk",
    [
        "b'first\\n\\xff\\xfe broken\\nlast\\n'",
        "b'first\\n' + b'x' * (9 << 20) + b'\\nlast\\n'",  # beyond the tee's longest line
    ],
)
def test_messages_that_the_tee_cannot_read_still_arrive(junk: str, caplog: pytest.LogCaptureFixture) -> None:
    outcome = run(python(f"import sys; sys.stderr.buffer.write({junk}); sys.exit(1)"))
    assert outcome.status in (1, -9)
    assert outcome.stderr.startswith("first\n")
    assert not caplog.records


def test_lines_reach_the_log_while_the_child_runs_without_control_characters() -> None:
    lines: list[str] = []
    code = "import sys; print('out', flush=True); sys.stderr.write('\\x1b[31mred\\n\\nblue\\n')"
    assert run(python(code, log=lines.append)).ok
    assert sorted(lines) == [" [31mred", "blue", "out"]


@pytest.mark.parametrize("leave", ["leave", "remain"])
def test_a_hung_child_is_ended_with_all_it_started(road: process.Runner, note: Path, leave: str) -> None:
    outcome = road(python(FAMILY, str(note), leave, "stay", timeout=1.2))
    assert outcome.timed_out
    assert not outcome.ok
    assert len(pids_in(note)) == 2
    assert gone(pids_in(note))


@pytest.mark.parametrize("leave", ["leave", "remain"])
def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_call(note: Path, leave: str) -> None:
    outcome = run(python(FAMILY, str(note), leave, "exit", timeout=30))
    assert outcome.ok, "it was not held until the time limit, and the grandchild sleeps for longer"
    assert gone(pids_in(note))


def test_without_proc_the_launcher_notes_the_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, note: Path) -> None:
    monkeypatch.setattr(process, "_PROC", tmp_path / "absent")
    assert run(python(FAMILY, str(note), "remain", "stay", timeout=1.2)).timed_out
    assert gone(pids_in(note))
    assert run(python("import sys; print(sys.argv[1:])", "a b", "")) == Outcome(0, b"['a b', '']\n")
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF-not-really")
    broken.chmod(0o755)
    assert run(Command((str(broken),))).missing


FLOOD = "import sys\nwhile True: sys.std{}.write('x' * 999 + '\\n')"


@pytest.mark.parametrize(
    ("call", "command"),
    [
        (capture, python(FLOOD.format("out"), output_limit=1 << 20)),
        (capture, python(FLOOD.format("err"), output_limit=1 << 20)),
        (run, python(FLOOD.format("out"))),
        (run, python(FLOOD.format("err"))),
    ],
)
def test_a_flood_of_output_is_ended(call: process.Runner, command: Command) -> None:
    outcome = call(command)
    assert outcome.truncated
    assert not outcome.timed_out
    assert outcome.status == -9


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_result_file_beyond_the_limit_is_told(road: process.Runner, tmp_path: Path, goes_on: bool) -> None:
    result = tmp_path / "result"
    code = "import sys, time\nwith open(sys.argv[1], 'w') as f: f.write('x' * 4000)\nif sys.argv[2] == 'True': time.sleep(60)"
    outcome = road(python(code, str(result), str(goes_on), output=str(result), output_limit=1000))
    assert outcome.truncated
    assert not outcome.ok


def test_end_all_ends_children_of_other_threads(note: Path) -> None:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(run(python(FAMILY, str(note), "leave", "stay", timeout=60))))
    thread.start()
    while len(pids_in(note)) < 2:
        time.sleep(0.02)
    end_all()
    thread.join(10)
    assert not thread.is_alive()
    assert outcomes[0].status == -9
    assert not outcomes[0].timed_out
    assert gone(pids_in(note))


def test_an_interrupt_ends_the_child_and_is_raised(road: process.Runner, note: Path) -> None:
    program = (
        "import sys\nfrom kdiff.process import Command, run, capture\n"
        "call = {'run': run, 'capture': capture}[sys.argv[1]]\n"
        "call(Command((sys.executable, '-I', '-S', '-c', sys.argv[2], sys.argv[3], 'leave', 'stay')))\n"
    )
    name = next(key for key, value in ROADS.items() if value is road)
    caller = subprocess.Popen([sys.executable, "-c", program, name, FAMILY, str(note)], stderr=subprocess.PIPE)
    while len(pids_in(note)) < 2:
        time.sleep(0.02)
    caller.send_signal(signal.SIGINT)
    _, stderr = caller.communicate(timeout=15)
    assert b"KeyboardInterrupt" in stderr
    assert gone(pids_in(note))


def test_many_at_a_time_from_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda n: run(Command(("printf", "%s", str(n)))), range(40)))
    assert [outcome.stdout for outcome in outcomes] == [f"{n}\n".encode() for n in range(40)]


def test_a_child_sees_little_of_the_callers_environment(road: process.Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GIT_DIR", "KUBECONFIG", "LD_PRELOAD_X", "PYTHONPATH"):
        monkeypatch.setenv(name, "from-the-caller")
    outcome = road(python("import os; print(sorted(os.environ.items()))", env=clean_environment({"GOGC": "off"})))
    assert b"from-the-caller" not in outcome.stdout
    assert b"('GOGC', 'off')" in outcome.stdout
    assert b"('GIT_TERMINAL_PROMPT', '0')" in outcome.stdout
    assert b"('HOME'," in outcome.stdout


def test_the_working_directory_is_the_one_asked_for(road: process.Runner, tmp_path: Path) -> None:
    assert road(python("import os; print(os.getcwd())", cwd=str(tmp_path))).stdout.decode() == f"{tmp_path.resolve()}\n"


def test_a_log_that_fails_does_not_fail_the_run() -> None:
    def closed(_line: str) -> None:
        raise BrokenPipeError

    assert run(python("print('a'); print('b')", log=closed)) == Outcome(0, b"a\nb\n")


def test_reprs_hold_neither_input_nor_output() -> None:
    command, outcome = Command(("git",), input=b"topsecret", env={"TOKEN": "topsecret"}), Outcome(0, b"topsecret", "topsecret")
    assert "topsecret" not in repr((command, outcome))
