from __future__ import annotations

import pytest

from kdiff.model.change import ChangeTargets
from kdiff.model.failure import Failure
from kdiff.model.impact import Dependents, Impact
from kdiff.reports import impact_graph as module
from kdiff.reports.impact_graph import impact_graph
from kdiff.reports.impact_layout import lay_out

CLUSTER = "clusters/prod"


def in_target(build, kind, name, target, **more):
    return build.change(build.ref(kind, name), scope=CLUSTER, targets=ChangeTargets((target,), (target,)), **more)


@pytest.fixture
def graph(build):
    report = build.report(
        in_target(build, "ConfigMap", "config", "Kustomization a/infra"),
        in_target(build, "Deployment", "web", "Kustomization a/apps"),
        in_target(build, "Service", "old", "Kustomization a/apps"),
        outcome="incomplete",
        failures=(Failure("head", "Kustomization a/broken", "timeout", "slow", CLUSTER),),
        impact=Impact(
            dependents=(Dependents("v1/ConfigMap shop/config", ("v1/Deployment shop/web", "v1/Pod shop/probe"), 0, CLUSTER),),
            target_dependents=(
                Dependents("Kustomization a/infra", ("Kustomization a/apps", "Kustomization a/late"), 0, CLUSTER),
                Dependents("Kustomization a/apps", ("Kustomization a/late",), 0, CLUSTER),
            ),
        ),
    )
    return impact_graph(report, {1: "blocking"})


def test_targets_hold_their_changes_failed_and_reached_ones_are_there(graph) -> None:
    assert [(box.title, box.state, [chip.name for chip in box.chips]) for box in graph.boxes] == [
        ("Kustomization a/apps", "changed", ["web", "old"]),
        ("Kustomization a/broken", "failed", []),
        ("Kustomization a/infra", "changed", ["config"]),
        ("objects that use them", "reached", ["probe"]),
        ("targets that wait for them", "reached", ["late"]),
    ]
    web = graph.boxes[0].chips[0]
    assert (web.status, web.severity, web.change, web.detail) == ("changed", "blocking", 1, "Deployment in shop")
    assert graph.boxes[3].chips[0].change is None


def test_edges_run_to_what_depends(graph) -> None:
    assert set(graph.box_edges) == {(2, 0), (2, 4), (0, 4)}
    assert set(graph.chip_edges) == {((2, 0), (0, 0)), ((2, 0), (3, 0))}


def test_what_depends_lies_to_the_right(graph) -> None:
    layout = lay_out(graph)
    for source, target in graph.box_edges:
        assert layout.boxes[source].x + layout.boxes[source].width < layout.boxes[target].x


def test_a_scope_names_its_target_once(build) -> None:
    report = build.report(build.change(build.ref("Service", "a"), scope="x"), build.change(build.ref("Service", "a"), scope="y"))
    assert [box.title for box in impact_graph(report, {}).boxes] == ["x", "y"]


def test_limits_are_counted(build, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_CHIPS", 3)
    monkeypatch.setattr(module, "MAX_REACHED", 2)
    changes = [build.change(build.ref("Service", f"s{n}"), scope="x") for n in range(5)]
    direct = tuple(f"v1/Pod shop/p{n}" for n in range(6))
    graph = impact_graph(build.report(*changes, impact=Impact(dependents=(Dependents("v1/Service shop/s0", direct, 0, "x"),))), {})
    assert [(len(box.chips), box.left_out) for box in graph.boxes] == [(3, 2), (2, 4)]
    assert (len(graph.chip_edges), graph.left_out_edges) == (2, 4)


@pytest.mark.parametrize("counts", [(1000,), (1,) * 200, (500, 3, 3, 400), (0,)])
def test_nothing_overlaps_and_chips_lie_in_their_boxes(counts) -> None:
    boxes = tuple(
        module.Box(f"t{b}", "changed" if n else "failed", tuple(module.Chip(f"c{i}", "", "", "changed") for i in range(n)))
        for b, n in enumerate(counts)
    )
    edges = tuple((b, b + 1) for b in range(0, len(boxes) - 1, 2))
    layout = lay_out(module.ImpactGraph(boxes, edges))
    rects = layout.boxes
    for a, one in enumerate(rects):
        assert one.x >= 0
        assert one.x + one.width <= layout.width
        assert one.y + one.height <= layout.height
        for other in rects[a + 1 :]:
            apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart_x or one.y + one.height <= other.y or other.y + other.height <= one.y
        chips = layout.chips[a]
        assert len({(chip.x, chip.y) for chip in chips}) == len(chips)
        assert all(one.x < c.x and c.x + c.width < one.x + one.width and c.y + c.height < one.y + one.height for c in chips)
    assert 0.2 < layout.width / layout.height < 8


def test_a_cycle_of_targets_is_laid_out() -> None:
    boxes = tuple(module.Box(name, "changed", ()) for name in "abc")
    layout = lay_out(module.ImpactGraph(boxes, ((0, 1), (1, 0), (1, 2))))
    assert layout.boxes[2].x > max(layout.boxes[0].x, layout.boxes[1].x)


def test_the_same_graph_gives_the_same_drawing(graph) -> None:
    assert lay_out(graph) == lay_out(graph)
