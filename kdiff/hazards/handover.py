"""Whether a target that takes an object over has applied it before the one that gives it up prunes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kdiff.hazards.clusters import cluster_of
from kdiff.hazards.rule import Context
from kdiff.kube.fields import mapping, mappings, text
from kdiff.kube.reconciliation import Targets, is_held
from kdiff.model.target import Target


@dataclass(frozen=True)
class Handover:
    """Whether the order is proven, and the reason as a sentence without its full stop."""

    is_safe: bool
    reason: str


def judge_handover(context: Context, scope: str, giver_id: str, taker_id: str) -> Handover:
    """The order in which `giver` prunes and `taker` applies.

    Flux prunes only what still carries the pruning Kustomization's owner labels, so an object that the new owner has applied is
    passed over (kustomize-controller, prune: Inclusions of GetOwnerLabels). A Kustomization waits for those in its dependsOn: ready and,
    where both have one source, at the same revision, unless a readyExpr replaces that check (kustomize-controller,
    checkDependencies). All Kustomizations of a source start at once when it has a new revision, each with the spec that the
    cluster then has, so a dependsOn counts only if base had it too.
    """
    giver = context.head_targets.get((scope, giver_id)) or context.base_targets[scope, giver_id]
    taker = context.head_targets[scope, taker_id]
    if cluster_of(giver) != cluster_of(taker):
        return Handover(False, f"{taker_id} applies to another cluster, so {giver_id} still owns the object that it prunes")
    if giver.kind != taker.kind and "flux" in (giver.kind, taker.kind):
        return Handover(False, f"{giver_id} prunes what carries its own labels, which {taker_id} does not take away")
    pruner = _pruner(context, scope, giver) or giver_id
    waits = f"{pruner} depends on {taker_id}"
    at_head = _waits_for(scope, pruner, taker_id, context.head_targets)
    if at_head and _waits_for(scope, pruner, taker_id, context.base_targets):
        return Handover(True, f"{waits}, so Flux applies {taker_id} first")
    if is_held(taker, context.base_targets, context.head_targets):
        return Handover(False, f"{taker_id} is suspended and takes nothing over")
    if at_head:
        return Handover(False, f"{waits} only from this change on, and may prune before it has the new dependsOn")
    if _waits_for(scope, taker_id, giver_id, context.head_targets):
        return Handover(False, f"{taker_id} depends on {giver_id}, so {giver_id} prunes first")
    if _reaches(_all_dependencies(scope, context.head_targets), pruner, taker_id):
        return Handover(False, f"{waits}, but not on the revision: their sources differ or a readyExpr replaces the check")
    return Handover(False, f"nothing makes {pruner} wait for {taker_id}")


def _pruner(context: Context, scope: str, giver: Target) -> str | None:
    """Who deletes what the giver had: the giver itself or, where it leaves too, the nearest target above it that stays."""
    seen = set()
    current: Target | None = giver
    while current is not None and current.id not in seen:
        if (scope, current.id) in context.head_targets:
            return current.id
        seen.add(current.id)
        current = context.base_targets.get((scope, current.parent)) if current.parent is not None else None
    return None


def _waits_for(scope: str, waiting: str, awaited: str, targets: Targets) -> bool:
    """True when dependsOn leads from one to the other and every step of it is gated on the revision of the source."""
    links: dict[str, tuple[str, ...]] = {}
    for (target_scope, name), target in targets.items():
        if target_scope == scope and target.owner is not None:
            free = {
                _dependency(ref, target) for ref in mappings(mapping(target.owner.value, "spec"), "dependsOn") if text(ref, "readyExpr")
            }
            gated = (d for d in target.depends_on if d not in free and (scope, d) in targets)
            links[name] = tuple(d for d in gated if target.source is not None and targets[scope, d].source == target.source)
    return _reaches(links, waiting, awaited)


def _dependency(ref: Mapping[str, object], target: Target) -> str:
    value = dict(ref)
    namespace = value.get("namespace") or (target.owner.key.namespace if target.owner else "")
    return f"Kustomization {namespace}/{value.get('name')}"


def _all_dependencies(scope: str, targets: Targets) -> dict[str, tuple[str, ...]]:
    return {name: target.depends_on for (target_scope, name), target in targets.items() if target_scope == scope}


def _reaches(links: Mapping[str, tuple[str, ...]], start: str, goal: str) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        for following in links.get(ahead.pop(), ()):
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                ahead.append(following)
    return False
