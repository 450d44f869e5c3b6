"""Where each box and chip of the impact graph lies: layers from left to right, what depends to the right of what it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean

from kdiff.reports.impact_graph import Box, ImpactGraph

CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 184, 36, 6
PADDING, HEADER, FOOTER = 10, 28, 18
BOX_GAP, LAYER_GAP = 18, 90
_CHIPS_IN_A_COLUMN = 6  # chips below one another for each column: boxes become about as wide as high
_RATIO = 0.6  # height of a layer to the square root of the whole area
_WINDOW = 1_000  # about as wide as the drawing is shown: titles of a larger one are larger, so that they can still be read
_LARGEST_TITLE = 2.2


@dataclass(frozen=True)
class Spot:
    """A rectangle, in the units of the drawing."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class ImpactLayout:
    """Size of the drawing; `boxes` and `chips` in the order of the graph; edges as SVG path data, in the order of the graph.

    `title_scale` is how many times larger than usual the titles of boxes are.
    """

    width: float
    height: float
    title_scale: float
    boxes: tuple[Spot, ...]
    chips: tuple[tuple[Spot, ...], ...]
    box_paths: tuple[str, ...]
    chip_paths: tuple[str, ...]


def lay_out(graph: ImpactGraph) -> ImpactLayout:
    """Lay out `graph`; the same graph always gives the same drawing."""
    scale = min(max(1.0, math.sqrt(_area([_size(box, 1) for box in graph.boxes])) / _WINDOW), _LARGEST_TITLE)
    sizes = [_size(box, scale) for box in graph.boxes]
    area = _area(sizes)
    limit = max([320.0, math.sqrt(area) * _RATIO, *(h for _, h in sizes)])
    spots: dict[int, Spot] = {}
    left = float(BOX_GAP)
    for layer in _layers(graph):
        top, wide = float(BOX_GAP), 0.0
        for n in layer:
            width, height = sizes[n]
            if top > BOX_GAP and top + height > limit + BOX_GAP:
                left, top, wide = left + wide + BOX_GAP, float(BOX_GAP), 0.0
            spots[n] = Spot(left, top, width, height)
            top, wide = top + height + BOX_GAP, max(wide, width)
        left += wide + LAYER_GAP
    boxes = tuple(spots[n] for n in range(len(graph.boxes)))
    chips = tuple(_chips(box, spot, scale) for box, spot in zip(graph.boxes, boxes, strict=True))
    return ImpactLayout(
        width=max((s.x + s.width for s in boxes), default=0) + BOX_GAP,
        height=max((s.y + s.height for s in boxes), default=0) + BOX_GAP,
        title_scale=round(scale, 2),
        boxes=boxes,
        chips=chips,
        box_paths=tuple(_path(boxes[a], boxes[b]) for a, b in graph.box_edges),
        chip_paths=tuple(_path(chips[a][n], chips[b][m]) for (a, n), (b, m) in graph.chip_edges),
    )


def _layers(graph: ImpactGraph) -> list[list[int]]:
    """Boxes by their longest way from a box that depends on nothing; a cycle is one step. Neighbours stand near one another."""
    import networkx as nx  # noqa: PLC0415 - 100 ms

    between: nx.DiGraph[int] = nx.DiGraph()
    between.add_nodes_from(range(len(graph.boxes)))
    between.add_edges_from(graph.box_edges)
    between.add_edges_from((a, b) for (a, _), (b, _) in graph.chip_edges if a != b)
    steps = nx.condensation(between)
    place: dict[int, float] = {}
    layers = []
    for generation in nx.topological_generations(steps):
        members = [n for step in generation for n in steps.nodes[step]["members"]]
        weights = {n: fmean([place[m] for m in between.predecessors(n) if m in place] or [0.0]) for n in members}
        layer = sorted(members, key=lambda n: (weights[n], n))
        place |= {n: i / max(1, len(layer) - 1) for i, n in enumerate(layer)}
        layers.append(layer)
    return layers


def _columns(box: Box) -> int:
    return max(1, round(math.sqrt(len(box.chips) / _CHIPS_IN_A_COLUMN)))


def _area(sizes: list[tuple[float, float]]) -> float:
    return sum((w + BOX_GAP) * (h + BOX_GAP) for w, h in sizes)


def _size(box: Box, scale: float) -> tuple[float, float]:
    columns = _columns(box)
    rows = math.ceil(len(box.chips) / columns)
    width = 2 * PADDING + columns * (CHIP_WIDTH + CHIP_GAP) - CHIP_GAP
    height = round(HEADER * scale) + rows * (CHIP_HEIGHT + CHIP_GAP) + (PADDING - CHIP_GAP if rows else 4) + (FOOTER if box.left_out else 0)
    return width, height


def _chips(box: Box, spot: Spot, scale: float) -> tuple[Spot, ...]:
    """Column by column, so that the order reads downwards."""
    rows = math.ceil(len(box.chips) / _columns(box))
    return tuple(
        Spot(
            spot.x + PADDING + (n // rows) * (CHIP_WIDTH + CHIP_GAP),
            spot.y + round(HEADER * scale) + (n % rows) * (CHIP_HEIGHT + CHIP_GAP),
            CHIP_WIDTH,
            CHIP_HEIGHT,
        )
        for n in range(len(box.chips))
    )


def _path(source: Spot, target: Spot) -> str:
    """A curve from the right edge of one to the left edge of the other; backwards or upright, it bows to the right."""
    x1, y1 = source.x + source.width, source.y + source.height / 2
    y2 = target.y + target.height / 2
    if target.x > x1:
        x2, bend = target.x, max(24.0, (target.x - x1) / 2)
        return f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
    x2 = target.x + target.width
    bow = max(x1, x2) + 40
    return f"M{x1:g} {y1:g}C{bow:g} {y1:g} {bow:g} {y2:g} {x2:g} {y2:g}"
