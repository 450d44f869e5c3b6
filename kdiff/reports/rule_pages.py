"""The page of a hazard's rule, as the package carries it, so that reports explain themselves without a network."""

from __future__ import annotations

import re
from importlib import resources

_RULE_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # a saved report may name anything; only such names are looked up


def rule_page(rule: str) -> str | None:
    """Markdown of the rule's page; None for a rule that has none."""
    if not _RULE_ID.fullmatch(rule):
        return None
    package = resources.files("kdiff")
    for place in (package / "hazards" / "pages", package / ".." / "docs" / "rules"):  # installed, or a checkout
        page = place / f"{rule}.md"
        if page.is_file():
            return page.read_text(encoding="utf-8")
    return None


def rule_summary(page: str) -> str:
    """First paragraph below the first heading of level two: what the rule says, in one or two sentences."""
    _, _, rest = page.partition("\n## ")
    _, _, body = rest.partition("\n")
    return " ".join(body.strip().split("\n\n")[0].split())
