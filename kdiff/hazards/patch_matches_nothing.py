"""patch-matches-nothing: a patch selects no object, and kustomize says nothing."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator

from kdiff.hazards.flux_instance_patches import dead_patches
from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, mappings
from kdiff.kube.patch_target import patch_identity
from kdiff.model.hazard import SourceLocation
from kdiff.model.side import PatchUse, Side, TargetState
from kdiff.model.tree import OutsideTree

_WHY = "kustomize passes over a patch whose target selects nothing, so what it should set, secure or limit is not there."
_NAMED = 8
# Flux docs, Bootstrap customization: both are committed empty beside a kustomization with patches, and `flux bootstrap` fills them.
_BOOTSTRAPPED = ("gotk-components.yaml", "gotk-sync.yaml")

_Place = tuple[str, str, "str | None"]  # scope, target and kustomization; None for the target's own owner
_Uses = dict[str, list[tuple[_Place, PatchUse]]]  # by identity


def _check(context: Context) -> Iterator[Finding]:
    base, head = _uses(context.base), _uses(context.head)
    told: set[tuple[str, str]] = set()
    for state in context.head.states:
        dead: dict[str, list[PatchUse]] = defaultdict(list)
        for use in state.patches:
            if use.matched or (use.where, use.identity) in told or not _is_news(context, state, use, base, head):
                continue
            told.add((use.where, use.identity))
            if not _awaits_bootstrap(state, use):
                dead[use.selects].append(use)
        yield from (_finding(state, uses) for uses in dead.values())
    yield from _flux_instances(context)


def _finding(state: TargetState, uses: list[PatchUse]) -> Finding:
    """One for all patches of a target that select the same: what left for one of them left for all."""
    first, places = next((use for use in uses if use.file), uses[0]), list(dict.fromkeys(use.where for use in uses))
    nouns = sorted({"replacement" if " replacements[" in place.casefold() else "patch" for place in places})
    if len(places) == 1:
        message = f"the {nouns[0]} {places[0]} selects {first.selects}, which is not there: it changes nothing"
    else:
        what = " and ".join({"patch": "patches", "replacement": "replacements"}[noun] for noun in nouns)
        message = f"{len(places)} {what} select {first.selects}, which is not there, and change nothing: {some(places, _NAMED)}"
    return Finding(
        message=message,
        why=_WHY,
        scope=state.target.scope,
        object=state.target.owner.id if state.target.owner and all(use.kustomization is None for use in uses) else None,
        target=state.target.id,
        where=first.where,
        source=SourceLocation(first.file, first.line) if first.file else None,
    )


def _uses(side: Side) -> _Uses:
    found: _Uses = defaultdict(list)
    for state in side.states:
        for use in state.patches:
            found[use.identity].append((_place(state, use), use))
    return found


def _place(state: TargetState, use: PatchUse) -> _Place:
    return state.target.scope, state.target.id, use.kustomization


def _is_news(context: Context, state: TargetState, use: PatchUse, base: _Uses, head: _Uses) -> bool:
    """A patch that lost its object where it stands; or one that is new there, and selects nothing wherever it is used.

    Where its kustomization or target has another name since, those that left and those that came are set against one another: as
    many dead ones as before are none of this change.
    """
    before = context.base_states.get((state.target.scope, state.target.id))
    if before is not None and before.failure is not None:
        return False
    place, known = _place(state, use), base.get(use.identity, [])
    here = [each for other, each in known if other == place]
    if here:
        return any(each.matched for each in here)
    places = [{other for other, _ in uses} for uses in (known, head[use.identity])]
    left = [each for other, each in known if other not in places[1]]
    came = [each for other, each in head[use.identity] if other not in places[0]]
    if left and _dead(came) <= _dead(left):
        return False
    if any(other[:2] == place[:2] for other, _ in known):
        return True
    if known and not any(each.matched for each in left):
        return False
    return not any(_may_serve(other, use) for other in context.head.states if other is not state)


def _dead(uses: Iterable[PatchUse]) -> int:
    return sum(not use.matched for use in uses)


def _awaits_bootstrap(state: TargetState, use: PatchUse) -> bool:
    """True when flux bootstrap has yet to write what the kustomization, or one in a directory below it, patches."""
    directory = posixpath.dirname(use.kustomization) if use.kustomization is not None else None
    below = (path for path in state.reads if directory is not None and (not directory or path.startswith(f"{directory}/")))
    return any(posixpath.basename(path) in _BOOTSTRAPPED and _holds_nothing(state, path) for path in below)


def _holds_nothing(state: TargetState, path: str) -> bool:
    try:
        lines = state.target.tree.read(path).split(b"\n")
    except (OSError, OutsideTree):
        return False
    return all(not line.strip() or line.lstrip().startswith((b"#", b"---")) for line in lines)


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
