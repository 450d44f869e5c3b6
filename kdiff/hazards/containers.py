"""Pairs the containers of changed workloads at head with what they were at base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kdiff.hazards.earlier import earlier_value
from kdiff.hazards.rule import Context
from kdiff.kube.images import parse_image
from kdiff.kube.pod_template import Container, PodTemplate, containers, holds_pods, pod_templates
from kdiff.model.change import Change


@dataclass(frozen=True)
class PodChange:
    """A pod template at head, `before` at base; None in a workload that is new."""

    change: Change
    before: PodTemplate | None
    after: PodTemplate


@dataclass(frozen=True)
class ContainerChange:
    """A container at head, `before` at base; None where the container is new."""

    pod: PodChange
    before: Container | None
    after: Container

    @property
    def told(self) -> str:
        """`container web of apps/v1/Deployment shop/web`."""
        return f"container {self.after.name} of {self.pod.change.id}"


def pod_changes(context: Context) -> Iterator[PodChange]:
    """Every pod template of every changed object that head has."""
    for change in context.changes:
        ref = change.object
        if change.head_value is None or not holds_pods(ref.group, ref.kind):
            continue
        earlier = earlier_value(context, change)
        known = {template.pointer: template for template in pod_templates(ref.group, ref.kind, earlier)} if earlier else {}
        for template in pod_templates(ref.group, ref.kind, change.head_value):
            yield PodChange(change, known.get(template.pointer), template)


def container_changes(context: Context) -> Iterator[ContainerChange]:
    """Every container of those pod templates, init and ephemeral ones too.

    Containers are paired by name, whichever list holds them, since a name is unique in a pod (Kubernetes API reference, Container);
    a renamed one by its image.
    """
    for pod in pod_changes(context):
        left = {container.name: container for container in containers(pod.before)} if pod.before else {}
        pairs = [(left.pop(container.name, None), container) for container in containers(pod.after)]
        by_image = {_repository(container): container for container in left.values() if _repository(container)}
        for before, after in pairs:
            yield ContainerChange(pod, before or by_image.pop(_repository(after), None), after)


def _repository(container: Container) -> str:
    text = container.value.get("image")
    image = parse_image(text) if isinstance(text, str) else None
    return image.repository if image else ""
