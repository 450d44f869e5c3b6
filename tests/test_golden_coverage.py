"""The golden cases show everything that a report can say: each status, effect, failure class and so on, and each format."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from kdiff.model.change import STATUSES, Effect, FieldClass, Op, Pairing, Proof
from kdiff.model.failure import FailureClass, FailureSide
from kdiff.model.hazard import SEVERITIES
from kdiff.model.report import Outcome
from kdiff.reports.formats import FORMATS

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
REPORTS = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("*/*/expected.json"))]


def values(*path: str) -> Iterator[Any]:
    """What stands at `path` in any golden report; of a list each item."""
    nodes: list[Any] = list(REPORTS)
    for name in path:
        found = [node.get(name) for node in nodes]
        nodes = [item for each in found for item in (each if isinstance(each, list) else [each])]
    yield from nodes


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("outcome",), get_args(Outcome)),
        (("changes", "status"), STATUSES),
        (("changes", "effects"), get_args(Effect)),
        (("changes", "pairing"), get_args(Pairing)),
        (("changes", "proof"), get_args(Proof)),
        (("changes", "fields", "op"), get_args(Op)),
        (("changes", "fields", "class"), get_args(FieldClass)),
        (("failures", "class"), get_args(FailureClass)),
        (("failures", "side"), get_args(FailureSide)),
        (("hazards", "severity"), SEVERITIES),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) and len(value) < 4 else "",
)
def test_each_has_a_case(path: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(values(*path))


@pytest.mark.parametrize(
    "path",
    [
        ("groups", "objects"),
        ("changes", "moved", "from"),
        ("changes", "counterpart", "id"),
        ("changes", "patch_withheld"),
        ("changes", "fields", "redacted"),
        ("changes", "fields", "follows"),
        ("changes", "fields", "inner"),
        ("hazards", "waived", "by"),
        ("hazards", "source", "line"),
        ("impact", "rollouts", "because"),
        ("impact", "images", "to"),
        ("impact", "dependents", "direct"),
        ("impact", "target_dependents", "direct"),
        ("notes", "object"),
    ],
    ids=".".join,
)
def test_each_has_been_seen(path: tuple[str, ...]) -> None:
    nodes: list[Any] = list(REPORTS)
    for name in path:
        nodes = [
            item
            for node in nodes
            if isinstance(node, dict)
            for each in [node.get(name)]
            for item in (each if isinstance(each, list) else [each])
        ]
    assert any(node is not None for node in nodes)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_golden_output(name: str) -> None:
    cases = [tomllib.loads(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*/*/case.toml")]
    assert sum(name in case.get("formats", ["text", "json"]) for case in cases) >= (1 if name == "html" else 7)
