"""What the controller behind a target does with its objects: applies them, holds them back, deletes or leaves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kdiff.kube.argo import ARGO_FINALIZER, ARGO_GROUP
from kdiff.kube.fields import annotation, label, mapping, strings, text
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.side import Side
from kdiff.model.target import Target
from kdiff.model.value import Value

FLUX_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
FLUX_RECONCILE = "kustomize.toolkit.fluxcd.io/reconcile"
FLUX_SSA = "kustomize.toolkit.fluxcd.io/ssa"
ARGO_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
HELM_POLICY = "helm.sh/resource-policy"


@dataclass(frozen=True)
class Removal:
    """What happens to an object that leaves a target, and the reason in a few words that complete a sentence."""

    fate: Literal["delete", "orphaned", "none-until-resumed"]
    reason: str


class Targets(dict[tuple[str, str], Target]):
    """Every target of a side by (scope, target id), and the ApplicationSets that they render by (scope, key)."""

    def __init__(self, side: Side) -> None:
        """Reads no object's value."""
        super().__init__({(s.target.scope, s.target.id): s.target for s in side.states})
        kind = (ARGO_GROUP, "ApplicationSet")
        self.application_sets: dict[tuple[str, ObjectKey], KubeObject] = {
            (s.target.scope, o.key): o for s in side.states for o in s.objects if o.key[:2] == kind
        }


def is_held(target: Target, base: Targets, head: Targets) -> bool:
    """True when nothing of this head target is applied until somebody resumes it.

    A suspended Kustomization applies nothing (Flux docs, Kustomization: Suspend). Neither does one that is new while the
    target that would create it is suspended. An old one goes on by itself, whatever its parent does.
    """
    seen = set()
    while not target.suspended:
        seen.add((target.scope, target.id))
        parent = head.get((target.scope, target.parent)) if target.parent is not None else None
        if (target.scope, target.id) in base or parent is None or (parent.scope, parent.id) in seen:
            return False
        target = parent
    return True


def is_ignored(value: dict[str, Value], target: Target) -> bool:
    """True when Flux passes the object over: label or annotation `reconcile: disabled` or `ssa: Ignore`.

    kustomize-controller, apply: the ExclusionSelector of the apply options.
    """
    return target.kind == "flux" and (_is_marked(value, FLUX_RECONCILE, "disabled") or _is_marked(value, FLUX_SSA, "ignore"))


def is_only_created(value: dict[str, Value], target: Target) -> bool:
    """True when Flux leaves the object as it is once it exists: label or annotation `ssa: IfNotPresent`.

    kustomize-controller, apply: the IfNotPresentSelector of the apply options.
    """
    return target.kind == "flux" and _is_marked(value, FLUX_SSA, "ifnotpresent")


def removal_of(obj: KubeObject, scope: str, base: Targets, head: Targets) -> Removal:
    """What happens to `obj`, which its target rendered at base and no longer does.

    Flux prunes by the Kustomization as it is at head, and looks at labels and annotations of the live object, which is what
    base applied (kustomize-controller, prune). When the Kustomization itself goes, its finalizer decides by the last spec:
    nothing is deleted while it is suspended, else deletionPolicy (kustomize-controller, finalizerShouldDeleteResources).
    Where nobody is known to prune (a plain kustomization), deletion is assumed.
    """
    return _removal(obj, scope, base, head, frozenset())


def _removal(obj: KubeObject, scope: str, base: Targets, head: Targets, seen: frozenset[str]) -> Removal:
    if obj.generator is not None:
        return _no_longer_generated(obj.generator, scope, base, head, seen)
    before, after = base.get((scope, obj.target)), head.get((scope, obj.target))
    target = after or before
    if target is None:
        return Removal("delete", "its target is unknown")
    protection = _protection(obj.value, target, leaves_with_target=after is None)
    if protection:
        return Removal("orphaned", protection)
    if after is not None:
        if after.suspended:
            return Removal("none-until-resumed", f"{after.id} is suspended")
        if after.prune is False:
            return Removal("orphaned", f"{after.id} does not prune")
        return Removal("delete", f"{after.id} prunes" if after.prune else "when this is applied with pruning")
    return _with_target(target, scope, base, head, seen)


_KEEPING = ("create-only", "create-update")


