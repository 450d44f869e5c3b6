from __future__ import annotations

import pytest

from kdiff.model.object import ObjectKey
from kdiff.render.unknown_variables import find_holders, may_hold

VARS = ObjectKey("", "ConfigMap", "flux-system", "cluster-vars")
OTHER = ObjectKey("", "Secret", "flux-system", "cluster-secrets")
DEFINED = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cluster-vars\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(DEFINED, True, id="the object"),
        pytest.param(b"apiVersion: v1\nkind: Secret\nmetadata:\n  name: cluster-vars\n", False, id="another kind"),
        pytest.param(b"kind: List\nitems:\n- kind: ConfigMap\n  metadata: {name: cluster-vars}\n", True, id="in a List"),
        pytest.param(b"configMapGenerator:\n- name: cluster-vars\n", True, id="a kustomization without kind"),
        pytest.param(
            b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [cluster-vars.yaml]\n",
            True,
            id="a kustomization",
        ),
        pytest.param(
            b"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
            b"spec: {postBuild: {substituteFrom: [{kind: ConfigMap, name: cluster-vars}]}}\n",
            False,
            id="a Flux Kustomization that substitutes from it",
        ),
        pytest.param(b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n", False, id="another object"),
        pytest.param(b"kind: ConfigMap\nmetadata: {name: cluster-vars\n", True, id="broken"),
        pytest.param(b"kind: Pod\n---\n" + DEFINED, True, id="the second document"),
        pytest.param(b"kind: ConfigMap\nmetadata: {name: a}\n---\nkind: Pod\nspec: cluster-vars\n", False, id="named by another document"),
    ],
)
def test_what_may_hold_an_object(content, expected):
    assert may_hold(content, VARS) is expected


def test_the_holder_is_what_the_other_side_rendered_or_what_reads_the_object():
    absent = {"web": [OTHER, VARS], "db": [OTHER], "plain": []}
    assert find_holders(absent, {}, {"vars": [b"", DEFINED]}) == {"web": (VARS, "vars")}
    assert find_holders(absent, {"b": [OTHER], "a": [OTHER]}, {"vars": [DEFINED]}) == {"web": (OTHER, "a"), "db": (OTHER, "a")}
    assert find_holders(absent, {}, {}) == {}
