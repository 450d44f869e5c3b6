"""What a kustomization file is called, and what each of its fields makes kustomize read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kdiff.model.value import Value

# kustomize api/konfig, RecognizedKustomizationFileNames; two of them in one directory are an error.
KUSTOMIZATION_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")

Role = Literal["resource", "component", "file", "patch", "plugin", "chart", "any"]


@dataclass(frozen=True)
class Reference:
    """A string of a kustomization that may name something to read, relative to the kustomization's directory.

    `role` says how kustomize takes it (api/internal/target/kusttarget.go, api/internal/loader/fileloader.go):
    `resource`: a file, else a directory or git repository to build; `component`: a directory or git repository; `file`: a file or
    an HTTP URL; `patch`: a file, or the patch itself; `plugin`: as `resource`, or the configuration itself, and what it gives
    is configuration; `chart`: a directory whose every file helm may read; `any`: of a field that kustomize does not know.
    """

    role: Role
    path: str


@dataclass(frozen=True)
class KustomizationFile:
    """What one kustomization asks for.

    `unknown` names fields that kustomize (as of 5.8) does not have. `collects` is True when it changes no more of an object
    than name, namespace, labels and annotations: the fields of its files are then the fields of what it gives.
    """

    kind: str
    references: tuple[Reference, ...]
    helm: bool = False
    unknown: tuple[str, ...] = ()
    collects: bool = False


# Fields of api/types/kustomization.go that name nothing to read.
_PLAIN_FIELDS = frozenset({
    "apiversion", "kind", "metadata", "nameprefix", "namesuffix", "namespace", "commonlabels", "labels", "commonannotations", "images",
    "imagetags", "replicas", "vars", "sortoptions", "generatoroptions", "buildmetadata",
})  # fmt: skip
_LISTS: dict[str, Role] = {
    "resources": "resource",
    "bases": "resource",
    "components": "component",
    "crds": "file",
    "configurations": "file",
    "patchesstrategicmerge": "patch",
    "generators": "plugin",
    "transformers": "plugin",
    "validators": "plugin",
}
_WITH_PATH = frozenset({"patches", "patchesjson6902", "replacements"})
_SOURCES = frozenset({"configmapgenerator", "secretgenerator"})
_HELM = frozenset({"helmcharts", "helmglobals", "helmchartinflationgenerator"})

_COLLECTING = frozenset({
    "apiversion", "kind", "metadata", "resources", "bases", "namespace", "nameprefix", "namesuffix", "commonlabels", "labels",
    "commonannotations", "buildmetadata", "sortoptions",
})  # fmt: skip

# Plugins that are built into kustomize and read nothing (api/internal/plugins/builtinhelpers/builtins.go).
_READING_NOTHING = frozenset({
    "AnnotationsTransformer", "HashTransformer", "IAMPolicyGenerator", "ImageTagTransformer", "LabelTransformer", "NamespaceTransformer",
    "PrefixTransformer", "ReplicaCountTransformer", "SortOrderTransformer", "SuffixTransformer", "ValueAddTransformer",
})  # fmt: skip


def read_kustomization(value: Value) -> KustomizationFile | None:
    """What the kustomization `value` asks for; None when it is no mapping, which kustomize refuses.

    Field names are matched ignoring case, as encoding/json does it for kustomize (api/types/kustomization.go, Unmarshal). Values of
    a wrong type are passed over: kustomize refuses them by itself.
    """
    if not isinstance(value, dict):
        return None
    references: list[Reference] = []
    unknown: list[str] = []
    seen: set[str] = set()
    for field, content in value.items():
        name = field.casefold()
        if name in seen:
            unknown.append(field)  # the same field twice, in two spellings: which one counts is kustomize's secret
        seen.add(name)
        if name in _PLAIN_FIELDS:
            continue
        if name in _LISTS:
            references += [Reference(_LISTS[name], path) for path in _strings(content)]
        elif name in _WITH_PATH:
            references += _files(item.get("path") for item in _mappings(content))
        elif name in _SOURCES:
            references += [reference for item in _mappings(content) for reference in _generator_sources(item)]
        elif name == "openapi":
            references += _files(item.get("path") for item in _spellings(content))
        elif name in _HELM:
            references += [reference for item in (_mappings(content) or _mappings([content])) for reference in _chart_files(item)]
        else:
            unknown.append(field)
            references += [Reference("any", text) for text in all_strings(content)]
    helm = not seen.isdisjoint(_HELM)
    if helm:
        references.append(Reference("chart", "charts"))  # the default chartHome (api/types/helmchartargs.go, HelmDefaultHome)
    kind = value.get("kind")
    return KustomizationFile(
        kind=kind if isinstance(kind, str) and kind else "Kustomization",
        references=tuple(references),
        helm=helm,
        unknown=tuple(unknown),
        collects=seen <= _COLLECTING,
    )


def read_plugin(value: Value) -> tuple[Reference, ...] | None:
    """What the configuration `value` of a generator, transformer or validator reads, relative to the kustomization that uses it.

    None when that cannot be known: it is helm's, or an executable's or function's (`apiVersion: builtin` names kustomize's own,
    api/internal/plugins/loader/loader.go).
    """
    if not isinstance(value, dict) or value.get("apiVersion") != "builtin":
        return None
    kind = value.get("kind")
    if kind in _READING_NOTHING:
        return ()
    read = [_plugin_reads(kind, spelling) for spelling in _spellings(value)]
    return None if None in read else tuple(reference for references in read for reference in references or ())


def _plugin_reads(kind: Value, value: dict[str, Value]) -> tuple[Reference, ...] | None:
    if kind in ("ConfigMapGenerator", "SecretGenerator"):
        return tuple(_generator_sources(value))
    if kind in ("PatchTransformer", "PatchJson6902Transformer"):
        return tuple(_files([value.get("path")]))
    if kind == "PatchStrategicMergeTransformer":
        return tuple(Reference("patch", path) for path in _strings(value.get("paths")))
    if kind == "ReplacementTransformer":
        return tuple(_files(item.get("path") for item in _mappings(value.get("replacements"))))
    return None


def all_strings(value: Value) -> Iterator[str]:
    """Every string inside `value`, keys left out."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def is_http_url(path: str) -> bool:
    """True for what kustomize fetches over HTTP where a file is meant (api/internal/loader/fileloader.go, IsRemoteFile)."""
    return re.match(r"https?:", path, re.IGNORECASE) is not None


