"""Finds directories that may only have got another name: one scope leaves and one with the same objects comes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from kdiff.compare.equality import fingerprint, same_value
from kdiff.compare.similarity import similarity
from kdiff.model.change import Change, Counterpart, ObjectRef
from kdiff.model.failure import Note
from kdiff.model.side import Side

_BUDGET = 10_000  # pairs of scopes looked at; a change that makes and drops hundreds of directories is no rename

_Identity = tuple[str, str, str | None, str]
_Scopes = dict[str, dict[_Identity, Change]]


def find_renamed_scopes(changes: Iterable[Change], base: Side, head: Side, threshold: float) -> tuple[list[Change], list[Note]]:
    """The changes, each half of a likely rename with the other as its `counterpart`, and a note for each pair of scopes.

    The statuses stay: whoever applies a directory deletes what is no longer there, and only people know whether a new directory is the
    old one. Two scopes match when of their objects at least `threshold` have the same group, kind, namespace and name.
    """
    found = list(changes)
    gone, new = (_alone(found, side, other) for side, other in ((base, head), (head, base)))
    halves: dict[int, Counterpart] = {}
    notes = []
    for old, now in _pairs(gone, new, threshold):
        same = 0
        for identity in gone[old].keys() & new[now].keys():
            left, came = gone[old][identity], new[now][identity]
            same += same_value(left.base_value, came.head_value)
            alike = similarity(left.base_value, came.head_value)
            halves[id(left)] = Counterpart(came.id, alike, scope=now)
            halves[id(came)] = Counterpart(left.id, alike, scope=old)
        objects = "1 object is" if len(new[now]) == 1 else f"{len(new[now])} objects are"
        message = f"perhaps {now} is {old} under a new name: {same} of its {objects} the same"
        notes.append(Note("renamed-directory", message, now))
    return [replace(c, counterpart=halves[id(c)]) if id(c) in halves else c for c in found], notes


def _alone(changes: Iterable[Change], side: Side, other: Side) -> _Scopes:
    """The changes of the scopes that only `side` has and that rendered whole."""
    failed = {state.target.scope for state in side.states if state.failure is not None}
    scopes: dict[str, dict[_Identity, Change]] = {scope: {} for scope in sorted({*side.scopes} - {*other.scopes} - failed)}
    for change in changes:
        if change.scope in scopes:
            scopes[change.scope][_identity(change.object)] = change
    return {scope: objects for scope, objects in scopes.items() if objects}


def _identity(ref: ObjectRef) -> _Identity:
    return ref.group, ref.kind, ref.namespace, ref.name


def _pairs(gone: _Scopes, new: _Scopes, threshold: float) -> list[tuple[str, str]]:
    """One to one, those first that have the most objects in common, then those with the most equal ones."""
    if len(gone) * len(new) > _BUDGET:
        return []
    # fingerprints, since every pair of directories is looked at; they only rank the pairs
    prints = {n: {identity: fingerprint(c.base_value or c.head_value) for identity, c in side.items()} for n, side in (gone | new).items()}
    scored = []
    for old, now in product(gone, new):
        common = gone[old].keys() & new[now].keys()
        share = 2 * len(common) / (len(gone[old]) + len(new[now]))
        if share >= threshold:
            equal = len(prints[old].items() & prints[now].items())
            scored.append((-share, -equal, old, now))
    pairs: dict[str, str] = {}
    for _, _, old, now in sorted(scored):
        if old not in pairs and now not in pairs.values():
            pairs[old] = now
    return list(pairs.items())
