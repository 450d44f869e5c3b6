"""What a kustomization file is called, and what each of its fields makes kustomize read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from kdiff.kube.kustomization_types import KUSTOMIZATION, PLUGINS, Type
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
class Asked:
    """What a kustomization, or the configuration of a plugin that is built into kustomize, makes kustomize read.

    `unknown` names fields, at any depth, that kustomize (as of 5.8) does not have, or has with another type: a newer one may read
    what they name. `helm` is True where charts are inflated, by a helm that reads what it likes.
    """

    references: tuple[Reference, ...]
    helm: bool = False
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class KustomizationFile(Asked):
    """A kustomization.

    `collects` is True when it changes no more of an object than name, namespace, labels and annotations: the fields of its files
    are then the fields of what it gives.
    """

    kind: str = "Kustomization"
    collects: bool = False


_HELM = frozenset({"helmcharts", "helmglobals", "helmchartinflationgenerator"})
_COLLECTING = frozenset({
    "apiversion", "kind", "metadata", "resources", "bases", "namespace", "nameprefix", "namesuffix", "commonlabels", "labels",
    "commonannotations", "buildmetadata", "sortoptions",
})  # fmt: skip


def read_kustomization(value: Value) -> KustomizationFile | None:
    """What the kustomization `value` asks for; None when it is no mapping, which kustomize refuses."""
    if not isinstance(value, dict):
        return None
    fields = {field.casefold(): content for field, content in value.items()}
    kind = fields.get("kind")
    asked = _asked(value, KUSTOMIZATION, helm=not fields.keys().isdisjoint(_HELM))
    return KustomizationFile(
        asked.references,
        asked.helm,
        asked.unknown,
        kind=kind if isinstance(kind, str) and kind else "Kustomization",
        collects=fields.keys() <= _COLLECTING,
    )


def read_plugin(value: Value) -> Asked | None:
    """What the configuration `value` of a generator, transformer or validator reads, relative to the kustomization that uses it.

    None when it configures an executable or a function. `apiVersion: builtin`, also behind an empty group, names kustomize's own
    (api/internal/plugins/loader/loader.go, isBuiltinPlugin), and any `...List` is taken apart first (api/resource/factory.go,
    inlineAnyEmbeddedLists).
    """
    if not isinstance(value, dict):
        return Asked((), unknown=("configuration",))
    version, kind = value.get("apiVersion"), value.get("kind")
    is_list = isinstance(kind, str) and kind.endswith("List")
    if isinstance(version, str) and version.rpartition("/")[2] != "builtin" and not is_list:
        return None
    fields = PLUGINS.get(kind) if isinstance(kind, str) else None
    return Asked((), unknown=("kind",)) if fields is None else _asked(value, fields, helm=kind == "HelmChartInflationGenerator")


_CHARTS = "charts"  # the default chartHome (api/types/helmchartargs.go, HelmDefaultHome)


def _asked(value: Value, type_: Type, *, helm: bool) -> Asked:
    references: list[Reference] = []
    unknown: list[str] = []
    _read(value, type_, "", references, unknown)
    return Asked((*references, *([Reference("chart", _CHARTS)] if helm else ())), helm, tuple(unknown))


def _read(value: Value, type_: Type, at: str, references: list[Reference], unknown: list[str]) -> None:
    """Add what `value`, which stands in the field `at`, makes kustomize read when its type is `type_`.

    Field names are matched as encoding/json matches them for kustomize, ignoring case by Unicode's simple folding (fold.go), so that
    `Files` and `file\u017f` are `files`. A field that stands twice, in two spellings, is unknown: which one counts is kustomize's secret.
    """
    if type_ is None or value is None:
        return
    if isinstance(type_, str) and isinstance(value, str):
        references += _references(value, type_)
    elif isinstance(type_, list) and isinstance(value, list):
        for item in value:
            _read(item, type_[0], at, references, unknown)
    elif isinstance(type_, dict) and isinstance(value, dict):
        seen: set[str] = set()
        for field, content in value.items():
            name, place = field.casefold(), f"{at}.{field}" if at else field
            if name in type_:
                _read(content, type_[name], place, references, unknown)
            else:
                references += (Reference("any", text) for text in all_strings(content))
            if name in seen or name not in type_:
                unknown.append(place)
            seen.add(name)
    else:
        unknown.append(at)


def _references(text: str, role: str) -> Iterator[Reference]:
    if role == "source":  # `path` or `key=path` (api/internal/generators/utils.go, ParseFileSource)
        yield from _references(text.partition("=")[2] if "=" in text else text, "file")
    elif role == "chart-name":  # joined to the home of charts (HelmChartInflationGenerator.go, absChartHome), so `..` may leave it
        if ".." in text.split("/"):
            yield Reference("chart", f"{_CHARTS}/{text}")
    elif text:
        yield Reference(cast("Role", role), text)


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
