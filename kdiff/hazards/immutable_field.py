"""immutable-field: a field changes that the API server refuses to update."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.recreation import is_recreated
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.immutable import immutable_fields


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        fields = immutable_fields(change)
        if not fields or is_recreated(context, change):
            continue
        paths = list(dict.fromkeys(field.path for field in fields))
        yield Finding(
            message=f"{change.id} cannot be updated: {some(paths)} may not change once the object exists",
            why="The API server refuses the update, the whole apply fails with it, and the cluster stays as it is.",
            scope=change.scope,
            object=change.id,
            pointer=fields[0].pointer,
        )


RULE = Rule("immutable-field", "blocking", "An immutable field changes", _check)
