"""Whether one label selector lets in more than another."""

from __future__ import annotations

from collections.abc import Mapping

from kdiff.model.value import Value


def is_wider(after: Mapping[str, Value], before: Mapping[str, Value]) -> bool:
    """True unless `after` demands all that `before` demands: an empty LabelSelector selects everything (Kubernetes API reference)."""
    labels, demanded = after.get("matchLabels") or {}, before.get("matchLabels") or {}
    if isinstance(labels, dict) and isinstance(demanded, dict) and any(labels.get(key) != value for key, value in demanded.items()):
        return True
    expressions, wanted = after.get("matchExpressions") or [], before.get("matchExpressions") or []
    return isinstance(expressions, list) and isinstance(wanted, list) and any(item not in expressions for item in wanted)
