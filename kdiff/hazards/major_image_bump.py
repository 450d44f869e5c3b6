"""major-image-bump: an image goes to another major version."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.image_pairs import image_pairs, several
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.images import Image
from kdiff.kube.versions import image_major


def _check(context: Context) -> Iterator[Finding]:
    for pair, changes in image_pairs(context):
        if pair.before is None or _name(pair.before) != _name(pair.after):
            continue
        old, new = image_major(pair.before.tag), image_major(pair.after.tag)
        if old is None or new is None or old == new:
            continue
        way = "goes" if new > old else "goes back"
        yield Finding(
            message=f"{pair.after.repository} of {changes[0].id} {way} from {pair.before.tag} to {pair.after.tag}, another major version",
            why="A new major number announces what breaks; data written by it can often not be read by the old version.",
            scope=pair.scope,
            object=changes[0].id,
            objects=several(changes),
        )


def _name(image: Image) -> str:
    return image.repository.rpartition("/")[2]


RULE = Rule("major-image-bump", "caution", "An image goes to another major version", _check)
