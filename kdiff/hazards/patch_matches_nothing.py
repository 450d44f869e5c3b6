"""patch-matches-nothing: a patch selects no object, and kustomize says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.flux_instance_patches import dead_patches
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, mappings
from kdiff.kube.patch_target import patch_identity
from kdiff.model.hazard import SourceLocation
from kdiff.model.side import PatchUse, TargetState

_WHY = "kustomize passes over a patch whose target selects nothing, so what it should set, secure or limit is not there."


def _check(context: Context) -> Iterator[Finding]:
    told: set[tuple[str, str]] = set()
    for state in context.head.states:
        for use in state.patches:
            if use.matched or (use.where, use.identity) in told or not _is_news(context, state, use):
                continue
            told.add((use.where, use.identity))
            yield Finding(
                message=f"the patch {use.where} selects {use.selects}, which is not there: it changes nothing",
                why=_WHY,
                scope=state.target.scope,
                object=state.target.owner.id if state.target.owner and use.kustomization is None else None,
                target=state.target.id,
                where=use.where,
                source=SourceLocation(use.file, use.line) if use.file else None,
            )
    yield from _flux_instances(context)


def _is_news(context: Context, state: TargetState, use: PatchUse) -> bool:
    """A patch that lost its object in this target; or a new one, which selects nothing wherever it is used."""
    before = context.base_states.get((state.target.scope, state.target.id))
    if before is not None and before.failure is not None:
        return False
    known = [each for each in before.patches if each.identity == use.identity] if before else []
    if any(each.matched for each in known):
        return True
    if any(each.identity == use.identity for each_state in context.base.states for each in each_state.patches):
        return False
    return not any(_may_serve(other, use) for other in context.head.states if other is not state)


def _may_serve(other: TargetState, use: PatchUse) -> bool:
    """True when the same patch selects something in another target, or when another target has it and nobody looked."""
    same = [each for each in other.patches if each.identity == use.identity]
    if same:
        return any(each.matched for each in same)
    if use.kustomization is not None:
        return use.kustomization in other.reads
    spec = mapping(other.target.owner.value, "spec") if other.target.owner else {}
    return any(patch_identity(patch) == use.identity for patch in mappings(spec, "patches"))


def _flux_instances(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if change.object.kind != "FluxInstance" or change.head_value is None:
            continue
        known = {identity for _, _, identity in dead_patches(change.base_value)} if change.base_value else set()
        for index, selected, identity in dead_patches(change.head_value):
            if identity not in known:
                yield Finding(
                    message=f"spec.kustomize.patches[{index}] of {change.id} selects {selected}, which Flux lacks: it changes nothing",
                    why=_WHY,
                    scope=change.scope,
                    object=change.id,
                    pointer=f"/spec/kustomize/patches/{index}",
                    where=f"{change.id} spec.kustomize.patches[{index}]",
                )


RULE = Rule("patch-matches-nothing", "caution", "A patch selects nothing", _check)
