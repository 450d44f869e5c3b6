"""dangling-dependency: dependsOn names something that head does not have, so the dependent waits for ever."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.missing import is_dependency, missing_at_head
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.flux import SourceRef


def _check(context: Context) -> Iterator[Finding]:
    for scope, missing in missing_at_head(context):
        reference = missing.reference
        if not is_dependency(reference):
            continue
        target = SourceRef(reference.target.kind, reference.target.namespace, reference.target.name)
        never = "it is never applied again" if reference.source.key in context.base_graphs[scope] else "it is never applied"
        past = "which this change removes" if missing.lost else "which nothing here declares"
        yield Finding(
            message=f"{reference.source.id} depends on {target}, {past}: {never}",
            why="Flux applies an object only when everything in its dependsOn exists and is ready.",
            scope=scope,
            object=reference.source.id,
            pointer=reference.pointer.removesuffix("/name"),
        )


RULE = Rule("dangling-dependency", "blocking", "dependsOn names what is not there", _check)