_SCHEME = re.compile(r"(ssh|https?|file)://", re.IGNORECASE)
_USER = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")


def is_git_url(path: str) -> bool:
    """True for what kustomize clones with git where a directory is meant (api/internal/git/repospec.go, NewRepoSpecFromURL)."""
    if path.startswith("/"):
        return False
    rest = re.sub(r"^git::", "", path.partition("?")[0], flags=re.IGNORECASE)
    scheme = _SCHEME.match(rest)
    rest = rest[scheme.end() :] if scheme else rest
    user = _USER.match(rest)
    if scheme and scheme.group(1).lower() == "file":
        return _splits_into_repository(rest, None)
    rest = rest[user.end() :] if user else rest
    github = rest.lower().startswith(("github.com/", "github.com:"))
    like_scp = not scheme and (user is not None or github)
    if not scheme and not like_scp:
        return False
    slash, colon = rest.find("/"), rest.find(":")
    end = colon if like_scp and (slash < 0 or 0 < colon < slash) else slash
    return end >= 0 and _splits_into_repository(rest[end + 1 :], 2)


def is_local_git_url(path: str) -> bool:
    """True for a git repository of this very machine: `file:` reaches beyond every tree."""
    return is_git_url(path) and re.match(r"(git::)?file:", path, re.IGNORECASE) is not None


def _splits_into_repository(path: str, segments: int | None) -> bool:
    """Whether `path` splits into a repository and a directory in it that does not leave it (repospec.go, parsePathParts).

    Where nothing marks the end of the repository's path, it has that many `segments`; all when None.
    """
    if "_git/" in path:
        before, _, after = path.partition("_git/")
        name, _, inside = after.partition("/")
        repository = before + "_git/" + name
    elif "//" in path:
        repository, _, inside = path.partition("//")
    elif ".git" in path:
        before, _, inside = path.partition(".git")
        repository = before + ".git"
    else:
        names = path.split("/")
        if segments is not None and len(names) < segments:
            return False
        repository, inside = "/".join(names[:segments]), "/".join(names[segments:] if segments else ())
    return bool(repository) and posixpath.normpath(inside.lstrip("/") or ".").split("/")[0] != ".."


def without_credentials(text: str) -> str:
    """`text` without user names and passwords in URLs, and without query values that kustomize does not read (repospec.go, parseQuery)."""
    text = re.sub(r"(?<=://)[^\s/@'\"]*@", "", text)
    return re.sub(r"(?<=[?&])(?!(?:ref|version|timeout|submodules)=)([\w.-]+)=[^&\s'\"]*", r"\1=***", text)


def _strings(value: Value) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


# Fields below the top that name files. encoding/json matches every field ignoring case, by Unicode's simple folding (fold.go), so that
# `Files` and `file\u017f` are `files`; a file that kustomize reads unforeseen would come from outside the tree.
_NESTED = {
    name.casefold(): name
    for name in ("additionalValuesFiles", "chartHome", "env", "envs", "files", "path", "paths", "replacements", "values", "valuesFile")
}


def _spellings(value: Value) -> list[dict[str, Value]]:
    """`value` with the fields of `_NESTED` spelled as they are there; once more for each that stands twice, since either may count."""
    if not isinstance(value, dict):
        return []
    first: dict[str, Value] = {}
    again: list[tuple[str, Value]] = []
    for field, content in value.items():
        name = _NESTED.get(field.casefold(), field)
        if name in first:
            again.append((name, content))
        else:
            first[name] = content
    return [first, *({**first, name: content} for name, content in again)]


def _mappings(value: Value) -> list[dict[str, Value]]:
    return [spelling for item in value for spelling in _spellings(item)] if isinstance(value, list) else []


def _files(paths: Iterator[Value] | list[Value]) -> list[Reference]:
    return [Reference("file", path) for path in paths if isinstance(path, str) and path]


def _generator_sources(generator: dict[str, Value]) -> Iterator[Reference]:
    """`files` as `path` or `key=path`, `envs` and the old `env` (api/types/kvpairsources.go; api/kv/kv.go, ParseFileSource)."""
    for source in _strings(generator.get("files")):
        yield Reference("file", source.partition("=")[2] if "=" in source else source)
    yield from _files([*_strings(generator.get("envs")), generator.get("env")])


def _chart_files(chart: dict[str, Value]) -> Iterator[Reference]:
    """Values files and the home of charts, in the new and the old spelling (api/types/helmchartargs.go)."""
    yield from _files([chart.get("valuesFile"), chart.get("values"), *_strings(chart.get("additionalValuesFiles"))])
    home = chart.get("chartHome")
    if isinstance(home, str) and home:
        yield Reference("chart", home)
