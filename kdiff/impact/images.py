"""Which image versions come, go or change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from kdiff.impact.dependents import object_key
from kdiff.kube.images import Image, images_in
from kdiff.model.change import Change
from kdiff.model.impact import ImageChange

_Step: TypeAlias = tuple[str, str | None, str | None]  # repository, version before, version after


def find_image_changes(changes: Iterable[Change]) -> tuple[ImageChange, ...]:
    """Image changes of all changed objects, one for each (repository, before, after), sorted.

    Within a scope an image that leaves one object and comes with another is no change (a renamed or moved workload), and a
    version that only goes and one that only comes make one change of that repository.
    """
    by_scope: dict[str, dict[_Step, set[str]]] = {}
    for change in changes:
        steps = by_scope.setdefault(change.scope, {})
        for step in _steps(_images(change, "base"), _images(change, "head")):
            steps.setdefault(step, set()).add(change.id)
    merged: dict[_Step, set[str]] = {}
    for steps in by_scope.values():
        for step, ids in _join(steps).items():
            merged.setdefault(step, set()).update(ids)
    ordered = sorted(merged.items(), key=lambda item: (item[0][0], item[0][1] or "", item[0][2] or ""))
    return tuple(ImageChange(name, before, after, tuple(sorted(ids))) for (name, before, after), ids in ordered)


def _images(change: Change, side: str) -> Mapping[str, Image]:
    value, ref = (change.base_value, change.base_object) if side == "base" else (change.head_value, change.object)
    if value is None or ref is None:
        return {}
    return images_in(object_key(ref), value)


def _steps(base: Mapping[str, Image], head: Mapping[str, Image]) -> set[_Step]:
    """What changes inside one object: first place by place, then what is left of each repository."""
    gone = {(i.repository, i.version) for i in base.values()} - {(i.repository, i.version) for i in head.values()}
    come = {(i.repository, i.version) for i in head.values()} - {(i.repository, i.version) for i in base.values()}
    steps: set[_Step] = set()
    for place in base.keys() & head.keys():
        before, after = base[place], head[place]
        if before.repository == after.repository and before.version != after.version:
            steps.add((before.repository, before.version, after.version))
    paired_before = {(name, before) for name, before, _ in steps}
    paired_after = {(name, after) for name, _, after in steps}
    left = {(name, version, None) for name, version in gone - paired_before}
    new = {(name, None, version) for name, version in come - paired_after}
    return steps | left | new


def _join(steps: Mapping[_Step, set[str]]) -> dict[_Step, set[str]]:
    """Across the objects of one scope: cancel what leaves here and comes there, pair what is left one to one."""
    joined = {step: set(ids) for step, ids in steps.items()}
    for name, before, after in steps:
        if after is None and (name, None, before) in joined:
            joined.pop((name, before, None))
            joined.pop((name, None, before))
    for name in {name for name, _, _ in joined}:
        gone = [s for s in joined if s[0] == name and s[2] is None]
        come = [s for s in joined if s[0] == name and s[1] is None]
        if len(gone) == len(come) == 1:
            ids = joined.pop(gone[0]) | joined.pop(come[0])
            joined.setdefault((name, gone[0][1], come[0][2]), set()).update(ids)
    return joined
