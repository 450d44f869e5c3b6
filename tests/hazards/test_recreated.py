"""recreated: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.recreated import RULE

PVC = "v1/PersistentVolumeClaim %s {spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}\n"
DB = "apps/v1/StatefulSet %s {spec: {serviceName: db, replicas: 3, template: {spec: {containers: [{name: db, image: 'r/db:1'}]}}}}\n"


def test_fires_once_for_all_that_goes_to_another_namespace(hazards_of):
    (hazard,) = hazards_of(
        "v1/ConfigMap shop/c\n" + DB % "shop/db" + PVC % "shop/data",
        "v1/ConfigMap till/c\n" + DB % "till/db" + PVC % "till/data",
        rule=RULE,
    )
    assert hazard.severity == "caution"
    assert hazard.objects == ("v1/PersistentVolumeClaim shop/data", "apps/v1/StatefulSet shop/db", "v1/ConfigMap shop/c")
    assert hazard.object == hazard.objects[0]


def test_fires_for_a_stateful_object_under_another_name(hazards_of):
    (hazard,) = hazards_of(DB % "shop/db", DB % "shop/database", rule=RULE)
    assert (hazard.object, hazard.objects) == ("apps/v1/StatefulSet shop/db", ("apps/v1/StatefulSet shop/database",))


A = "Kustomization flux-system/a"


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(
            "v1/ConfigMap shop/a {data: {k: v}}", "v1/ConfigMap shop/b {data: {k: v}}", id="a stateless object under another name"
        ),
        pytest.param("v1/ConfigMap c {data: {k: v}}", "v1/ConfigMap shop/c {data: {k: v}}", id="no namespace stated before"),
        pytest.param("v1/ConfigMap shop/c", "", id="only removed"),
        pytest.param({A + " {suspend: true}": PVC % "shop/d"}, {A + " {suspend: true}": PVC % "till/d"}, id="suspended"),
        pytest.param({A + " {prune: false}": PVC % "shop/d"}, {A + " {prune: false}": PVC % "till/d"}, id="the old one stays"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
