"""Which objects a controller makes from another one, so that naming them is no dangling reference."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.kube.fields import mapping, qualified_kind, text, values_at
from kdiff.kube.kinds import is_cluster_scoped
from kdiff.kube.resource_set import resources_made
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.value import Value

ANY_NAMESPACE = "*"
_MAX_REPLICAS = 100

# Kinds whose controllers make objects named by a field: path of the name, kind made, whether the maker's own name is the default.
# API references of External Secrets Operator, cert-manager, secrets-store CSI driver, Vault Secrets Operator, Infisical,
# Doppler, Bitwarden, VolSync.
_BY_FIELD: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "external-secrets.io/ExternalSecret": (("spec.target.name", "Secret", True),),
    "cert-manager.io/Certificate": (("spec.secretName", "Secret", False),),
    "cert-manager.io/Issuer": (("spec.acme.privateKeySecretRef.name", "Secret", False),),
    "secrets-store.csi.x-k8s.io/SecretProviderClass": (("spec.secretObjects[].secretName", "Secret", False),),
    "secrets.hashicorp.com/VaultStaticSecret": (("spec.destination.name", "Secret", False),),
    "secrets.hashicorp.com/VaultDynamicSecret": (("spec.destination.name", "Secret", False),),
    "secrets.hashicorp.com/VaultPKISecret": (("spec.destination.name", "Secret", False),),
    "secrets.hashicorp.com/HCPVaultSecretsApp": (("spec.destination.name", "Secret", False),),
    "secrets.infisical.com/InfisicalSecret": (
        ("spec.managedSecretReference.secretName", "Secret", False),
        ("spec.managedKubeSecretReferences[].secretName", "Secret", False),
    ),
    "secrets.doppler.com/DopplerSecret": (("spec.managedSecret.name", "Secret", False),),
    "k8s.bitwarden.com/BitwardenSecret": (("spec.secretName", "Secret", False),),
    "volsync.backube/ReplicationDestination": (
        ("spec.restic.destinationPVC", "PersistentVolumeClaim", False),
        ("spec.kopia.destinationPVC", "PersistentVolumeClaim", False),
    ),
}

# Kinds whose controllers make objects named after the maker: (kind made, name with {} for the maker's).
# Sealed Secrets, 1Password Connect, lib-bucket-provisioner, Strimzi, RabbitMQ cluster operator, CloudNativePG docs.
_BY_NAME: dict[str, tuple[tuple[str, str], ...]] = {
    "bitnami.com/SealedSecret": (("Secret", "{}"),),
    "onepassword.com/OnePasswordItem": (("Secret", "{}"),),
    "objectbucket.io/ObjectBucketClaim": (("Secret", "{}"), ("ConfigMap", "{}")),
    "kafka.strimzi.io/KafkaUser": (("Secret", "{}"),),
    "kafka.strimzi.io/Kafka": (("Secret", "{}-cluster-ca-cert"), ("Service", "{}-kafka-bootstrap")),
    "rabbitmq.com/RabbitmqCluster": (("Secret", "{}-default-user"), ("Service", "{}")),
    "postgresql.cnpg.io/Cluster": (
        *(("Secret", "{}-" + s) for s in ("app", "superuser", "ca", "server", "replication")),
        *(("Service", "{}-" + s) for s in ("rw", "ro", "r")),
    ),
    "postgresql.cnpg.io/Pooler": (("Service", "{}"),),
    "serving.knative.dev/Service": (("Service", "{}"),),
}

# cert-manager docs, annotated Ingress and Gateway resources: their TLS Secrets are made.
_ISSUER_ANNOTATIONS = ("cert-manager.io/cluster-issuer", "cert-manager.io/issuer", "kubernetes.io/tls-acme")
_TLS_NAMES = {
    "networking.k8s.io/Ingress": "spec.tls[].secretName",
    "gateway.networking.k8s.io/Gateway": "spec.listeners[].tls.certificateRefs[].name",
}

# In every namespace or cluster without a manifest: kube-controller-manager's service account and root CA publisher,
# the priority classes of kube-apiserver, the project that Argo CD creates.
_ALWAYS_THERE = frozenset(
    {
        ("", "ServiceAccount", "default"),
        ("", "ConfigMap", "kube-root-ca.crt"),
        ("scheduling.k8s.io", "PriorityClass", "system-cluster-critical"),
        ("scheduling.k8s.io", "PriorityClass", "system-node-critical"),
        ("argoproj.io", "AppProject", "default"),
        *(("rbac.authorization.k8s.io", "ClusterRole", name) for name in ("cluster-admin", "admin", "edit", "view")),
    }
)


def may_make(group: str, kind: str) -> bool:
    """True when objects of this kind can make others: their values must be read."""
    qualified = qualified_kind(group, kind)
    return qualified in _BY_FIELD or qualified in _BY_NAME or qualified in _TLS_NAMES or qualified in _SPECIAL


def made_objects(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """(RFC 6901 pointer of the field that says so, key of the object made); namespace `*` where it lands in many."""
    key, qualified = obj.key, qualified_kind(obj.key.group, obj.key.kind)
    for path, kind, own_name in _BY_FIELD.get(qualified, ()):
        names = [(p, v) for p, v in values_at(obj.value, path) if isinstance(v, str)]
        for pointer, name in names or ([("/metadata/name", key.name)] if own_name else []):
            yield pointer, ObjectKey("", kind, key.namespace, name)
    for kind, pattern in _BY_NAME.get(qualified, ()):
        yield "/metadata/name", ObjectKey("", kind, key.namespace, pattern.format(key.name))
    if qualified in _TLS_NAMES and _asks_issuer(obj.value):
        for pointer, secret in values_at(obj.value, _TLS_NAMES[qualified]):
            if isinstance(secret, str):
                yield pointer, ObjectKey("", "Secret", key.namespace, secret)
    if qualified in _SPECIAL:
        yield from _SPECIAL[qualified](obj)


def always_there(key: ObjectKey) -> bool:
    """True for what every cluster or namespace has without a manifest."""
    return (key.group, key.kind, key.name) in _ALWAYS_THERE or (key.kind == "ClusterRole" and key.name.startswith("system:"))


def _asks_issuer(value: dict[str, Value]) -> bool:
    return any(
        a in annotations
        for _, annotations in values_at(value, "metadata.annotations")
        if isinstance(annotations, dict)
        for a in _ISSUER_ANNOTATIONS
    )


def _claims(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """A StatefulSet makes the claim `<template>-<name>-<ordinal>` for each replica (Kubernetes docs: StatefulSet)."""
    replicas = next((v for _, v in values_at(obj.value, "spec.replicas") if isinstance(v, int)), 1)
    start = next((v for _, v in values_at(obj.value, "spec.ordinals.start") if isinstance(v, int)), 0)
    for pointer, name in values_at(obj.value, "spec.volumeClaimTemplates[].metadata.name"):
        for ordinal in range(start, start + min(replicas, _MAX_REPLICAS)):
            yield pointer, ObjectKey("", "PersistentVolumeClaim", obj.key.namespace, f"{name}-{obj.key.name}-{ordinal}")


def _cluster_external_secret(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """External Secrets Operator: one ExternalSecret in each selected namespace, each making a Secret."""
    paths = ("spec.externalSecretSpec.target.name", "spec.externalSecretName", "metadata.name")
    for path in paths:
        named = next(((p, v) for p, v in values_at(obj.value, path) if isinstance(v, str)), None)
        if named:
            yield named[0], ObjectKey("", "Secret", ANY_NAMESPACE, named[1])
            return


def _cluster_issuer(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """cert-manager: the ACME account key of a ClusterIssuer lies in the controller's own namespace, which the object cannot tell."""
    for pointer, name in values_at(obj.value, "spec.acme.privateKeySecretRef.name"):
        yield pointer, ObjectKey("", "Secret", ANY_NAMESPACE, str(name))


