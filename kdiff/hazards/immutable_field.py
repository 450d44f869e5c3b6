"""immutable-field: a field changes that the API server refuses to update."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.recreation import is_recreated, is_updated
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.immutable import immutable_fields


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        fields = immutable_fields(change)
        if not fields or is_recreated(context, change) or not is_updated(context, change):
            continue
        paths = list(dict.fromkeys(field.path for field in fields))
        yield Finding(
            message=f"{change.id} cannot be updated: the API server refuses to change {some(paths)}, and the whole apply fails",
            why="The field is fixed once the object exists; until it is set back, or the object created anew, nothing else arrives either.",
            scope=change.scope,
            object=change.id,
            pointer=fields[0].pointer,
        )


RULE = Rule("immutable-field", "blocking", "An immutable field changes", _check)
