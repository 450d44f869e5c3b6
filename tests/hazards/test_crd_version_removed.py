"""crd-version-removed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.crd_version_removed import RULE

WIDGETS = "example.com/v1alpha1/Widget shop/old\nexample.com/v1/Widget shop/new\n"


def crd(*versions: str) -> str:
    """Versions as `v1`, or `v1-` for one that is not served."""
    listed = ", ".join(f"{{name: {v.rstrip('-')}, served: {str(not v.endswith('-')).lower()}}}" for v in versions)
    return (
        "apiextensions.k8s.io/v1/CustomResourceDefinition widgets.example.com "
        f"{{spec: {{group: example.com, names: {{kind: Widget}}, versions: [{listed}]}}}}\n"
    )


@pytest.mark.parametrize("head", [crd("v1"), crd("v1", "v1alpha1-")], ids=["no longer listed", "no longer served"])
def test_fires_for_objects_that_use_the_version(hazards_of, head):
    (hazard,) = hazards_of(crd("v1", "v1alpha1") + WIDGETS, head + WIDGETS, rule=RULE)
    assert (hazard.severity, hazard.objects) == ("blocking", ("example.com/v1alpha1/Widget shop/old",))
    assert "v1alpha1" in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(crd("v1", "v2"), crd("v1"), id="nobody uses it"),
        pytest.param(crd("v1", "v1alpha1-"), crd("v1"), id="it was not served before"),
        pytest.param(crd("v1", "v1alpha1"), crd("v1", "v1alpha1", "v2"), id="a version is added"),
        pytest.param(crd("v1"), crd("v1") + "v1/ConfigMap shop/c\n", id="never served what is used"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base + WIDGETS, head + WIDGETS, rule=RULE) == ()


def test_is_quiet_when_the_objects_moved_on(hazards_of):
    moved_on = WIDGETS.replace("v1alpha1", "v1")
    assert hazards_of(crd("v1", "v1alpha1") + WIDGETS, crd("v1") + moved_on, rule=RULE) == ()
