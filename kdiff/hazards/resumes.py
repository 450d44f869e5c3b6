"""resumes: a Flux object goes on reconciling, and all that waited for it happens at once."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import count
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.suspension import flipped


def _check(context: Context) -> Iterator[Finding]:
    for change, target, objects in flipped(context, to=False):
        what = f"its {count(objects, 'object')} {'is' if objects == 1 else 'are'} applied and" if target else "it acts and"
        yield Finding(
            message=f"{change.id} is resumed: {what} all that changed while it was suspended takes effect at once",
            why="What this comparison shows is the change in git; the cluster still has what was there when it was suspended.",
            scope=change.scope,
            object=change.id,
            target=target,
            pointer="/spec/suspend",
        )


RULE = Rule("resumes", "caution", "A Flux object is resumed", _check)
