"""What a ResourceSet makes, as far as its manifest alone tells."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kdiff.kube.makers import made_objects
from kdiff.kube.resource_set import MAX_OBJECTS
from kdiff.model.object import KubeObject, ObjectKey

TEMPLATE = """\
# before everything
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: << inputs.bundle >>
  namespace: flux-system   # of Flux
spec:
  url: oci://registry.example.com/<< inputs.bundle >>
<<- range $component := inputs.components >>
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: << $component >>
  namespace: flux-system
<<- end >>
---
apiVersion: v1
kind: Namespace
metadata:
  labels:
    name: other
    <<- if inputs.tidy >>
    tidy: "true"
    <<- end >>
  name: "literal"
"""


def maker(group: str, kind: str, namespace: str, spec: dict[str, Any]) -> KubeObject:
    return KubeObject(ObjectKey(group, kind, namespace, "set"), "v1", b"", lambda _: {"spec": spec}, target=".")


def resource_set(spec: dict[str, Any]) -> KubeObject:
    return maker("fluxcd.controlplane.io", "ResourceSet", "flux-system", spec)


def made(obj: KubeObject) -> list[str]:
    return [f"{pointer} {key.group}/{key.kind} {key.namespace}/{key.name}" for pointer, key in made_objects(obj)]


def of(name: str) -> str:
    return f"{{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {{name: {name}, namespace: apps}}}}"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(f"resources: [{of('web')}]", ["/spec/resources/0/metadata/name helm.toolkit.fluxcd.io/HelmRelease apps/web"], id="a literal"),
        pytest.param(
            f"steps: [{{name: a, resources: [{of('web')}]}}]",
            ["/spec/steps/0/resources/0/metadata/name helm.toolkit.fluxcd.io/HelmRelease apps/web"],
            id="a literal of a step",
        ),
        pytest.param(
            "inputs: [{t: {name: a}}, {t: {name: 7}}, {other: b}]\nresources: [" + of("'web-<< inputs.t.name | quote >>'") + "]",
            [f"/spec/resources/0/metadata/name helm.toolkit.fluxcd.io/HelmRelease apps/web-{name}" for name in "a7"],
            id="an input of its own, where it has it",
        ),
        pytest.param("inputs: [{a: b}]\nresources: [" + of("'<< inputs.a | upper >>'") + "]", [], id="an expression"),
        pytest.param("inputsFrom: [{name: p}]\nresources: [" + of("'<< inputs.a >>'") + "]", [], id="an input from elsewhere"),
        pytest.param(
            "resources: [{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {fluxcd.controlplane.io/reconcile: disabled}}}]",
            [],
            id="left out",
        ),
        pytest.param("resources: [1, {}, {kind: [], metadata: []}]\nsteps: {}\nresourcesTemplate: 1\ninputs: a", [], id="no objects"),
        pytest.param(
            yaml.safe_dump({"inputs": [{"bundle": "apps", "components": ["x"]}], "resourcesTemplate": TEMPLATE}),
            [
                "/spec/resourcesTemplate source.toolkit.fluxcd.io/OCIRepository flux-system/apps",
                "/spec/resourcesTemplate /Namespace /literal",
            ],
            id="a template, without what only executing it tells",
        ),
    ],
)  # fmt: skip
def test_resource_set(spec, expected):
    assert made(resource_set(yaml.safe_load(spec))) == expected


def test_many_inputs_are_bounded(work):
    resources = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "<< inputs.a >>"}}] * 1000
    spec = {"inputs": [{"a": i} for i in range(1000)], "resources": resources}
    obj = resource_set(spec)
    assert work(lambda: list(made_objects(obj))) < 60 * MAX_OBJECTS
    assert len(list(made_objects(obj))) == MAX_OBJECTS


@pytest.mark.parametrize(
    "written", ["metadata:\n" + " " * 200_000, "metadata:\n  name: " + "a " * 100_000, "metadata:\n" + " \n" * 100_000]
)
def test_a_long_template_is_read_once(written):
    assert made(resource_set({"resourcesTemplate": "apiVersion: v1\nkind: A\n" + written + "<<"})) == []


GENERATE = "rules: [{name: a}, {name: b, generate: {apiVersion: v1, kind: Secret, name: %s, namespace: %s}}]"


@pytest.mark.parametrize(
    ("name", "namespace", "expected"),
    [
        ("regcred", "'{{request.object.metadata.name}}'", ["/spec/rules/1/generate/name /Secret */regcred"]),
        ("regcred", "shop", ["/spec/rules/1/generate/name /Secret shop/regcred"]),
        ("'{{request.name}}'", "shop", []),
    ],
)
def test_generate_rules_of_kyverno(name, namespace, expected):
    assert made(maker("kyverno.io", "ClusterPolicy", "", yaml.safe_load(GENERATE % (name, namespace)))) == expected
