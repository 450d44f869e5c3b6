"""What a rule is: an id, a default severity, and a function from the comparison to findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.reconciliation import Targets
from kdiff.model.change import Change
from kdiff.model.hazard import Severity, SourceLocation
from kdiff.model.impact import Impact
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import Side, TargetState


@dataclass(frozen=True)
class Finding:
    """What a rule found; `check_hazards` makes a Hazard of it. `severity` overrides the rule's default for this finding.

    `message` names the object and the consequence in one sentence, `why` says what the rule knows. `scope` and `object` (an
    object id) let waivers apply.
    """

    message: str
    why: str
    scope: str
    object: str | None = None
    objects: tuple[str, ...] = ()
    target: str | None = None
    pointer: str | None = None
    where: str | None = None
    variable: str | None = None
    source: SourceLocation | None = None
    severity: Severity | None = None


@dataclass(frozen=True)
class Rule:
    """One rule. Its id is also the name of its file, its page in docs/rules and its golden cases."""

    id: str
    severity: Severity
    title: str
    check: Callable[[Context], Iterable[Finding]]

    @property
    def help(self) -> str:
        """Where the rule is explained; `kdiff explain ID` prints the same page."""
        return f"https://kdiff.dev/rules/{self.id}"


@dataclass(frozen=True)
class Context:
    """The comparison as rules see it. Rules speak only of what this change brings: they look at pairs of base and head."""

    changes: tuple[Change, ...]
    impact: Impact
    base: Side
    head: Side
    base_graphs: Mapping[str, ReferenceGraph] = field(repr=False)
    head_graphs: Mapping[str, ReferenceGraph] = field(repr=False)
    options: Options = field(repr=False)

    @cached_property
    def base_targets(self) -> Targets:
        """(scope, target id) to the target at base."""
        return Targets(self.base)

    @cached_property
    def head_targets(self) -> Targets:
        """(scope, target id) to the target at head."""
        return Targets(self.head)

    @cached_property
    def base_states(self) -> Mapping[tuple[str, str], TargetState]:
        """(scope, target id) to its state at base."""
        return {(s.target.scope, s.target.id): s for s in self.base.states}

    @cached_property
    def head_states(self) -> Mapping[tuple[str, str], TargetState]:
        """(scope, target id) to its state at head."""
        return {(s.target.scope, s.target.id): s for s in self.head.states}

    @cached_property
    def base_objects(self) -> Mapping[str, Mapping[ObjectKey, tuple[KubeObject, ...]]]:
        """Scope, then key, to every rendering of that object at base."""
        return _by_key(self.base)

    @cached_property
    def head_objects(self) -> Mapping[str, Mapping[ObjectKey, tuple[KubeObject, ...]]]:
        """Scope, then key, to every rendering of that object at head."""
        return _by_key(self.head)

    @cached_property
    def base_by_id(self) -> Mapping[tuple[str, str], tuple[KubeObject, ...]]:
        """(scope, object id) to every rendering of that object at base."""
        return _by_id(self.base_objects)

    @cached_property
    def head_by_id(self) -> Mapping[tuple[str, str], tuple[KubeObject, ...]]:
        """(scope, object id) to every rendering of that object at head."""
        return _by_id(self.head_objects)


def _by_id(objects: Mapping[str, Mapping[ObjectKey, tuple[KubeObject, ...]]]) -> dict[tuple[str, str], tuple[KubeObject, ...]]:
    found: dict[tuple[str, str], tuple[KubeObject, ...]] = {}
    for scope, by_key in objects.items():
        for renderings in by_key.values():
            for obj in renderings:
                found[scope, obj.id] = (*found.get((scope, obj.id), ()), obj)
    return found


def _by_key(side: Side) -> dict[str, dict[ObjectKey, tuple[KubeObject, ...]]]:
    found: dict[str, dict[ObjectKey, list[KubeObject]]] = defaultdict(lambda: defaultdict(list))
    for state in side.states:
        for obj in state.objects:
            found[state.target.scope][obj.key].append(obj)
    return {scope: {key: tuple(objects) for key, objects in keys.items()} for scope, keys in found.items()}
