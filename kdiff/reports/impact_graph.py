"""What the picture of the impact shows: targets as boxes, their changed objects as chips, and what depends on what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from kdiff.model.change import Change, Status
from kdiff.model.hazard import Severity
from kdiff.model.report import Report
from kdiff.reports import wording
from kdiff.reports.escape import visible
from kdiff.reports.outline import shown_targets

MAX_CHIPS = 2_000  # of changed objects; the rest is counted
MAX_REACHED = 60  # unchanged dependents that one box names
MAX_EDGES = 3_000

BoxState = Literal["changed", "failed", "reached"]


@dataclass(frozen=True)
class Chip:
    """One object, or one unchanged target. `change` is its place in `Report.changes`; None where nothing of it changes."""

    name: str
    detail: str
    title: str
    status: Status | Literal["reached"]
    severity: Severity | None = None
    change: int | None = None


@dataclass(frozen=True)
class Box:
    """A target (or the targets that render the same objects) with its changed objects; or what else the changes reach."""

    title: str
    state: BoxState
    chips: tuple[Chip, ...]
    left_out: int = 0


@dataclass(frozen=True)
class ImpactGraph:
    """Edges run from what changes to what depends on it: between boxes by index, between chips by (box, chip) index."""

    boxes: tuple[Box, ...] = ()
    box_edges: tuple[tuple[int, int], ...] = ()
    chip_edges: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    left_out_edges: int = 0


@dataclass
class _Draft:
    title: str
    state: BoxState
    chips: list[Chip] = field(default_factory=list)


_Key = tuple[str, str, tuple[str, ...]]  # (sort of box, scope, names)
_Spot = tuple[_Key, int]


def impact_graph(report: Report, severities: dict[int, Severity]) -> ImpactGraph:
    """The picture of `report`; `severities` holds the worst hazard of a change by its place in `Report.changes`."""
    drafts: dict[_Key, _Draft] = {}
    spots: defaultdict[tuple[str, str], list[_Spot]] = defaultdict(list)
    boxes_of: defaultdict[tuple[str, str], list[_Key]] = defaultdict(list)
    several = len({c.scope for c in report.changes} | {f.scope for f in report.failures}) > 1
    for failure in report.failures:
        failed: _Key = ("target", failure.scope, (failure.target,))
        drafts.setdefault(failed, _Draft(_title(failure.scope, (failure.target,), several=several), "failed"))
    for n, change in enumerate(report.changes):
        targets = shown_targets(change)
        draft = drafts.setdefault(("target", change.scope, targets), _Draft(_title(change.scope, targets, several=several), "changed"))
        for name in {change.id, change.base_id or change.id}:
            spots[change.scope, name].append((("target", change.scope, targets), len(draft.chips)))
        draft.chips.append(_changed_chip(change, n, severities.get(n)))
    for key in drafts:
        for name in key[2]:
            boxes_of[key[1], name].append(key)
    box_edges = list(_target_edges(report, drafts, boxes_of))
    chip_edges = list(_object_edges(report, drafts, spots))
    return _finished(drafts, box_edges, chip_edges)


def _title(scope: str, targets: tuple[str, ...], *, several: bool) -> str:
    names = wording.listed([wording.target_names([t]) for t in targets], 2)
    return names if not several or not scope or scope in targets else f"{wording.target_names([scope])}: {names}"


def _changed_chip(change: Change, n: int, severity: Severity | None) -> Chip:
    obj = change.object
    facts = ", ".join(wording.change_facts(change))
    title = f"{change.status} {visible(change.id)}" + (f" ({facts})" if facts else "")
    detail = visible(obj.kind) + (f" in {visible(obj.namespace)}" if obj.namespace else "")
    return Chip(visible(obj.name), detail, title, change.status, severity, n)


def _reached_chip(name: str, what: str) -> Chip:
    """Of an object id, or of a target id: `Kustomization ns/name` or a path."""
    kind, _, rest = wording.short_id(name).partition(" ")
    space, _, last = rest.rpartition("/")
    detail = visible(kind) + (f" in {visible(space)}" if space else "")
    title = f"unchanged {what} {visible(name)}" if what else f"unchanged {visible(name)}"
    return Chip(visible(last), detail, title, "reached") if rest else Chip(wording.target_names([name]), what, title, "reached")


def _target_edges(report: Report, drafts: dict[_Key, _Draft], boxes_of: dict[tuple[str, str], list[_Key]]) -> Iterator[tuple[_Key, _Key]]:
    reached: dict[tuple[str, str], None] = {}
    for dependents in report.impact.target_dependents:
        sources = boxes_of.get((dependents.scope, dependents.of), ())
        for name in dependents.direct:
            known = boxes_of.get((dependents.scope, name), ())
            yield from ((source, box) for source in sources for box in known if source != box)
            if not known and sources:
                key = ("targets reached", dependents.scope, ())
                draft = drafts.setdefault(key, _Draft("targets that wait for them", "reached"))
                if (dependents.scope, name) not in reached:
                    reached[dependents.scope, name] = None
                    draft.chips.append(_reached_chip(name, "target"))
                yield from ((source, key) for source in sources)


def _object_edges(report: Report, drafts: dict[_Key, _Draft], spots: dict[tuple[str, str], list[_Spot]]) -> Iterator[tuple[_Spot, _Spot]]:
    for dependents in report.impact.dependents:
        sources = spots.get((dependents.scope, dependents.of), ())
        for name in dependents.direct if sources else ():
            if (dependents.scope, name) not in spots:
                key = ("objects reached", dependents.scope, ())
                draft = drafts.setdefault(key, _Draft("objects that use them", "reached"))
                spots[dependents.scope, name] = [(key, len(draft.chips))]
                draft.chips.append(_reached_chip(name, ""))
            yield from ((source, spot) for source in sources for spot in spots[dependents.scope, name] if source != spot)


def _finished(drafts: dict[_Key, _Draft], box_edges: Iterable[tuple[_Key, _Key]], chip_edges: Iterable[tuple[_Spot, _Spot]]) -> ImpactGraph:
    """Boxes in order, chips within their limits, edges between what is left."""
    order = sorted(drafts, key=lambda key: (drafts[key].state == "reached", key))
    index = {key: n for n, key in enumerate(order)}
    room = MAX_CHIPS
    boxes = []
    for key in order:
        draft = drafts[key]
        limit = min(len(draft.chips), MAX_REACHED if draft.state == "reached" else room)
        room -= limit if draft.state != "reached" else 0
        boxes.append(Box(draft.title, draft.state, tuple(draft.chips[:limit]), len(draft.chips) - limit))
    edges = dict.fromkeys(((index[a], n), (index[b], m)) for (a, n), (b, m) in chip_edges)
    drawn = [(a, b) for a, b in edges if a[1] < len(boxes[a[0]].chips) and b[1] < len(boxes[b[0]].chips)]
    return ImpactGraph(
        tuple(boxes),
        tuple(dict.fromkeys((index[a], index[b]) for a, b in box_edges)),
        tuple(drawn[:MAX_EDGES]),
        len(edges) - len(drawn[:MAX_EDGES]),
    )
