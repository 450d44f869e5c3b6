"""immutable-field: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.immutable_field import RULE

A = "Kustomization flux-system/a"
WEB = "apps/v1/Deployment shop/web {spec: {selector: {matchLabels: {app: web%s}}, template: {metadata: {labels: {app: web%s}}}}}"
DB = "apps/v1/StatefulSet shop/db {spec: {serviceName: %s, replicas: %s}}"
JOB = "batch/v1/Job shop/seed {spec: {template: {spec: {containers: [{name: a, image: 'r/a:%s'}]}}}}"
CONFIG = "v1/ConfigMap shop/c {immutable: true, data: {k: %s}}"
BINDING = "rbac.authorization.k8s.io/v1/RoleBinding shop/b {roleRef: {kind: Role, name: %s}}"
SERVICE = "v1/Service shop/web {spec: {clusterIP: %s}}"
FORCED = (
    "apps/v1/Deployment shop/web {metadata: {%s: {kustomize.toolkit.fluxcd.io/force: Enabled}}, spec: {selector: {matchLabels: {a: %s}}}}"
)
EACH_TIME = """
apiVersion: batch/v1
kind: Job
metadata: {generateName: seed-, namespace: shop}
spec: {template: {spec: {nodeName: n%s}}}
"""
ARGO = "batch/v1/Job shop/seed {metadata: {annotations: {argocd.argoproj.io/sync-options: '%s'}}, spec: {template: {spec: {nodeName: %s}}}}"

KEPT = "v1/Secret shop/s {metadata: {annotations: {kustomize.toolkit.fluxcd.io/ssa: %s}}, type: %s}"


@pytest.mark.parametrize(
    ("base", "head", "pointer"),
    [
        (WEB % ("", ""), WEB % ("2", "2"), "/spec/selector/matchLabels/app"),
        (DB % ("db", 1), DB % ("other", 1), "/spec/serviceName"),
        (JOB % 1, JOB % 2, "/spec/template/spec/containers/0/image"),
        (CONFIG % "a", CONFIG % "b", "/data/k"),
        (BINDING % "a", BINDING % "b", "/roleRef/name"),
        (SERVICE % "10.0.0.1", SERVICE % "10.0.0.2", "/spec/clusterIP"),
        ("v1/Secret shop/s {type: Opaque}", "v1/Secret shop/s {type: kubernetes.io/tls}", "/type"),
    ],
)
def test_fires(hazards_of, base, head, pointer):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.pointer) == ("blocking", pointer)
    assert "cannot be updated" in hazard.message


def test_fires_where_only_half_of_recreation_is_declared(hazards_of):
    app = "Application argocd/a"
    assert len(hazards_of({app: ARGO % ("Replace=true", "a")}, {app: ARGO % ("Replace=true", "b")}, rule=RULE)) == 1


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({"entry": DB % ("db", 1)}, {"entry": DB % ("db", 2)}, id="a field that may change"),
        pytest.param({"entry": ""}, {"entry": JOB % 1}, id="new"),
        pytest.param({"entry": SERVICE % "10.0.0.1"}, {"entry": "v1/Service shop/web {spec: {}}"}, id="left to the cluster"),
        pytest.param({A + " {force: true}": JOB % 1}, {A + " {force: true}": JOB % 2}, id="forced by the Kustomization"),
        pytest.param({A: FORCED % ("annotations", "b")}, {A: FORCED % ("annotations", "c")}, id="forced by an annotation"),
        pytest.param({A: FORCED % ("labels", "b")}, {A: FORCED % ("labels", "c")}, id="forced by a label"),
        pytest.param({A: KEPT % ("Ignore", "a")}, {A: KEPT % ("Ignore", "b")}, id="Flux passes it over"),
        pytest.param({A: KEPT % ("IfNotPresent", "a")}, {A: KEPT % ("IfNotPresent", "b")}, id="only created"),
        pytest.param(
            {"Application argocd/a": ARGO % ("Force=true,Replace=true", "a")},
            {"Application argocd/a": ARGO % ("Force=true,Replace=true", "b")},
            id="Argo CD replaces it",
        ),
        pytest.param({"entry": JOB % 1}, {"entry": ""}, id="gone"),
        pytest.param({"entry": EACH_TIME % 1}, {"entry": EACH_TIME % 2}, id="a new object each time"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
