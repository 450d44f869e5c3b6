"""Pairs each image that a changed object runs or names with the one that stood in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdiff.hazards.earlier import earlier_value
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context
from kdiff.kube.images import Image, images_in
from kdiff.model.change import Change

# The host that a reference without one means (distribution/reference, normalize.go: splitDockerDomain).
DEFAULT_REGISTRY = "docker.io"
_ALIASES = {"index.docker.io": DEFAULT_REGISTRY, "registry-1.docker.io": DEFAULT_REGISTRY}


@dataclass(frozen=True, order=True)
class ImagePair:
    """An image at head and what it takes the place of, None where it is new, in one scope."""

    scope: str
    after: Image
    before: Image | None


def image_pairs(context: Context) -> Iterator[tuple[ImagePair, tuple[Change, ...]]]:
    """Each pair once, with all changes that make it, sorted.

    Images are paired by their place, what is left by repository. One that another changed object ran at base is not new.
    """
    found: dict[ImagePair, list[Change]] = defaultdict(list)
    known: dict[str, set[Image]] = defaultdict(set)
    for change in context.changes:
        if change.base_value is not None and change.base_object is not None:
            known[change.scope].update(images_in(key_of(change.base_object), change.base_value).values())
    for change in context.changes:
        if change.head_value is None:
            continue
        earlier = earlier_value(context, change)
        before = images_in(key_of(change.object), earlier) if earlier else {}
        after = images_in(key_of(change.object), change.head_value)
        left = {image.repository: image for place, image in before.items() if place not in after}
        for place, image in after.items():
            old = before.get(place) or left.get(image.repository)
            if old != image and (old is not None or image not in known[change.scope]):
                found[ImagePair(change.scope, image, old)].append(change)
    for pair, changes in sorted(found.items(), key=lambda item: (item[0].scope, item[0].after, item[1][0].id)):
        yield pair, tuple(changes)


def shown(image: Image) -> str:
    """The image as people write it."""
    return image.repository + (f":{image.tag}" if image.tag else "") + (f"@{image.digest[:19]}" if image.digest else "")


def registry(image: Image) -> str:
    """The host that is written before an image, "" where none is."""
    host, slash, _ = image.repository.partition("/")
    is_host = bool(slash) and (any(mark in host for mark in ".:") or host == "localhost")
    return _ALIASES.get(host, host) if is_host else ""


def several(changes: Sequence[Change]) -> tuple[str, ...]:
    """Ids of the changed objects that a finding stands for, none where it names its only one."""
    return tuple(sorted(change.id for change in changes)) if len(changes) > 1 else ()
