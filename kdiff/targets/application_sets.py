"""The Applications that an ApplicationSet generates from lists and from this tree (argo-cd, applicationset/generators)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.errors import UnreadablePath
from kdiff.kube.argo import ARGO_FINALIZER, ARGO_GROUP, ArgoSource
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.globs import match_name, may_match_below
from kdiff.model.tree import OutsideTree, Tree, find_directories
from kdiff.model.value import Value
from kdiff.targets.go_template import TemplateError, render_template, sanitize_name

MAX_APPLICATIONS = 2000  # of one ApplicationSet
_COMBINING = ("matrix", "merge")

Params = dict[str, Value]


@dataclass(frozen=True)
class Generated:
    """The Applications as values, and what is not known of them; each problem is the end of a sentence.

    `is_complete` is False when some or all Applications are not there; of `problems`, `unreadable` are those with what nobody can look
    into, which hides Applications on both sides alike. `parameters` has, for each Application, what decides how the
    templatePatch that is not applied would be filled; all are empty without one.
    """

    applications: tuple[dict[str, Value], ...] = ()
    parameters: tuple[bytes, ...] = ()
    problems: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    is_complete: bool = True


class _UnsupportedError(Exception):
    """A generator that needs more than this tree, or that Argo CD refuses."""


def generate_applications(application_set: Value, tree: Tree, is_self: Callable[[str], bool]) -> Generated:
    """What the ApplicationSet controller creates; `is_self` tells whether a repoURL is this tree.

    Generators: list, git (directories and files), matrix, merge, with selector, values and their own template. Those that ask
    clusters, forges or plugins are problems. Template fields are replaced the plain way (`{{path.basename}}`) or, with
    goTemplate, by the part of Go's templates that `go_template` reads. spec.templatePatch is a problem, and left out.

    An Application whose template names no finalizer gets the one that deletes what it applied, unless
    spec.syncPolicy.preserveResourcesOnDeletion (applicationset/utils/utils.go, RenderTemplateParams; nothing is done to one without
    parameters). Of its metadata it keeps what controllers/template/template.go, GetTempApplication, takes over.
    """
    spec = mapping(application_set, "spec")
    namespace = text(mapping(application_set, "metadata"), "namespace")
    maker = _Maker(tree, is_self, spec.get("goTemplate") is True, "missingkey=error" in strings(spec, "goTemplateOptions"))
    finalizers = [] if mapping(spec, "syncPolicy").get("preserveResourcesOnDeletion") is True else [ARGO_FINALIZER]
    patch = text(spec, "templatePatch")
    applications: list[dict[str, Value]] = []
    parameters: list[bytes] = []
    missing: list[str] = []
    unreadable: list[str] = []
    for generator in mappings(spec, "generators"):
        template = _filled(_own_template(generator), mapping(spec, "template"))
        try:
            made = _applications(maker, generator, template, {"namespace": namespace, "finalizers": [*finalizers]})
        except (_UnsupportedError, TemplateError, UnreadablePath) as error:
            missing.append(str(error))
            unreadable += [str(error)] if isinstance(error, UnreadablePath) else []
            continue
        applications += [application for application, _ in made]
        parameters += [_parameters_of(patch, params) for _, params in made]
    if len(applications) > MAX_APPLICATIONS:
        applications, parameters, missing = [], [], [f"it generates more than {MAX_APPLICATIONS} Applications"]
    unpatched = ["spec.templatePatch is not applied"] if patch else []
    problems = tuple(dict.fromkeys([*unpatched, *missing]))
    return Generated(tuple(applications), tuple(parameters), problems, tuple(dict.fromkeys(unreadable)), is_complete=not missing)


_ALL_OF_THEM = re.compile(r"[\s({|=](?:\.|\$)(?![\w.])")


def _parameters_of(patch: str, params: Params) -> bytes:
    """The parameters that a templatePatch names, or all where it takes them as a whole (`toJson .`); nothing without a patch."""
    words = set(re.findall(r"\w+", patch))
    whole = _ALL_OF_THEM.search(patch) is not None
    named = {key: value for key, value in params.items() if whole or words.issuperset(re.findall(r"\w+", key))}
    return json.dumps(named, sort_keys=True).encode() if patch else b""


def _applications(
    maker: _Maker, generator: dict[str, Value], template: Value, given: dict[str, Value]
) -> list[tuple[dict[str, Value], Params]]:
    """The Applications of one generator with their parameters. `given` is what the controller adds to metadata."""
    return [(_application(maker, template, params, given), params) for params in maker.params_of(generator)]


_METADATA = ("annotations", "finalizers", "labels", "name")


def _application(maker: _Maker, template: Value, params: Params, given: dict[str, Value]) -> dict[str, Value]:
    """The template as an object; it lives in the namespace of its ApplicationSet, whatever the template says."""
    filled = maker.rendered(template, params) if params else template
    metadata, spec = mapping(filled, "metadata"), mapping(filled, "spec")
    if not text(metadata, "name"):
        raise _UnsupportedError("its template gives an Application no name")
    added = {key: value for key, value in given.items() if value and (params or key == "namespace")}
    metadata = {**added, **{key: metadata[key] for key in _METADATA if metadata.get(key)}}
    return {"apiVersion": f"{ARGO_GROUP}/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}


def _own_template(generator: dict[str, Value]) -> Value:
    return next((mapping(options, "template") for options in generator.values() if isinstance(options, dict) and "template" in options), {})


def _filled(value: Value, defaults: Value) -> Value:
    """`value` with what it leaves empty taken from `defaults` (mergo.Merge)."""
    if isinstance(value, dict) and isinstance(defaults, dict):
        return {**defaults, **{key: _filled(item, defaults.get(key)) for key, item in value.items()}}
    return value if value not in (None, "", [], {}, False) else defaults


class _Maker:
    """Parameters of generators over one tree, and templates filled with them."""

    def __init__(self, tree: Tree, is_self: Callable[[str], bool], go_template: bool, strict: bool) -> None:
        self.tree = tree
        self.is_self = is_self
        self.go_template = go_template
        self.strict = strict

    def params_of(self, generator: dict[str, Value], depth: int = 0) -> list[Params]:
        kinds = [name for name, options in generator.items() if name not in ("selector", "template") and isinstance(options, dict)]
        if len(kinds) != 1:
            raise _UnsupportedError("a generator names no kind or several")
        kind, options = kinds[0], mapping(generator, kinds[0])
        if kind in _COMBINING and depth > 1:
            raise _UnsupportedError("matrix and merge generators are nested more than twice")
        if kind == "list":
            params = self._list(options)
        elif kind == "git":
            params = self._git(options)
        elif kind == "matrix":
            params = self._matrix(list(mappings(options, "generators")), depth)
        elif kind == "merge":
            params = self._merge(list(mappings(options, "generators")), list(strings(options, "mergeKeys")), depth)
        else:
            raise _UnsupportedError(f"its generator {kind} asks something outside this tree")
        selector = mapping(generator, "selector")
        return [each for each in params if _selects(selector, _flattened(each))]

    def rendered(self, value: Value, params: Params) -> Value:
        """`value` with its strings and keys filled in (applicationset/utils/utils.go, deeplyReplace)."""
        if isinstance(value, str):
            return self._replaced(value, params)
        if isinstance(value, list):
            return [self.rendered(item, params) for item in value]
        if isinstance(value, dict):
            return {self._replaced(key, params): self.rendered(item, params) for key, item in value.items()}
        return value

    def _replaced(self, template: str, params: Params) -> str:
        if "{{" not in template:
            return template
        if self.go_template:
            return render_template(template, params, strict=self.strict)
        return _TAG.sub(lambda found: value if isinstance(value := params.get(found[1].strip()), str) else found[0], template)

    def _list(self, options: dict[str, Value]) -> list[Params]:
        params: list[Params] = []
        for element in mappings(options, "elements"):
            if self.go_template:
                params.append(element)
                continue
            flat: Params = {}
            for key, value in element.items():
                items = {f"values.{name}": item for name, item in mapping(element, key).items()} if key == "values" else {key: value}
                if not all(isinstance(item, str) for item in items.values()):
                    raise _UnsupportedError(f"the list element's {key} is not a string, which needs goTemplate")
                flat |= items
            params.append(flat)
        extra = text(options, "elementsYaml")
        if extra:
            params += mappings({"elements": _load(extra.encode(), "elementsYaml")}, "elements")
        return params

    def _git(self, options: dict[str, Value]) -> list[Params]:
        url = text(options, "repoURL")
        if not self.is_self(url):
            raise _UnsupportedError("its git generator reads another repository")
        revision = text(options, "revision")
        if ArgoSource(url, ".", revision).is_pinned:
            raise _UnsupportedError(f"its git generator reads revision {revision} of this repository")
        directories, files = list(mappings(options, "directories")), list(mappings(options, "files"))
        prefix = text(options, "pathParamPrefix")
        may_match = _may_match_below if directories else _may_find_below
        patterns = [text(item, "path") for item in directories or files if item.get("exclude") is not True]
        for path, gap in self.tree.gaps.items():
            if gap.kind != "file" and any(may_match(pattern, path) for pattern in patterns):
                raise UnreadablePath(gap.reason)
        if directories:
            params = [self._path_params(path, None, prefix, {}) for path in self._directories(directories)]
        else:
            params = [
                self._path_params(posixpath.dirname(path), path, prefix, each) for path in self._files(files) for each in self._read(path)
            ]
        values = {name: value for name, value in mapping(options, "values").items() if isinstance(value, str)}
        return [{**each, **self._value_params(values, each)} for each in params]

    def _value_params(self, values: dict[str, str], params: Params) -> Params:
        """The generator's own `values`, filled in (generators/value_interpolation.go)."""
        filled: Params = {name: self._replaced(value, params) for name, value in values.items()}
        if self.go_template:
            return {"values": filled} if filled else {}
        return {f"values.{name}": value for name, value in filled.items()}

    def _directories(self, items: Iterable[dict[str, Value]]) -> list[str]:
        """Directories that an item names and no excluding one does; hidden ones are not looked at (GetGitDirectories)."""
        patterns = [(text(item, "path"), item.get("exclude") is True) for item in items]
        visible = sorted(path for path in find_directories(self.tree) if not any(part.startswith(".") for part in path.split("/")))
        matching = {path: {excluded for pattern, excluded in patterns if _matches(pattern, path)} for path in visible}
        return [path for path, verdicts in matching.items() if verdicts == {False}]

    def _files(self, items: Iterable[dict[str, Value]]) -> list[str]:
        """Files by git pathspec, in which `*` crosses slashes (util/git/client.go, LsFiles)."""
        patterns = [(text(item, "path"), item.get("exclude") is True) for item in items]
        matching = {
            path: {excluded for pattern, excluded in patterns if match_name(pattern, path) or path.startswith(f"{pattern}/")}
            for path in sorted({*self.tree.paths, *(path for path, gap in self.tree.gaps.items() if gap.kind == "file")})
        }
        return [path for path, verdicts in matching.items() if verdicts == {False}]

    def _read(self, path: str) -> list[Params]:
        if path in self.tree.gaps:
            raise UnreadablePath(self.tree.gaps[path].reason)
        try:
            value = _load(self.tree.read(path), path)
        except (OSError, OutsideTree):
            raise _UnsupportedError(f"{path} cannot be read") from None
        if value is None:
            return [{}]
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in items):
            raise _UnsupportedError(f"{path} holds no parameters")
        return [item if self.go_template else {**_flattened(item)} for item in items if isinstance(item, dict)]

    def _path_params(self, directory: str, file: str | None, prefix: str, given: Params) -> Params:
        """`path` and what hangs on it (generators/git.go, generateParamsFromApps and generateParamsFromGitFile)."""
        path = directory or "."
        basename = posixpath.basename(path)
        parts: Params = {"path": path, "basename": basename, "basenameNormalized": sanitize_name(basename)}
        if file is not None:
            filename = posixpath.basename(file)
            parts |= {"filename": filename, "filenameNormalized": sanitize_name(filename)}
        segments: list[Value] = [*path.split("/")]
        if self.go_template:
            nested: Params = {"path": {**parts, "segments": segments}}
            return {**given, **({prefix: nested} if prefix else nested)}
        name = f"{prefix}.path" if prefix else "path"
        flat: Params = {name if key == "path" else f"{name}.{key}": value for key, value in parts.items()}
        return {**given, **flat, **{f"{name}[{index}]": segment for index, segment in enumerate(segments)}}

    def _matrix(self, generators: list[dict[str, Value]], depth: int) -> list[Params]:
        if len(generators) != 2:
            raise _UnsupportedError("a matrix generator needs two generators")
        combined: list[Params] = []
        for first in self.params_of(generators[0], depth + 1):
            second = self.rendered(generators[1], first) if first else generators[1]
            for other in self.params_of(second if isinstance(second, dict) else {}, depth + 1):
                if not self.go_template and any(first[key] != other[key] for key in first.keys() & other.keys()):
                    raise _UnsupportedError("both sides of a matrix generator set one key differently")
                combined.append(_deep_merge(other, first))
                if len(combined) > MAX_APPLICATIONS:
                    raise _UnsupportedError(f"it generates more than {MAX_APPLICATIONS} Applications")
        return combined

    def _merge(self, generators: list[dict[str, Value]], keys: list[str], depth: int) -> list[Params]:
        if len(generators) < 2 or not keys:
            raise _UnsupportedError("a merge generator needs two generators and mergeKeys")
        base, *others = [self._by_keys(self.params_of(generator, depth + 1), keys) for generator in generators]
        for overrides in others:
            for key in base.keys() & overrides.keys():
                base[key] = _deep_merge(base[key], overrides[key]) if self.go_template else {**base[key], **overrides[key]}
        return list(base.values())

    def _by_keys(self, params: list[Params], keys: list[str]) -> dict[str, Params]:
        found: dict[str, Params] = {}
        for each in params:
            key = json.dumps([each.get(name) for name in keys], sort_keys=True)
            if key in found:
                raise _UnsupportedError("two parameter sets of a merge generator share their merge keys")
            found[key] = each
        return found


