"""The house rules that no linter knows: how long a module may be, and which words name nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "kdiff"
MODULES = sorted(PACKAGE.rglob("*.py"))
BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
MAY_OPEN_FILES = {"inputs", "render", "cli"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_house_rules(path: Path) -> None:
    place = path.relative_to(PACKAGE)
    source = path.read_text(encoding="utf-8")
    assert not BANNED & set(place.with_suffix("").parts)
    assert len(source.splitlines()) <= 460, "a module does one job in about 400 lines"
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "a module says its single job in its docstring"
    if place.parts[0] in MAY_OPEN_FILES or place.name in ("process.py", "config.py"):
        return
    called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"open", "print", "input"}, "only starred modules touch files or the terminal"
