"""Whether whoever applies a changed object deletes and creates it anew where the API server refuses to update it."""

from __future__ import annotations

from kdiff.hazards.rule import Context
from kdiff.kube.immutable import recreates
from kdiff.model.change import Change


def is_recreated(context: Context, change: Change) -> bool:
    """True when every target that renders the object at head recreates it; one that does not fails."""
    targets = [context.head_targets[change.scope, name] for name in change.targets.head]
    return bool(targets) and all(recreates(change.head_value or {}, target) for target in targets)
