"""Walks two values once and lists the fields that differ, and the places where they differ in spelling only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kdiff.compare.equality import same_scalar, same_value, surely_same
from kdiff.compare.lists import align
from kdiff.kube.field_types import UNKNOWN, FieldType
from kdiff.kube.fields import escape_token
from kdiff.kube.quantity import parse_duration, parse_quantity, parse_time
from kdiff.model.change import FieldClass, Op
from kdiff.model.codec import ABSENT, Absent
from kdiff.model.value import Value

UserKeys = Mapping[str, tuple[tuple[str, str | None], ...]]
MAX_DEPTH = 2000
"""Levels that are told apart; real objects have some forty."""

_READERS = {"quantity": parse_quantity, "time": parse_time, "duration": parse_duration}


@dataclass(frozen=True)
class Difference:
    """One field that differs, values as they are (masking tokens included)."""

    pointer: str
    base_pointer: str
    path: str
    op: Op
    before: Value | Absent = ABSENT
    after: Value | Absent = ABSENT
    class_: FieldClass = "value"


@dataclass(frozen=True)
class Walked:
    """`differences` sorted by pointer. `spellings` are those that mean the same, `reordered` lists whose order means nothing."""

    differences: tuple[Difference, ...]
    spellings: tuple[Difference, ...]
    reordered: tuple[str, ...]


@dataclass
class _Finding:
    differences: list[Difference] = field(default_factory=list)
    spellings: list[Difference] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Pair:
    base: Value
    head: Value
    kind: FieldType
    base_pointer: str
    pointer: str
    path: str
    dotted: str  # field names alone, for the user's list keys
    depth: int = 0


def walk(base: Value, head: Value, kind: FieldType = UNKNOWN, user_keys: UserKeys | None = None) -> Walked:
    """Compare two values of one type.

    An added or removed subtree is one difference. A field that is null is the same as a missing one, though a key of a map is
    not; so is an empty list or map where the API server drops it (`FieldType.droppable`). Never recursive: objects may be
    thousands of levels deep. What differs below `MAX_DEPTH` levels is one difference, since the pointers of many would outgrow
    the object itself.
    """
    found = _Finding()
    stack = [_Pair(base, head, kind, "", "", "", "")]
    while stack:
        pair = stack.pop()
        if surely_same(pair.base, pair.head):
            continue
        if pair.depth == MAX_DEPTH:
            if not same_value(pair.base, pair.head):
                found.differences.append(_difference(pair, "replace"))
        elif isinstance(pair.base, dict) and isinstance(pair.head, dict):
            stack += _walk_map(pair, pair.base, pair.head, found)
        elif isinstance(pair.base, list) and isinstance(pair.head, list):
            stack += _walk_list(pair, pair.base, pair.head, found, user_keys or {})
        else:
            _compare_leaf(pair, found)
    return Walked(tuple(sorted(found.differences, key=_place)), tuple(sorted(found.spellings, key=_place)), tuple(sorted(found.reordered)))


def _place(difference: Difference) -> tuple[str, str, str]:
    return difference.pointer, difference.base_pointer, difference.op


def path_segment(path: str, name: str) -> str:
    """`path` with one more key, quoted where it would not read as one name."""
    if name and not set(name) & set('.[]"\\ \t\n=,'):
        return f"{path}.{name}" if path else name
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{quoted}"]'


def _walk_map(pair: _Pair, base: dict[str, Value], head: dict[str, Value], found: _Finding) -> list[_Pair]:
    below = []
    for name in [*base, *(k for k in head if k not in base)]:
        segment = escape_token(name)
        kind = pair.kind.child(name)
        inner = _Pair(
            base.get(name),
            head.get(name),
            kind,
            f"{pair.base_pointer}/{segment}",
            f"{pair.pointer}/{segment}",
            path_segment(pair.path, name),
            f"{pair.dotted}.{name}" if pair.dotted else name,
            pair.depth + 1,
        )
        if name in base and name in head:
            if _both_nothing(inner.base, inner.head, kind):
                if type(inner.base) is not type(inner.head):
                    found.spellings.append(_difference(inner, "replace", "format"))
            else:
                below.append(inner)
        else:
            op: Op = "add" if name in head else "remove"
            value = head[name] if op == "add" else base[name]
            # A key with null in a map is there: Go reads the zero value (encoding/json, Unmarshal), which is "" in ConfigMap.data.
            if pair.kind.shape != "map" and _both_nothing(value, None, kind):
                found.spellings.append(_difference(inner, op, "format"))
            else:
                found.differences.append(_difference(inner, op))
    return below


def _both_nothing(base: Value, head: Value, kind: FieldType) -> bool:
    """Both are null, missing (given as null) or, where that means the same, empty."""

    def nothing(value: Value) -> bool:
        return value is None or (kind.droppable and isinstance(value, (dict, list)) and not value)

    return nothing(base) and nothing(head)


def _difference(pair: _Pair, op: Op, class_: FieldClass = "value") -> Difference:
    return Difference(
        pair.pointer,
        pair.base_pointer,
        pair.path,
        op,
        ABSENT if op == "add" else pair.base,
        ABSENT if op == "remove" else pair.head,
        class_,
    )


def _walk_list(pair: _Pair, base: list[Value], head: list[Value], found: _Finding, user_keys: UserKeys) -> list[_Pair]:
    aligned = align(base, head, pair.kind, user_keys.get(pair.dotted))
    if aligned.moved_freely:
        found.reordered.append(pair.path)
    if aligned.reorder is not None:
        before, after = aligned.reorder
        found.differences.append(Difference(pair.pointer, pair.base_pointer, pair.path, "reorder", before, after, "order"))
    item = pair.kind.item()

    def element(i: int | None, j: int | None) -> _Pair:
        if j is not None:
            label = aligned.head_labels[j] if aligned.head_labels else str(j)
        else:
            label = aligned.base_labels[i or 0] if aligned.base_labels else str(i)
        return _Pair(
            None if i is None else base[i],
            None if j is None else head[j],
            item,
            f"{pair.base_pointer}/{j if i is None else i}",
            f"{pair.pointer}/{i if j is None else j}",
            f"{pair.path}[{label}]",
            pair.dotted,
            pair.depth + 1,
        )

    found.differences += [_difference(element(i, None), "remove") for i in aligned.removed]
    found.differences += [_difference(element(None, j), "add") for j in aligned.added]
    return [element(i, j) for i, j in aligned.pairs]


def _compare_leaf(pair: _Pair, found: _Finding) -> None:
    base, head = pair.base, pair.head
    if not isinstance(base, (dict, list)) and not isinstance(head, (dict, list)):
        if same_scalar(base, head):
            return
        reader = _READERS.get(pair.kind.shape)
        if reader is not None:
            value = reader(base)
            if value is not None and value == reader(head):
                found.spellings.append(_difference(pair, "replace", "format"))
                return
    found.differences.append(_difference(pair, "replace"))
