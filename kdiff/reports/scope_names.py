"""Which scope a thing is of, said where a report speaks of several: their objects and targets may have the same ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kdiff.model.failure import Note
from kdiff.model.hazard import Hazard
from kdiff.model.report import Report
from kdiff.reports import wording

NAMED_SCOPES = 3


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
    return ScopeNames(len(_scopes(report)) > 1)


def note_texts(report: Report) -> dict[str, tuple[str, ...]]:
    """The notes by kind, in report order. One that is so in several scopes is said once, and names or counts them."""
    several = len(_scopes(report) | {note.scope for note in report.notes if note.scope}) > 1
    scopes: dict[Note, list[str]] = {}
    for note in report.notes:
        scopes.setdefault(replace(note, scope=""), []).extend([note.scope] if note.scope not in ("", note.target) else [])
    texts: dict[str, tuple[str, ...]] = {}
    for note, found in scopes.items():
        named = wording.target_names(found) if len(found) <= NAMED_SCOPES else f"{len(found)} scopes"
        text = wording.note_text(note) + (f" (in {named})" if several and found else "")
        texts[note.kind] = (*texts.get(note.kind, ()), text)
    return texts


def _scopes(report: Report) -> set[str]:
    return {each.scope for found in (report.changes, report.hazards, report.failures) for each in found} - {""}
