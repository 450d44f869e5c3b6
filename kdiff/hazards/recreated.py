"""recreated: an object comes back in another namespace, or a stateful one under another name: deleted and created anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import Removed, key_of, removed_objects, worst_first
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.model.change import Change

_STATEFUL = {("apps", "StatefulSet"), ("", "PersistentVolumeClaim"), ("", "PersistentVolume")}


def _check(context: Context) -> Iterator[Finding]:
    added = {(c.scope, c.id): c for c in context.changes if c.status in ("added", "renamed")}
    moves: dict[tuple[str, str, str], list[tuple[Removed, Change]]] = defaultdict(list)
    for gone in removed_objects(context):
        other = added.get((gone.change.scope, gone.change.counterpart.id if gone.change.counterpart else gone.change.id))
        if other is None or not gone.deleted or "none-until-resumed" in other.effects:
            continue
        before, after = gone.object.key, key_of(other.object)
        if (before.group, before.kind) != (after.group, after.kind):
            continue
        if before.name == after.name and before.namespace and after.namespace and before.namespace != after.namespace:
            moves[gone.change.scope, before.namespace, after.namespace].append((gone, other))
        elif before.name != after.name and (before.group, before.kind) in _STATEFUL:
            yield Finding(
                message=f"{gone.object.id} becomes {other.id}: the cluster deletes it and creates an empty one",
                why="A name is part of an object's identity: renaming deletes and creates, and data stays with the old name.",
                scope=gone.change.scope,
                object=gone.object.id,
                objects=(other.id,),
            )
    for (scope, before_ns, after_ns), pairs in sorted(moves.items()):
        pairs.sort(key=lambda pair: worst_first(pair[0].object.key))
        ids = [gone.object.id for gone, _ in pairs]
        yield Finding(
            message=f"{some(ids)} {agree(ids, 'goes', 'go')} from namespace {before_ns} to {after_ns}: deleted there and created anew here",
            why="A namespace is part of an object's identity, so nothing moves: pods start again, and data stays behind.",
            scope=scope,
            object=ids[0],
            objects=tuple(ids),
        )


RULE = Rule("recreated", "caution", "An object is deleted and created anew", _check)
