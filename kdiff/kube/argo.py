"""Typed readers of Argo CD objects: Applications with their sources and ignored differences. Wrong types read as absent."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.options import IgnoreRule
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value

ARGO_GROUP = "argoproj.io"
ARGO_FINALIZER = "resources-finalizer.argocd.argoproj.io"
"""On an Application: what it applied is deleted with it. On an ApplicationSet: see `reconciliation`."""

SourceType = Literal["kustomize", "directory", "helm", "plugin"]
_EXPLICIT_TYPES: tuple[SourceType, ...] = ("kustomize", "helm", "directory", "plugin")
# What a file in the application's path may not override (reposerver/repository.go, mergeSourceParameters).
_FIXED = ("chart", "path", "repoURL", "targetRevision")
# A targetRevision that is no branch: Argo CD looks for the newest tag that satisfies a version or range, then for a branch or tag of
# that name, then takes seven or more hex digits for a commit (util/git/client.go, resolveRevision; docs,
# user-guide/tracking_strategies). The last alternative holds what git allows in no name (git check-ref-format).
_NO_BRANCH = re.compile(r"[0-9a-fA-F]{7,40}|v?\d+(\.[\dx*]+)+([-+].*)?|refs/(?!heads/).*|[<>=].*|.*[ ~^:?*\[].*")


@dataclass(frozen=True)
class ArgoSource:
    """One source of an Application: `path` is normalised; `value` is the source as rendered, for its tool's options."""

    repo_url: str
    path: str
    revision: str = ""
    chart: str = ""
    ref: str = ""
    value: Mapping[str, Value] = field(default_factory=dict)

    @property
    def is_directory_of_git(self) -> bool:
        """False for a chart of a Helm repository and for a source that only lends its files to another one (`ref`)."""
        return not self.chart and not (self.ref and "path" not in self.value)

    @property
    def is_pinned(self) -> bool:
        """True when the revision is a commit, a version, a range of versions or another ref that is certainly no branch.

        A tag with any other name cannot be told from a branch.
        """
        return _NO_BRANCH.fullmatch(self.revision) is not None

    @property
    def branch(self) -> str | None:
        """The branch that is followed by name; None for a pinned source and for HEAD, the default of an empty targetRevision."""
        return None if self.is_pinned or self.revision in ("", "HEAD") else self.revision.removeprefix("refs/heads/")


@dataclass(frozen=True)
class ArgoApplication:
    """An Application (argo-cd, pkg/apis/application/v1alpha1/types.go)."""

    namespace: str
    name: str
    sources: tuple[ArgoSource, ...]
    project: str = "default"
    destination_namespace: str = ""
    cluster: str = ""  # spec.destination.name or .server
    prune: bool = False

    @property
    def target_id(self) -> str:
        """The target id of report-v1: `Application namespace/name`."""
        return application_id(self.namespace, self.name)


def application_id(namespace: str, name: str) -> str:
    """`Application namespace/name`, or without the namespace where none is rendered."""
    return f"Application {namespace}/{name}" if namespace else f"Application {name}"


def read_application(value: Value) -> ArgoApplication:
    """An Application. spec.sources wins over spec.source (types.go, HasMultipleSources).

    Objects that leave git are pruned only by an automated sync that says so; otherwise a person decides at each sync.
    """
    metadata, spec = mapping(value, "metadata"), mapping(value, "spec")
    several = list(mappings(spec, "sources"))
    destination = mapping(spec, "destination")
    automated = mapping(mapping(spec, "syncPolicy"), "automated")
    return ArgoApplication(
        namespace=text(metadata, "namespace"),
        name=text(metadata, "name"),
        sources=tuple(_source(source) for source in several or [mapping(spec, "source")] if source),
        project=text(spec, "project") or "default",
        destination_namespace=text(destination, "namespace"),
        cluster=text(destination, "name") or text(destination, "server"),
        prune=automated.get("prune") is True and automated.get("enabled") is not False,
    )


def _source(source: Mapping[str, Value]) -> ArgoSource:
    value = dict(source)
    return ArgoSource(
        repo_url=text(value, "repoURL"),
        path=posixpath.normpath(text(value, "path") or "."),
        revision=text(value, "targetRevision"),
        chart=text(value, "chart"),
        ref=text(value, "ref"),
        value=value,
    )


class ArgoError(ValueError):
    """A source that Argo CD refuses; the message is one line."""


