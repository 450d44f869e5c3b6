"""What differs between the two sides of one object (report-v1: Change, FieldChange)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kdiff.model.codec import ABSENT, HIDDEN, OPTIONAL, Absent
from kdiff.model.value import Value

Status = Literal["added", "removed", "changed", "renamed", "moved"]
STATUSES: tuple[Status, ...] = ("added", "removed", "changed", "renamed", "moved")
Op = Literal["add", "remove", "replace", "reorder"]
FieldClass = Literal["value", "order", "format"]
Pairing = Literal["key", "api-version", "generated-name"]
Proof = Literal["hash", "pattern"]
Effect = Literal["rollout", "recreate", "delete", "create", "scale", "none-until-resumed", "orphaned", "metadata-only"]


@dataclass(frozen=True)
class InnerChange:
    """A difference inside a string that holds YAML, JSON, TOML, INI or properties on both sides.

    It is redacted, and then without values, where some of it is masked.
    """

    path: str
    op: Op
    before: Value | Absent = ABSENT
    after: Value | Absent = ABSENT
    redacted: bool = field(default=False, metadata=OPTIONAL)


@dataclass(frozen=True)
class FieldChange:
    """One field that differs. `before`/`after` are exact values, ABSENT where the side lacks the field or it is redacted."""

    pointer: str
    base_pointer: str
    path: str
    op: Op
    before: Value | Absent = ABSENT
    after: Value | Absent = ABSENT
    class_: FieldClass = "value"  # `class` in JSON
    redacted: bool = field(default=False, metadata=OPTIONAL)
    follows: str | None = field(default=None, metadata=OPTIONAL)  # id of the renamed object whose new name this field follows
    inner: tuple[InnerChange, ...] = field(default=(), metadata=OPTIONAL)


@dataclass(frozen=True)
class ObjectRef:
    """`{group, version, kind, namespace, name}`; namespace None for cluster-scoped or where none is named."""

    group: str
    version: str
    kind: str
    namespace: str | None
    name: str

    @property
    def id(self) -> str:
        """The object id of report-v1."""
        api_version = f"{self.group}/{self.version}" if self.group else self.version
        return f"{api_version}/{self.kind} " + (f"{self.namespace}/{self.name}" if self.namespace else self.name)


@dataclass(frozen=True)
class ChangeTargets:
    """Ids of the targets that render the object on each side, sorted."""

    base: tuple[str, ...] = ()
    head: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counterpart:
    """The likely other half of an addition or removal: same kind and name elsewhere, or near-equal content.

    `scope` is set where the other half stands in another scope: its directory seems to have got a new name.
    """

    id: str
    similarity: float
    scope: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Move:
    """Target ids that rendered the object before and after; each sorted."""

    from_: tuple[str, ...]
    to: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One object that differs. `base_value` and `head_value` are masked values and exist only in a live report."""

    id: str
    base_id: str | None
    status: Status
    scope: str
    object: ObjectRef
    base_object: ObjectRef | None
    targets: ChangeTargets
    pairing: Pairing | None = None
    proof: Proof | None = field(default=None, metadata=OPTIONAL)  # only for `generated-name`
    counterpart: Counterpart | None = None
    moved: Move | None = None
    fields: tuple[FieldChange, ...] = ()
    patch: tuple[dict[str, Value], ...] | None = ()
    patch_withheld: Literal["secret"] | None = field(default=None, metadata=OPTIONAL)  # then `patch` is None
    effects: tuple[Effect, ...] = ()
    unified: str = ""  # unified diff of the two sides' own sorted YAML, three lines of context, masked for show
    base_value: dict[str, Value] | None = field(default=None, compare=False, repr=False, metadata=HIDDEN)
    head_value: dict[str, Value] | None = field(default=None, compare=False, repr=False, metadata=HIDDEN)


@dataclass(frozen=True, order=True)
class GroupMember:
    """A change by its scope and id."""

    scope: str
    id: str


@dataclass(frozen=True)
class Group:
    """The same edit in two or more objects, so that reports print it once; sorted by first member."""

    fields: tuple[FieldChange, ...]
    objects: tuple[GroupMember, ...]
