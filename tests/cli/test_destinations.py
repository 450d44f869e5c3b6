from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest

from kdiff.cli import destinations
from kdiff.cli.destinations import read_destinations, wants_color, write_reports
from kdiff.config.settings import Settings
from kdiff.errors import UsageError


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Ascii(io.StringIO):
    encoding = "ascii"


def write(report, *output, stdout=None, environ=None, **settings) -> str:
    stdout = stdout or io.StringIO()
    write_reports(report, read_destinations(output), Settings(output=output, **settings), stdout, environ or {})
    return stdout.getvalue()


@pytest.mark.parametrize(
    ("terminal", "environ", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(terminal, environ, expected) -> None:
    assert wants_color(terminal, environ) is expected


@pytest.mark.parametrize(
    ("color", "terminal", "to_file", "expected"),
    [("auto", True, False, True), ("auto", True, True, False), ("never", True, False, False), ("always", False, True, True)],
)
def test_colour_goes_to_terminals_unless_told(make, tmp_path, monkeypatch, color, terminal, to_file, expected) -> None:
    monkeypatch.chdir(tmp_path)
    out = write(make(), "text=f" if to_file else "text", stdout=Terminal() if terminal else io.StringIO(), color=color)
    assert ("\x1b[" in ((tmp_path / "f").read_text() if to_file else out)) is expected


def test_width_is_that_of_the_terminal_else_fixed(make, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, write(make(), "text", stdout=Terminal(), environ={"NO_COLOR": "1"}).split("\n"))) <= 60
    assert max(map(len, write(make(), "text").split("\n"))) > 60


def test_files_are_replaced_whole_and_keep_their_mode(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    old = os.umask(0o027)
    try:
        write(make(), "json=new.json")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640
    (tmp_path / "old.json").write_text("old")
    (tmp_path / "old.json").chmod(0o600)
    (tmp_path / "link.json").symlink_to("old.json")
    write(make(), "json=link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert stat.S_IMODE((tmp_path / "old.json").stat().st_mode) == 0o600
    assert (tmp_path / "old.json").read_text() == make().to_json()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "new.json", "old.json"]


def test_a_device_is_written_to_and_not_replaced(make) -> None:
    write(make(), "json=/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_format_that_fails_leaves_no_file(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    def broken(report, style):
        raise RuntimeError

    monkeypatch.setitem(destinations.FORMATS, "diff", broken)
    with pytest.raises(RuntimeError):
        write(make(), "json=a.json", "diff=b")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_leaves_no_scratch_file(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(UsageError, match=r"-o: a\.json cannot be written: No space left on device"):
        write(make(), "json=a.json")
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_that_lacks_a_character_gets_an_escape(make) -> None:
    assert "apps/\\u6f22" in write(make("漢"), "text", stdout=Ascii())


def test_a_lone_surrogate_stays_valid_json(make, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(make("a\udc80"), "json=r.json")
    assert "a\\udc80" in (tmp_path / "r.json").read_bytes().decode("utf-8")
