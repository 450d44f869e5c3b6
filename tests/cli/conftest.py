"""The command with a comparison that is made up: `run` calls main and gives status, standard output and standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from kdiff.cli.main import main
from kdiff.model.change import Change, ChangeTargets, ObjectRef
from kdiff.model.hazard import Hazard
from kdiff.model.report import ObjectTotals, Report, Summary, TargetTotals, Tool
from kdiff.model.tree import TreeOrigin


def make_report(name: str = "web", **more: Any) -> Report:
    obj = ObjectRef("apps", "v1", "Deployment", "shop", name)
    scope = f"apps/{name}"
    change = Change(obj.id, obj.id, "changed", scope, obj, obj, ChangeTargets((scope,), (scope,)), pairing="key")
    given = {
        "changes": (change,),
        "outcome": "changed",
        "summary": Summary(ObjectTotals(3, 3, changed=1, unchanged=2), TargetTotals(2, 2, 1)),
    }
    return Report(Tool("kdiff", "9.9.9"), TreeOrigin("base", "directory"), TreeOrigin("head", "directory"), **{**given, **more})


@pytest.fixture
def make() -> Callable[..., Report]:
    return make_report


@pytest.fixture
def blocking() -> Hazard:
    return Hazard("removed-namespace", "blocking", "it goes", "why", "help", object="v1/Namespace shop")


class Command:
    """Calls of `main`; `seen` holds what render_diff was given, `answer` what it gives or raises."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.answer: Any = make_report()
        self.seen: dict[str, Any] = {}

    def render_diff(self, base: str, head: str, **given: Any) -> Report:
        self.seen = {"base": base, "head": head, **given}
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        out, err = self.capsys.readouterr()
        return status, out, err


@pytest.fixture
def kdiff(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path) -> Command:
    command = Command(capsys)
    pipeline = ModuleType("kdiff.pipeline")
    pipeline.render_diff = command.render_diff
    monkeypatch.setitem(sys.modules, "kdiff.pipeline", pipeline)
    monkeypatch.chdir(tmp_path)
    return command
