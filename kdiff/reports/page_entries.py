"""The changes as the HTML page lists, filters and draws them: its rows, its tree of objects, and the data of its script."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kdiff.model.change import Change, FieldChange
from kdiff.model.codec import Absent
from kdiff.model.hazard import SEVERITIES, Hazard, Severity
from kdiff.model.mask import MASKED
from kdiff.model.report import Report
from kdiff.model.value import Value
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.object_diff import WHOLE, object_diff
from kdiff.reports.outline import Entry, Outline, own_fields, rollout_of, shown_targets
from kdiff.reports.scope_names import ScopeNames, scope_names
from kdiff.reports.style import Style
from kdiff.reports.word_diff import mark_words

NO_NAMESPACE = "(none)"
_LONGEST_VALUE = 600  # characters of a value in the list of fields; the diff shows all of it


@dataclass(frozen=True)
class Row:
    """One edit: `changes` has the place in `Report.changes` of each object that gets it."""

    anchor: str
    entry: Entry
    changes: tuple[int, ...]
    severity: Severity | None
    facts: tuple[str, ...]
    targets: str  # in one line, a long list counted

    @property
    def lead(self) -> Change:
        """The change that is shown for all."""
        return self.entry.lead

    @property
    def kind(self) -> str:
        """Kind of the object."""
        return visible(self.lead.object.kind)

    @property
    def name(self) -> str:
        """`namespace/name`, or the name alone."""
        return _name(self.lead)

    @property
    def api_version(self) -> str:
        """`apps/v1`."""
        obj = self.lead.object
        return visible(f"{obj.group}/{obj.version}" if obj.group else obj.version)

    @property
    def others(self) -> str:
        """`and 12 more objects`, or ""."""
        more = len(self.entry.changes) - 1
        return f"and {wording.plural(more, 'more object')}" if more else ""


@dataclass(frozen=True)
class Leaf:
    """One object in the tree; `change` is its place in `Report.changes`, `anchor` that of its row."""

    change: int
    anchor: str
    status: str
    severity: Severity | None
    kind: str
    name: str


@dataclass(frozen=True)
class Branch:
    """The objects of one target."""

    title: str
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True)
class ScopeBranch:
    """The targets of one scope; `title` is "" where the target says it already."""

    title: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Choice:
    """One value of a filter, and how many objects have it."""

    value: str
    count: int


def worst_severities(report: Report) -> dict[int, Severity]:
    """The worst unwaived hazard of each change, by its place in `Report.changes`."""
    worst: dict[tuple[str, str], int] = {}
    for hazard in report.hazards:
        for name in hazard_objects(hazard) if hazard.waived is None else ():
            key = (hazard.scope, name)
            worst[key] = min(worst.get(key, len(SEVERITIES)), SEVERITIES.index(hazard.severity))
    found: dict[int, Severity] = {}
    for n, change in enumerate(report.changes):
        ranks = [worst[key] for key in _keys(change) if key in worst]
        if ranks:
            found[n] = SEVERITIES[min(ranks)]
    return found


def hazard_objects(hazard: Hazard) -> tuple[str, ...]:
    """Ids of the objects that a hazard is about."""
    return tuple(dict.fromkeys(name for name in (hazard.object, *hazard.objects) if name))


def _keys(change: Change) -> Iterable[tuple[str, str]]:
    return ((scope, name) for scope in (change.scope, "") for name in (change.id, change.base_id or change.id))


def make_rows(report: Report, plan: Outline, severities: Mapping[int, Severity]) -> tuple[Row, ...]:
    """Every edit, worst first."""
    places = {id(change): n for n, change in enumerate(report.changes)}
    rows = []
    for entry in plan.worst_first:
        changes = tuple(places[id(change)] for change in entry.changes)
        ranks = [SEVERITIES.index(severities[n]) for n in changes if n in severities]
        facts = () if entry.shared else wording.change_facts(entry.lead, rollout_of(entry.lead, plan.rollouts))
        targets = dict.fromkeys(name for change in entry.changes for name in plan.names.targets(change.scope, shown_targets(change)))
        severity = SEVERITIES[min(ranks)] if ranks else None
        rows.append(Row(f"c{changes[0]}", entry, changes, severity, facts, wording.listed(targets, 2)))
    return tuple(rows)


def anchors(rows: Iterable[Row]) -> dict[int, str]:
    """Place in `Report.changes` to the anchor of its row."""
    return {n: row.anchor for row in rows for n in row.changes}


def anchors_by_object(report: Report, where: Mapping[int, str]) -> dict[tuple[str, str], str]:
    """(scope, object id) to the anchor of its row; scope "" finds it in any."""
    found: dict[tuple[str, str], str] = {}
    for n, change in enumerate(report.changes):
        for key in _keys(change):
            found.setdefault(key, where[n])
    return found


def make_tree(report: Report, where: Mapping[int, str], severities: Mapping[int, Severity]) -> tuple[ScopeBranch, ...]:
    """Scopes, targets, objects: each change once, under the targets that render it."""
    tree: defaultdict[str, defaultdict[tuple[str, ...], list[Leaf]]] = defaultdict(lambda: defaultdict(list))
    for n, change in enumerate(report.changes):
        leaf = Leaf(n, where[n], change.status, severities.get(n), visible(change.object.kind), _name(change))
        tree[change.scope][shown_targets(change)].append(leaf)
    return tuple(
        ScopeBranch(
            "" if list(targets) == [(scope,)] else wording.target_names([scope]),
            tuple(
                Branch(wording.target_names(names), tuple(sorted(leaves, key=lambda leaf: (leaf.kind, leaf.name))))
                for names, leaves in sorted(targets.items())
            ),
        )
        for scope, targets in sorted(tree.items())
    )


def make_choices(report: Report) -> dict[str, tuple[Choice, ...]]:
    """What the filters `kind`, `namespace` and `target` offer."""
    counts: dict[str, Counter[str]] = {"kind": Counter(), "namespace": Counter(), "target": Counter()}
    names = scope_names(report)
    for change in report.changes:
        counts["kind"][visible(change.object.kind)] += 1
        counts["namespace"][visible(change.object.namespace or NO_NAMESPACE)] += 1
        counts["target"].update(_all_targets(change, names))
    return {name: tuple(Choice(value, n) for value, n in sorted(found.items())) for name, found in counts.items()}


def _all_targets(change: Change, names: ScopeNames) -> list[str]:
    return names.targets(change.scope, sorted({*change.targets.base, *change.targets.head}))


def _name(change: Change) -> str:
    obj = change.object
    return visible(f"{obj.namespace}/{obj.name}" if obj.namespace else obj.name)


def script_data(report: Report, rows: Iterable[Row], severities: Mapping[int, Severity], style: Style) -> dict[str, Value]:
    """What the script filters and draws: `objects` in the order of `Report.changes`, `rows` by anchor."""
    names = scope_names(report)
    objects: list[Value] = [
        {
            "status": change.status,
            "kind": visible(change.object.kind),
            "namespace": visible(change.object.namespace or NO_NAMESPACE),
            "targets": [*_all_targets(change, names)],
            "severity": severities.get(n, "none"),
            "text": " ".join(visible(name) for name in dict.fromkeys((change.id, change.base_id or change.id))).lower(),
        }
        for n, change in enumerate(report.changes)
    ]
    return {"objects": objects, "rows": {row.anchor: _row_data(row, style) for row in rows}}


def _row_data(row: Row, style: Style) -> dict[str, Value]:
    change = row.lead
    data: dict[str, Value] = {"objects": list(row.changes)}
    if style.stat:
        return data
    own, follows = own_fields(change)
    lines = [wording.diff_line(line) for line in object_diff(change, WHOLE if style.full else style.context)]
    data["lines"] = [*mark_words(lines)]
    data["fields"] = [_field_data(field) for field in own]
    data["remarks"] = [
        *(f"{wording.plural(len(found), 'field')} only because of the new name of {visible(name)}" for name, found in follows.items()),
        *(f"{visible(f.path)}: {', '.join(remarks)}" for f in change.fields if (remarks := wording.field_remarks(f))),
    ]
    if row.entry.shared:
        data["members"] = [
            [
                visible(members.kind),
                [visible(name) for name in members.names],
                wording.target_names(members.targets),
                ", ".join(wording.EFFECT[effect] for effect in members.effects),
            ]
            for members in row.entry.members
        ]
    return data


def _field_data(field: FieldChange) -> Value:
    """Sign, path, and the values of both sides, null where a side has none."""
    before: Value = None if field.op == "add" else _value(field.before, field)
    after: Value = None if field.op == "remove" else _value(field.after, field)
    return [wording.OP_SIGN[field.op], visible(field.path), before, after]


def _value(value: Value | Absent, field: FieldChange) -> str:
    text = MASKED if field.redacted else wording.value_text(value)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
