"""Which API versions of Kubernetes itself are no longer served, and from which release on."""

from __future__ import annotations

from dataclasses import dataclass

from kdiff.kube.fields import qualified_kind

NEWEST: tuple[int, int] = (1, 36)
"""The release that is assumed where none is asked for. The guide below lists no removal later than 1.32."""


@dataclass(frozen=True)
class RemovedApi:
    """An API version that is gone from release `since` on; `instead` is the version to use, "" where the kind is gone too."""

    since: tuple[int, int]
    instead: str


# Kubernetes docs, Deprecated API Migration Guide. A row: release, replacement ("-" for none), then `group/version: kinds`.
_TABLE = """
1.16 apps/v1 apps/v1beta1: ControllerRevision Deployment StatefulSet
1.16 apps/v1 apps/v1beta2: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet
1.16 apps/v1 extensions/v1beta1: DaemonSet Deployment ReplicaSet
1.16 networking.k8s.io/v1 extensions/v1beta1: NetworkPolicy
1.16 - extensions/v1beta1: PodSecurityPolicy
1.22 admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1beta1: MutatingWebhookConfiguration ValidatingWebhookConfiguration
1.22 apiextensions.k8s.io/v1 apiextensions.k8s.io/v1beta1: CustomResourceDefinition
1.22 apiregistration.k8s.io/v1 apiregistration.k8s.io/v1beta1: APIService
1.22 authentication.k8s.io/v1 authentication.k8s.io/v1beta1: TokenReview
1.22 authorization.k8s.io/v1 authorization.k8s.io/v1beta1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview \
SubjectAccessReview
1.22 certificates.k8s.io/v1 certificates.k8s.io/v1beta1: CertificateSigningRequest
1.22 coordination.k8s.io/v1 coordination.k8s.io/v1beta1: Lease
1.22 networking.k8s.io/v1 extensions/v1beta1: Ingress
1.22 networking.k8s.io/v1 networking.k8s.io/v1beta1: Ingress IngressClass
1.22 rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1: ClusterRole ClusterRoleBinding Role RoleBinding
1.22 scheduling.k8s.io/v1 scheduling.k8s.io/v1beta1: PriorityClass
1.22 storage.k8s.io/v1 storage.k8s.io/v1beta1: CSIDriver CSINode StorageClass VolumeAttachment
1.25 batch/v1 batch/v1beta1: CronJob
1.25 discovery.k8s.io/v1 discovery.k8s.io/v1beta1: EndpointSlice
1.25 events.k8s.io/v1 events.k8s.io/v1beta1: Event
1.25 autoscaling/v2 autoscaling/v2beta1: HorizontalPodAutoscaler
1.25 policy/v1 policy/v1beta1: PodDisruptionBudget
1.25 - policy/v1beta1: PodSecurityPolicy
1.25 node.k8s.io/v1 node.k8s.io/v1beta1: RuntimeClass
1.26 flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1: FlowSchema PriorityLevelConfiguration
1.26 autoscaling/v2 autoscaling/v2beta2: HorizontalPodAutoscaler
1.27 storage.k8s.io/v1 storage.k8s.io/v1beta1: CSIStorageCapacity
1.29 flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta2: FlowSchema PriorityLevelConfiguration
1.32 flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta3: FlowSchema PriorityLevelConfiguration
"""


def _read(table: str) -> dict[tuple[str, str], RemovedApi]:
    found = {}
    for row in table.strip().split("\n"):
        release, instead, api_version, kinds = row.split(maxsplit=3)
        for kind in kinds.split():
            removed = RemovedApi(parse_release(release), instead if instead != "-" else "")
            found[api_version.removesuffix(":"), kind] = removed
    return found


def parse_release(text: str) -> tuple[int, int]:
    """`1.34`, `v1.34` or `1.34.2` as (1, 34)."""
    major, minor, *_ = text.removeprefix("v").split(".")
    return int(major), int(minor)


_REMOVED = _read(_TABLE)


def removed_api(group: str, version: str, kind: str, release: tuple[int, int]) -> RemovedApi | None:
    """What became of an API version that `release` no longer serves; None for one that it serves or that never was Kubernetes' own."""
    removed = _REMOVED.get((qualified_kind(group, version), kind))
    return removed if removed and removed.since <= release else None