def _bundle(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """trust-manager: a Bundle is written to a ConfigMap, a Secret, or both, of its own name in the selected namespaces."""
    for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
        for pointer, _ in values_at(obj.value, f"spec.target.{field}"):
            yield pointer, ObjectKey("", kind, ANY_NAMESPACE, obj.key.name)


def _generate_rules(obj: KubeObject) -> Iterator[tuple[str, ObjectKey]]:
    """Kyverno docs, Generate Rules: the object of `generate`, in whatever namespace where variables decide; cloneList names none."""
    for pointer, rule in values_at(obj.value, "spec.rules[]"):
        made = mapping(rule, "generate")
        group, kind, name = text(made, "apiVersion").rpartition("/")[0], text(made, "kind"), text(made, "name")
        namespace = "" if is_cluster_scoped(group, kind) else text(made, "namespace") or obj.key.namespace or ANY_NAMESPACE
        if kind and name and "{{" not in kind + name:
            yield f"{pointer}/generate/name", ObjectKey(group, kind, ANY_NAMESPACE if "{{" in namespace else namespace, name)


_SPECIAL = {
    "apps/StatefulSet": _claims,
    "external-secrets.io/ClusterExternalSecret": _cluster_external_secret,
    "cert-manager.io/ClusterIssuer": _cluster_issuer,
    "fluxcd.controlplane.io/ResourceSet": lambda obj: resources_made(obj.value),
    "kyverno.io/ClusterPolicy": _generate_rules,
    "kyverno.io/Policy": _generate_rules,
    "trust.cert-manager.io/Bundle": _bundle,
}
