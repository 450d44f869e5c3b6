"""The scope of a kind decides whether its namespace is part of its identity."""

from __future__ import annotations

import pytest

from kdiff.kube.kinds import is_cluster_scoped


@pytest.mark.parametrize(
    ("group", "kind", "expected"),
    [
        ("", "Namespace", True),
        ("", "PersistentVolume", True),
        ("", "PersistentVolumeClaim", False),
        ("", "Secret", False),
        ("rbac.authorization.k8s.io", "ClusterRole", True),
        ("rbac.authorization.k8s.io", "Role", False),
        ("apiextensions.k8s.io", "CustomResourceDefinition", True),
        ("cert-manager.io", "ClusterIssuer", True),
        ("cert-manager.io", "Issuer", False),
        ("example.com", "ClusterRole", False),
        ("gateway.networking.k8s.io", "GatewayClass", True),
        ("kustomize.toolkit.fluxcd.io", "Kustomization", False),
        ("argoproj.io", "Application", False),
        ("networking.k8s.io", "IngressClass", True),
    ],
)
def test_scope(group, kind, expected):
    assert is_cluster_scoped(group, kind) is expected
