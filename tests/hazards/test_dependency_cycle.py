"""dependency-cycle: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.dependency_cycle import RULE

A, B, C, D = (f"Kustomization flux-system/{name}" for name in "abcd")
ON = " {dependsOn: [%s]}"


def on(*names: str) -> str:
    return ON % ", ".join(f"{{name: {name}}}" for name in names)


RING = {A + on("b"): "", B + on("c"): "", C + on("a"): ""}


@pytest.mark.parametrize(
    ("base", "head", "members", "says"),
    [
        pytest.param({A: "", B + on("a"): ""}, {A + on("b"): "", B + on("a"): ""}, "ab", "flux-system/a -> flux-system/b", id="two"),
        pytest.param({A: "", B: "", C: ""}, RING, "abc", "flux-system/a -> flux-system/b -> flux-system/c -> flux-system/a", id="three"),
        pytest.param({A: ""}, {A + on("a"): ""}, "a", "depends on itself", id="itself"),
        pytest.param(RING | {D: ""}, RING | {D + on("d"): ""}, "d", "itself", id="beside an old one"),
    ],
)
def test_fires(hazards_of, base, head, members, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "blocking"
    assert hazard.objects == tuple(f"kustomize.toolkit.fluxcd.io/v1/Kustomization flux-system/{name}" for name in members)
    assert hazard.object == hazard.objects[0]
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param({A: "", B: ""}, {A + on("b"): "", B: ""}, id="a line"),
        pytest.param({A: "", B: "", C: "", D: ""}, {A + on("b", "c"): "", B + on("d"): "", C + on("d"): "", D: ""}, id="a diamond"),
        pytest.param(RING, RING | {D + on("a"): ""}, id="it was there before"),
        pytest.param(RING, {A: "", B: "", C: ""}, id="it is gone"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()


def test_two_ways_round_are_one_ring(hazards_of):
    head = {A + on("b", "c"): "", B + on("c"): "", C + on("a"): ""}
    (hazard,) = hazards_of({A: "", B: "", C: ""}, head, rule=RULE)
    assert len(hazard.objects) == 3
