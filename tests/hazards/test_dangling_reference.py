"""dangling-reference: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.dangling_reference import RULE

POD = "apps/v1/Deployment shop/web {spec: {template: {spec: {%s}}}}\n"
ENV_FROM = POD % "containers: [{name: c, envFrom: [{configMapRef: {name: %s}}]}]"
KEY = POD % "containers: [{name: c, env: [{name: T, valueFrom: {configMapKeyRef: {name: conf, key: %s%s}}}]}]"
SECRET = POD % "volumes: [{name: v, secret: {secretName: tls}}]"
CONF = "v1/ConfigMap shop/conf {data: {a: '1', b: '2'}}"
EXTERNAL = "external-secrets.io/v1/ExternalSecret shop/tls"
KYVERNO = "kyverno.io/v1/ClusterPolicy tls {spec: {rules: [{generate: {apiVersion: v1, kind: Secret, name: tls, namespace: '{{request.object.metadata.name}}'}}]}}"
A = "Kustomization flux-system/a"
KEPT = "v1/ConfigMap shop/conf {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}"


@pytest.mark.parametrize(
    ("base", "head", "target"),
    [
        pytest.param(ENV_FROM % "conf" + CONF, ENV_FROM % "conf", "v1/ConfigMap shop/conf,", id="a ConfigMap"),
        pytest.param(ENV_FROM % "x" + CONF, ENV_FROM % "conf", "v1/ConfigMap shop/conf,", id="newly named and removed"),
        pytest.param(
            KEY % ("b", "") + CONF, KEY % ("b", "") + CONF.replace(", b: '2'", ""), "v1/ConfigMap shop/conf key b,", id="an entry of it"
        ),
        pytest.param(SECRET + EXTERNAL, SECRET, "v1/Secret shop/tls,", id="what an operator makes, with what it makes it from"),
    ],
)
def test_fires(hazards_of, base, head, target):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("caution", "apps/v1/Deployment shop/web")
    assert target in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(ENV_FROM % "conf", ENV_FROM % "conf" + "v1/ConfigMap shop/c", id="base had it neither"),
        pytest.param(ENV_FROM % "conf" + CONF, ENV_FROM % "x", id="no longer named"),
        pytest.param(KEY % ("b", ", optional: true") + CONF, KEY % ("b", ", optional: true"), id="optional"),
        pytest.param(SECRET + "v1/Secret shop/tls", SECRET + EXTERNAL, id="an operator makes it now"),
        pytest.param(SECRET + "v1/Secret shop/tls", SECRET + KYVERNO, id="a rule of Kyverno generates it now"),
        pytest.param(SECRET + KYVERNO, SECRET, id="Kyverno may leave behind what it generated"),
        pytest.param(
            SECRET + "cert-manager.io/v1/Certificate shop/tls {spec: {secretName: tls}}", SECRET, id="cert-manager leaves the Secret behind"
        ),
        pytest.param({A: ENV_FROM % "conf" + KEPT}, {A: ENV_FROM % "conf"}, id="it stays in the cluster"),
        pytest.param({A: ENV_FROM % "conf" + CONF}, {A: ENV_FROM % "conf", "Kustomization flux-system/b": CONF}, id="moved"),
        pytest.param(
            POD % "containers: [{name: c, envFrom: [{configMapRef: {name: kube-root-ca.crt}}]}]",
            POD % "nodeName: n, containers: [{name: c, envFrom: [{configMapRef: {name: kube-root-ca.crt}}]}]",
            id="every namespace has it",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_is_quiet_when_what_had_it_could_not_be_rendered(hazards_of):
    b = "Kustomization flux-system/b"
    base, head = {A: ENV_FROM % "conf", b: CONF}, {A: ENV_FROM % "conf" + "v1/ConfigMap shop/c", b: ""}
    assert hazards_of(base, head, rule=RULE, head_state={"failed": [b]}) == ()
