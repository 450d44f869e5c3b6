"""Flux objects whose spec.suspend this change flips."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.rule import Context
from kdiff.kube.fields import values_at
from kdiff.model.change import Change
from kdiff.model.value import Value


def flipped(context: Context, *, to: bool) -> Iterator[tuple[Change, str | None, int]]:
    """Each change that sets or clears spec.suspend, the target that the object stands for (None: it is none), and its objects at head."""
    for change in context.changes:
        if not change.object.group.endswith(".toolkit.fluxcd.io") or change.base_value is None or change.head_value is None:
            continue
        if is_suspended(change.base_value) is to or is_suspended(change.head_value) is not to:
            continue
        name = f"{change.object.kind} {change.object.namespace or ''}/{change.object.name}"
        state = context.head_states.get((change.scope, name))
        yield change, name if state else None, len(state.objects) if state else 0


def is_suspended(value: dict[str, Value]) -> bool:
    """True when spec.suspend is true."""
    return any(item is True for _, item in values_at(value, "spec.suspend"))
