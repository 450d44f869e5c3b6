"""suspends: a Flux object stops reconciling."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import count
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.suspension import flipped


def _check(context: Context) -> Iterator[Finding]:
    for change, target, objects in flipped(context, to=True):
        verb = "is" if objects == 1 else "are"
        below = f" and its {count(objects, 'object')} {verb} neither updated nor repaired until somebody resumes it" if target else ""
        yield Finding(
            message=f"{change.id} is suspended{below or ': it does nothing until somebody resumes it'}",
            why="A suspended object is not reconciled: later changes in git, drift in the cluster and new revisions are ignored.",
            scope=change.scope,
            object=change.id,
            target=target,
            pointer="/spec/suspend",
        )


RULE = Rule("suspends", "caution", "A Flux object is suspended", _check)