def override_files(path: str, application_name: str) -> tuple[str, str]:
    """The files in a source's path that override its options, the stronger one last."""
    names = (".argocd-source.yaml", f".argocd-source-{application_name}.yaml")
    return posixpath.normpath(posixpath.join(path, names[0])), posixpath.normpath(posixpath.join(path, names[1]))


def effective_source(source: ArgoSource, application_name: str, tree: Tree, load: Callable[[bytes], Value]) -> Mapping[str, Value]:
    """The source's options after `.argocd-source.yaml` and `.argocd-source-<name>.yaml` in its path are merged in.

    Both are JSON merge patches (RFC 7386), the second written by argocd-image-updater among others
    (reposerver/repository.go, mergeSourceParameters). `load` reads one YAML document and raises ValueError.

    Raises:
        ArgoError: such a file cannot be read.
    """
    merged: Value = dict(source.value)
    for path in override_files(source.path, application_name):
        if not tree.is_file(path):
            continue
        try:
            merged = merge_patch(merged, load(tree.read(path)))
        except (ValueError, OutsideTree, OSError) as error:
            raise ArgoError(f"{path} cannot be read: {error}") from None
    if not isinstance(merged, dict):
        raise ArgoError(f"an override file in {source.path} is not a mapping")
    return {key: value for key, value in merged.items() if key not in _FIXED} | {
        key: value for key, value in source.value.items() if key in _FIXED
    }


def merge_patch(value: Value, patch: Value) -> Value:
    """`value` after an RFC 7386 merge patch."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), item)
    return merged


def source_type(source: Mapping[str, Value], path: str, tree: Tree) -> SourceType:
    """How Argo CD renders a source: the tool that it has options for, else what lies in its path.

    Options that are all empty do not count (util/argo/argo.go, NormalizeApplicationSpec). In a path with both, a kustomization
    wins over a Chart.yaml (util/discovery/discovery.go, Discover). Plugins that discover by themselves cannot be seen here.

    Raises:
        ArgoError: options for several tools.
    """
    explicit = [name for name in _EXPLICIT_TYPES if _has_options(source.get(name))]
    if len(explicit) > 1:
        raise ArgoError(f"options for several tools: {', '.join(explicit)}")
    if explicit:
        return explicit[0]
    if any(tree.is_file(posixpath.join(path, name)) for name in KUSTOMIZATION_NAMES):
        return "kustomize"
    try:
        names = tree.list_dir(path)
    except (OSError, OutsideTree):
        return "directory"
    return "helm" if any(name.endswith("Chart.yaml") for name in names) else "directory"


def _has_options(options: Value) -> bool:
    if isinstance(options, dict):
        return any(_has_options(item) for item in options.values())
    return options not in (None, False, "", [])


def ignore_rules(application_value: Value) -> tuple[IgnoreRule, ...]:
    """spec.ignoreDifferences as rules for this Application's objects; JSON pointers only (see `unsupported_ignores`).

    What stands before the first / of a pointer is passed over, and one without any, as "" for the whole object, removes nothing
    (evanphx/json-patch v4 patch.go, findObject).
    `group` and `kind` are globs, `name` and `namespace` exact (util/argo/normalizers/diff_normalizer.go).
    """
    application = read_application(application_value)
    # The targets of further sources are called `<id> <path>`.
    targets = (application.target_id, f"{application.target_id} *")[: len(application.sources)]
    return tuple(
        IgnoreRule(
            kind=f"{text(item, 'group')}/{text(item, 'kind')}" if text(item, "group") else text(item, "kind"),
            name=text(item, "name"),
            namespace=text(item, "namespace"),
            target=target,
            pointer=pointer[pointer.index("/") :],
            origin=f"ignoreDifferences of {application.target_id}",
        )
        for item in _ignored(application_value)
        for pointer in strings(item, "jsonPointers")
        if "/" in pointer
        for target in targets
    )


def unsupported_ignores(application_value: Value) -> tuple[str, ...]:
    """The names of criteria in spec.ignoreDifferences that are not applied, sorted."""
    names = ("jqPathExpressions", "managedFieldsManagers")
    return tuple(name for name in names if any(item.get(name) for item in _ignored(application_value)))


def _ignored(application_value: Value) -> Iterator[dict[str, Value]]:
    return mappings(mapping(application_value, "spec"), "ignoreDifferences")
