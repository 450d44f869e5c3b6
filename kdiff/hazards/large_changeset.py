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
        yield Finding(
            message=f"{' in '.join([count(objects, 'object'), count(targets, 'target')])} change at once",
            why=f"Large is {context.options.large_objects} objects or {context.options.large_targets} targets (settings large_objects, "
            f"large_targets); {' and '.join(large)} reach that.",
            scope="",
        )


RULE = Rule("large-changeset", "info", "A large change", _check)
