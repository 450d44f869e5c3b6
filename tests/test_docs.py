"""Every registered rule has its page, a case that raises it and a case beside it that must not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from kdiff.hazards.registry import RULES

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "rules"
CASES = ROOT / "tests" / "hazards"
SECTIONS = ["What it says", "Why it hurts", "When it is quiet", "How to fix it", "Example"]

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def page(rule):
    path = PAGES / f"{rule.id}.md"
    assert path.is_file(), f"write docs/rules/{path.name}: what it says, why it hurts, when it is quiet, how to fix it, an example"
    return path.read_text(encoding="utf-8")


@each_rule
def test_a_rule_has_its_page(rule):
    text = page(rule)
    assert re.match(rf"# {rule.id}\n\nDefault severity: .*\b{rule.severity}\b", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    bodies = re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]
    assert all(body.strip() for body in bodies)
    assert re.search(rf"^ *(blocking|caution|info) +{rule.id}(  |$)", bodies[-1], re.MULTILINE), "the example is a hazard of this rule"


def test_every_page_is_of_a_rule():
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} <= {rule.id for rule in RULES}


@each_rule
def test_a_rule_has_its_cases(rule):
    """A test `test_fires...` that asks for a hazard of the rule, and one `test_is_quiet...` that asks for none."""
    name = rule.id.replace("-", "_")
    path = CASES / f"test_{name}.py"
    assert path.is_file(), f"write tests/hazards/{path.name}"
    module = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module for node in module.body if isinstance(node, ast.ImportFrom) and any(a.name == "RULE" for a in node.names)}
    assert imported == {f"kdiff.hazards.{name}"}
    tests = [node for node in module.body if isinstance(node, ast.FunctionDef) and _checks_the_rule(node)]
    assert any(test.name.startswith("test_fires") for test in tests), f"no case of {path.name} raises {rule.id}"
    assert any(test.name.startswith("test_is_quiet") and _asks_for_none(test) for test in tests), f"no case of {path.name} is quiet"


def _checks_the_rule(test: ast.FunctionDef) -> bool:
    """True when `RULE` is run and something is asserted or unpacked of what it gives."""
    return any(isinstance(node, ast.Name) and node.id == "RULE" for node in ast.walk(test))


def _asks_for_none(test: ast.FunctionDef) -> bool:
    """True when the test asserts that something is `()`."""
    compared = (node for node in ast.walk(test) if isinstance(node, ast.Compare))
    return any(isinstance(side, ast.Tuple) and not side.elts for node in compared for side in node.comparators)
