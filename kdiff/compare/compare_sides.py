"""Compares two rendered sides object by object: the entry of this stage."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from kdiff.compare.build_change import Comparing, added, compare_pair, equivalence, removed
from kdiff.compare.field_kinds import FieldKinds
from kdiff.compare.follow import mark_followers
from kdiff.compare.groups import group_edits, merge_targets
from kdiff.compare.ignore import Ignoring
from kdiff.compare.pair import Pair, pair_objects, set_equal_aside
from kdiff.compare.renamed_scopes import find_renamed_scopes
from kdiff.compare.similarity import find_counterparts
from kdiff.compare.unread import Unread
from kdiff.model.change import Change, Counterpart, Group
from kdiff.model.failure import Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import IgnoreRule, Options
from kdiff.model.side import Side, TargetState


@dataclass(frozen=True)
class Comparison:
    """`changes` sorted by scope, id and target; `unchanged` counts objects, once per target that renders them."""

    changes: tuple[Change, ...]
    unchanged: int
    groups: tuple[Group, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Split:
    """The objects of one scope of one side that take part, and the keys of those that do not."""

    objects: dict[str, tuple[KubeObject, ...]]  # by target
    withheld: frozenset[ObjectKey]
    unread: Unread
    partial: frozenset[ObjectKey]

    def renders(self, keys: AbstractSet[ObjectKey]) -> set[ObjectKey]:
        """Those of `keys` that some target renders."""
        return self._rendered & keys if keys else set()

    @cached_property
    def _rendered(self) -> set[ObjectKey]:
        return {o.key for objects in self.objects.values() for o in objects}

    def may_hold(self, obj: KubeObject) -> bool:
        """Whether this side has the object in a target that could not be compared, or may have it in one that failed.

        What an ApplicationSet generates goes where that goes, and may be there too where it may generate more than is known.
        """
        if obj.key in self.withheld or self.unread.may_define(obj.key):
            return True
        maker = obj.generator
        if maker is None or maker in self.partial or self.renders({maker}):
            return maker in self.partial
        return maker in self.withheld or self.unread.may_define(maker)


def compare_sides(base: Side, head: Side, options: Options, ignore: tuple[IgnoreRule, ...] = ()) -> Comparison:
    """Compare everything that rendered on both sides.

    Objects of targets that failed on one side, or hang below one that did, take no part. An object that stands on one side only
    while the other withholds one of the same key is withheld as well: it may have moved. `ignore` holds rules from Argo CD's
    ignoreDifferences beside those in `options`.

    Raises:
        UsageError: a rule's label selector cannot be read.
    """
    blocked = base.withheld | head.withheld | _failed(base) | _failed(head)
    how = Comparing(options, FieldKinds(lambda: _objects(base, head)), Ignoring(options, ignore))
    changes: list[Change] = []
    notes = _withheld_notes(base, blocked) + _withheld_notes(head, blocked)
    unchanged = 0
    for scope in sorted({*base.scopes, *head.scopes}):
        old, new = base.in_scope(scope), head.in_scope(scope)
        partial = [frozenset(key for of, key in side.partial if of == scope) for side in (base, head)]
        splits = _split(old, new, blocked, partial[0]), _split(new, old, blocked, partial[1])
        found, same, said = _compare_scope(scope, *splits, how)
        changes += found
        unchanged += same
        notes += [replace(note, scope=scope) for note in said]
    changes, said = find_renamed_scopes(changes, base, head, options.similarity)
    notes += said
    changes.sort(key=lambda c: (c.scope, c.id, c.targets.head, c.targets.base))
    notes += how.ignoring.notes(_objects(base, head))
    notes.sort(key=lambda n: (n.kind, n.object or "", n.target or "", n.message))
    return Comparison(tuple(changes), unchanged, group_edits(changes), tuple(notes))


def _objects(*sides: Side) -> Iterable[KubeObject]:
    return (o for side in sides for state in side.states for o in state.objects)


def _failed(side: Side) -> frozenset[tuple[str, str]]:
    return frozenset((s.target.scope, s.target.id) for s in side.states if s.failure is not None)


def _split(
    states: Iterable[TargetState], others: Iterable[TargetState], blocked: frozenset[tuple[str, str]], partial: frozenset[ObjectKey]
) -> _Split:
    shown = {s.target.id: s.objects for s in states if (s.target.scope, s.target.id) not in blocked}
    return _Split(shown, frozenset(o.key for s in states if s.target.id not in shown for o in s.objects), Unread(states, others), partial)


def _withheld_notes(side: Side, blocked: frozenset[tuple[str, str]]) -> list[Note]:
    why = "the target, or one above it, failed"
    return [
        Note("withheld", f"{_count(len(s.objects))} at {side.name} not compared: {why}", s.target.id, scope=s.target.scope)
        for s in side.states
        if s.objects and (s.target.scope, s.target.id) in blocked
    ]


def _count(number: int) -> str:
    return f"{number} object{'s'[: number != 1]}"


def _compare_scope(scope: str, base: _Split, head: _Split, how: Comparing) -> tuple[list[Change], int, list[Note]]:
    changes: list[Change] = []
    notes: list[Note] = []
    alone: list[Pair] = []
    unchanged = 0
    rest_base: list[KubeObject] = []
    rest_head: list[KubeObject] = []
    for target in {**base.objects, **head.objects}:
        equal, left, right = set_equal_aside(base.objects.get(target, ()), head.objects.get(target, ()))
        unchanged += equal
        rest_base += left
        rest_head += right
    for pair in pair_objects(rest_base, rest_head):
        old, new = pair.base, pair.head
        if old is None or new is None:
            alone.append(pair)
        elif not (how.ignoring and how.ignoring.hides(old, new)):
            change, walked = compare_pair(scope, old, new, pair, how)
            if change is not None:
                changes.append(change)
                continue
            unchanged += 1
            places = equivalence(walked)
            if places:
                notes.append(Note("equivalent", f"differs only in {places}, which means the same", new.target, new.id))
    one_sided, said = _one_sided(scope, alone, base, head, how)
    return merge_targets(mark_followers(changes)) + merge_targets(one_sided), unchanged, notes + said


def _one_sided(scope: str, alone: list[Pair], base: _Split, head: _Split, how: Comparing) -> tuple[list[Change], list[Note]]:
    notes: list[Note] = []
    gone: list[KubeObject] = []
    new: list[KubeObject] = []
    for pair in alone:
        each = pair.head or pair.base
        if each is None or (how.ignoring and how.ignoring.hides(each)):
            continue
        if (base if pair.base is None else head).may_hold(each):
            other = "base" if pair.base is None else "head"
            message = f"not compared: at {other} it stands, or may stand, in a target that could not be compared"
            if each.generator in (base if pair.base is None else head).partial:
                message = f"not compared: at {other} its ApplicationSet may generate it, of which not all Applications are known"
            notes.append(Note("withheld", message, each.target, each.id))
        elif pair.base is None:
            new.append(each)
        else:
            gone.append(each)
    for side in (gone, new):  # which of several equals is whose counterpart must not hang on the order of the input
        side.sort(key=lambda o: (o.key, o.target, o.ordinal))
    # what another target renders as well has not become something else
    standing = head.renders({o.key for o in gone}), base.renders({o.key for o in new})
    left, came = ([o for o in side if o.key not in keys] for side, keys in zip((gone, new), standing, strict=True))
    other_half: dict[int, Counterpart] = {}
    for i, j, similarity in find_counterparts(left, came, how.options.similarity):
        other_half[id(left[i])] = Counterpart(came[j].id, similarity)
        other_half[id(came[j])] = Counterpart(left[i].id, similarity)
    changes = [removed(scope, o, (o.target,), other_half.get(id(o)), how.options) for o in gone]
    changes += [added(scope, o, (o.target,), other_half.get(id(o)), how.options) for o in new]
    return changes, notes
