"""The kustomization that Argo CD builds for an Application: the one in its path with the source's options, or a generated one."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.kube.argo import ArgoApplication, ArgoError, ArgoSource, effective_source, read_application, source_type
from kdiff.kube.build_environment import build_environment, expand_variables
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.kinds import is_cluster_scoped
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.failure import Failure, FailureClass
from kdiff.model.target import Target
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value
from kdiff.render.argo_manifests import manifest_files

_PATCH_FIELDS = ("path", "patch", "target", "options")
_KEEP = "*"  # in an image: what the kustomization says already


class _RefusalError(Exception):
    """Argo CD would not build this target; turned into a Failure."""

    def __init__(self, message: str, class_: FailureClass = "invalid-kustomization") -> None:
        super().__init__(message)
        self.class_: FailureClass = class_


def argo_overlay(target: Target) -> Mapping[str, bytes] | Failure:
    """Files by tree path that make `target.path` what Argo CD builds; {} when the tree already is that.

    Argo CD runs `kustomize edit` for each option of spec.source.kustomize and then `kustomize build` (util/kustomize/kustomize.go,
    Build; kustomize commands/edit); here the same edits are made to the value. A plain directory of manifests becomes a
    kustomization that lists them. `Failure.side` is a placeholder that the pipeline sets.
    """
    try:
        application, source = _application_and_source(target)
        options = effective_source(source, application.name, target.tree, load_document)
        kind = source_type(options, target.path, target.tree)
        if kind == "directory":
            return _directory_overlay(target.tree, target.path, mapping(dict(options), "directory"))
        kustomize = mapping(dict(options), "kustomize")
        return _kustomize_overlay(target.tree, target.path, kustomize, build_environment(application, source))
    except _RefusalError as refusal:
        return Failure("head", target.id, refusal.class_, str(refusal), target.scope)
    except ArgoError as error:
        return Failure("head", target.id, "invalid-kustomization", str(error), target.scope)


def destination_namespace(target: Target) -> str | None:
    """The namespace that Argo CD gives to namespaced objects of `target` that name none; None when it gives none."""
    if target.kind != "argo" or target.owner is None:
        return None
    return read_application(load_document(target.owner.raw, canonical=True)).destination_namespace or None


def place_in_destination(output: bytes, target: Target) -> bytes:
    """The `output` of an Argo CD target with the destination's namespace where a namespaced object names none.

    Argo CD does this before it compares and applies (types.go, ApplicationDestination.Namespace). A custom kind counts as
    namespaced unless it is known not to be: only the cluster knows better.
    """
    namespace = destination_namespace(target)
    if namespace is None:
        return output
    return b"---\n".join(_placed(document.raw, namespace) for document in split_documents(output, canonical=True))


_TOP_LINE = re.compile(rb"^(apiVersion|kind): *[\"']?([^\s\"']+)", re.MULTILINE)
_METADATA = re.compile(rb"^metadata:\n((?:[ ].*\n|\n)*)", re.MULTILINE)
_METADATA_KEY = re.compile(rb"^  ([A-Za-z]+):", re.MULTILINE)


def _placed(raw: bytes, namespace: str) -> bytes:
    top = {name.decode(): value.decode("utf-8", "replace") for name, value in _TOP_LINE.findall(raw)}
    group = top.get("apiVersion", "").rpartition("/")[0]
    block = _METADATA.search(raw)
    if block is None or is_cluster_scoped(group, top.get("kind", "")):
        return raw
    keys = [(block.start(1) + found.start(), found[1]) for found in _METADATA_KEY.finditer(block[1])]
    if any(name == b"namespace" for _, name in keys):
        return raw
    at = next((start for start, name in keys if name > b"namespace"), block.end(1))
    return raw[:at] + b"  " + dump_value({"namespace": namespace}).encode() + raw[at:]


def _application_and_source(target: Target) -> tuple[ArgoApplication, ArgoSource]:
    """The owner in clear, since a masked value would be built into the objects, and the source whose path is built."""
    if target.owner is None:
        raise _RefusalError("no Application names this target")
    application = read_application(load_document(target.owner.raw, canonical=True))
    source = next((each for each in application.sources if each.is_directory_of_git and each.path == target.path), None)
    if source is None:
        raise _RefusalError(f"the Application has no source with the path {target.path}")
    return application, source


def _kustomize_overlay(tree: Tree, directory: str, options: Mapping[str, Value], environment: Mapping[str, str]) -> Mapping[str, bytes]:
    options = dict(options)
    path = next((p for name in KUSTOMIZATION_NAMES if tree.is_file(p := posixpath.normpath(posixpath.join(directory, name)))), None)
    if path is None or not options:
        return {}  # without a kustomization the build fails, and says so
    before = _read(tree, path)
    after = dict(before)
    for field in ("namePrefix", "nameSuffix", "namespace"):
        if text(options, field):
            after[field] = text(options, field)
    images = [_image(expand_variables(item, environment)) for item in strings(options, "images")]
    _replace_by_name(after, "images", images)
    _replace_by_name(after, "replicas", [_replica(item) for item in mappings(options, "replicas")])
    _add_labels(after, options, environment)
    annotations = _strings_of(options, "commonAnnotations")
    if options.get("commonAnnotationsEnvsubst") is True:
        annotations = {name: expand_variables(value, environment) for name, value in annotations.items()}
    _add(after, "commonAnnotations", annotations, "annotation", force=options.get("forceCommonAnnotations") is True)
    patches: list[Value] = [{key: patch[key] for key in _PATCH_FIELDS if key in patch} for patch in mappings(options, "patches")]
    _append(after, "patches", patches)
    components = [item for item in strings(options, "components") if not _is_skipped(item, tree, directory, options)]
    _append(after, "components", [item for item in components if item not in _list(after, "components")])
    return {} if after == before else {path: _yaml(after)}


def _is_skipped(component: str, tree: Tree, directory: str, options: Mapping[str, Value]) -> bool:
    path = posixpath.normpath(posixpath.join(directory, component))
    return options.get("ignoreMissingComponents") is True and not (tree.is_dir(path) or tree.is_file(path))


def _read(tree: Tree, path: str) -> dict[str, Value]:
    try:
        value = load_document(tree.read(path))
    except OutsideTree as error:
        raise _RefusalError(f"{path} {error.fault}", "load-restriction") from error
    except DocumentError as error:
        raise _RefusalError(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise _RefusalError(f"{path} is not a mapping")
    return value


def _yaml(kustomization: Mapping[str, Value]) -> bytes:
    # JSON is YAML, and says every string exactly.
    return json.dumps(kustomization, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")


def _list(kustomization: Mapping[str, Value], field: str) -> list[Value]:
    current = kustomization.get(field)
    if current is None:
        return []
    if not isinstance(current, list):
        raise _RefusalError(f"{field} of the kustomization is not a list")
    return current


def _append(kustomization: dict[str, Value], field: str, items: list[Value]) -> None:
    if items:
        kustomization[field] = [*_list(kustomization, field), *items]


def _strings_of(options: dict[str, Value], field: str) -> dict[str, str]:
    return {name: value for name, value in mapping(options, field).items() if isinstance(value, str)}


def _image(argument: str) -> dict[str, Value]:
    """`[name=]new-name[:tag][@digest]` (kustomize commands/edit/set/setimage.go, parse)."""
    key, separator, value = argument.partition("=")
    if not separator:
        key, value = "", argument
    name, tag, digest = _split_image(value)
    if name == argument:
        raise _RefusalError(f"kustomize image {argument} has neither a tag, a digest nor a new name")
    image: dict[str, Value] = {"name": key or name, "newName": name if key else "", "newTag": tag, "digest": digest}
    return {field: item for field, item in image.items() if item}


def _split_image(image: str) -> tuple[str, str, str]:
    """Name, tag and digest; a `:` in front of the first `/` belongs to the registry's port."""
    start = max(image.find("/"), 0)
    name, _, digest = image[start:].partition("@")
    name, _, tag = name.partition(":")
    return image[:start] + name, tag, digest


