"""Whether a document among a target's sources may define an object, for when the target failed and nobody knows what it renders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kdiff.kube.fields import mapping, text
from kdiff.kube.flux import KUSTOMIZE_GROUP
from kdiff.kube.generated_names import split_generated_name
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

# A kustomization (also one that leaves its kind out) and a generator name what they make or include.
_NAMING = re.compile(r"|Kustomization|Component|\w*Generator")


def may_define(document: Value, key: ObjectKey) -> bool:
    """Whether the build of a target that reads `document` may give the object of `key`.

    Namespaces are not compared, since a build may set them, and a name may be longer than the one in the source: kustomize adds
    prefixes, suffixes and hashes, Flux puts variables in. A document that merely refers to the object is no hint.
    """
    kind, api_version = text(document, "kind"), text(document, "apiVersion")
    if isinstance(document, dict) and kind.endswith("List") and isinstance(items := document.get("items"), list):
        return any(may_define(item, key) for item in items)
    if kind == key.kind and (not api_version or api_version.rpartition("/")[0] == key.group):
        name = text(mapping(document, "metadata"), "name")
        return "${" in name or (name != "" and _is_part(name, key.name))
    if _NAMING.fullmatch(kind) and not api_version.startswith(f"{KUSTOMIZE_GROUP}/"):
        generated = split_generated_name(key.name)
        names = [key.name, *([generated.base] if generated else [])]
        return any(_is_word(name, leaf) for leaf in _leaves(document) for name in names)
    return False


def _is_part(name: str, longer: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", longer) is not None


def _is_word(name: str, leaf: str) -> bool:
    return name in leaf and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", leaf) is not None


def _leaves(value: Value) -> Iterator[str]:
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, str):
            yield node
