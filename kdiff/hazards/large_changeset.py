"""large-changeset: more changes at once than people read with care."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import count
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    objects = len(context.changes)
    targets = len({(c.scope, target) for c in context.changes for target in (*c.targets.base, *c.targets.head)})
    large = [
        *([count(objects, "object")] if objects >= context.options.large_objects else []),
        *([count(targets, "target")] if targets >= context.options.large_targets else []),
    ]
    if large:
        verb = "reaches" if large in (["1 object"], ["1 target"]) else "reach"
        yield Finding(
            message=f"{count(objects, 'object')} in {count(targets, 'target')} {'changes' if objects == 1 else 'change'} at once",
            why=f"Large is {count(context.options.large_objects, 'object')} or {count(context.options.large_targets, 'target')} "
            f"(settings large_objects, large_targets); {' and '.join(large)} {verb} that.",
            scope="",
        )


RULE = Rule("large-changeset", "info", "A large change", _check)
