"""Sentences of rules that count something, when it is one thing."""

from __future__ import annotations

import re

import pytest

from kdiff.hazards import large_changeset, removed_namespace, replicas_vs_autoscaler, resumes, suspends
from kdiff.model.options import Options

A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
ONE = "v1/ConfigMap shop/a"
WEB = "apps/v1/Deployment shop/web {spec: {replicas: %s}}\n"
HPA = "autoscaling/v2/HorizontalPodAutoscaler shop/web {spec: {scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}}}"


@pytest.mark.parametrize(
    ("rule", "base", "head", "said"),
    [
        (suspends.RULE, {A + " {suspend: false}": ONE}, {A + " {suspend: true}": ONE}, "its 1 object is neither updated"),
        (resumes.RULE, {A + " {suspend: true}": ONE}, {A + " {suspend: false}": ONE}, "its 1 object is applied"),
        (large_changeset.RULE, "", ONE, "1 object in 1 target changes at once"),
        (replicas_vs_autoscaler.RULE, WEB % 2 + HPA, WEB % 1 + HPA, "is set to 1 replica whenever"),
        (removed_namespace.RULE, {A: "v1/Namespace shop", B: ONE}, {A: "", B: ONE}, "1 object at head still names this namespace"),
    ],
)
def test_one_is_singular(hazards_of, rule, base, head, said):
    (hazard,) = hazards_of(base, head, rule=rule, options=Options(large_objects=1))
    assert said in f"{hazard.message} {hazard.why}"
    assert not re.search(r"\b1 [a-z]+s\b", f"{hazard.message} {hazard.why}")
