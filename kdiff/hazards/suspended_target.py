"""suspended-target: changes lie under a suspended target, so they are not applied now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.phrases import count
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.reconciliation import is_held
from kdiff.model.change import Change


def _check(context: Context) -> Iterator[Finding]:
    waiting: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in context.changes:
        if "none-until-resumed" in change.effects:
            for name in change.targets.head or change.targets.base:
                waiting[change.scope, name].append(change)
    for (scope, name), changes in sorted(waiting.items()):
        target = context.head_targets.get((scope, name))
        if target is None or not is_held(target, context.base_targets, context.head_targets):
            continue
        removals = sum(change.status == "removed" for change in changes)
        removed = f" ({count(removals, 'removal')})" if removals else ""
        yield Finding(
            message=f"{count(len(changes), 'change')}{removed} under {name} must wait until it is resumed",
            why="A suspended Kustomization applies and prunes nothing; when it is resumed, all of it happens at once.",
            scope=scope,
            object=target.owner.id if target.owner else None,
            objects=tuple(sorted(change.id for change in changes)),
            target=name,
        )


RULE = Rule("suspended-target", "info", "Changes wait under a suspended target", _check)
