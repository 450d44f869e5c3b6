"""The kustomizations that a build is made of, and the objects that each of them collects, as far as their files tell."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kdiff.documents.load import load_documents, load_first
from kdiff.documents.split import DocumentError
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.kube.patch_target import Selectable, selectable
from kdiff.model.build import Build
from kdiff.model.tree import OutsideTree
from kdiff.model.value import Value

# Fields that leave names, kinds and metadata of what is collected as they are in the files.
_PLAIN = frozenset({
    "apiversion", "kind", "metadata", "resources", "bases", "components", "configmapgenerator", "secretgenerator", "generatoroptions",
    "namespace", "images", "replicas", "buildmetadata", "sortoptions",
})  # fmt: skip
_LABELLING = frozenset({"labels", "commonlabels", "commonannotations"})


@dataclass
class Layer:
    """One kustomization: the file at `path`, its `value` by casefolded field, and what it collects by tree path.

    `opaque` is True where more may come in than its files tell: something remote, a plugin, a chart, a file that cannot be read.
    """

    directory: str
    path: str
    value: Mapping[str, Value]
    spelling: Mapping[str, str] = field(default_factory=dict)  # casefolded field to the field as written
    files: list[str] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    opaque: bool = False

    @property
    def is_component(self) -> bool:
        """True for what is applied to the objects of whoever includes it (kustomize docs, Components)."""
        return self.value.get("kind") == "Component"

    @property
    def is_plain(self) -> bool:
        """True when names and metadata of the objects that it passes on are those of its files."""
        return self.value.keys() <= _PLAIN

    @property
    def is_plain_but_labels(self) -> bool:
        """As `is_plain`, except for labels and annotations."""
        return self.value.keys() <= _PLAIN | _LABELLING


class Layers:
    """The layers of one build, read once."""

    def __init__(self, build: Build) -> None:
        """Everything is read from the build's tree, with its overlay on top."""
        self.build = build
        self.tree = build.target.tree
        self._layers: dict[str, Layer | None] = {}
        self._objects: dict[str, tuple[Value, ...] | None] = {}
        ahead = [self._resolved(build.target.path) or build.target.path]
        while ahead:
            directory = ahead.pop()
            if directory not in self._layers:
                layer = self._layers[directory] = self._read(directory)
                ahead += [*layer.bases, *layer.components] if layer else []

    @property
    def all(self) -> tuple[Layer, ...]:
        """Every layer, sorted by path."""
        return tuple(sorted((layer for layer in self._layers.values() if layer), key=lambda layer: layer.path))

    def includers(self, layer: Layer) -> tuple[Layer, ...]:
        """The layers whose objects the patches of `layer` see: itself or, for a component, every kustomization that includes it."""
        if not layer.is_component:
            return (layer,)
        found: dict[str, Layer] = {}
        seen, ahead = {layer.directory}, [layer]
        while ahead:
            current = ahead.pop()
            for each in self.all:
                if current.directory in each.components and each.directory not in seen:
                    seen.add(each.directory)
                    if each.is_component:
                        ahead.append(each)
                    else:
                        found[each.directory] = each
        return tuple(found.values())

    def below(self, layer: Layer) -> tuple[Layer, ...]:
        """`layer` and every layer that it collects from."""
        found = {layer.directory: layer}
        ahead = [layer]
        while ahead:
            current = ahead.pop()
            for directory in (*current.bases, *current.components):
                lower = self._layers.get(directory)
                if lower is not None and directory not in found:
                    found[directory] = lower
                    ahead.append(lower)
        return tuple(found.values())

    def collected(self, layer: Layer, *, without: Sequence[Layer] = ()) -> list[Selectable]:
        """The objects of the files below `layer`, and of its ConfigMap and Secret generators, by the names that stand there.

        Each may also be in a namespace that one of these layers sets, except for the layers `without`.
        """
        layers = self.below(layer)
        namespaces = frozenset(text(dict(each.value), "namespace") for each in layers if each not in without) - {""}
        values = [value for each in layers for path in each.files for value in self._values(path) or ()]
        values += [value for each in layers for value in _generated(each)]
        found = (selectable(value, namespaces) for value in values)
        return [obj for obj in found if obj is not None]

    def knows_all(self, layer: Layer) -> bool:
        """True when nothing below `layer` brings in objects that the files do not show."""
        return not any(each.opaque or any(self._values(path) is None for path in each.files) for each in self.below(layer))

    def components_until(self, includer: Layer, component: Layer) -> list[Value]:
        """The components that `includer` names, as written, up to `component`: later ones come after its patches."""
        named = list(strings(dict(includer.value), "components"))
        places = [self._resolved(posixpath.join(includer.directory, name)) for name in named]
        return [*named[: places.index(component.directory) + 1 if component.directory in places else None]]

    def own_length(self, layer: Layer, name: str) -> int:
        """How many items of a list stand in the file of the tree itself; the rest comes from whoever made the overlay."""
        if layer.path not in self.build.overlay:
            return len(list(_items(layer.value.get(name))))
        value = self._parse(self.tree_content(layer.path))
        return len(list(_items({key.casefold(): item for key, item in value.items()}.get(name)))) if isinstance(value, dict) else 0

    def tree_content(self, path: str) -> bytes:
        """The file as the tree has it; empty when it has none."""
        try:
            return self.tree.read(path)
        except (OSError, OutsideTree):
            return b""

    def mappings_in(self, layer: Layer, path: str) -> list[dict[str, Value]]:
        """The mappings, or lists of mappings, in a file that `layer` names."""
        resolved = self._resolved(posixpath.join(layer.directory, path)) if path else None
        values = self._documents(resolved) if resolved else None
        return [item for value in values or () for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]

    def _read(self, directory: str) -> Layer | None:
        for name in KUSTOMIZATION_NAMES:
            path = posixpath.normpath(posixpath.join(directory, name))
            if path not in self.build.overlay and not self.tree.is_file(path):
                continue
            written = self._parse(self.build.overlay.get(path) or self.tree_content(path))
            if not isinstance(written, dict):
                return None
            value = {key.casefold(): item for key, item in written.items()}
            value["kind"] = value.get("kind") or "Kustomization"
            layer = Layer(directory, path, value, {key.casefold(): key for key in written})
            layer.opaque = any(name in value for name in ("generators", "helmcharts", "helmchartinflationgenerator"))
            for field_name in ("resources", "bases", "components"):
                for reference in strings(value, field_name):
                    self._follow(layer, reference, is_component=field_name == "components")
            return layer
        return None

    def _follow(self, layer: Layer, reference: str, *, is_component: bool) -> None:
        path = self._resolved(posixpath.join(layer.directory, reference))
        if path is not None and not is_component and (path in self.build.overlay or self.tree.is_file(path)):
            layer.files.append(path)
        elif path is not None and self.tree.is_dir(path):
            (layer.components if is_component else layer.bases).append(path)
        else:
            layer.opaque = True

    def _resolved(self, path: str) -> str | None:
        try:
            return self.tree.resolve(posixpath.normpath(path))
        except OutsideTree:
            return None

    def _parse(self, content: bytes) -> Value:
        """The first document, the only one that kustomize reads of a kustomization."""
        try:
            return load_first(content)
        except DocumentError:
            return None

    def _values(self, path: str) -> tuple[Value, ...] | None:
        """The objects in a resource file, items of lists among them; None when it cannot be read."""
        if path not in self._objects:
            documents = self._documents(path)
            self._objects[path] = None if documents is None else tuple(value for each in documents for value in _unlisted(each))
        return self._objects[path]

    def _documents(self, path: str) -> list[Value] | None:
        try:
            content = self.build.overlay.get(path) or self.tree.read(path)
            return load_documents(content)
        except (DocumentError, OSError, OutsideTree):
            return None


def _items(value: Value | None) -> Iterator[Value]:
    yield from value if isinstance(value, list) else ()


def _unlisted(value: Value) -> Iterator[Value]:
    """The items of a `List`, as kustomize takes them apart (api/resource/factory.go, inlineAnyEmbeddedLists); else the value."""
    ahead = [value]
    while ahead:
        current = ahead.pop()
        if isinstance(current, dict) and text(current, "kind").endswith("List") and isinstance(current.get("items"), list):
            ahead += mappings(current, "items")
        else:
            yield current


def _generated(layer: Layer) -> Iterator[Value]:
    for field_name, kind in (("configmapgenerator", "ConfigMap"), ("secretgenerator", "Secret")):
        for generator in mappings(dict(layer.value), field_name):
            options = mapping(generator, "options")
            metadata: dict[str, Value] = {key: generator[key] for key in ("name", "namespace") if key in generator}
            metadata |= {key: options[key] for key in ("labels", "annotations") if key in options}
            yield {"apiVersion": "v1", "kind": kind, "metadata": metadata}
