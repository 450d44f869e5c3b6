"""Whether whoever applies a changed object updates it, or deletes and creates it anew where the API server refuses that."""

from __future__ import annotations

from kdiff.hazards.rule import Context
from kdiff.kube.immutable import recreates
from kdiff.kube.reconciliation import is_ignored, is_only_created
from kdiff.model.change import Change
from kdiff.model.target import Target


def is_updated(context: Context, change: Change) -> bool:
    """False when every target that renders the object at head leaves the one in the cluster as it is."""
    value = change.head_value or {}
    targets = _targets(context, change)
    return not targets or not all(is_ignored(value, target) or is_only_created(value, target) for target in targets)


def is_recreated(context: Context, change: Change) -> bool:
    """True when every target that renders the object at head recreates it; one that does not fails."""
    targets = _targets(context, change)
    return bool(targets) and all(recreates(change.head_value or {}, target) for target in targets)


def _targets(context: Context, change: Change) -> list[Target]:
    return [context.head_targets[change.scope, name] for name in change.targets.head]
