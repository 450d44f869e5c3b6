"""scaled-to-zero: a workload loses all its pods."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.scaling import REPLICAS, autoscalers, replicas


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if not any(f.pointer == REPLICAS for f in change.fields) or replicas(change.head_value) != 0:
            continue
        by = autoscalers(context.head_graphs[change.scope], key_of(change.object))
        if any("/ScaledObject " in scaler for scaler in by):
            continue  # KEDA starts it again when there is work
        stopped = f", and {some(by)} {agree(by, 'stops', 'stop')} scaling it" if by else ""
        yield Finding(
            message=f"{change.id} is scaled to zero: all its pods stop{stopped}",
            why="With spec.replicas 0 nothing runs; a Service in front of it has no endpoints, and a HorizontalPodAutoscaler is disabled.",
            scope=change.scope,
            object=change.id,
            pointer=REPLICAS,
        )


RULE = Rule("scaled-to-zero", "caution", "A workload is scaled to zero", _check)