def _no_longer_generated(generator: ObjectKey, scope: str, base: Targets, head: Targets, seen: frozenset[str]) -> Removal:
    """The fate of an Application that an ApplicationSet generated at base.

    Its controller deletes it by the set as it is at head, unless spec.syncPolicy.applicationsSync forbids that; a controller started
    with --policy may overrule the field. Without the set it goes by its owner reference, which the controller takes away first where
    the set carries a finalizer and deletes nothing (applicationset/controllers/applicationset_controller.go, Reconcile and
    deleteInCluster; utils/policy.go; docs, operator-manual/applicationset/Controlling-Resource-Modification).
    """
    name = f"ApplicationSet {generator.namespace}/{generator.name}" if generator.namespace else f"ApplicationSet {generator.name}"
    before, after = base.application_sets.get((scope, generator)), head.application_sets.get((scope, generator))
    last = after or before
    policy = text(mapping(mapping(last.value if last else None, "spec"), "syncPolicy"), "applicationsSync")
    keeps = f"{name} deletes no Application (applicationsSync: {policy})"
    if after is not None:
        applied_by = head.get((scope, after.target))
        if applied_by is not None and applied_by.suspended and (before is None or before.raw != after.raw):
            return Removal("none-until-resumed", f"{applied_by.id} is suspended")
        return Removal("orphaned", keeps) if policy in _KEEPING else Removal("delete", f"{name} no longer generates it")
    if before is not None:
        of_set = _removal(before, scope, base, head, seen)
        if of_set.fate != "delete":
            return Removal(of_set.fate, f"{name} stays, since {of_set.reason}")
        if policy in _KEEPING and _has_finalizer(before):
            return Removal("orphaned", keeps)
    return Removal("delete", f"{name} goes with all that it generates")


def _has_finalizer(obj: KubeObject) -> bool:
    return any(name.startswith(ARGO_FINALIZER) for name in strings(mapping(obj.value, "metadata"), "finalizers"))


def _with_target(target: Target, scope: str, base: Targets, head: Targets, seen: frozenset[str]) -> Removal:
    """The fate of the objects of a target that is gone at head."""
    owner = target.owner
    if owner is None:
        return Removal("delete", "when this is applied with pruning")
    if target.id not in seen and target.parent is not None:
        of_owner = _removal(owner, scope, base, head, seen | {target.id})
        if of_owner.fate != "delete":
            return Removal(of_owner.fate, f"{target.id} stays, since {of_owner.reason}")
    if target.kind == "argo":
        if not _has_finalizer(owner):
            return Removal("orphaned", f"{target.id} goes without the finalizer that deletes what it applied")
        return Removal("delete", f"{target.id} goes and deletes what it applied")
    if target.suspended:
        return Removal("orphaned", f"{target.id} goes while it is suspended")
    policy = target.deletion_policy or "MirrorPrune"
    if policy == "Orphan" or (policy == "MirrorPrune" and target.prune is False):
        return Removal("orphaned", f"{target.id} goes and leaves what it applied")
    return Removal("delete", f"{target.id} goes and deletes what it applied")


def _protection(value: dict[str, Value], target: Target, *, leaves_with_target: bool) -> str:
    """What on the object itself keeps it from being deleted, "" when nothing does."""
    if target.kind == "argo":
        options = {option.strip().lower() for option in annotation(value, ARGO_SYNC_OPTIONS).split(",")}
        wanted = "delete=false" if leaves_with_target else "prune=false"
        if wanted in options:
            return f"it carries the sync option {wanted.capitalize()}"
        return f"it carries {HELM_POLICY}: keep" if annotation(value, HELM_POLICY) == "keep" else ""
    for key, mark in ((FLUX_PRUNE, "disabled"), (FLUX_RECONCILE, "disabled"), (FLUX_SSA, "ignore")):  # deleteObjects: Exclusions
        if _is_marked(value, key, mark):
            return f"it carries {key}: {mark}"
    return ""


def _is_marked(value: dict[str, Value], key: str, mark: str) -> bool:
    """Flux compares the value ignoring case, the key exactly (fluxcd/pkg, ssa/utils: AnyInMetadata)."""
    return mark in (annotation(value, key).lower(), label(value, key).lower())
