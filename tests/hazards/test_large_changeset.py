"""large-changeset: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.large_changeset import RULE
from kdiff.model.options import Options

SIX = "\n".join(f"v1/ConfigMap shop/c{i}" for i in range(6))


@pytest.mark.parametrize(
    ("options", "head"),
    [
        pytest.param(Options(large_objects=6), SIX, id="objects"),
        pytest.param(
            Options(large_targets=2), {"Kustomization flux-system/a": SIX, "Kustomization flux-system/b": "v1/ConfigMap x/c"}, id="targets"
        ),
    ],
)
def test_fires(hazards_of, options, head):
    (hazard,) = hazards_of("", head, rule=RULE, options=options)
    assert hazard.severity == "info"
    assert "change at once" in hazard.message


@pytest.mark.parametrize("options", [Options(), Options(large_objects=7, large_targets=2)])
def test_is_quiet(hazards_of, options):
    assert hazards_of("", SIX, rule=RULE, options=options) == ()


def test_the_default_is_sixty_objects(hazards_of):
    many = "\n".join(f"v1/ConfigMap shop/c{i}" for i in range(60))
    assert len(hazards_of("", many, rule=RULE)) == 1
