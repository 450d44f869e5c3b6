"""Every rule, in the order of rules.md. Adding one here is all that it takes to run it."""

from __future__ import annotations

from kdiff.hazards.rule import Rule

RULES: tuple[Rule, ...] = ()
