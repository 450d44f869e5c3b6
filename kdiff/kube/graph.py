"""The reference graph: what names, selects, scales, makes, defines or contains what, over all objects of one scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeVar

from kdiff.kube.makers import ANY_NAMESPACE, always_there
from kdiff.kube.pod_template import pod_templates_of
from kdiff.kube.references import Reference, ReferenceKind, ReferenceTable, defined_kind, references_of
from kdiff.kube.selectors import Selector, selector_of
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options, ReferenceField
from kdiff.model.side import Side
from kdiff.model.value import Value

_K = TypeVar("_K")
_V = TypeVar("_V")
CRD_GROUP: Final = "apiextensions.k8s.io"
_REACHES_TARGET: frozenset[ReferenceKind] = frozenset({"governs", "scales", "makes"})
_NEEDS_TARGET: frozenset[ReferenceKind] = frozenset({"names", "scales"})


@dataclass(frozen=True, eq=False)
class ReferenceGraph:
    """All objects of one scope of one side, and every reference among them, readable in both directions.

    `objects` has one entry a key, with an object for each target that renders it. References are read when first asked for.
    """

    objects: Mapping[ObjectKey, tuple[KubeObject, ...]]
    reference_fields: tuple[ReferenceField, ...] = ()

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Every reference. Its target need not be declared (`resolves` tells); where it is, the key is the declared one's.

        Only values of kinds that can hold references are parsed; ConfigMaps, Secrets and CRD schemas are not.
        """
        fields = ReferenceTable(self.reference_fields)
        everything = tuple(o for same in self.objects.values() for o in same)
        stated = [r for o in everything for r in references_of(o, fields)]
        settled = [r if r.kind == "makes" or r.target in self.objects else replace(r, target=self.settle(r.target)) for r in stated]
        return (*settled, *_definitions(everything), *_selections(everything))

    @cached_property
    def _from(self) -> dict[ObjectKey, list[Reference]]:
        return _grouped((r.source.key, r) for r in self.references)

    @cached_property
    def _to(self) -> dict[ObjectKey, list[Reference]]:
        return _grouped((r.target, r) for r in self.references)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[ObjectKey]]:
        return _grouped(((k.kind, k.name), k) for k in self.objects)

    @cached_property
    def _made(self) -> dict[tuple[str, str, str], list[str]]:
        """Namespaces in which something makes an object, by (group, kind, name)."""
        return _grouped(((r.target.group, r.target.kind, r.target.name), r.target.namespace) for r in self.references if r.kind == "makes")

    def __contains__(self, key: ObjectKey) -> bool:
        """True when some target renders an object of this key."""
        return key in self.objects

    def references_from(self, key: ObjectKey) -> tuple[Reference, ...]:
        """What this object leads to, in the order of its fields."""
        return tuple(self._from.get(key, ()))

    def references_to(self, key: ObjectKey) -> tuple[Reference, ...]:
        """What leads to this object, also when nothing declares it (a Namespace that others live in)."""
        return tuple(self._to.get(key, ()))

    def of_kind(self, group: str, kind: str) -> tuple[KubeObject, ...]:
        """All objects of a kind, sorted by key: the custom resources of a definition, for one."""
        return tuple(o for key in self._kinds.get((group, kind), ()) for o in self.objects[key])

    def in_namespace(self, namespace: str) -> tuple[KubeObject, ...]:
        """All objects that name this namespace, sorted by key."""
        return tuple(o for key in self._namespaces.get(namespace, ()) for o in self.objects[key])

    @cached_property
    def _kinds(self) -> dict[tuple[str, str], list[ObjectKey]]:
        return _grouped(((k.group, k.kind), k) for k in sorted(self.objects))

    @cached_property
    def _namespaces(self) -> dict[str, list[ObjectKey]]:
        return _grouped((k.namespace, k) for k in sorted(self.objects))

    def settle(self, key: ObjectKey) -> ObjectKey:
        """The key of the declared object that a reference to `key` means, `key` itself when there is none.

        Where a manifest names no namespace, whoever applies it decides; so an object without one answers to any, and a
        reference without one is answered by the only object of that kind and name. A core group may stand for a group
        that the field did not state.
        """
        if key in self.objects:
            return key
        near = [
            k
            for k in self._by_name.get((key.kind, key.name), ())
            if key.group in ("", k.group) and (k.namespace == key.namespace or not k.namespace or not key.namespace)
        ]
        return near[0] if len(near) == 1 else key

    def is_made(self, key: ObjectKey) -> bool:
        """True when a controller makes this object from one that is declared, or every cluster has it."""
        namespaces = self._made.get((key.group, key.kind, key.name), ())
        made = any(not key.namespace or namespace in (key.namespace, "", ANY_NAMESPACE) for namespace in namespaces)
        return made or always_there(key)

    def resolves(self, reference: Reference) -> bool:
        """True when the reference's target is declared with the data key it needs, or is made. Takes references of the other side too."""
        target = self.settle(reference.target)
        if self.is_made(target):
            return True
        declared = self.objects.get(target, ())
        if reference.data_key is None:
            return bool(declared)
        return any(reference.data_key in _data_keys(obj) for obj in declared)

    @cached_property
    def dangling(self) -> tuple[Reference, ...]:
        """References of kind `names` and `scales` that do not resolve here, optional ones included (`Reference.optional`).

        Many are innocent, since not every object of a cluster lies in one tree: only what resolved at base is news.
        """
        return tuple(r for r in self.references if r.kind in _NEEDS_TARGET and not self.resolves(r))

    @cached_property
    def _reached(self) -> dict[ObjectKey, set[ObjectKey]]:
        reached: dict[ObjectKey, set[ObjectKey]] = {}
        for r in self.references:
            first, then = (r.source.key, r.target) if r.kind in _REACHES_TARGET else (r.target, r.source.key)
            if first != then:
                reached.setdefault(first, set()).add(then)
        return reached

    def dependents_of(self, key: ObjectKey) -> frozenset[ObjectKey]:
        """The declared objects that a change of `key` reaches in one step.

        Those are what names, selects, lives in or is defined by it, what it governs or scales, and what names an object that
        a controller makes from it.
        """
        return self._reach(key, through_declared=False)

    def reach_of(self, key: ObjectKey) -> frozenset[ObjectKey]:
        """The declared objects that a change of `key` reaches in any number of steps; `key` itself is not among them."""
        return self._reach(key, through_declared=True)

    def _reach(self, start: ObjectKey, *, through_declared: bool) -> frozenset[ObjectKey]:
        seen = {start}
        ahead = [start]
        while ahead:
            for key in self._reached.get(ahead.pop(), ()):
                if key not in seen:
                    seen.add(key)
                    if through_declared or key not in self.objects:
                        ahead.append(key)
        return frozenset(k for k in seen if k in self.objects and k != start)

    def ids(self, keys: Iterable[ObjectKey]) -> tuple[str, ...]:
        """Object ids of the declared ones among `keys`, sorted."""
        return tuple(sorted({o.id for key in keys for o in self.objects.get(key, ())}))


