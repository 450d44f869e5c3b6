"""Reads container image references, and finds every image that an object runs or names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kdiff.kube.fields import escape_token
from kdiff.kube.pod_template import containers, pod_templates
from kdiff.model.mask import has_token
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

# Grammar of the distribution project (reference.go): [host[:port]/]path[:tag][@algorithm:hex].
_REFERENCE = re.compile(
    r"(?P<repository>(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?P<digest>[A-Za-z0-9+._-]+:[0-9A-Fa-f]{32,}))?"
)
_LARGE_KINDS = {("apiextensions.k8s.io", "CustomResourceDefinition"), ("", "ConfigMap"), ("", "Secret")}


@dataclass(frozen=True, order=True)
class Image:
    """An image by `repository` (its registry included, as written), `tag` and `digest`, each "" where it is not given."""

    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def version(self) -> str:
        """`tag`, `tag@digest` or `digest`; `latest` for a bare repository, which is what container runtimes then pull."""
        return "@".join(part for part in (self.tag, self.digest) if part) or "latest"


def parse_image(text: str) -> Image | None:
    """The parts of an image reference, None when `text` is none: `host:5000/team/app:1.2@sha256:...`, `nginx`."""
    found = _REFERENCE.fullmatch(text)
    return Image(found["repository"], found["tag"] or "", found["digest"] or "") if found else None


def images_in(key: ObjectKey, value: dict[str, Value]) -> dict[str, Image]:
    """Every image of an object, by where it stands: containers by list and name, so that a reorder is no change.

    Objects without pod templates are searched for what is an image beyond doubt: a field `image` or `...Image` that holds a
    reference with tag or digest, and a mapping with `repository` and `tag` or `digest`, which is how Helm values write one.
    """
    found: dict[str, Image] = {}
    for template in pod_templates(key.group, key.kind, value):
        for index, container in enumerate(containers(template)):
            text = container.value.get("image")
            image = parse_image(text) if isinstance(text, str) and not has_token(text) else None
            if image:
                found[f"{template.pointer} {container.role} {container.name or index}"] = image
    if not found and (key.group, key.kind) not in _LARGE_KINDS:
        found.update(_search(value))
    return found


def _search(value: Value) -> Iterator[tuple[str, Image]]:
    """Images in a value of unknown shape, by pointer."""
    ahead: list[tuple[str, Value]] = [("", value)]
    while ahead:
        pointer, node = ahead.pop()
        if isinstance(node, list):
            ahead.extend((f"{pointer}/{i}", item) for i, item in enumerate(node))
        elif isinstance(node, dict):
            image = _from_parts(node)
            if image:
                yield pointer, image
            for name, item in node.items():
                place = f"{pointer}/{escape_token(name)}"
                if isinstance(item, (dict, list)):
                    ahead.append((place, item))
                elif isinstance(item, str) and (name == "image" or name.endswith("Image")) and not has_token(item):
                    image = parse_image(item)
                    if image and (image.tag or image.digest):
                        yield place, image


def _from_parts(node: dict[str, Value]) -> Image | None:
    repository, registry, digest = node.get("repository"), node.get("registry"), node.get("digest")
    tag = node.get("tag") if node.get("tag") is not None else ""
    if not isinstance(repository, str) or isinstance(tag, bool) or not isinstance(tag, (str, int, float)):
        return None
    pinned = digest if isinstance(digest, str) else ""
    # Without both, the chart decides, commonly by its appVersion.
    if not (str(tag) or pinned) or has_token(f"{registry}{repository}{tag}{pinned}"):
        return None
    named = parse_image(f"{registry}/{repository}" if isinstance(registry, str) and registry else repository)
    if named is None or named.tag or named.digest:
        return None
    shown, _, pinned_by_tag = str(tag).partition("@")
    return Image(named.repository, shown, pinned or pinned_by_tag)
