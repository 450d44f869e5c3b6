"""unordered-substitution: a target uses new variables of a ConfigMap or Secret that another one applies in no fixed order with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.tree import OutsideTree


def _check(context: Context) -> Iterator[Finding]:
    changed = {(change.scope, change.id) for change in context.changes}
    for state in context.head.states:
        target = state.target
        graph = context.head_graphs[target.scope] if target.substitutes_from else None
        for source in target.substitutes_from if graph else ():
            renderings = graph.objects.get(graph.settle(_key(source)), ()) if graph else ()
            if not renderings or (target.scope, renderings[0].id) not in changed:
                continue
            renderers = sorted({o.target for o in renderings})
            if _is_ordered(context, target, renderers):
                continue
            names = _used(state, _new_names(renderings[0], context.base_graphs[target.scope]))
            if names:
                yield Finding(
                    message=f"{target.id} uses {some([f'${{{name}}}' for name in names])}, new in {renderings[0].id}, but does not wait "
                    f"for {some(renderers)} to apply it",
                    why="Both react to the same revision at once. Until the new values are applied, a strict substitution fails and a "
                    "lenient one leaves an empty string, until the next interval.",
                    scope=target.scope,
                    object=renderings[0].id,
                    target=target.id,
                )


def _key(source: str) -> ObjectKey:
    """Of `v1/ConfigMap namespace/name`."""
    kind, _, place = source.partition(" ")
    namespace, _, name = place.rpartition("/")
    return ObjectKey("", kind.rpartition("/")[2], namespace, name)


def _is_ordered(context: Context, target: Target, renderers: list[str]) -> bool:
    """True when the target renders the source itself, depends on who does, or is created by it in the same apply, after it."""
    is_new = (target.scope, target.id) not in context.base_targets
    if target.id in renderers or (is_new and target.parent in renderers):
        return True
    seen, ahead = {target.id}, [target.id]
    while ahead:
        current = context.head_targets.get((target.scope, ahead.pop()))
        for name in current.depends_on if current else ():
            if name in renderers:
                return True
            if name not in seen:
                seen.add(name)
                ahead.append(name)
    return False


def _new_names(source: KubeObject, base: ReferenceGraph) -> list[str]:
    known = {name for old in base.objects.get(source.key, ()) for name in _names(old)}
    return sorted(_names(source) - known)


def _names(source: KubeObject) -> set[str]:
    fields = (source.value.get(field) for field in ("data", "stringData"))
    return {name for entries in fields if isinstance(entries, dict) for name in entries}


def _used(state: TargetState, names: list[str]) -> list[str]:
    """Those of `names` that a file which the target reads mentions in `${...}`; all of them where nothing is known about its files."""
    if not names or not state.reads:
        return names
    pattern = re.compile(rb"\$\{\s*(" + b"|".join(re.escape(name.encode()) for name in names) + rb")\b")
    found: set[bytes] = set()
    for path in state.reads:
        with suppress(OSError, OutsideTree):
            found |= set(pattern.findall(state.target.tree.read(path)))
    return [name for name in names if name.encode() in found]


RULE = Rule("unordered-substitution", "caution", "New variables race with those who use them", _check)
