"""Which patches of the kustomizations that a build reads select nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kdiff.documents.lines import list_item_line
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.kube.fields import mappings, text
from kdiff.kube.patch_target import PatchTarget, Selectable, patch_identity, read_target, selectable, selects, selects_kind
from kdiff.model.build import Build
from kdiff.model.json_text import json_text
from kdiff.model.side import PatchUse
from kdiff.model.value import Value
from kdiff.render.layers import Layer, Layers
from kdiff.render.read_set import read_set

K = TypeVar("K", bound=Hashable)
Probe = Callable[[Build], "bytes | None"]
"""What a build gives; None when that fails or is not known."""

Uses = tuple[PatchUse, ...]
Pair = tuple["Build | None", "Build | None"]
"""The builds of one target at base and at head; None where a side has none."""

# What a kustomization collects, before its own transformers run. Of those, patches come first; JSON 6902 patches and replacements
# run after namespace, names, labels and annotations (kustomize api/internal/target/kusttarget_configplugin.go, order of the
# transformers of runTransformers).
_COLLECTED = frozenset({
    "apiversion", "kind", "metadata", "resources", "bases", "components", "crds", "openapi", "generators", "configmapgenerator",
    "secretgenerator", "generatoroptions", "helmcharts", "helmglobals", "helmchartinflationgenerator",
})  # fmt: skip
_NAMING = frozenset({"namespace", "nameprefix", "namesuffix", "commonlabels", "labels", "commonannotations"})
_DEFAULT = frozenset({"default"})  # where an object had no namespace at first
_FIELDS: Mapping[str, frozenset[str]] = {
    "patches": _COLLECTED,
    "patchesjson6902": _COLLECTED | _NAMING,
    "replacements": _COLLECTED | _NAMING,
}


@dataclass(frozen=True)
class _Patch:
    """One selector of one layer, and the fields of the layer that kustomize applies before it."""

    use: PatchUse
    layer: Layer
    before: frozenset[str]
    target: PatchTarget

    def count(self, objects: Iterable[Selectable]) -> int:
        return sum(selects(self.target, obj) for obj in objects)


def patch_uses_of_targets(
    pairs: Mapping[K, Pair], render: Callable[[tuple[Build, ...]], Sequence[bytes | None]]
) -> dict[K, tuple[Uses, Uses]]:
    """`patch_uses` of many targets, by their keys. `render` is asked for all probes at once that can be told so far, each once."""
    found: dict[K, tuple[Uses, Uses]] = {}
    rendered: dict[str, bytes | None] = {}
    while len(found) < len(pairs):
        wanted: dict[str, Build] = {}
        for key in [key for key in pairs if key not in found]:
            probe = _Recorder(rendered)
            uses = patch_uses(*pairs[key], probe)
            if probe.unknown:
                wanted |= probe.unknown
            else:
                found[key] = uses
        builds = tuple(build for _, build in sorted(wanted.items()))
        rendered.update(zip(sorted(wanted), render(builds) if builds else (), strict=True))
    return found


class _Recorder:
    """A probe that answers from what is rendered, and keeps what is not."""

    def __init__(self, rendered: Mapping[str, bytes | None]) -> None:
        self._rendered = rendered
        self.unknown: dict[str, Build] = {}

    def __call__(self, build: Build) -> bytes | None:
        if build.digest not in self._rendered:
            self.unknown[build.digest] = build
        return self._rendered.get(build.digest)


def patch_uses(base: Build | None, head: Build | None, probe: Probe) -> tuple[Uses, Uses]:
    """The patches of one target's builds at base and at head, each with how many objects it selects; None for a side without build.

    Kustomizations that read the same on both sides are left out: nothing about their patches is news. So is a patch without target,
    which kustomize refuses when it finds nothing to patch. A patch that selects something among the files that its kustomization
    collects is alive by the names that stand there. Only where none fits and another name may still come of them, `probe` renders
    what is collected, without the kustomization's own patches; when that fails, nobody knows and the patch is left out. Patches of
    base are probed only when the same patch is dead at head.
    """
    layers = [Layers(build) if build is not None else None for build in (base, head)]
    signatures = [{layer.path: _signature(each, layer) for layer in each.all} if each else {} for each in layers]
    found: list[list[_Patch]] = [[], []]
    for number, each in enumerate(layers):
        for layer in each.all if each else ():
            if each is not None and signatures[0].get(layer.path) != signatures[1].get(layer.path):
                found[number] += _patches(each, layer)
    at_head = tuple(use for patch in found[1] if layers[1] and (use := _judge(layers[1], patch, probe)))
    dead = {use.identity for use in at_head if not use.matched}
    judged = (_judge(layers[0], patch, probe if patch.use.identity in dead else None) for patch in found[0] if layers[0])
    return tuple(use for use in judged if use), at_head


def _signature(layers: Layers, layer: Layer) -> str:
    """Equal on two sides where the patches of `layer` and all that they could select are the same."""
    parts = []
    for directory in sorted({layer.directory, *(each.directory for each in layers.includers(layer))}):
        reads = read_set(layers.tree, directory, layers.build.overlay)
        overlaid = [layers.build.overlay[path].hex() for path in reads.kustomizations if path in layers.build.overlay]
        parts.append((directory, reads.files, reads.links, overlaid))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _patches(layers: Layers, layer: Layer) -> list[_Patch]:
    return [patch for field in _FIELDS for patch in _patches_of(layers, layer, field)]


def _patches_of(layers: Layers, layer: Layer, field: str) -> Iterator[_Patch]:
    own = layers.own_length(layer, field)
    items = layer.value.get(field)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, dict):
            continue
        if field == "replacements":
            for replacement in (item, *layers.mappings_in(layer, text(item, "path"))):
                for target in mappings(replacement, "targets"):
                    selected = read_target(target.get("select"))
                    use = _use(layers, layer, field, index, own, selected, [replacement.get("source"), target])
                    yield _Patch(use, layer, _FIELDS[field], selected)
        elif isinstance(item.get("target"), dict):
            selected = read_target(item["target"])
            yield _Patch(_use(layers, layer, field, index, own, selected, item), layer, _FIELDS[field], selected)


def _use(layers: Layers, layer: Layer, field: str, index: int, own: int, selected: PatchTarget, patch: Value) -> PatchUse:
    identity = patch_identity(patch)
    if index >= own:  # the Flux Kustomization or the Application brings it
        place = "spec.patches" if layers.build.target.kind == "flux" else "spec.source.kustomize.patches"
        return PatchUse(f"{layers.build.target.id} {place}[{index - own}]", str(selected), identity, 0)
    written = layer.spelling.get(field, field)
    line = list_item_line(layers.tree_content(layer.path), written, index)
    return PatchUse(f"{layer.path} {written}[{index}]", str(selected), identity, 0, layer.path, line, layer.path)


def _judge(layers: Layers, patch: _Patch, probe: Probe | None) -> PatchUse | None:
    """The use with what it matched, None when nobody knows. Without `probe`, what cannot be told counts as matched."""
    includers = layers.includers(patch.layer)
    if not includers:
        return None  # a component by itself
    objects = [obj for each in includers for obj in layers.collected(each, without=_later(each, patch))]
    matched = patch.count(objects)
    if matched or all(_settled(layers, each, patch, objects) for each in includers):
        return replace(patch.use, matched=matched)
    if probe is None:
        return replace(patch.use, matched=1)
    outputs = [probe(_probe_build(layers, each, patch)) for each in includers]
    seen = [each for output in outputs if output is not None and (each := _objects(output)) is not None]
    return replace(patch.use, matched=sum(map(patch.count, seen))) if len(seen) == len(outputs) else None


def _objects(output: bytes) -> list[Selectable] | None:
    """What a probe gave; None when it cannot be read."""
    try:
        values = [load_document(document.raw, canonical=True) for document in split_documents(output, canonical=True)]
    except DocumentError:
        return None
    return [obj for value in values if (obj := selectable(value, _DEFAULT))]


def _later(includer: Layer, patch: _Patch) -> list[Layer]:
    """The layers whose namespace is set only after the patch."""
    return [each for each in (includer, patch.layer) if each is not patch.layer or "namespace" not in patch.before]


def _settled(layers: Layers, includer: Layer, patch: _Patch, objects: Iterable[Selectable]) -> bool:
    """True when the names and labels in the files are all that the patch can see, or when no object is even of its kind."""
    if not layers.knows_all(includer):
        return False
    below = [each for each in layers.below(includer) if each is not patch.layer]
    lower = [each for each in below if each is not includer]
    if any("transformers" in each.value for each in lower):
        return False
    changes_kind = any("allowKindChange" in json_text(dict(each.value)) for each in lower)
    if not changes_kind and not any(selects_kind(patch.target, obj) for obj in objects):
        return True
    earlier = {name: value for name, value in patch.layer.value.items() if name in patch.before}
    layers_before = [*lower, replace(patch.layer, value=earlier)]
    has_labels = bool(patch.target.labels or patch.target.annotations)
    return all(each.is_plain if has_labels else each.is_plain_but_labels for each in layers_before)


def _probe_build(layers: Layers, includer: Layer, patch: _Patch) -> Build:
    """A build of what `patch` can see: the kustomization that includes it, and its own, without their patches.

    It is never proven, so that the cache on disk does not keep it; its digest is that of its content alone, so that targets share it.
    """
    build = layers.build
    overlay = {**build.overlay, patch.layer.path: _without(patch.layer, patch.before)}
    if patch.layer is not includer:
        value = {**includer.value, "components": layers.components_until(includer, patch.layer)}
        overlay[includer.path] = _without(replace(includer, value=value), _COLLECTED)
    reads = read_set(layers.tree, includer.directory, overlay)
    used = {path: content for path, content in overlay.items() if path in reads.kustomizations}
    parts = (
        "patch",
        includer.directory,
        build.flags,
        reads.files,
        reads.links,
        [(path, content.hex()) for path, content in sorted(used.items())],
    )
    return replace(
        build,
        target=replace(build.target, path=includer.directory),
        reads=reads.files,
        links=reads.links,
        directories=reads.directories,
        overlay=used,
        proven=False,
        digest=hashlib.sha256(json.dumps(parts).encode()).hexdigest(),
    )


def _without(layer: Layer, kept: frozenset[str]) -> bytes:
    """The kustomization with the fields `kept` only. JSON is YAML."""
    value = {layer.spelling.get(name, name): item for name, item in layer.value.items() if name in kept}
    if layer.value.keys() & kept <= {"apiversion", "kind", "metadata"}:
        value["generatorOptions"] = {}  # kustomize refuses a file that asks for nothing
    return json_text(value).encode("utf-8", "surrogatepass")
