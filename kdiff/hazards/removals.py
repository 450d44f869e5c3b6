"""Which objects leave the cluster, and what whoever applied them does with each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kdiff.hazards.phrases import agree, some
from kdiff.hazards.rule import Context
from kdiff.kube.reconciliation import Removal, removal_of
from kdiff.model.change import Change, ObjectRef
from kdiff.model.object import KubeObject, ObjectKey

# Kinds that take data or other objects with them when they are deleted, worst first.
HOLDERS = (
    ("", "Namespace"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("", "PersistentVolumeClaim"),
    ("", "PersistentVolume"),
    ("apps", "StatefulSet"),
)
_WORST_FATE = ("delete", "none-until-resumed", "orphaned")


@dataclass(frozen=True)
class Removed:
    """An object that no target at head declares: as base rendered it, and its fate, the worst over all targets that had it.

    `makers` are ids of objects at head from which a controller makes it too. They save nothing: Flux prunes right after it has
    applied the maker (kustomize-controller, reconcile: apply, then prune), whether or not the object was taken over by then.
    """

    change: Change
    object: KubeObject
    removal: Removal
    makers: tuple[str, ...] = ()

    @property
    def deleted(self) -> bool:
        """True when it really goes; protected, unmanaged and held back objects stay."""
        return self.removal.fate == "delete"

    @property
    def told(self) -> str:
        """The beginning of a sentence: `v1/Namespace shop will be deleted (Kustomization flux-system/web prunes)`."""
        half = self.change.counterpart
        unless = f", unless what applies {self.change.scope} goes over to {half.scope}" if half and half.scope else ""
        though = f", though {some(self.makers)} {agree(self.makers, 'makes', 'make')} it anew" if self.makers else ""
        return f"{self.object.id} will be deleted ({self.removal.reason}{though}{unless})"


def removed_objects(context: Context, group: str | None = None, kind: str | None = None) -> Iterator[Removed]:
    """Every object, or those of one kind, that base had and that nothing at head declares, whatever target rendered it.

    Objects that were withheld from comparing never count. A new generated name removes the object of the old one.
    """
    for change in context.changes:
        ref = change.base_object
        if change.status not in ("removed", "renamed") or ref is None or (kind is not None and (ref.group, ref.kind) != (group, kind)):
            continue
        key = key_of(ref)
        if key in context.head_objects.get(change.scope, {}):
            continue
        makers = tuple(sorted({r.source.id for r in context.head_graphs[change.scope].references_to(key) if r.kind == "makes"}))
        fates = [
            Removed(change, obj, removal_of(obj, change.scope, context.base_targets, context.head_targets), makers)
            for obj in context.base_objects.get(change.scope, {}).get(key, ())
            if obj.target in change.targets.base
        ]
        if fates:
            yield min(fates, key=lambda removed: _WORST_FATE.index(removed.removal.fate))


def key_of(ref: ObjectRef) -> ObjectKey:
    """The key of the object that a change speaks of."""
    return ObjectKey(ref.group, ref.kind, ref.namespace or "", ref.name)


def worst_first(key: ObjectKey) -> tuple[int, str, str, str]:
    """Sort key: Namespaces, definitions, claims, volumes, StatefulSets, then the rest by kind and name."""
    kind = (key.group, key.kind)
    return (HOLDERS.index(kind) if kind in HOLDERS else len(HOLDERS), key.kind, key.namespace, key.name)
