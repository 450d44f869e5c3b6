"""The command as a shell starts it: with closed, full and foreign standard streams, and in locales of other charsets."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kdiff.cli.streams import print_text

KDIFF = f"{shlex.quote(sys.executable)} -m kdiff"
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {note: 'é %s 漢 😀'}\n"
CLOSED = "kdiff: error: standard output is closed; open it, or write the report to a file with -o FORMAT=FILE\n"
FULL = "kdiff: error: standard output cannot be written: No space left on device\n"
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


@pytest.fixture
def shell(tmp_path):
    for side in ("base", "head"):
        (tmp_path / f"{side}.yaml").write_text(MANIFEST % side, encoding="utf-8")

    def run(line: str, **environ: str) -> tuple[int, bytes, str]:
        done = subprocess.run(
            ["bash", "-c", line.replace("kdiff", KDIFF, 1)],
            cwd=tmp_path,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr.decode()

    return run


@pytest.mark.parametrize("call", ["base.yaml head.yaml", "--help", "rules", "config", "show --help"])
def test_a_closed_standard_output_is_one_line(shell, call) -> None:
    assert shell(f"kdiff {call} >&-") == (2, b"", CLOSED)


@needs_full
@pytest.mark.parametrize("call", ["base.yaml head.yaml", "base.yaml head.yaml -o json", "--help", "rules", "schema"])
def test_a_full_standard_output_is_one_line(shell, call) -> None:
    assert shell(f"kdiff {call} >/dev/full") == (2, b"", FULL)


@pytest.mark.parametrize("call", ["-q", "-o json=x.json", "-o json=x.json 2>&-", "-q <&- 2>&-"])
def test_what_prints_nothing_needs_no_standard_streams(shell, tmp_path, call) -> None:
    assert shell(f"kdiff base.yaml head.yaml {call} >&-") == (1, b"", "")
    if "json" in call:
        assert json.loads((tmp_path / "x.json").read_text())["outcome"] == "changed"


@pytest.mark.parametrize("stderr", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_an_error_that_nobody_can_read_is_no_difference(shell, stderr) -> None:
    assert shell(f"kdiff base.yaml nope {stderr}") == (2, b"", "")


@pytest.mark.parametrize("call", ["base.yaml -", "show -", "merge -"])
def test_a_closed_standard_input_is_one_line(shell, call) -> None:
    assert shell(f"kdiff {call} <&-") == (2, b"", "kdiff: error: standard input is closed; name a file instead of -\n")


@pytest.mark.parametrize("where", ["/dev/stdout", "/dev/fd/1", "/dev/stderr 2>&1", ">(cat)"])
def test_a_report_goes_into_a_pipe_by_its_name(shell, where) -> None:
    _, out, err = shell(f"kdiff base.yaml head.yaml -o json={where} | cat")
    assert (json.loads(out)["outcome"], err) == ("changed", "")


def test_a_descriptor_of_a_file_is_added_to_and_never_replaced(shell, tmp_path) -> None:
    shell("kdiff base.yaml head.yaml -q -o diff=/dev/fd/3 3>>log")
    before = (tmp_path / "log").stat()
    shell("kdiff base.yaml head.yaml -q -o diff=/dev/fd/3 3>>log")
    after = (tmp_path / "log").stat()
    assert before.st_size > 0
    assert (after.st_ino, after.st_size) == (before.st_ino, 2 * before.st_size)


@pytest.mark.parametrize("name", ["/dev/stdout", "-"])
def test_two_reports_do_not_share_standard_output_by_another_name(shell, name) -> None:
    status, _, err = shell(f"kdiff base.yaml head.yaml -o text -o json={name}")
    assert (status, "both go to standard output" in err) == (2, True)


@pytest.mark.parametrize("format_", ["json", "sarif", "diff", "markdown", "html", "junit", "gitlab"])
def test_what_programs_read_is_utf_8_in_any_locale(shell, format_) -> None:
    usual = shell(f"kdiff base.yaml head.yaml -o {format_}", PYTHONUTF8="1")
    assert usual[1].isascii() is (format_ in ("gitlab", "junit", "sarif"))
    assert shell(f"kdiff base.yaml head.yaml -o {format_}", PYTHONUTF8="0", LC_ALL="POSIX") == usual
    assert shell(f"kdiff base.yaml head.yaml -o {format_}", PYTHONIOENCODING="latin-1") == usual


def test_text_escapes_what_the_terminal_lacks(shell) -> None:
    _, out, _ = shell("kdiff base.yaml head.yaml", PYTHONUTF8="0", LC_ALL="POSIX")
    assert rb'"\xe9 base \u6f22 \U0001f600"' in out
    _, out, _ = shell("kdiff base.yaml head.yaml", PYTHONIOENCODING="latin-1")
    assert b'"\xe9 base \\u6f22 \\U0001f600"' in out


def test_names_are_utf_8_in_any_locale(shell, tmp_path, kustomize) -> None:
    for side in ("base", "head"):
        place = tmp_path / side / "café"
        place.mkdir(parents=True)
        (place / "größe.yaml").write_text(MANIFEST % side, encoding="utf-8")
        (place / "kustomization.yaml").write_text("resources: [größe.yaml]\n", encoding="utf-8")
    line = "kdiff base head --entry café -o json"
    usual = shell(line, PYTHONUTF8="1")
    assert json.loads(usual[1])["changes"][0]["scope"] == "café"
    assert shell(line, PYTHONUTF8="0", LC_ALL="POSIX") == usual
    status, _, err = shell("kdiff nöpe head", PYTHONUTF8="0", LC_ALL="POSIX")
    assert (status, err) == (2, "kdiff: error: n\\xf6pe: no such file or directory; a revision of git is written git:REV\n")


def test_a_saved_report_is_read_as_utf_8(shell) -> None:
    shell("kdiff base.yaml head.yaml -o json=r.json")
    usual = shell("kdiff show r.json -o json")
    assert shell("kdiff show - -o json < r.json", PYTHONIOENCODING="ascii") == usual


def test_text_streams_without_bytes_below_will_do() -> None:
    stream = io.StringIO()
    print_text("é", stream, utf8=True)
    assert stream.getvalue() == "é"
