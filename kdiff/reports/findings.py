"""Hazards and failures as code-scanning tools know findings: a place in the tree, and a fingerprint that stays while it does."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard, Severity, Waiver
from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.scope_names import ScopeNames, scope_names

NOT_COMPARED = "not-compared"

_OWNER_ID = re.compile(r"(Kustomization|Application) [^ ]+/[^ ]+")  # target ids that are no paths (report-v1, Ids)
_PATCH = re.compile(r"(.+) patches\[\d+\]")


@dataclass(frozen=True)
class Finding:
    """One hazard or failure. `file` is a path of the tree, perhaps a directory; None where nobody knows it.

    `message`, `why` and `subject` are safe to show; `message` of a failure may have several lines. `scope` is "" where
    there is one only, or the subject is the scope.
    """

    rule: str
    severity: Severity
    subject: str
    message: str
    why: str
    fingerprint: str
    file: str | None
    line: int | None = None
    scope: str = ""
    waived: Waiver | None = None
    failure: Failure | None = None
    hazard: Hazard | None = None

    @property
    def located_message(self) -> str:
        """The message for where no subject stands beside it: `clusters/eu: ...` of several scopes."""
        return f"{self.scope}: {self.message}" if self.scope else self.message


def findings(report: Report) -> tuple[Finding, ...]:
    """Failures first, for what was not compared may hide anything; then hazards in report order, waived ones last."""
    names = scope_names(report)
    found = [_of_failure(failure, names) for failure in report.failures]
    found += [_of_hazard(hazard, names) for hazard in sorted(report.hazards, key=lambda h: h.waived is not None)]
    return tuple(_distinct(found))


def _distinct(found: list[Finding]) -> Iterator[Finding]:
    """Tools take findings of one fingerprint for one finding."""
    seen: Counter[str] = Counter()
    for finding in found:
        times = seen[finding.fingerprint]
        seen[finding.fingerprint] += 1
        yield replace(finding, fingerprint=_digest(finding.fingerprint, str(times))) if times else finding


def _of_failure(failure: Failure, names: ScopeNames) -> Finding:
    return Finding(
        rule=NOT_COMPARED,
        severity="blocking",
        subject=names.targets(failure.scope, [failure.target])[0],
        message="\n".join(visible(line) for line in failure.message.split("\n")),
        why=f"{failure.class_} on {'both sides' if failure.side == 'both' else failure.side}",
        fingerprint=_digest(NOT_COMPARED, failure.scope, failure.target, failure.class_, failure.side),
        file=_directory(failure.target, failure.scope),
        failure=failure,
    )


def _of_hazard(hazard: Hazard, names: ScopeNames) -> Finding:
    file, line = _place(hazard)
    about = [hazard.rule, hazard.scope, hazard.object, hazard.target, hazard.pointer, hazard.where, hazard.variable, *hazard.objects]
    return Finding(
        rule=visible(hazard.rule),
        severity=hazard.severity,
        subject=names.subject(hazard),
        message=visible(hazard.message),
        why=visible(hazard.why),
        fingerprint=_digest(*(part or "" for part in about)),
        file=file,
        line=line,
        scope=wording.target_names([hazard.scope]) if names.of_target(hazard.scope, hazard.target or "") else "",
        waived=hazard.waived,
        hazard=hazard,
    )


def _place(hazard: Hazard) -> tuple[str | None, int | None]:
    if hazard.source is not None:
        return hazard.source.file, hazard.source.line
    patch = _PATCH.fullmatch(hazard.where) if hazard.where else None
    if patch:
        return patch[1], None
    return _directory(hazard.target, hazard.scope), None


def _directory(*target_ids: str | None) -> str | None:
    """The first of these targets that is a path."""
    return next((name for name in target_ids if name and not _OWNER_ID.fullmatch(name)), None)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]
