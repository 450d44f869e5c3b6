"""Joins the reports of shards of one repository into one, as if one run had made it."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from kdiff.errors import UsageError
from kdiff.model.change import Group, GroupMember
from kdiff.model.hazard import SEVERITIES
from kdiff.model.impact import Counts, ImageChange, Impact
from kdiff.model.report import HazardTotals, ObjectTotals, Outcome, Report, Summary, TargetTotals
from kdiff.reports.outline import fields_text

T = TypeVar("T")


def merge_reports(reports: Sequence[tuple[str, Report]]) -> Report:
    """One report of all. Each comes with the name that messages call it by.

    Raises:
        UsageError: the reports do not belong together: other trees were compared, or a scope is in two of them.
    """
    first_name, first = reports[0]
    seen: dict[str, int] = {}
    for n, (name, report) in enumerate(reports):
        if (report.base, report.head) != (first.base, first.head):
            raise UsageError(f"{name} compares other trees than {first_name}; merge shards of one comparison")
        if report.tool != first.tool:
            raise UsageError(f"{name} was made with {_tool(report)}, {first_name} with {_tool(first)}; make all shards with one version")
        for scope in sorted(_scopes(report)):
            other = reports[seen.setdefault(scope, n)][0]
            if seen[scope] != n:
                raise UsageError(f"{scope} is in {other} and in {name}; shards must not share a target, see --targets")
    parts = [report for _, report in reports]
    return Report(
        tool=first.tool,
        base=first.base,
        head=first.head,
        outcome=_outcome(parts),
        summary=Summary(
            _sum(ObjectTotals, (p.summary.objects for p in parts)),
            _sum(TargetTotals, (p.summary.targets for p in parts)),
            _sum(HazardTotals, (p.summary.hazards for p in parts)),
        ),
        changes=tuple(sorted((c for p in parts for c in p.changes), key=lambda c: (c.scope, c.id))),
        groups=_groups(parts),
        impact=_impact([p.impact for p in parts]),
        hazards=tuple(
            sorted({h for p in parts for h in p.hazards}, key=lambda h: (SEVERITIES.index(h.severity), h.rule, h.scope, h.object or ""))
        ),
        failures=tuple(sorted({f for p in parts for f in p.failures})),
        notes=tuple(sorted({n for p in parts for n in p.notes}, key=lambda n: n.order)),
    )


def _tool(report: Report) -> str:
    return f"{report.tool.name} {report.tool.version}, kustomize {report.tool.kustomize_version}"


def _scopes(report: Report) -> set[str]:
    return {c.scope for c in report.changes} | {f.scope or f.target for f in report.failures} | set(report.impact.by_target)


def _outcome(parts: Iterable[Report]) -> Outcome:
    found = {p.outcome for p in parts}
    return "incomplete" if "incomplete" in found else "changed" if "changed" in found else "unchanged"


def _sum(cls: type[T], items: Iterable[T]) -> T:
    """Field by field; every field is a count."""
    given = list(items)
    fields: Any = dataclasses.fields(cls)  # type: ignore[arg-type]
    return cls(**{f.name: sum(getattr(item, f.name) for item in given) for f in fields})


def _groups(parts: Iterable[Report]) -> tuple[Group, ...]:
    """The same edit in several shards is one group, also where each shard had it once."""
    members: defaultdict[str, set[GroupMember]] = defaultdict(set)
    fields: dict[str, Group] = {}
    for part in parts:
        known = [Group(c.fields, (GroupMember(c.scope, c.id),)) for c in part.changes if c.fields]
        for group in (*part.groups, *known):
            key = fields_text(group.fields)
            fields.setdefault(key, group)
            members[key] |= set(group.objects)
    groups = [Group(fields[key].fields, tuple(sorted(found))) for key, found in members.items() if len(found) > 1]
    return tuple(sorted(groups, key=lambda g: g.objects))


def _impact(parts: Sequence[Impact]) -> Impact:
    return Impact(
        by_kind=_sum_counts(p.by_kind for p in parts),
        by_namespace=_sum_counts(p.by_namespace for p in parts),
        by_target=_sum_counts(p.by_target for p in parts),
        cluster_scoped=sum(p.cluster_scoped for p in parts),
        crds=sum(p.crds for p in parts),
        rollouts=tuple(sorted((r for p in parts for r in p.rollouts), key=lambda r: (r.scope, r.object))),
        pods=sum(p.pods for p in parts),
        dependents=tuple(sorted((d for p in parts for d in p.dependents), key=lambda d: (d.scope, d.of))),
        target_dependents=tuple(sorted((d for p in parts for d in p.target_dependents), key=lambda d: (d.scope, d.of))),
        images=_images(parts),
        routine=all(p.routine for p in parts),
    )


def _sum_counts(maps: Iterable[Mapping[str, Counts]]) -> dict[str, Counts]:
    found: defaultdict[str, list[Counts]] = defaultdict(list)
    for counts in maps:
        for name, count in counts.items():
            found[name].append(count)
    return {name: _sum(Counts, items) for name, items in sorted(found.items())}


def _images(parts: Iterable[Impact]) -> tuple[ImageChange, ...]:
    objects: defaultdict[tuple[str, str | None, str | None], set[str]] = defaultdict(set)
    for part in parts:
        for image in part.images:
            objects[image.image, image.from_, image.to] |= set(image.objects)
    order = sorted(objects.items(), key=lambda item: (item[0][0], item[0][1] or "", item[0][2] or ""))
    return tuple(ImageChange(image, from_, to, tuple(sorted(found))) for (image, from_, to), found in order)
