"""A Kubernetes object as one target rendered it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from kdiff.model.value import Value


class ObjectKey(NamedTuple):
    """What identifies an object within a scope. The API version is not part of it; `namespace` is "" where none is named.

    `generateName: job-` gives the name `job-*`.
    """

    group: str
    kind: str
    namespace: str
    name: str


def object_id(key: ObjectKey, version: str) -> str:
    """`apiVersion/Kind namespace/name` (report-v1, Ids): `apps/v1/Deployment shop/web`, `v1/Namespace shop`."""
    api_version = f"{key.group}/{version}" if key.group else version
    name = f"{key.namespace}/{key.name}" if key.namespace else key.name
    return f"{api_version}/{key.kind} {name}"


class KubeObject:
    """One rendered object. Equal `raw` bytes mean equal objects; different bytes do not yet mean a change.

    `value` is parsed when first asked for, with Secret values and every other occurrence of them already replaced by
    masking tokens (`kdiff.objects.masking`). `raw` may hold secrets in clear: it is compared, never shown or stored.
    """

    __slots__ = ("_load", "_value", "generator", "key", "ordinal", "raw", "target", "version")

    def __init__(
        self,
        key: ObjectKey,
        version: str,
        raw: bytes,
        load: Callable[[bytes], dict[str, Value]],
        *,
        target: str,
        ordinal: int = 0,
        generator: ObjectKey | None = None,
    ) -> None:
        """`load` parses and masks `raw`; `ordinal` tells apart objects of one generateName prefix in one target.

        `generator` is the ApplicationSet, rendered by `target`, that generates this Application; no file holds it.
        """
        self.key = key
        self.version = version
        self.raw = raw
        self.target = target
        self.ordinal = ordinal
        self.generator = generator
        self._load = load
        self._value: dict[str, Value] | None = None

    @property
    def value(self) -> dict[str, Value]:
        """The masked value. Treat it as read-only: it is shared."""
        if self._value is None:
            self._value = self._load(self.raw)
        return self._value

    @property
    def id(self) -> str:
        """The object id of report-v1."""
        return object_id(self.key, self.version)

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return f"{self.key.group}/{self.version}" if self.key.group else self.version

    def __repr__(self) -> str:
        """Names the object, never its content."""
        return f"KubeObject({self.id!r}, target={self.target!r})"
