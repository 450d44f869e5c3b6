"""pytest plugin: the fixture `kustomize_diff` renders and compares two trees in a test, and keeps golden files of the answer."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kdiff.model.report import Report

_FORMATS = {".txt": "text", ".md": "markdown", ".json": "json", ".diff": "diff"}
_SHOWN = 120  # lines of the difference between a golden file and what came out


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--kdiff-update-golden`."""
    parser.getgroup("kdiff").addoption(
        "--kdiff-update-golden", action="store_true", help="rewrite the golden files of kustomize_diff, then fail naming them"
    )


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Fail a test that rewrote golden files at its end, so that one run rewrites all of them."""
    result = yield
    used = pyfuncitem.funcargs.get("kustomize_diff")
    if isinstance(used, KustomizeDiff) and used.rewritten:
        pytest.fail("\n".join(f"{golden} was rewritten: read it before you commit it" for golden in used.rewritten), pytrace=False)
    return result


class KustomizeDiff:
    """What the fixture gives. Relative paths start at the directory of the test module."""

    def __init__(self, directory: Path, *, update: bool) -> None:
        self._directory = directory
        self._update = update
        self.rewritten: list[str] = []

    def __call__(self, base: str | os.PathLike[str], head: str | os.PathLike[str], **options: Any) -> Report:
        """`kdiff.render_diff`; keywords are fields of `kdiff.Options`.

        Raises:
            KdiffError: the comparison cannot be made at all.
            TypeError: an option that does not exist.
        """
        from kdiff.model.options import Options  # noqa: PLC0415 - this module is loaded into every run of pytest
        from kdiff.pipeline import render_diff  # noqa: PLC0415

        return render_diff(self._source(base), self._source(head), options=Options(**options))

    def assert_golden(self, report: Report, golden: str | os.PathLike[str]) -> None:
        """Assert that `report` is what the file `golden` says; its suffix (.txt, .md, .json, .diff) decides the format.

        Versions, revisions and the names of the trees are left out, so that the file holds on every machine.

        Raises:
            AssertionError: it is not, or there is no such file. With `--kdiff-update-golden` the file is rewritten instead, and the test
                fails at its end.
        """
        __tracebackhide__ = True
        path = self._directory / golden
        got = _golden_text(report, path)
        expected = path.read_bytes().decode("utf-8") if path.is_file() else None
        if got == expected:
            return
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(got.encode("utf-8"))
            self.rewritten.append(os.fspath(golden))
            return
        raise AssertionError(
            f"{golden} {'does not exist' if expected is None else 'differs'}; pytest --kdiff-update-golden writes it\n"
            + _difference(expected or "", got)
        )

    def _source(self, source: Any) -> Any:
        if not isinstance(source, (str, os.PathLike)) or str(source) == "-" or str(source).startswith("git:"):
            return source
        return self._directory / source


@pytest.fixture
def kustomize_diff(request: pytest.FixtureRequest) -> KustomizeDiff:
    """Renders and compares two trees, such as `kustomize_diff("base", "head", entry=["clusters/prod"])`."""
    return KustomizeDiff(request.path.parent, update=bool(request.config.getoption("--kdiff-update-golden")))


def _golden_text(report: Report, path: Path) -> str:
    from kdiff.model.report import Tool  # noqa: PLC0415
    from kdiff.reports.formats import FORMATS  # noqa: PLC0415
    from kdiff.reports.style import Style  # noqa: PLC0415

    if path.suffix not in _FORMATS:
        raise AssertionError(f"{path.name}: name the golden file with one of {', '.join(_FORMATS)}")
    settled = replace(
        report,
        tool=Tool("kdiff", "any"),
        base=replace(report.base, label="base", revision=None),
        head=replace(report.head, label="head", revision=None),
    )
    return FORMATS[_FORMATS[path.suffix]](settled, Style())


def _difference(expected: str, got: str) -> str:
    from difflib import unified_diff  # noqa: PLC0415

    lines = list(unified_diff(expected.splitlines(), got.splitlines(), "golden file", "report", lineterm=""))
    more = [f"... {len(lines) - _SHOWN} more lines"] if len(lines) > _SHOWN else []
    return "\n".join(lines[:_SHOWN] + more)
