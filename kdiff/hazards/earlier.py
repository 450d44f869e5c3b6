"""What an object at head was before this change: itself at base, or the object that it most likely takes the place of."""

from __future__ import annotations

from kdiff.hazards.rule import Context
from kdiff.model.change import Change
from kdiff.model.object import KubeObject
from kdiff.model.value import Value


def earlier_objects(context: Context, change: Change) -> tuple[KubeObject, ...]:
    """Every rendering of the object to judge the one at head against; none for what is wholly new.

    An added object is judged against its counterpart, so that a workload which only got another name or namespace brings nothing new.
    """
    known, scope = change.base_id, change.scope
    if known is None and change.counterpart is not None:
        known, scope = change.counterpart.id, change.counterpart.scope or scope
    return context.base_by_id.get((scope, known), ()) if known else ()


def earlier_object(context: Context, change: Change) -> KubeObject | None:
    """The first of `earlier_objects`; None for what is wholly new."""
    return next(iter(earlier_objects(context, change)), None)


def earlier_value(context: Context, change: Change) -> dict[str, Value] | None:
    """The value of `earlier_object`."""
    earlier = earlier_object(context, change)
    return earlier.value if earlier else None
