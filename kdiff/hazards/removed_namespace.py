"""removed-namespace: a Namespace leaves, and with it everything that lives in it."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import agree, count, some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "", "Namespace"):
        if not gone.deleted:
            continue
        inside = sorted({o.id for o in context.head_graphs[gone.change.scope].in_namespace(gone.object.key.name)})
        collateral = f": {some(inside)}" if inside else ", also what this tree does not know of"
        yield Finding(
            message=f"{gone.told} with everything in it{collateral}",
            why=f"{count(len(inside), 'object')} at head still {agree(inside, 'names', 'name')} this namespace. Kubernetes deletes all "
            "objects of a namespace that is deleted, claims and what was made by hand included; what is applied again afterwards "
            "starts empty.",
            scope=gone.change.scope,
            object=gone.object.id,
            objects=tuple(inside),
        )


RULE = Rule("removed-namespace", "blocking", "A Namespace is removed with everything in it", _check)
