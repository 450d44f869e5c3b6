"""The kustomization that Flux builds for a target: the user's own or a generated one, with the Flux Kustomization's fields in it."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kdiff.documents.load import load_document, load_first
from kdiff.documents.scalars import go_key
from kdiff.documents.split import DocumentError
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.flux import leaves_source
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.kube.source_ignore import IGNORE_FILE, SourceIgnoreRule, default_ignore_rules, is_ignored, parse_ignore_rules
from kdiff.model.failure import Failure, FailureClass
from kdiff.model.target import Target
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

# Every field of a kustomization (kustomize api/types/kustomization.go). Flux reads the file into that type and writes it back, so
# that a field it does not know is lost, where kustomize alone would refuse the file. Go's JSON ignores the case of field names.
KUSTOMIZATION_FIELDS = {field.casefold(): field for field in (
    "apiVersion", "kind", "metadata", "openapi", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels", "commonAnnotations",
    "patchesStrategicMerge", "patchesJson6902", "patches", "images", "imageTags", "replacements", "replicas", "vars", "sortOptions",
    "resources", "components", "crds", "bases", "configMapGenerator", "secretGenerator", "helmGlobals", "helmCharts",
    "helmChartInflationGenerator", "generatorOptions", "configurations", "generators", "transformers", "validators",
    "buildMetadata",
)}  # fmt: skip
# Fields whose values are strings in that type: sigs.k8s.io/yaml makes `1.10` and `true` strings there, kustomize refuses them.
STRING_FIELDS = ("namespace", "namePrefix", "nameSuffix")
STRING_MAPS = ("commonLabels", "commonAnnotations")
# The fields of a Flux patch target (fluxcd/pkg/apis/kustomize, Selector).
SELECTOR_FIELDS = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")
# What Flux does not take for a local path (fluxcd/pkg/kustomize, IsLocalRelativePath).
REMOTE_PREFIXES = ("git::", "gh:", "ssh://", "https://", "http://", "git@", "github.com:", "github.com/")


class _RefusalError(Exception):
    """Flux would not build this target; turned into a Failure."""

    def __init__(self, class_: FailureClass, message: str) -> None:
        super().__init__(message)
        self.class_ = class_


def flux_overlay(target: Target) -> Mapping[str, bytes] | Failure:
    """Files by tree path that make `target.path` what kustomize-controller builds; {} when the tree already is that.

    The rules are those of the Generator in fluxcd/pkg/kustomize (kustomize_generator.go, GenerateManifest): an existing
    kustomization is kept and the Flux Kustomization's fields are merged into it, else one is generated. spec.commonMetadata, which the
    controller sets on the built objects (ssa/utils, SetCommonMetadata), becomes two transformers that run after all others and
    touch metadata only. It is applied before postBuild here and after it there: a `${VAR}` inside commonMetadata is
    substituted, where Flux keeps it. The owner labels are left out on purpose (docs/decisions/0002-no-owner-labels.md).
    A target without owner is the generated kustomization alone. `Failure.side` is a placeholder that the pipeline sets.
    """
    try:
        return _overlay(target)
    except _RefusalError as refusal:
        return Failure("head", target.id, refusal.class_, str(refusal), target.scope)
    except RecursionError:
        return Failure("head", target.id, "invalid-kustomization", "the kustomization is nested too deep to be built", target.scope)


def _overlay(target: Target) -> Mapping[str, bytes]:
    tree, directory = target.tree, target.path
    owner = _owner_value(target)
    _require_directory(tree, directory, text(mapping(owner, "spec"), "path"))
    existing = next((name for name in KUSTOMIZATION_NAMES if tree.is_file(posixpath.join(directory, name))), None)
    if existing is None:
        kustomization = _generate(tree, directory)
        path = posixpath.normpath(posixpath.join(directory, KUSTOMIZATION_NAMES[0]))
    else:
        path = posixpath.normpath(posixpath.join(directory, existing))
        kustomization = _read(tree, path)
        if owner is None:
            return {}
    # Of two spellings the last in order of bytes counts: sigs.k8s.io/yaml makes sorted JSON of the file first.
    spelled = sorted(kustomization.items(), key=lambda item: item[0].encode())
    merged = {KUSTOMIZATION_FIELDS[key.casefold()]: value for key, value in spelled if key.casefold() in KUSTOMIZATION_FIELDS}
    _spell_strings(merged)
    if existing is not None and not merged.get("resources"):
        # Flux's answer to kustomize's refusal of a kustomization that lists nothing.
        merged["buildMetadata"] = ["originAnnotations"]
    if owner is not None:
        _merge_owner(merged, owner, tree, directory)
    if existing is not None and merged == kustomization:
        return {}
    identity: dict[str, Value] = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    # JSON is YAML, and says every string exactly.
    return {path: json.dumps({**identity, **merged}, ensure_ascii=False).encode("utf-8", "surrogatepass")}


def _owner_value(target: Target) -> Value:
    """The owner as rendered; from its raw bytes, since a masked value would be built into the objects."""
    owner = target.owner
    if owner is None:
        return None
    return load_document(owner.raw, canonical=True) if owner.raw else owner.value


def _require_directory(tree: Tree, directory: str, written: str) -> None:
    if tree.is_dir(directory):
        return
    shown = written or directory
    if leaves_source(written):
        raise _RefusalError("load-restriction", f"spec.path {shown} leads out of the tree, and Flux never leaves the source it builds from")
    if tree.is_file(directory):
        raise _RefusalError("invalid-kustomization", f"spec.path {shown} is a file; Flux builds directories")
    raise _RefusalError("missing-kustomization", f"spec.path {shown} is not in the tree{_advice(tree, directory)}")


def _advice(tree: Tree, directory: str) -> str:
    if "${" in directory:
        return "; nothing that kdiff has seen substitutes its variable, so start from the Kustomization that does, with --entry"
    above = min((path[: path.index(f"/{directory}/")] for path in tree.paths if f"/{directory}/" in path), key=len, default=None)
    if above is not None:  # an artifact may be pushed from a directory of the repository
        return f", but below {above}; if the source is made of {above}, give that directory of each side (git:REV:{above})"
    return "; paths count from the root of the source, so give the repository's root"


def _read(tree: Tree, path: str) -> dict[str, Value]:
    try:
        content = tree.read(path)
    except OutsideTree as error:
        raise _RefusalError("load-restriction", f"{path} {error.fault}") from error
    try:
        value = load_first(content)
    except DocumentError as error:
        raise _RefusalError("invalid-kustomization", f"{path}: {error}") from error
    if value is not None and not isinstance(value, dict):
        raise _RefusalError("invalid-kustomization", f"{path} is not a mapping")
    return value or {}


def _spell_strings(kustomization: dict[str, Value]) -> None:
    """Scalars as the strings that they are read as, in the fields where people leave the quotes away."""
    for field in STRING_FIELDS:
        if field in kustomization:
            kustomization[field] = _spelt(kustomization[field])
    for field in STRING_MAPS:
        if isinstance(kustomization.get(field), dict):
            kustomization[field] = {key: _spelt(value) for key, value in mapping(kustomization, field).items()}
    images = kustomization.get("images")
    if isinstance(images, list):
        kustomization["images"] = [
            {key: _spelt(value) for key, value in image.items()} if isinstance(image, dict) else image for image in images
        ]


def _spelt(value: Value) -> Value:
    if isinstance(value, (bool, float)):
        return go_key(value)
    return str(value) if isinstance(value, int) else value


def _generate(tree: Tree, directory: str) -> dict[str, Value]:
    """Flux's kustomization of a directory that has none (scanManifests): every manifest below, in order of names."""
    resources: list[Value] = [f"./{path}" for path in _manifests(tree, directory)]
    # A kustomization may not be empty; the placeholder is Flux's own.
    return {"resources": resources} if resources else {"namespace": "_placeholder"}


