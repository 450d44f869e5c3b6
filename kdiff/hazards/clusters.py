"""Which cluster a target's objects are applied to."""

from __future__ import annotations

from kdiff.kube.argo import read_application
from kdiff.kube.fields import mapping
from kdiff.model.json_text import json_text
from kdiff.model.target import Target

# Argo CD, declarative setup: the cluster that Argo CD itself runs in.
_IN_CLUSTER = {"", "in-cluster", "https://kubernetes.default.svc"}


def cluster_of(target: Target) -> str:
    """A name for the cluster, "" for the one that the owners live in: spec.kubeConfig of a Kustomization, spec.destination in Argo CD."""
    if target.owner is None:
        return ""
    if target.kind == "argo":
        cluster = read_application(target.owner.value).cluster
        return "" if cluster in _IN_CLUSTER else cluster
    kube_config = mapping(mapping(target.owner.value, "spec"), "kubeConfig")
    return json_text(kube_config, sort_keys=True) if kube_config else ""
