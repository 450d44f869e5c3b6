"""Rules speak of what a change brings: nothing is said of what was already so."""

from __future__ import annotations

from kdiff.model.side import UndefinedVariable

TROUBLED = {
    "Kustomization flux-system/a {dependsOn: [{name: b}]}": "v1/ConfigMap shop/twice",
    "Kustomization flux-system/b {dependsOn: [{name: a}, {name: nobody}], suspend: true}": "v1/ConfigMap shop/twice {data: {k: v}}",
    "Kustomization flux-system/c {sourceRef: {kind: GitRepository, name: missing}}": """
        apps/v1/Deployment shop/web {spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: missing}}]}]}}}}
        v1/ConfigMap shop/unprotected {metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: 'no'}}}
        example.com/v0/Widget shop/old
        apiextensions.k8s.io/v1/CustomResourceDefinition w.example.com {spec: {group: example.com, names: {kind: Widget}, versions: []}}
        source.toolkit.fluxcd.io/v1/OCIRepository shop/unverified""",
}
STATE = {"undefined": {"Kustomization flux-system/c": [UndefinedVariable("X", "v1/ConfigMap shop/unprotected", "/data")]}}


def test_a_troubled_cluster_that_does_not_change_has_no_hazards(hazards_of):
    assert hazards_of(TROUBLED, TROUBLED, base_state=STATE, head_state=STATE) == ()


def test_nor_has_one_where_something_else_changes(hazards_of):
    other = "Kustomization flux-system/other"
    base, head = TROUBLED | {other: "v1/ConfigMap x/c"}, TROUBLED | {other: "v1/ConfigMap x/c {data: {k: v}}"}
    assert hazards_of(base, head, base_state=STATE, head_state=STATE) == ()
