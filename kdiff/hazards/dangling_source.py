"""dangling-source: a sourceRef or chartRef names a source that nothing at head declares."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.missing import is_source_reference, missing_at_head
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.flux import SourceRef


def _check(context: Context) -> Iterator[Finding]:
    for scope, missing in missing_at_head(context):
        reference = missing.reference
        if not is_source_reference(reference):
            continue
        source = SourceRef(reference.target.kind, reference.target.namespace, reference.target.name)
        never = "it is not reconciled any more" if reference.source.key in context.base_graphs[scope] else "it is not reconciled"
        past = "which this change removes" if missing.lost else "which nothing here declares"
        yield Finding(
            message=f"{reference.source.id} takes its content from {source}, {past}: {never}",
            why="Without its source a Flux object cannot be built: it keeps what it applied last and reports that the source is not found.",
            scope=scope,
            object=reference.source.id,
            pointer=reference.pointer.removesuffix("/name"),
        )


RULE = Rule("dangling-source", "blocking", "A Flux source that is needed is not there", _check)
