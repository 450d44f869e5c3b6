"""pvc-shrink: a claim asks for less storage than before."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.recreation import is_recreated, is_updated
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import values_at
from kdiff.kube.quantity import parse_quantity
from kdiff.model.value import Value

_REQUEST = "spec.resources.requests.storage"


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if (change.object.group, change.object.kind) != ("", "PersistentVolumeClaim"):
            continue
        before, after = _request(change.base_value), _request(change.head_value)
        sizes = parse_quantity(before), parse_quantity(after)
        if sizes[0] is None or sizes[1] is None or sizes[1] >= sizes[0] or not is_updated(context, change):
            continue
        outcome = "is deleted and created anew, without its data" if is_recreated(context, change) else "is refused by the API server"
        yield Finding(
            message=f"{change.id} asks for {after} instead of {before}: it {outcome}",
            why="A claim can only grow; the API server forbids a smaller request, and the whole apply fails with it.",
            scope=change.scope,
            object=change.id,
            pointer="/" + _REQUEST.replace(".", "/"),
        )


def _request(value: dict[str, Value] | None) -> Value:
    return next((size for _, size in values_at(value, _REQUEST)), None)


RULE = Rule("pvc-shrink", "blocking", "A claim asks for less storage", _check)
