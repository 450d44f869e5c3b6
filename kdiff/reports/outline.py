"""A Report in the order in which every format tells it: worst hazards first, changes by scope and target, equal edits once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kdiff.model.change import Change, Effect, FieldChange
from kdiff.model.codec import encode
from kdiff.model.hazard import SEVERITIES, Hazard
from kdiff.model.impact import Rollout
from kdiff.model.json_text import json_text
from kdiff.model.report import Report
from kdiff.reports.scope_names import ScopeNames, note_texts, scope_names


@dataclass(frozen=True)
class Entry:
    """One edit: of one object, or the same edit of several (`changes` has them all, in report order)."""

    changes: tuple[Change, ...]

    @property
    def lead(self) -> Change:
        """The change that is printed for all."""
        return self.changes[0]

    @property
    def shared(self) -> bool:
        """True when several objects get this edit."""
        return len(self.changes) > 1

    @property
    def members(self) -> tuple[Members, ...]:
        """Who gets this edit, in as few rows as can say it."""
        targets: defaultdict[str, list[str]] = defaultdict(list)
        effects: defaultdict[str, set[Effect]] = defaultdict(set)
        scopes: defaultdict[str, set[str]] = defaultdict(set)
        for change in self.changes:
            for target in shown_targets(change):
                scopes[target].add(change.scope)
        for change in self.changes:
            shown = shown_targets(change) or (change.scope,)
            targets[change.id] += [f"{target} of {change.scope}" if len(scopes[target]) > 1 else target for target in shown]
            effects[change.id] |= set(change.effects)
        rows: defaultdict[tuple[str, tuple[str, ...], tuple[Effect, ...]], list[str]] = defaultdict(list)
        for name, found in targets.items():
            kind, _, rest = name.partition(" ")
            rows[kind, tuple(found), tuple(sorted(effects[name]))].append(rest)
        return tuple(Members(kind, tuple(names), found, what) for (kind, found, what), names in rows.items())


@dataclass(frozen=True)
class Members:
    """Objects of one kind that the same targets render: `kind` with its apiVersion, `names` with their namespaces.

    Where several clusters have a target of one id, `targets` say which: `Kustomization flux-system/apps of clusters/eu`.
    """

    kind: str
    names: tuple[str, ...]
    targets: tuple[str, ...]
    effects: tuple[Effect, ...]


@dataclass(frozen=True)
class TargetSection:
    """Entries of the objects that the same targets render; `targets` are those of head, for removed objects of base."""

    targets: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class ScopeSection:
    """One scope's entries by target."""

    scope: str
    sections: tuple[TargetSection, ...]


@dataclass(frozen=True)
class Outline:
    """What every format prints, in order. `worst_first` holds the same entries as `shared` and `scopes` together."""

    hazards: tuple[Hazard, ...]
    waived: tuple[Hazard, ...]
    shared: tuple[Entry, ...]
    scopes: tuple[ScopeSection, ...]
    worst_first: tuple[Entry, ...]
    notes: dict[str, tuple[str, ...]]  # by kind, both in report order, safe to show
    rollouts: dict[tuple[str, str], Rollout]  # by scope and object id
    names: ScopeNames


def outline(report: Report, *, fold: bool = True) -> Outline:
    """Order `report` for reading; without `fold` equal edits are listed one by one."""
    shared, folded = _shared_entries(report) if fold else ((), set[int]())
    singles = [Entry((c,)) for c in report.changes if id(c) not in folded]
    ranks = _hazard_ranks(report.hazards)
    entries = sorted((*shared, *singles), key=lambda e: min(_rank(c, ranks) for c in e.changes))
    return Outline(
        hazards=tuple(h for h in report.hazards if h.waived is None),
        waived=tuple(h for h in report.hazards if h.waived is not None),
        shared=shared,
        scopes=_scopes(singles),
        worst_first=tuple(entries),
        notes=note_texts(report),
        rollouts={(r.scope, r.object): r for r in report.impact.rollouts},
        names=scope_names(report),
    )


def rollout_of(change: Change, rollouts: dict[tuple[str, str], Rollout]) -> Rollout | None:
    """The rollout that `change` brings, if any."""
    return rollouts.get((change.scope, change.id)) or rollouts.get(("", change.id))


def shown_targets(change: Change) -> tuple[str, ...]:
    """The targets under which a change is listed."""
    return change.targets.head or change.targets.base


def own_fields(change: Change) -> tuple[tuple[FieldChange, ...], dict[str, tuple[FieldChange, ...]]]:
    """Fields that are edits of their own, and those that merely follow a renamed object, by its id."""
    follows: defaultdict[str, list[FieldChange]] = defaultdict(list)
    own = []
    for field in change.fields:
        if field.follows is None:
            own.append(field)
        else:
            follows[field.follows].append(field)
    return tuple(own), {name: tuple(fields) for name, fields in follows.items()}


def fields_text(fields: tuple[FieldChange, ...]) -> str:
    """An edit as text: equal for equal edits only (to Python 1 is True), whatever the depth of its values."""
    return json_text([encode(field) for field in fields])


def _shared_entries(report: Report) -> tuple[tuple[Entry, ...], set[int]]:
    """Groups of the report whose members are plain edits; what else happens to a member is told of it alone."""
    by_member: defaultdict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in report.changes:
        by_member[change.scope, change.id].append(change)
    entries: list[Entry] = []
    folded: set[int] = set()
    for group in report.groups:
        edit = fields_text(group.fields)
        members = [
            change
            for member in group.objects
            for change in by_member[member.scope, member.id]
            if change.status == "changed" and change.moved is None and id(change) not in folded and fields_text(change.fields) == edit
        ]
        if len(members) > 1:
            entries.append(Entry(tuple(members)))
            folded |= {id(change) for change in members}
    return tuple(entries), folded


def _scopes(entries: Iterable[Entry]) -> tuple[ScopeSection, ...]:
    tree: defaultdict[str, defaultdict[tuple[str, ...], list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        tree[entry.lead.scope][shown_targets(entry.lead)].append(entry)
    return tuple(
        ScopeSection(scope, tuple(TargetSection(targets, tuple(found)) for targets, found in sorted(by_target.items())))
        for scope, by_target in sorted(tree.items())
    )


def _hazard_ranks(hazards: Iterable[Hazard]) -> dict[tuple[str, str], int]:
    ranks: dict[tuple[str, str], int] = {}
    for hazard in hazards:
        if hazard.waived is None:
            for name in (hazard.object, *hazard.objects):
                if name:
                    key = (hazard.scope, name)
                    ranks[key] = min(ranks.get(key, len(SEVERITIES)), SEVERITIES.index(hazard.severity))
    return ranks


def _rank(change: Change, hazards: dict[tuple[str, str], int]) -> tuple[int, int, str, str]:
    """Smaller is worse: hazards, then what is lost, replaced, changed, and at last what is new or only moved."""
    names = {change.id, change.base_id or change.id}
    severity = min((hazards.get((scope, n), len(SEVERITIES)) for n in names for scope in (change.scope, "")), default=len(SEVERITIES))
    effects = set(change.effects)
    if effects & {"delete", "recreate", "orphaned"} or change.status == "removed":
        weight = 0
    elif effects & {"rollout", "scale"}:
        weight = 1
    else:
        weight = {"changed": 2, "renamed": 3, "added": 4, "moved": 5}.get(change.status, 2)
    if change.effects == ("metadata-only",):
        weight = 6
    return severity, weight, change.scope, change.id
