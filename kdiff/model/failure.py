"""What could not be compared, and what else a reader must know about how the comparison was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kdiff.model.codec import OPTIONAL

FailureClass = Literal[
    "missing-kustomization",
    "missing-resource",
    "invalid-yaml",
    "invalid-kustomization",
    "duplicate-id",
    "cycle",
    "load-restriction",
    "remote-unreachable",
    "timeout",
    "output-too-large",
    "undefined-variable",
    "missing-source",
    "renderer-missing",
    "renderer-failed",
]
FailureSide = Literal["base", "head", "both"]


@dataclass(frozen=True, order=True)
class Failure:
    """One target that could not be rendered on `side`. `message` is masked, free of control characters and scratch paths."""

    side: FailureSide
    target: str
    class_: FailureClass  # `class` in JSON
    message: str
    scope: str = field(default="", metadata=OPTIONAL)


@dataclass(frozen=True)
class Note:
    """Something ignored, masked, truncated, assumed or not followed. `kind` is a short word, `message` one sentence.

    `scope` is "" for what concerns the run as a whole.
    """

    kind: str
    message: str
    target: str | None = field(default=None, metadata=OPTIONAL)
    object: str | None = field(default=None, metadata=OPTIONAL)
    scope: str = field(default="", metadata=OPTIONAL)

    @property
    def order(self) -> tuple[str, str, str, str, str]:
        """Where it stands among the notes of a report."""
        return self.kind, self.target or "", self.object or "", self.message, self.scope
