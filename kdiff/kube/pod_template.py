"""Where each kind keeps its pod templates, and what containers they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kdiff.kube.fields import qualified_kind, values_at
from kdiff.model.object import KubeObject
from kdiff.model.value import Value

Mapping: TypeAlias = dict[str, Value]
ContainerRole = Literal["containers", "initContainers", "ephemeralContainers"]
CONTAINER_ROLES: tuple[ContainerRole, ...] = ("initContainers", "containers", "ephemeralContainers")

# `group/Kind` to dotted paths of PodTemplateSpecs; `[]` stands for each item, "" for the object itself.
# Kubernetes API reference (Workload Resources); Argo Rollouts, Knative Serving, KEDA, OpenShift, JobSet, LeaderWorkerSet and
# OpenKruise API references for the rest.
TEMPLATE_PATHS: dict[str, tuple[str, ...]] = {
    "Pod": ("",),
    "PodTemplate": ("template",),
    "ReplicationController": ("spec.template",),
    "apps/Deployment": ("spec.template",),
    "apps/ReplicaSet": ("spec.template",),
    "apps/StatefulSet": ("spec.template",),
    "apps/DaemonSet": ("spec.template",),
    "extensions/Deployment": ("spec.template",),
    "extensions/DaemonSet": ("spec.template",),
    "extensions/ReplicaSet": ("spec.template",),
    "batch/Job": ("spec.template",),
    "batch/CronJob": ("spec.jobTemplate.spec.template",),
    "argoproj.io/Rollout": ("spec.template",),
    "serving.knative.dev/Service": ("spec.template",),
    "serving.knative.dev/Configuration": ("spec.template",),
    "apps.openshift.io/DeploymentConfig": ("spec.template",),
    "keda.sh/ScaledJob": ("spec.jobTargetRef.template",),
    "jobset.x-k8s.io/JobSet": ("spec.replicatedJobs[].template.spec.template",),
    "leaderworkerset.x-k8s.io/LeaderWorkerSet": (
        "spec.leaderWorkerTemplate.leaderTemplate",
        "spec.leaderWorkerTemplate.workerTemplate",
    ),
    "apps.kruise.io/CloneSet": ("spec.template",),
    "apps.kruise.io/StatefulSet": ("spec.template",),
    "apps.kruise.io/DaemonSet": ("spec.template",),
}


@dataclass(frozen=True)
class PodTemplate:
    """One pod template: `pointer` (RFC 6901) into the object, its `labels`, and its pod `spec`."""

    pointer: str
    labels: Mapping
    spec: Mapping


@dataclass(frozen=True)
class Container:
    """One container: `pointer` into the object, its `role` (the list that holds it), and its `value`."""

    pointer: str
    role: ContainerRole
    value: Mapping

    @property
    def name(self) -> str:
        """The container's name, "" where it is missing."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""


def holds_pods(group: str, kind: str) -> bool:
    """True when objects of this kind hold pod templates, or are pods."""
    return qualified_kind(group, kind) in TEMPLATE_PATHS


def pod_templates(group: str, kind: str, value: Mapping) -> tuple[PodTemplate, ...]:
    """The pod templates in `value`, none for kinds that hold none."""
    templates = []
    for path in TEMPLATE_PATHS.get(qualified_kind(group, kind), ()):
        for pointer, template in values_at(value, path):
            if isinstance(template, dict):
                metadata, spec = template.get("metadata"), template.get("spec")
                labels = metadata.get("labels") if isinstance(metadata, dict) else None
                templates.append(PodTemplate(pointer, labels if isinstance(labels, dict) else {}, spec if isinstance(spec, dict) else {}))
    return tuple(templates)


def pod_templates_of(obj: KubeObject) -> tuple[PodTemplate, ...]:
    """The pod templates of an object; its value is parsed only when its kind holds some."""
    if not holds_pods(obj.key.group, obj.key.kind):
        return ()
    return pod_templates(obj.key.group, obj.key.kind, obj.value)


def containers(template: PodTemplate) -> tuple[Container, ...]:
    """Every container of a pod template: init containers first, then main and ephemeral ones, in their order."""
    return tuple(
        Container(f"{template.pointer}/spec/{role}/{index}", role, item)
        for role in CONTAINER_ROLES
        for index, item in enumerate(_items(template.spec.get(role)))
        if isinstance(item, dict)
    )


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []
