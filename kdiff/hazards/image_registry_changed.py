"""image-registry-changed: an image comes from somewhere else."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.image_pairs import image_pairs, registry, several, shown
from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    for pair, changes in image_pairs(context):
        if pair.before is None or registry(pair.before) == registry(pair.after):
            continue
        yield Finding(
            message=f"{changes[0].id} takes {shown(pair.after)} from {registry(pair.after)} instead of {registry(pair.before)}",
            why="Somebody else decides what is in the image now; nodes need access, and perhaps an imagePullSecret, for another host.",
            scope=pair.scope,
            object=changes[0].id,
            objects=several(changes),
        )


RULE = Rule("image-registry-changed", "caution", "An image comes from another registry", _check)
