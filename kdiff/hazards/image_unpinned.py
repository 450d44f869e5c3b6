"""image-unpinned: what runs is decided by whoever pushes the image last."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.image_pairs import image_pairs, several, shown
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.images import Image


def _check(context: Context) -> Iterator[Finding]:
    for pair, changes in image_pairs(context):
        if pair.before is not None and (_pinned(pair.after) >= _pinned(pair.before)):
            continue
        if pair.before is None and _pinned(pair.after):
            continue
        was = f" instead of {shown(pair.before)}" if pair.before else ""
        what = "a tag without digest, which can be pushed again" if _pinned(pair.after) else "no tag or latest, so every push changes it"
        yield Finding(
            message=f"{changes[0].id} runs {shown(pair.after)}{was}: {what}",
            why="Nodes may run different versions side by side, a rollback brings nothing back, and git no longer tells what runs.",
            scope=pair.scope,
            object=changes[0].id,
            objects=several(changes),
        )


def _pinned(image: Image) -> int:
    """2 by digest, 1 by a tag, 0 for none or `latest`, which is what a runtime takes then."""
    return 2 if image.digest else int(image.tag not in ("", "latest"))


RULE = Rule("image-unpinned", "caution", "An image is no longer pinned", _check)
