"""dangling-reference: an object at head names another one, or an entry of it, that base had and head has not."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.missing import is_dependency, is_source_reference, missing_at_head, target_id
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    seen: set[tuple[str, str, str]] = set()
    for scope, missing in missing_at_head(context):
        reference = missing.reference
        if not missing.lost or is_source_reference(reference) or is_dependency(reference):
            continue
        target = target_id(context, scope, reference.target)
        entry = f" key {reference.data_key}" if reference.data_key is not None and reference.target in context.head_graphs[scope] else ""
        if (scope, reference.source.id, target + entry) in seen:
            continue
        seen.add((scope, reference.source.id, target + entry))
        yield Finding(
            message=f"{reference.source.id} still names {target}{entry}, which this change removes",
            why="Base had it, head has not, and nothing at head makes it. Pods that need it do not start; what runs already fails later.",
            scope=scope,
            object=reference.source.id,
            pointer=reference.pointer,
        )


RULE = Rule("dangling-reference", "caution", "A removed object is still in use", _check)
