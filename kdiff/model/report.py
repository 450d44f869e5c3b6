"""The report: what `render_diff` returns. Its JSON form is the contract of docs/report-v1.schema.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, cast

from kdiff.errors import KdiffError
from kdiff.model.change import Change, Group, Status
from kdiff.model.codec import DecodeError, decode, encode
from kdiff.model.failure import Failure, Note
from kdiff.model.hazard import Hazard
from kdiff.model.impact import Impact
from kdiff.model.json_text import json_text
from kdiff.model.tree import TreeOrigin
from kdiff.model.value import Value

SCHEMA = "kdiff.report/v1"
Outcome = Literal["unchanged", "changed", "incomplete"]


@dataclass(frozen=True)
class Tool:
    """Who made the report: `renderer` is the program's name (`kubectl`), never its path."""

    name: str
    version: str
    renderer: str | None = None
    kustomize_version: str | None = None


@dataclass(frozen=True)
class ObjectTotals:
    """Objects on each side (every rendering by a target counts) and what became of them."""

    base: int = 0
    head: int = 0
    added: int = 0
    removed: int = 0
    changed: int = 0
    renamed: int = 0
    moved: int = 0  # objects whose target changed, edited or not
    unchanged: int = 0


@dataclass(frozen=True)
class TargetTotals:
    """`rendered_base` and `rendered_head` count the builds of a side; `reused` the renderings that are one with another build."""

    total: int = 0
    compared: int = 0
    changed: int = 0
    failed: int = 0
    rendered_base: int = 0
    rendered_head: int = 0
    reused: int = 0


@dataclass(frozen=True)
class HazardTotals:
    """Unwaived hazards by severity."""

    blocking: int = 0
    caution: int = 0
    info: int = 0


@dataclass(frozen=True)
class Summary:
    """The numbers that every format repeats."""

    objects: ObjectTotals = field(default_factory=ObjectTotals)
    targets: TargetTotals = field(default_factory=TargetTotals)
    hazards: HazardTotals = field(default_factory=HazardTotals)


@dataclass(frozen=True)
class Report:
    """The whole answer. Every tuple is sorted, so that the same inputs give the same bytes."""

    tool: Tool
    base: TreeOrigin
    head: TreeOrigin
    outcome: Outcome
    summary: Summary = field(default_factory=Summary)
    changes: tuple[Change, ...] = ()
    groups: tuple[Group, ...] = ()
    impact: Impact = field(default_factory=Impact)
    hazards: tuple[Hazard, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[Change]:
        """Every change, in report order."""
        return iter(self.changes)

    def __len__(self) -> int:
        """The number of changes."""
        return len(self.changes)

    def __bool__(self) -> bool:
        """Always true, like any answer: without changes it may still be incomplete, which `outcome` tells."""
        return True

    def with_status(self, status: Status) -> tuple[Change, ...]:
        """The changes of one status, in report order."""
        return tuple(c for c in self.changes if c.status == status)

    @property
    def added(self) -> tuple[Change, ...]:
        """Objects that only head has."""
        return self.with_status("added")

    @property
    def removed(self) -> tuple[Change, ...]:
        """Objects that only base has."""
        return self.with_status("removed")

    @property
    def changed(self) -> tuple[Change, ...]:
        """Objects whose content differs."""
        return self.with_status("changed")

    @property
    def renamed(self) -> tuple[Change, ...]:
        """Generated objects whose name follows their content."""
        return self.with_status("renamed")

    @property
    def moved(self) -> tuple[Change, ...]:
        """Objects whose target changed, edited or not."""
        return tuple(c for c in self.changes if c.moved is not None)

    def by_target(self) -> dict[tuple[str, str], tuple[Change, ...]]:
        """The changes of each target, by (scope, target id), sorted; an object that two targets render stands under both."""
        found: dict[tuple[str, str], list[Change]] = {}
        for change in self.changes:
            for target in {*change.targets.base, *change.targets.head}:
                found.setdefault((change.scope, target), []).append(change)
        return {key: tuple(changes) for key, changes in sorted(found.items())}

    # What these two do lies above the model, so they ask for it by name when they are called.

    def only(self, **criteria: str | Iterable[str]) -> Report:
        """A report of only the changes with this `kind`, `namespace`, `name`, `status`, `target`: see `kdiff.narrow_report`."""
        return cast("Report", import_module("kdiff.narrow_report").narrow_report(self, **criteria))

    def render(self, format: str = "text", **layout: Any) -> str:  # noqa: A002 - what everyone calls it
        """The report in one of the formats of `kdiff -o`; `layout` is fields of `kdiff.reports.style.Style`: `width=80, color=True`.

        Raises `UsageError` when there is no such format.
        """
        style = import_module("kdiff.reports.style").Style(**layout)
        return cast("str", import_module("kdiff.reports.formats").render_report(self, format, style))

    def to_dict(self) -> dict[str, Value]:
        """The report as plain JSON values, in the shape of report-v1."""
        return {"schema": SCHEMA, **encode(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """The report as JSON text with a final newline; the same inputs give the same bytes."""
        return json_text(self.to_dict(), indent) + "\n"

    @staticmethod
    def from_json(text: str) -> Report:
        """Read back what `to_json` wrote. Raises `KdiffError` when `text` is not a report of version 1."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise KdiffError(f"not a kdiff report: {error}; give a file that `kdiff -o json=FILE` wrote") from None
        except RecursionError:
            raise KdiffError("not a kdiff report that can be read here: it is nested too deeply") from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise KdiffError(f"not a kdiff report: its schema is not {SCHEMA}; give a file that `kdiff -o json=FILE` wrote")
        try:
            return decode(Report, data)
        except DecodeError as error:
            raise KdiffError(f"not a kdiff report of {SCHEMA}: {error}") from None
