"""Where hazards say they come from."""

from __future__ import annotations

import pytest

from kdiff.hazards import dangling_reference, removed_pvc
from kdiff.model.hazard import SourceLocation

WEB = "apps/v1/Deployment shop/web {spec: {template: {spec: {volumes: [{name: v, configMap: {name: conf}}]}}}}"
FILE = """\
# all of it
apiVersion: v1
kind: Service
metadata: {name: web}
---
# the workload
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"apps/web.yaml": FILE}, SourceLocation("apps/web.yaml", 7)),
        ({"apps/web.yaml": FILE.replace("name: web", "name: app")}, None),
        ({"apps/web.json": "{}", "apps/broken.yaml": "kind: [Deployment, web\n", "apps/z.yaml": FILE}, SourceLocation("apps/z.yaml", 7)),
        ({}, None),
    ],
    ids=["the document", "another name as written", "what cannot be read is passed over", "no files"],
)
def test_an_object_at_head_is_found_in_the_files_of_its_target(hazards_of, files, expected):
    (hazard,) = hazards_of(f"{WEB}\nv1/ConfigMap shop/conf", WEB, rule=dangling_reference.RULE, head_files=files)
    assert hazard.source == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"clusters/prod/kustomization.yaml": "", "clusters/prod/x.yaml": ""}, SourceLocation("clusters/prod/kustomization.yaml")),
        ({"clusters/prod/x.yaml": ""}, None),
    ],
)
def test_an_object_that_left_is_blamed_on_the_kustomization_it_left(hazards_of, files, expected):
    (hazard,) = hazards_of("v1/PersistentVolumeClaim shop/data", "v1/ConfigMap shop/c", rule=removed_pvc.RULE, head_files=files)
    assert hazard.source == expected
