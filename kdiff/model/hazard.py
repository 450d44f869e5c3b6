"""What the cluster will do that a reader of the diff may not see (report-v1: Hazard)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kdiff.model.codec import OPTIONAL

Severity = Literal["blocking", "caution", "info"]
SEVERITIES: tuple[Severity, ...] = ("blocking", "caution", "info")


@dataclass(frozen=True)
class SourceLocation:
    """A file of the tree, and the line in it where known."""

    file: str
    line: int | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Waiver:
    """Who accepted a hazard (`config` or `annotation`), and why."""

    by: str
    reason: str


@dataclass(frozen=True)
class Hazard:
    """One hazard. `message` names the object and the consequence in one sentence; `why` says what the rule knows."""

    rule: str
    severity: Severity
    message: str
    why: str
    help: str
    object: str | None = field(default=None, metadata=OPTIONAL)
    objects: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    target: str | None = field(default=None, metadata=OPTIONAL)
    pointer: str | None = field(default=None, metadata=OPTIONAL)
    where: str | None = field(default=None, metadata=OPTIONAL)
    variable: str | None = field(default=None, metadata=OPTIONAL)
    source: SourceLocation | None = field(default=None, metadata=OPTIONAL)
    waived: Waiver | None = field(default=None, metadata=OPTIONAL)
    scope: str = field(default="", metadata=OPTIONAL)