def _manifests(tree: Tree, directory: str) -> Iterator[str]:
    """Paths, from `directory`, of YAML files and of sub-directories with a kustomization of their own, which are not descended.

    Links to directories are not followed (filepath.Walk). Whether a file holds Kubernetes objects is left to the build, which
    refuses a stray YAML file just as Flux does.
    """
    rules = _ignore_rules_above(tree, directory)
    waiting = [("", rules)]
    while waiting:
        relative, rules = waiting.pop()
        path = posixpath.normpath(posixpath.join(directory, relative))
        if relative and not tree.is_dir(path):
            if path.endswith((".yaml", ".yml")) and not is_ignored(rules, path):
                yield relative
            continue
        if relative and path in tree.paths:
            continue
        if relative and any(tree.is_file(f"{path}/{name}") and not is_ignored(rules, f"{path}/{name}") for name in KUSTOMIZATION_NAMES):
            yield relative
            continue
        rules += _ignore_rules_in(tree, path) if relative else ()
        try:
            names = tree.list_dir(path)
        except (OSError, OutsideTree):
            continue
        waiting += [(posixpath.join(relative, name), rules) for name in reversed(names)]


def _ignore_rules_above(tree: Tree, directory: str) -> tuple[SourceIgnoreRule, ...]:
    """The default excludes and the ignore files from the root down to `directory`, in rising priority."""
    segments = [] if directory == "." else directory.split("/")
    rules = default_ignore_rules()
    for depth in range(len(segments) + 1):
        rules += _ignore_rules_in(tree, "/".join(segments[:depth]) or ".")
    return rules


def _ignore_rules_in(tree: Tree, directory: str) -> tuple[SourceIgnoreRule, ...]:
    path = posixpath.normpath(posixpath.join(directory, IGNORE_FILE))
    return parse_ignore_rules(tree.read(path).decode("utf-8", "replace"), directory) if tree.is_file(path) else ()


