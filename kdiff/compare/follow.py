"""Marks fields that change only because they name an object whose generated name changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kdiff.compare.equality import leaves
from kdiff.model.change import Change, FieldChange
from kdiff.model.codec import ABSENT, Absent
from kdiff.model.value import Value


@dataclass(frozen=True)
class _Rename:
    old: str
    new: str
    id: str


def mark_followers(changes: Iterable[Change]) -> list[Change]:
    """The changes of one scope, with `follows` on each field that turns the old name of a renamed object into its new one.

    Names are matched whole and within one namespace (cluster-scoped objects may name objects of any).
    """
    known = list(changes)
    renames: dict[tuple[str, str], list[tuple[str, _Rename]]] = {}
    for change in known:
        if change.status == "renamed" and change.base_object is not None:
            old, new = change.base_object.name, change.object.name
            renames.setdefault((old, new), []).append((change.object.namespace or "", _Rename(old, new, change.id)))
    if not renames:
        return known
    return [replace(c, fields=_marked(c, renames)) if c.fields else c for c in known]


def _marked(change: Change, renames: dict[tuple[str, str], list[tuple[str, _Rename]]]) -> tuple[FieldChange, ...]:
    namespace = change.object.namespace or ""
    marked = [replace(f, follows=_found(f.before, f.after, namespace, renames)) if f.op == "replace" else f for f in change.fields]
    # an element of a list that is matched by name goes and comes instead: imagePullSecrets, a ServiceAccount's secrets
    gone = {n: f for n, f in enumerate(marked) if f.op == "remove"}
    for n, field in enumerate(marked):
        if field.op != "add":
            continue
        for m, old in gone.items():
            same_list = old.pointer.rpartition("/")[0] == field.pointer.rpartition("/")[0]
            followed = _follows_element(old.before, field.after, namespace, renames) if same_list else None
            if followed:
                marked[n], marked[m] = replace(field, follows=followed), replace(old, follows=followed)
                del gone[m]
                break
    return tuple(marked)


def _found(
    before: Value | Absent, after: Value | Absent, namespace: str, renames: dict[tuple[str, str], list[tuple[str, _Rename]]]
) -> str | None:
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    for at, rename in renames.get((before, after), ()):
        if not namespace or at == namespace:
            return rename.id
    return None


def _follows_element(
    before: Value | Absent, after: Value | Absent, namespace: str, renames: dict[tuple[str, str], list[tuple[str, _Rename]]]
) -> str | None:
    """The rename that alone makes `after` of `before`."""
    if before is ABSENT or after is ABSENT or isinstance(before, Absent) or isinstance(after, Absent):
        return None
    old, new = (sorted(leaves(v), key=_path) for v in (before, after))
    if [_path(leaf) for leaf in old] != [_path(leaf) for leaf in new]:
        return None
    differing = {(a, b) for (_, a), (_, b) in zip(old, new, strict=True) if a != b}
    if len(differing) != 1:
        return None
    a, b = differing.pop()
    return _found(a, b, namespace, renames)


def _path(leaf: tuple[tuple[str, ...], object]) -> tuple[str, ...]:
    return leaf[0]
