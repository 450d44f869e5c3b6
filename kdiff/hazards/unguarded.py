"""Which pods a NetworkPolicy or PodDisruptionBudget leaves without any other one when it goes, or selects fewer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kdiff.hazards.rule import Context
from kdiff.kube.fields import values_at
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import KubeObject, ObjectKey


@dataclass(frozen=True)
class Unguarded:
    """`workloads` are ids at head that lose their guard; empty where the guard's pods are made by something this tree does not render."""

    workloads: tuple[str, ...] = ()


def left_unguarded(
    context: Context, scope: str, guard: KubeObject, covers: Callable[[KubeObject, KubeObject], bool] = lambda _before, _other: True
) -> Unguarded | None:
    """What `guard` guarded at base, is still there at head, and nothing of its kind guards there; None when there is nothing.

    `covers` tells whether a guard at head that selects the same pods does what this one did.
    """
    key = guard.key
    base, head = context.base_graphs[scope], context.head_graphs[scope]
    if not head.in_namespace(key.namespace):
        return None
    guards = [o for o in head.of_kind(key.group, key.kind) if o.key.namespace == key.namespace and covers(guard, o)]
    selected = _selected(base, key)
    if not selected:
        same = any(_selector(o) == _selector(guard) for o in guards)
        return None if same else Unguarded()
    guarded = {target for other in guards for target in _selected(head, other.key)}
    open_now = [target for target in selected if target in head and target not in guarded]
    return Unguarded(head.ids(open_now)) if open_now else None


def _selected(graph: ReferenceGraph, key: ObjectKey) -> list[ObjectKey]:
    return [r.target for r in graph.references_from(key) if r.kind == "governs"]


def _selector(guard: KubeObject) -> object:
    return [value for path in ("spec.podSelector", "spec.selector") for _, value in values_at(guard.value, path)]