def _merge_owner(kustomization: dict[str, Value], owner: Value, tree: Tree, directory: str) -> None:
    """Write the Flux Kustomization's fields into `kustomization`, in the order and with the precedence of GenerateManifest."""
    spec = mapping(owner, "spec")
    for field, source in (("namespace", "targetNamespace"), ("namePrefix", "namePrefix"), ("nameSuffix", "nameSuffix")):
        if text(spec, source):
            kustomization[field] = text(spec, source)
    _append(kustomization, "patches", [_patch(patch.get("patch"), patch) for patch in mappings(spec, "patches")], dict)
    _append(kustomization, "components", list(_components(spec, tree, directory)), str)
    # Dropped from the API in v1: a v1 object that still has them loses them in the cluster (kustomize-controller api/v1).
    if not text(owner, "apiVersion").endswith("/v1"):
        merges: list[Value] = [json.dumps(patch, ensure_ascii=False) for patch in mappings(spec, "patchesStrategicMerge")]
        _append(kustomization, "patchesStrategicMerge", merges, str)
        operations = [_patch(json.dumps(p.get("patch"), ensure_ascii=False), p) for p in mappings(spec, "patchesJson6902")]
        _append(kustomization, "patchesJson6902", operations, dict)
    _merge_images(kustomization, mappings(spec, "images"))
    build_metadata: list[Value] = list(strings(spec, "buildMetadata"))
    if build_metadata:
        kustomization["buildMetadata"] = build_metadata
    _append(kustomization, "transformers", list(_common_metadata(mapping(spec, "commonMetadata"))), str)


def _patch(content: Value, patch: dict[str, Value]) -> Value:
    """A kustomize patch with what Flux keeps of it: the text and the selector."""
    merged: dict[str, Value] = {"patch": content}
    selector = {field: value for field in SELECTOR_FIELDS if (value := text(mapping(patch, "target"), field))}
    if "target" in patch:
        merged["target"] = dict(selector)
    return merged


def _components(spec: dict[str, Value], tree: Tree, directory: str) -> Iterator[Value]:
    ignore_missing = spec.get("ignoreMissingComponents") is True
    for component in strings(spec, "components"):
        if component.startswith("/") or component.lower().startswith((*REMOTE_PREFIXES, "file:///")):
            raise _RefusalError("invalid-kustomization", f"component path {component} must be local and relative")
        path = posixpath.normpath(posixpath.join(directory, component))
        if not ignore_missing or tree.is_dir(path) or tree.is_file(path):
            yield component


def _merge_images(kustomization: dict[str, Value], images: Iterable[dict[str, Value]]) -> None:
    """An image of the same name is amended: a new tag or digest replaces both, a new name only the name."""
    merged = [dict(image) if isinstance(image, dict) else image for image in _items(kustomization, "images", dict)]
    for image in images:
        given = {field: text(image, field) for field in ("name", "newName", "newTag", "digest")}
        known = next((entry for entry in merged if isinstance(entry, dict) and entry.get("name") == given["name"]), None)
        if known is None:
            merged.append({field: value for field, value in given.items() if value})
            continue
        if given["newName"]:
            known["newName"] = given["newName"]
        if given["newTag"] or given["digest"]:
            known.pop("newTag", None)
            known.pop("digest", None)
            known.update({field: given[field] for field in ("newTag", "digest") if given[field]})
    if merged:
        kustomization["images"] = merged


def _common_metadata(common: dict[str, Value]) -> Iterator[Value]:
    """Transformers that set labels and annotations on metadata alone.

    The kustomization's own `commonAnnotations` would reach pod templates as well (kustomize api/internal/konfig/builtinpluginconsts).
    """
    for kind, field in (("LabelTransformer", "labels"), ("AnnotationsTransformer", "annotations")):
        pairs = {key: value for key, value in mapping(common, field).items() if isinstance(value, str)}
        if pairs:
            yield json.dumps(
                {
                    "apiVersion": "builtin",
                    "kind": kind,
                    "metadata": {"name": f"flux-common-{field}"},
                    field: pairs,
                    "fieldSpecs": [{"path": f"metadata/{field}", "create": True}],
                },
                ensure_ascii=False,
            )


def _append(kustomization: dict[str, Value], field: str, items: list[Value], item_type: type) -> None:
    if items:
        kustomization[field] = [*_items(kustomization, field, item_type), *items]


def _items(kustomization: Mapping[str, Value], field: str, item_type: type) -> list[Value]:
    """The list at `field`, whose items must be of `item_type`: Flux decodes the file into kustomize's own types."""
    items = kustomization.get(field)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, item_type) for item in items):
        wanted = "mappings" if item_type is dict else "strings"
        raise _RefusalError("invalid-kustomization", f"{field} of the kustomization is not a list of {wanted}")
    return items
