"""What a document may define, when nobody knows what its target renders."""

from __future__ import annotations

import pytest

from kdiff.documents.load import load_document
from kdiff.kube.definitions import may_define
from kdiff.model.object import ObjectKey

CLAIM = ObjectKey("", "PersistentVolumeClaim", "shop", "data")
SETTINGS = ObjectKey("", "ConfigMap", "shop", "settings-2456789bcd")
WEB = ObjectKey("apps", "Deployment", "shop", "prod-web")


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}", CLAIM, True),
        ("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: other}}", CLAIM, False),
        ("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: '${APP}'}}", CLAIM, True),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: data}, data: {data: data}}", CLAIM, False),
        ("{apiVersion: v1, kind: List, items: [{kind: PersistentVolumeClaim, metadata: {name: data}}]}", CLAIM, True),
        ("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}", WEB, True),  # namePrefix: prod-
        ("{apiVersion: apps/v1, kind: Deployment, metadata: {name: eb}}", WEB, False),
        ("{apiVersion: example.com/v1, kind: Deployment, metadata: {name: web}}", WEB, False),
        ("{configMapGenerator: [{name: settings}]}", SETTINGS, True),
        ("{configMapGenerator: [{name: settings-of-db}]}", SETTINGS, False),
        ("{kind: ConfigMapGenerator, metadata: {name: settings}}", SETTINGS, True),
        ("{kind: Kustomization, apiVersion: kustomize.config.k8s.io/v1beta1, resources: [data.yaml]}", CLAIM, True),
        ("{kind: Kustomization, apiVersion: kustomize.toolkit.fluxcd.io/v1, spec: {path: data}}", CLAIM, False),
        ("just text", CLAIM, False),
    ],
)
def test_what_a_document_may_define(text, key, expected):
    assert may_define(load_document(text.encode()), key) is expected
