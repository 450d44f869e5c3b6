"""replicas-vs-autoscaler: a manifest and an autoscaler both decide how many replicas there are."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.earlier import earlier_object
from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.scaling import AUTOSCALERS, REPLICAS, autoscalers, replicas
from kdiff.kube.reconciliation import is_only_created
from kdiff.model.change import Change
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.value import Value


def _check(context: Context) -> Iterator[Finding]:
    found: dict[tuple[str, ObjectKey], KubeObject] = {}
    for change in context.changes:
        if change.head_value is not None:
            found |= {(change.scope, obj.key): obj for obj in _contested(context, change)}
    for (scope, key), obj in sorted(found.items(), key=lambda item: item[0]):
        by = autoscalers(context.head_graphs[scope], key)
        yield Finding(
            message=f"{obj.id} is set to {_replicas(obj.value)} whenever it is applied, though {some(by)} "
            f"{agree(by, 'scales', 'scale')} it",
            why="Both write spec.replicas: each apply throws away what the autoscaler chose, until it scales again.",
            scope=scope,
            object=obj.id,
            pointer=REPLICAS,
        )


def _replicas(value: dict[str, Value]) -> str:
    number = replicas(value)
    return "1 replica" if number == 1 else f"{number} replicas"


def _contested(context: Context, change: Change) -> Iterator[KubeObject]:
    """Objects whose replicas this change sets under an autoscaler, or that it puts under one while their replicas are set."""
    base, head = context.base_graphs[change.scope], context.head_graphs[change.scope]
    key = key_of(change.object)
    if (key.group, key.kind) in AUTOSCALERS:
        scaled = {r.target for r in head.references_from(key) if r.kind == "scales"}
        news = [obj for target in scaled if not autoscalers(base, target) for obj in head.objects.get(target, ())]
    else:
        news = list(head.objects.get(key, ())) if autoscalers(head, key) and _is_news(context, change) else []
    for obj in news:
        # A HorizontalPodAutoscaler does nothing at 0 replicas (Kubernetes docs, Implicit maintenance-mode deactivation).
        if replicas(obj.value) and not is_only_created(obj.value, context.head_targets[change.scope, obj.target]):
            yield obj


def _is_news(context: Context, change: Change) -> bool:
    earlier = earlier_object(context, change)
    if earlier is None or not autoscalers(context.base_graphs[change.scope], earlier.key):
        return True
    if change.status == "added":
        return replicas(earlier.value) != replicas(change.head_value)
    return any(f.pointer == REPLICAS and f.class_ == "value" for f in change.fields)


RULE = Rule("replicas-vs-autoscaler", "caution", "Replicas are set though an autoscaler decides them", _check)
