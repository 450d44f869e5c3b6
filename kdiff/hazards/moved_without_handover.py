"""moved-without-handover: an object goes from one target to another, and the first may delete it before the second has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.handover import Handover, judge_handover
from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import HOLDERS, key_of, worst_first
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.reconciliation import removal_of
from kdiff.kube.references import defined_kind
from kdiff.model.change import Change
from kdiff.model.object import KubeObject, ObjectKey


def _check(context: Context) -> Iterator[Finding]:
    moves: dict[tuple[str, str, str], list[KubeObject]] = defaultdict(list)
    verdicts: dict[tuple[str, str, str], Handover] = {}
    for change in context.changes:
        for obj in _given_up(context, change):
            ways = [(change.scope, obj.target, taker) for taker in sorted({o.target for o in context.head_objects[change.scope][obj.key]})]
            for way in ways:
                if way not in verdicts:
                    verdicts[way] = judge_handover(context, *way)
            moves[next((way for way in ways if verdicts[way].is_safe), ways[0])].append(obj)
    for way, objects in sorted(moves.items(), key=lambda item: item[0]):
        yield _finding(context, way, objects, verdicts[way])
    for scope in context.base_objects:
        yield from _regenerated(context, scope)


def _regenerated(context: Context, scope: str) -> Iterator[Finding]:
    """Applications that their ApplicationSet deletes, or takes along, while something else declares them at head.

    Another set cannot take over one that has a controller, and whatever the manifest says, the old set is that (argo-cd,
    applicationset_controller.go, createOrUpdateInCluster; controller-runtime, SetControllerReference). Nothing of this shows in the
    object itself, so it need not be a change.
    """
    applied: dict[ObjectKey, list[KubeObject]] = defaultdict(list)
    for state in context.base.in_scope(scope):
        if state.target.owner is not None and state.target.owner.generator is not None:
            applied[state.target.owner.key] += state.objects
    for key, (obj, *_) in context.base_objects[scope].items():
        takers = context.head_objects.get(scope, {}).get(key, ())
        if obj.generator is None or not takers or obj.generator in {taker.generator for taker in takers}:
            continue
        removal = removal_of(obj, scope, context.base_targets, context.head_targets)
        if removal.fate == "delete":
            taker = takers[0].generator
            name = f"ApplicationSet {taker.namespace}/{taker.name}" if taker else takers[0].target
            along = [o.id for o in sorted(applied[key], key=lambda o: worst_first(o.key))]
            yield Finding(
                message=f"{obj.id} may be deleted before {name} has taken it over, and with it {some(along) or 'what it applied'}",
                why=f"{removal.reason[0].upper()}{removal.reason[1:]}. What is deleted starts empty when it is applied again.",
                scope=scope,
                object=obj.id,
                target=obj.target,
                severity="blocking" if any(o.key[:2] in HOLDERS for o in applied[key]) else "caution",
            )


def _given_up(context: Context, change: Change) -> Iterator[KubeObject]:
    """The object at base in each target that gave it up and will delete it, while another target declares it at head."""
    if change.base_object is None or change.status in ("added", "renamed"):
        return
    key = key_of(change.base_object)
    at_head = {o.target for o in context.head_objects.get(change.scope, {}).get(key, ())}
    for obj in context.base_objects.get(change.scope, {}).get(key, ()) if at_head else ():
        if obj.generator is not None:
            continue  # it goes where its ApplicationSet goes, and `_regenerated` knows the others
        gives_up = (
            obj.target in change.targets.base and obj.target not in at_head and not _renamed_entry(context, change.scope, obj, at_head)
        )
        if gives_up and removal_of(obj, change.scope, context.base_targets, context.head_targets).fate == "delete":
            yield obj


def _renamed_entry(context: Context, scope: str, obj: KubeObject, at_head: set[str]) -> bool:
    """True when base knew the directory only as an entry, and head has found the Kustomization that stands for it: nothing moves."""
    giver = context.base_targets[scope, obj.target]
    takers = (context.head_targets[scope, name] for name in at_head)
    return giver.owner is None and any(taker.owner is not None and taker.path == giver.path for taker in takers)


def _finding(context: Context, way: tuple[str, str, str], objects: list[KubeObject], verdict: Handover) -> Finding:
    scope, giver, taker = way
    objects.sort(key=lambda o: worst_first(o.key))
    ids = list(dict.fromkeys(o.id for o in objects))
    holds = any((o.key.group, o.key.kind) in HOLDERS for o in objects)
    if verdict.is_safe:
        message = f"{some(ids)} {agree(ids, 'goes', 'go')} from {giver} to {taker} in order: {verdict.reason}"
        why = f"Flux prunes only what still carries the pruning owner's labels, and {taker} has put its own there by then."
    else:
        along = _collateral(context, scope, objects)
        message = f"{giver} may delete {some(ids)} before {taker} has taken {agree(ids, 'it', 'them')} over" + (
            f", and with {agree(ids, 'it', 'them')} {some(along)}" if along else ""
        )
        why = f"{verdict.reason[0].upper()}{verdict.reason[1:]}. What is deleted starts empty when it is applied again."
    return Finding(
        message=message,
        why=why,
        scope=scope,
        object=ids[0],
        objects=tuple(ids),
        target=giver,
        severity="info" if verdict.is_safe else "blocking" if holds else "caution",
    )


def _collateral(context: Context, scope: str, objects: list[KubeObject]) -> list[str]:
    """What lives in the Namespaces, or by the definitions, among `objects` and is not itself one of them."""
    graph = context.head_graphs[scope]
    moved = {o.key for o in objects}
    found: set[str] = set()
    for obj in objects:
        kind = (obj.key.group, obj.key.kind)
        defined = defined_kind(obj) if kind == HOLDERS[1] else None
        inside = graph.in_namespace(obj.key.name) if kind == HOLDERS[0] else graph.of_kind(*defined) if defined else ()
        found |= {o.id for o in inside if o.key not in moved}
    return sorted(found)


RULE = Rule("moved-without-handover", "caution", "An object moves to another owner before that one has it", _check)
