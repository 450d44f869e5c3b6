"""A report of fewer changes: what `Report.only` gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TypeAlias

from kdiff.errors import UsageError
from kdiff.impact.counts import count_by_kind, count_by_namespace, count_by_target, count_cluster_scoped, count_crds
from kdiff.impact.routine import has_routine_shape
from kdiff.model.change import STATUSES, Change, GroupMember, ObjectRef
from kdiff.model.failure import Note
from kdiff.model.hazard import SEVERITIES, Hazard
from kdiff.model.impact import Impact
from kdiff.model.report import HazardTotals, ObjectTotals, Outcome, Report

Globs: TypeAlias = str | Iterable[str] | None


def narrow_report(
    report: Report,
    *,
    kind: Globs = None,
    namespace: Globs = None,
    name: Globs = None,
    status: Globs = None,
    target: Globs = None,
) -> Report:
    """`report` with only the changes that match every criterion given. One is a glob (fnmatch), or several of which one must match.

    `kind` is `Kind` or `group/Kind`, `namespace` is "" where an object names none; these and `name` and `target` match either side.
    `moved` means every object whose target changed, edited or not, as `Report.moved` does.

    Hazards stay that name an object which stays, or a target that `target` matches; impact and the counts of changes, groups and
    hazards are those of what stays. Failures, and how many objects and targets were compared, tell of the whole run, so that no
    filter hides that something was not compared. A note says what was left out.

    Raises:
        UsageError: there is no such status.
    """
    wanted = {"kind": kind, "namespace": namespace, "name": name, "status": status, "target": target}
    given = {word: _globs(value) for word, value in wanted.items() if value is not None}
    for each in given.get("status", ()):
        if each not in STATUSES:
            raise UsageError(f'there is no status "{each}"; known are {", ".join(STATUSES)}')
    kept = tuple(c for c in report.changes if all(_matches(_FACTS[word](c), globs) for word, globs in given.items()))
    left_out = len(report.changes) - len(kept)
    if not left_out:
        return report
    asked = ", ".join(f"{word} {' or '.join(globs)}" for word, globs in given.items())
    note = Note("narrowed", f"left out: {left_out} of {len(report.changes)} changed objects; asked for {asked}")
    hazards = _hazards(report.hazards, kept, given.get("target", ()))
    outcome: Outcome = "incomplete" if report.outcome == "incomplete" else "changed" if kept else "unchanged"
    members = {GroupMember(c.scope, c.id) for c in kept}
    groups = (replace(group, objects=tuple(m for m in group.objects if m in members)) for group in report.groups)
    summary = report.summary
    return replace(
        report,
        outcome=outcome,
        summary=replace(
            summary,
            objects=_object_totals(summary.objects, kept),
            targets=replace(summary.targets, changed=len({(c.scope, t) for c in kept for t in _targets(c)})),
            hazards=HazardTotals(**{s: sum(h.severity == s and h.waived is None for h in hazards) for s in SEVERITIES}),
        ),
        changes=kept,
        groups=tuple(group for group in groups if len(group.objects) > 1),
        impact=_impact(report, kept, hazards),
        hazards=hazards,
        notes=tuple(sorted((*report.notes, note), key=lambda n: n.order)),
    )


def _globs(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _matches(facts: Iterable[str], globs: Iterable[str]) -> bool:
    return any(fnmatchcase(fact, glob) for fact in facts for glob in globs)


def _kinds(change: Change) -> set[str]:
    return {text for ref in _refs(change) for text in (ref.kind, f"{ref.group}/{ref.kind}")}


def _refs(change: Change) -> tuple[ObjectRef, ...]:
    return tuple(ref for ref in (change.object, change.base_object) if ref is not None)


def _targets(change: Change) -> set[str]:
    return {*change.targets.base, *change.targets.head}


_FACTS: dict[str, Callable[[Change], Collection[str]]] = {
    "kind": _kinds,
    "namespace": lambda change: {ref.namespace or "" for ref in _refs(change)},
    "name": lambda change: {ref.name for ref in _refs(change)},
    "status": lambda change: {change.status} | ({"moved"} if change.moved else set()),
    "target": _targets,
}


def _ids(changes: Iterable[Change]) -> set[tuple[str, str]]:
    """(scope, id) of both sides; the scope "" stands for any, as in a report of one scope."""
    return {(scope, name) for c in changes for scope in (c.scope, "") for name in (c.id, c.base_id or c.id)}


def _hazards(hazards: Iterable[Hazard], kept: Iterable[Change], targets: tuple[str, ...]) -> tuple[Hazard, ...]:
    ids = _ids(kept)
    return tuple(
        hazard
        for hazard in hazards
        if any((hazard.scope, name) in ids for name in (hazard.object, *hazard.objects) if name)
        or (hazard.target is not None and _matches([hazard.target], targets))
    )


def _object_totals(totals: ObjectTotals, kept: tuple[Change, ...]) -> ObjectTotals:
    return replace(
        totals,
        added=sum(c.status == "added" for c in kept),
        removed=sum(c.status == "removed" for c in kept),
        changed=sum(c.status == "changed" for c in kept),
        renamed=sum(c.status == "renamed" for c in kept),
        moved=sum(c.moved is not None for c in kept),
    )


def _impact(report: Report, kept: tuple[Change, ...], hazards: tuple[Hazard, ...]) -> Impact:
    impact = report.impact
    ids = _ids(kept)
    names = {name for _, name in ids}
    targets = {(scope, t) for c in kept for t in _targets(c) for scope in (c.scope, "")}
    failed = {(failure.scope, failure.target) for failure in report.failures}
    rollouts = tuple(r for r in impact.rollouts if (r.scope, r.object) in ids)
    images = (replace(image, objects=tuple(o for o in image.objects if o in names)) for image in impact.images)
    return replace(
        impact,
        by_kind=count_by_kind(kept),
        by_namespace=count_by_namespace(kept),
        by_target=count_by_target(kept),
        cluster_scoped=count_cluster_scoped(kept),
        crds=count_crds(kept),
        rollouts=rollouts,
        pods=sum(r.replicas or 0 for r in rollouts),
        dependents=tuple(d for d in impact.dependents if (d.scope, d.of) in ids),
        target_dependents=tuple(d for d in impact.target_dependents if (d.scope, d.of) in targets | failed),
        images=tuple(image for image in images if image.objects),
        routine=has_routine_shape(kept) and not hazards and not report.failures,
    )
