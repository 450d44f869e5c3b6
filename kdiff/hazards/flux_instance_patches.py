"""Which patches of a FluxInstance select nothing among the manifests of Flux, which no tree holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kdiff.kube.fields import mapping, mappings, strings
from kdiff.kube.patch_target import PatchTarget, Selectable, patch_identity, read_target, selects
from kdiff.model.value import Value

# flux-operator, api/v1: GetComponents.
_DEFAULT_COMPONENTS = ("source-controller", "kustomize-controller", "helm-controller", "notification-controller")
# Kinds that flux-operator builds for a FluxInstance (config/data/flux and internal/builder/templates.go). Of those that are named after a
# component, names are known; of the others they are not.
_NAMED_AFTER_COMPONENTS = (("apps", "v1", "Deployment"), ("", "v1", "ServiceAccount"))
_OTHERS = (
    ("", "v1", "Namespace"),
    ("", "v1", "Service"),
    ("", "v1", "ResourceQuota"),
    ("", "v1", "PersistentVolumeClaim"),
    ("networking.k8s.io", "v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    ("kustomize.toolkit.fluxcd.io", "v1", "Kustomization"),
    ("source.toolkit.fluxcd.io", "v1", "GitRepository"),
    ("source.toolkit.fluxcd.io", "v1", "OCIRepository"),
    ("source.toolkit.fluxcd.io", "v1", "Bucket"),
)


def dead_patches(instance: dict[str, Value]) -> Iterator[tuple[int, str, str]]:
    """(index, what it selects, identity) of each patch in spec.kustomize.patches that selects nothing for certain."""
    spec = mapping(instance, "spec")
    components = list(strings(spec, "components")) or list(_DEFAULT_COMPONENTS)
    for index, patch in enumerate(mappings(mapping(spec, "kustomize"), "patches")):
        if "target" not in patch:
            continue
        target = read_target(patch["target"])
        if not _selects_any(target, components, has_shards=bool(mapping(spec, "sharding"))):
            yield index, str(target), patch_identity(patch)


def _selects_any(target: PatchTarget, components: list[str], *, has_shards: bool) -> bool:
    """Labels, annotations and versions, which differ from release to release, count as fitting; the namespace is always the instance's."""
    bare = replace(target, version="", namespace="", labels="", annotations="")
    unnamed = replace(bare, name="")
    if any(selects(unnamed, _object(*kind, "")) for kind in _OTHERS):
        return True
    if has_shards:
        return any(selects(unnamed, _object(*kind, "")) for kind in _NAMED_AFTER_COMPONENTS)
    return any(selects(bare, _object(*kind, name)) for kind in _NAMED_AFTER_COMPONENTS for name in components)


def _object(group: str, version: str, kind: str, name: str) -> Selectable:
    return Selectable(group, version, kind, frozenset({name}), frozenset({"default"}), {}, {})
