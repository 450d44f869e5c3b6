"""limits-removed: a container may take all the memory of its node."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.containers import container_changes
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, values_at
from kdiff.kube.pod_template import Container, PodTemplate
from kdiff.model.change import Change
from kdiff.model.value import Value

_LIMIT = "resources.limits.memory"


def _check(context: Context) -> Iterator[Finding]:
    for container in container_changes(context):
        if container.before is None or container.pod.before is None:
            continue
        before = _limit(container.before, container.pod.before)
        if before is None or _limit(container.after, container.pod.after) is not None or _has_default(context, container.pod.change):
            continue
        yield Finding(
            message=f"{container.told} loses its memory limit of {before}: a leak takes the node's memory from others",
            why="Without a limit on the container or the pod only the node's memory bounds it, unless a LimitRange sets a default.",
            scope=container.pod.change.scope,
            object=container.pod.change.id,
            pointer=f"{container.after.pointer}/resources",
        )


def _limit(container: Container, template: PodTemplate) -> Value:
    """Of the container, else of the whole pod (Kubernetes docs, Resource Management: Pod-level resources)."""
    return next((limit for value in (container.value, template.spec) for _, limit in values_at(value, _LIMIT)), None)


def _has_default(context: Context, change: Change) -> bool:
    """True where a LimitRange sets a limit for containers without one (Kubernetes docs, Limit Ranges)."""
    ranges = context.head_graphs[change.scope].of_kind("", "LimitRange")
    return any(
        isinstance(item, dict) and item.get("type") == "Container" and "memory" in mapping(item, "default")
        for limits in ranges
        if limits.key.namespace == change.object.namespace
        for _, item in values_at(limits.value, "spec.limits[]")
    )


RULE = Rule("limits-removed", "caution", "A container loses its memory limit", _check)