def _replica(item: Mapping[str, Value]) -> dict[str, Value]:
    count = item.get("count")
    if isinstance(count, bool) or not isinstance(count, (int, str)) or not re.fullmatch(r"[+-]?\d+", str(count)):
        raise _RefusalError("a count in kustomize.replicas is not a whole number")
    return {"name": text(dict(item), "name"), "count": int(count)}


def _replace_by_name(kustomization: dict[str, Value], field: str, items: list[dict[str, Value]]) -> None:
    """Entries of one name are replaced whole, but for what an item keeps with `*`; the list is sorted by name afterwards."""
    if not items:
        return
    merged = {text(item, "name"): item for item in items}
    for old in mappings(kustomization, field):
        name = text(old, "name")
        if name in merged:
            merged[name] = {key: old.get(key, _KEEP) if value == _KEEP else value for key, value in merged[name].items()}
        else:
            merged[name] = old
    entries = [{key: value for key, value in merged[name].items() if value != _KEEP} for name in sorted(merged)]
    kustomization[field] = [*entries]


def _add_labels(kustomization: dict[str, Value], options: dict[str, Value], environment: Mapping[str, str]) -> None:
    """As kustomize commands/edit/add/addmetadata.go, addLabels, has it."""
    labels = {name: expand_variables(value, environment) for name, value in _strings_of(options, "commonLabels").items()}
    force, templates = options.get("forceCommonLabels") is True, options.get("labelIncludeTemplates") is True
    if options.get("labelWithoutSelector") is not True:
        if labels and templates:
            raise _RefusalError("kustomize.labelIncludeTemplates needs labelWithoutSelector")
        _add(kustomization, "commonLabels", labels, "label", force=force)
    elif labels:
        entries = [dict(entry) for entry in mappings(kustomization, "labels")]
        found = next((e for e in entries if not e.get("includeSelectors") and (e.get("includeTemplates") is True) == templates), None)
        if found is None:
            found = {"pairs": {}, "includeTemplates": templates}
            entries.append(found)
        _add(found, "pairs", labels, "label", force=force)
        kustomization["labels"] = [*entries]


def _add(kustomization: dict[str, Value], field: str, pairs: Mapping[str, str], what: str, *, force: bool) -> None:
    if not pairs:
        return
    current = mapping(kustomization, field)
    taken = sorted(current.keys() & pairs.keys())
    if taken and not force:
        raise _RefusalError(f"{what} {taken[0]} is already in the kustomization, and the Application does not force it")
    kustomization[field] = {**current, **pairs}


def _directory_overlay(tree: Tree, directory: str, options: Mapping[str, Value]) -> Mapping[str, bytes]:
    """A kustomization that lists the manifests of a plain directory; Argo CD reads them itself (findManifests)."""
    existing = next((name for name in KUSTOMIZATION_NAMES if tree.is_file(posixpath.join(directory, name))), KUSTOMIZATION_NAMES[0])
    resources: list[Value] = [f"./{path}" for path in manifest_files(tree, directory, options)]
    path = posixpath.normpath(posixpath.join(directory, existing))
    # kustomize refuses a kustomization without content; this one gives nothing.
    return {path: _yaml({"resources": resources} if resources else {"namespace": "_placeholder"})}
