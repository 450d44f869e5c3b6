"""not-pruned: objects leave a target that does not prune, so they keep running and nobody manages them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import Removed, removed_objects, worst_first
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    left: dict[tuple[str, str, str], list[Removed]] = defaultdict(list)
    for gone in removed_objects(context):
        if gone.removal.fate == "orphaned" and not gone.removal.reason.startswith("it carries"):
            left[gone.change.scope, gone.object.target, gone.removal.reason].append(gone)
    for (scope, target, reason), objects in sorted(left.items()):
        objects.sort(key=lambda gone: worst_first(gone.object.key))
        ids = [gone.object.id for gone in objects]
        yield Finding(
            message=f"{some(ids)} {agree(ids, 'stays', 'stay')} in the cluster, managed by nobody: {reason}",
            why="What is no longer in git is not updated, not repaired and not found by those who look for it there.",
            scope=scope,
            object=ids[0],
            objects=tuple(ids),
            target=target,
        )


RULE = Rule("not-pruned", "caution", "Removed objects keep running unmanaged", _check)
