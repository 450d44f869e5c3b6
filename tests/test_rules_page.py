"""The table of docs/rules/README.md lists every rule, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from kdiff.hazards.registry import RULES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rules" / "README.md"


def test_the_table_lists_every_rule_in_order():
    rows = re.findall(r"^\| \[(\S+)\]\((\S+)\.md\) \| (\w+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(rule.id, rule.id, rule.severity, rule.title) for rule in RULES]
