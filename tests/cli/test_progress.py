from __future__ import annotations

import io

import pytest

from kdiff.cli.progress import progress_line
from kdiff.model.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_is_drawn_and_gone_at_the_end() -> None:
    terminal = Terminal()
    with progress_line(terminal, {}, wanted=True) as progress:
        assert progress is not None
        progress(Progress(3, 12, "apps/\x1b[2Jweb"))
        assert "[#####...............] 3/12 apps/\\x1b[2Jweb" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert "\n" not in terminal.getvalue()


def test_it_is_cleared_when_the_run_fails() -> None:
    terminal = Terminal()
    with pytest.raises(ValueError), progress_line(terminal, {}, wanted=True) as progress:  # noqa: PT012
        progress(Progress(1, 2, "a"))
        raise ValueError
    assert terminal.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("stream", "environ", "wanted"),
    [(io.StringIO(), {}, True), (Terminal(), {}, False), (Terminal(), {"TERM": "dumb"}, True), (Terminal(), {"CI": "true"}, True)],
)
def test_nothing_where_nobody_would_see_it(stream, environ, wanted) -> None:
    with progress_line(stream, environ, wanted=wanted) as progress:
        assert progress is None
    assert stream.getvalue() == ""
