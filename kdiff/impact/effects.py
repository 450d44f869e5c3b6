"""Says for every change what the cluster will do with the object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from kdiff.impact.dependents import object_key
from kdiff.kube.fields import is_under
from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.immutable import immutable_fields, recreates
from kdiff.kube.reconciliation import Targets, is_held, is_ignored, removal_of
from kdiff.model.change import Change, Effect, ObjectRef
from kdiff.model.target import Target

_ORDER: Final[tuple[Effect, ...]] = get_args(Effect)
_METADATA = ("/metadata/labels", "/metadata/annotations")


def find_held(changes: Iterable[Change], base: Targets, head: Targets) -> frozenset[tuple[str, str]]:
    """(scope, id) of the changes that no head target applies now: suspended, or passed over by `reconcile: disabled`."""
    return frozenset((c.scope, c.id) for c in changes if c.targets.head and _is_held_back(c, base, head))


def effects_of(
    change: Change,
    *,
    rolls: bool,
    held: bool,
    base: tuple[Targets, ReferenceGraph],
    head: tuple[Targets, ReferenceGraph],
) -> tuple[Effect, ...]:
    """The effects of one change, in the order of `Effect`; empty where the cluster sees no event of its own (a plain edit, a move).

    An object that another target goes on rendering is neither deleted nor created.
    """
    effects: set[Effect] = set()
    if change.status in ("added", "renamed"):
        if object_key(change.object) not in base[1]:
            effects.add("none-until-resumed" if held else "create")
    elif held:
        return ("none-until-resumed",)
    if change.status in ("removed", "renamed") and change.base_object is not None and object_key(change.base_object) not in head[1]:
        effects |= _leaving(change, change.base_object, base, head)
    if change.status == "changed":
        effects |= _edited(change, head[0])
        if rolls:
            effects.add("rollout")
    return tuple(effect for effect in _ORDER if effect in effects)


def _leaving(change: Change, ref: ObjectRef, base: tuple[Targets, ReferenceGraph], head: tuple[Targets, ReferenceGraph]) -> set[Effect]:
    """One effect, the worst over all targets that rendered the object."""
    objects = [o for o in base[1].objects.get(object_key(ref), ()) if o.target in change.targets.base]
    fates: set[Effect] = {removal_of(o, change.scope, base[0], head[0]).fate for o in objects}
    worst: tuple[Effect, ...] = ("delete", "none-until-resumed", "orphaned")
    return {next((fate for fate in worst if fate in fates), "delete")}


def _edited(change: Change, targets: Targets) -> set[Effect]:
    effects: set[Effect] = set()
    if immutable_fields(change) and any(recreates(change.head_value or {}, target) for target in _head_targets(change, targets)):
        effects.add("recreate")
    if any(f.pointer == "/spec/replicas" and f.class_ == "value" for f in change.fields):
        effects.add("scale")
    if change.fields and all(is_under(f.pointer, *_METADATA) for f in change.fields):
        effects.add("metadata-only")
    return effects


def _is_held_back(change: Change, base: Targets, head: Targets) -> bool:
    targets = _head_targets(change, head)
    values = [v for v in (change.base_value, change.head_value) if v is not None]
    return bool(targets) and all(is_held(t, base, head) or any(is_ignored(v, t) for v in values) for t in targets)


def _head_targets(change: Change, targets: Targets) -> list[Target]:
    found = (targets.get((change.scope, target)) for target in change.targets.head)
    return [target for target in found if target is not None]
