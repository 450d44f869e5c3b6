"""unordered-substitution: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.unordered_substitution import RULE

A, B = "Kustomization flux-system/a", "Kustomization flux-system/b"
FROM = "postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}"
USES, WAITS = f"{A} {{{FROM}}}", f"{A} {{{FROM}, dependsOn: [{{name: b}}]}}"
OLD, NEW = "v1/ConfigMap flux-system/vars {data: {A: '1'}}", "v1/ConfigMap flux-system/vars {data: {A: '1', ZONE: x}}"
FILES = {"apps/cm.yaml": "data: {zone: '${ZONE:=none}'}"}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({USES: "", B: OLD}, {USES: "", B: NEW}, id="a new variable"),
        pytest.param({USES: "", B: ""}, {USES: "", B: NEW}, id="a new source"),
        pytest.param({USES: "", "entry": OLD}, {USES: "", "entry": NEW}, id="applied by who renders the target"),
    ],
)
def test_fires(hazards_of, base, head):
    (hazard,) = hazards_of(base, head, rule=RULE, head_files=FILES)
    assert (hazard.severity, hazard.target, hazard.object) == ("caution", A, "v1/ConfigMap flux-system/vars")
    assert "${ZONE}" in hazard.message


@pytest.mark.parametrize(
    ("base", "head", "files"),
    [
        pytest.param({WAITS: "", B: OLD}, {WAITS: "", B: NEW}, FILES, id="it depends on who applies them"),
        pytest.param({USES: "", B: OLD}, {USES: "", B: NEW.replace("ZONE", "OTHER")}, FILES, id="it does not use the new one"),
        pytest.param({USES: "", B: OLD}, {USES: "", B: OLD.replace("'1'", "'2'")}, FILES, id="only a new value"),
        pytest.param({"entry": ""}, {USES: "", "entry": NEW}, FILES, id="both are new, in one apply"),
        pytest.param({USES: OLD}, {USES: NEW}, FILES, id="it applies them itself"),
        pytest.param({A: "", B: NEW}, {USES: "", B: NEW}, FILES, id="the values are in the cluster"),
    ],
)
def test_is_quiet(hazards_of, base, head, files):
    assert hazards_of(base, head, rule=RULE, head_files=files) == ()
