"""Joins changes that are one edit: of one object in several targets, and of several objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kdiff.compare.equality import fingerprint, same_value
from kdiff.kube.fields import unescape_token
from kdiff.model.change import Change, ChangeTargets, FieldChange, Group, GroupMember, Move
from kdiff.model.codec import Absent
from kdiff.model.mask import MASKED
from kdiff.model.value import Value


def merge_targets(changes: Sequence[Change]) -> list[Change]:
    """The changes of one scope; those that are the same edit of one object in several targets become one."""
    merged: dict[tuple[str, str | None, str, bool], list[Change]] = defaultdict(list)
    for change in changes:
        alike = merged[change.id, change.base_id, change.status, change.moved is not None]
        for n, other in enumerate(alike):
            if not change.object.name.endswith("*") and _same_edit(change, other):
                alike[n] = _joined(other, change)
                break
        else:
            alike.append(change)
    return [change for alike in merged.values() for change in alike]


def _same_edit(one: Change, other: Change) -> bool:
    same = same_value(one.base_value, other.base_value) and same_value(one.head_value, other.head_value)
    return same and [f.pointer for f in one.fields] == [f.pointer for f in other.fields]


def _joined(one: Change, other: Change) -> Change:
    moved = one.moved
    if one.moved is not None and other.moved is not None:
        moved = Move(_union(one.moved.from_, other.moved.from_), _union(one.moved.to, other.moved.to))
    targets = ChangeTargets(_union(one.targets.base, other.targets.base), _union(one.targets.head, other.targets.head))
    return replace(one, targets=targets, moved=moved)


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))


def group_edits(changes: Sequence[Change]) -> tuple[Group, ...]:
    """The same fields with the same values before and after in two or more objects, sorted by first member."""
    alike: dict[tuple[object, ...], list[Change]] = defaultdict(list)
    for change in changes:
        if change.fields:
            alike[tuple(_signature(f, change) for f in change.fields)].append(change)
    groups = []
    for members in alike.values():
        named = tuple(sorted({GroupMember(c.scope, c.id) for c in members}))
        if len(named) > 1:
            groups.append(Group(members[0].fields, named))
    return tuple(sorted(groups, key=lambda g: (g.objects, [f.pointer for f in g.fields])))


def _signature(field: FieldChange, change: Change) -> tuple[object, ...]:
    """What makes two fields the same edit. Masked values are taken from the objects, since the field does not tell them.

    Where the path is masked too, nobody can tell, and the edit is the object's own.
    """
    before, after = field.before, field.after
    if MASKED in field.pointer + field.base_pointer:
        return (change.scope, change.id, *change.targets.head, field.pointer)
    if field.redacted:
        before, after = _at(change.base_value, field.base_pointer), _at(change.head_value, field.pointer)
    return (field.pointer, field.base_pointer, field.path, field.op, field.class_, field.follows, _print(before), _print(after))


def _print(value: Value | Absent) -> str:
    return "" if isinstance(value, Absent) else fingerprint(value)


def _at(value: Value, pointer: str) -> Value:
    """The value at an RFC 6901 pointer, None where there is none. A pointer that was masked for show leads nowhere."""
    for segment in pointer.split("/")[1:]:
        name = unescape_token(segment)
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