_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def _load(raw: bytes, where: str) -> Value:
    try:
        return load_document(raw)
    except DocumentError as error:
        raise _UnsupportedError(f"{where} cannot be read: {error}") from None


def _matches(pattern: str, path: str) -> bool:
    """Go's path.Match: as many segments on both sides."""
    parts, segments = pattern.split("/"), path.split("/")
    return len(parts) == len(segments) and all(map(match_name, parts, segments))


def _may_match_below(pattern: str, directory: str) -> bool:
    """Whether some visible directory below `directory` may match as a whole path (`_matches`)."""
    parts, segments = pattern.split("/"), directory.split("/")
    hidden = any(segment.startswith(".") for segment in segments)
    return not hidden and len(parts) > len(segments) and all(map(match_name, parts, segments))


def _may_find_below(pattern: str, directory: str) -> bool:
    """Whether git may find some file below `directory` by a pathspec (`_Maker._files`)."""
    return may_match_below(pattern, directory) or f"{directory}/".startswith(f"{pattern}/")


def _deep_merge(value: Params, over: Params) -> Params:
    merged = dict(value)
    for key, item in over.items():
        current = merged.get(key)
        merged[key] = _deep_merge(current, item) if isinstance(current, dict) and isinstance(item, dict) else item
    return merged


def _flattened(params: Params) -> dict[str, str]:
    """Leaves by dotted name, as text (jeremywohl/flatten, DotStyle)."""
    flat: dict[str, str] = {}
    waiting: list[tuple[str, Value]] = list(params.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += [(f"{name}.{key}", item) for key, item in value.items()]
        elif isinstance(value, list) and value:
            waiting += [(f"{name}.{index}", item) for index, item in enumerate(value)]
        else:
            flat[name] = value if isinstance(value, str) else "<nil>" if value is None else json.dumps(value)
    return flat


def _selects(selector: dict[str, Value], labels: Mapping[str, str]) -> bool:
    """A label selector over flattened parameters (applicationset/utils/selector.go)."""
    if any(labels.get(name) != value for name, value in mapping(selector, "matchLabels").items()):
        return False
    for term in mappings(selector, "matchExpressions"):
        key, operator, values = text(term, "key"), text(term, "operator"), list(strings(term, "values"))
        held = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }
        if not held.get(operator, False):
            return False
    return True