def build_graph(objects: Iterable[KubeObject], reference_fields: Iterable[ReferenceField] = ()) -> ReferenceGraph:
    """The graph over `objects`, which are all objects of one scope; `reference_fields` are the user's own."""
    by_key = {key: tuple(same) for key, same in _grouped((o.key, o) for o in objects).items()}
    return ReferenceGraph(by_key, tuple(reference_fields))


class ScopeGraphs(Mapping[str, ReferenceGraph]):
    """The graph of each scope of a side, built when first asked for: a scope where nothing changed costs nothing."""

    def __init__(self, side: Side, reference_fields: tuple[ReferenceField, ...] = ()) -> None:
        """Objects of withheld targets take part: they exist on this side."""
        self._objects: dict[str, list[KubeObject]] = {}
        for state in side.states:
            self._objects.setdefault(state.target.scope, []).extend(state.objects)
        self._fields = reference_fields
        self._graphs: dict[str, ReferenceGraph] = {}

    def __getitem__(self, scope: str) -> ReferenceGraph:
        """The graph of `scope`; empty for a scope that this side lacks, so that either side may be asked about any change."""
        if scope not in self._graphs:
            self._graphs[scope] = build_graph(self._objects.get(scope, ()), self._fields)
        return self._graphs[scope]

    def __iter__(self) -> Iterator[str]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)


def build_graphs(side: Side, options: Options) -> Mapping[str, ReferenceGraph]:
    """The graph of every scope of one side, by scope, each built when first asked for."""
    return ScopeGraphs(side, options.reference_fields)


def _grouped(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _definitions(objects: Iterable[KubeObject]) -> Iterator[Reference]:
    kinds = {defined_kind(o): o.key for o in objects if o.key.kind == "CustomResourceDefinition" and o.key.group == CRD_GROUP}
    for obj in objects if kinds else ():
        definition = kinds.get((obj.key.group, obj.key.kind))
        if definition is not None:
            yield Reference(obj, definition, "/kind", "defines")


def _selections(objects: tuple[KubeObject, ...]) -> Iterator[Reference]:
    selecting = [(obj, selector) for obj in objects if (selector := selector_of(obj)) is not None]
    if not selecting:
        return
    labelled = {"pods": _Labelled(_pod_labels(objects)), "services": _Labelled(_service_labels(objects))}
    for obj, selector in selecting:
        for key in labelled[selector.of].matched(selector):
            yield Reference(obj, key, selector.pointer, "governs" if selector.governs else "selects")


def _pod_labels(objects: Iterable[KubeObject]) -> Iterator[tuple[ObjectKey, Mapping[str, Value]]]:
    return ((obj.key, template.labels) for obj in objects for template in pod_templates_of(obj))


def _service_labels(objects: Iterable[KubeObject]) -> Iterator[tuple[ObjectKey, Mapping[str, Value]]]:
    for obj in objects:
        if (obj.key.group, obj.key.kind) == ("", "Service"):
            metadata = obj.value.get("metadata")
            labels = metadata.get("labels") if isinstance(metadata, dict) else None
            yield obj.key, labels if isinstance(labels, dict) else {}


class _Labelled:
    """Objects by the labels they carry; by one label first, so that a thousand selectors stay fast."""

    def __init__(self, labelled: Iterable[tuple[ObjectKey, Mapping[str, Value]]]) -> None:
        self._all = list(labelled)
        self._by_namespace = _grouped((key.namespace, (key, labels)) for key, labels in self._all)
        self._by_label = _grouped(
            ((key.namespace, name, str(value)), (key, labels)) for key, labels in self._all for name, value in labels.items()
        )

    def matched(self, selector: Selector) -> tuple[ObjectKey, ...]:
        """Keys of what the selector matches, sorted and unique."""
        within = selector.namespaces
        if within is None:
            candidates = self._all
        elif selector.labels:
            name, value = next(iter(selector.labels.items()))
            candidates = [c for namespace in within for c in self._by_label.get((namespace, name, str(value)), ())]
        else:
            candidates = [c for namespace in within for c in self._by_namespace.get(namespace, ())]
        return tuple(sorted({key for key, labels in candidates if selector.matches(labels)}))


def _data_keys(obj: KubeObject) -> set[str]:
    """Names of the entries of a ConfigMap or Secret."""
    fields = (obj.value.get(name) for name in ("data", "binaryData", "stringData"))
    return {key for entries in fields if isinstance(entries, dict) for key in entries}
