"""What an object at head was before this change: itself at base, or the object that it most likely takes the place of."""

from __future__ import annotations

from kdiff.hazards.rule import Context
from kdiff.model.change import Change
from kdiff.model.object import KubeObject
from kdiff.model.value import Value


def earlier_object(context: Context, change: Change) -> KubeObject | None:
    """The object to judge the one at head against; None for what is wholly new.

    An added object is judged against its counterpart, so that a workload which only got another name or namespace brings nothing new.
    """
    known, scope = change.base_id, change.scope
    if known is None and change.counterpart is not None:
        known, scope = change.counterpart.id, change.counterpart.scope or scope
    return next(iter(context.base_by_id.get((scope, known), ())), None) if known else None


def earlier_value(context: Context, change: Change) -> dict[str, Value] | None:
    """The value of `earlier_object`."""
    earlier = earlier_object(context, change)
    return earlier.value if earlier else None
