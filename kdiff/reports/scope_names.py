"""Which scope a thing is of, said where a report speaks of several: their objects and targets may have the same ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kdiff.model.hazard import Hazard
from kdiff.model.report import Report
from kdiff.reports import wording


@dataclass(frozen=True)
class ScopeNames:
    """What to add to the name of an object or target; nothing where there is one scope, or the target is the scope itself."""

    several: bool

    def of_object(self, scope: str) -> str:
        """` in clusters/eu`."""
        return f" in {wording.target_names([scope])}" if self.several and scope else ""

    def of_target(self, scope: str, target: str) -> str:
        """` of clusters/eu`."""
        return f" of {wording.target_names([scope])}" if self.several and scope and scope != target else ""

    def targets(self, scope: str, ids: Iterable[str]) -> list[str]:
        """Each target by its whole name."""
        return [wording.target_names([target]) + self.of_target(scope, target) for target in ids]

    def subject(self, hazard: Hazard) -> str:
        """What a hazard is about, and where."""
        if hazard.target and not hazard.object:
            return wording.hazard_subject(hazard) + self.of_target(hazard.scope, hazard.target)
        return wording.hazard_subject(hazard) + self.of_object(hazard.scope)


def scope_names(report: Report) -> ScopeNames:
    """How to name the things of `report`."""
    scopes = {change.scope for change in report.changes} | {hazard.scope for hazard in report.hazards}
    scopes |= {failure.scope for failure in report.failures}
    return ScopeNames(len(scopes - {""}) > 1)
