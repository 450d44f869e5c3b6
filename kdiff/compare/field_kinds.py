"""Finds the type of a rendered object's fields: built in, or from a CRD that is rendered too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from kdiff.kube.field_types import FieldType, builtin_type, crd_schema, custom_type
from kdiff.model.object import KubeObject

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


class FieldKinds:
    """Types by group, version and kind. CRDs are parsed when the first object of their group differs."""

    def __init__(self, objects: Callable[[], Iterable[KubeObject]]) -> None:
        """`objects` gives those of both sides; of a CRD that stands in it more than once the last one counts, so give head last."""
        self._objects = objects
        self._known: dict[tuple[str, str, str], FieldType] = {}

    @cached_property
    def _crds(self) -> dict[str, dict[str, KubeObject]]:
        """CRDs by group, then name. A CRD must be named <plural>.<group> (docs, CustomResourceDefinition)."""
        found: dict[str, dict[str, KubeObject]] = {}
        for each in self._objects():
            if (each.key.group, each.key.kind) == _CRD:
                found.setdefault(each.key.name.partition(".")[2], {})[each.key.name] = each
        return found

    def of(self, group: str, version: str, kind: str) -> FieldType:
        """The type of an object; that of an unknown kind knows its metadata only."""
        found = self._known.get((group, version, kind))
        if found is None:
            found = builtin_type(group, version, kind) or self._custom(group, version, kind)
            self._known[group, version, kind] = found
        return found

    def _custom(self, group: str, version: str, kind: str) -> FieldType:
        for crd in self._crds.get(group, {}).values():
            spec = crd.value.get("spec")
            names = spec.get("names") if isinstance(spec, dict) else None
            if isinstance(names, dict) and names.get("kind") == kind:
                return custom_type(crd_schema(crd.value, version))
        return custom_type()
