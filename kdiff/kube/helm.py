"""Facts about Helm: which files of a chart decide what it renders, and where the chart of a Flux HelmRelease comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.flux import SOURCE_KINDS, SourceRef, build_path
from kdiff.kube.globs import match_name
from kdiff.model.value import Value

_OWN_FILES = frozenset({"Chart.yaml", "Chart.lock", "requirements.yaml", "requirements.lock", "values.yaml", "values.schema.json"})
IGNORE_FILE = ".helmignore"
_ALWAYS_IGNORED = "templates/.?*"  # pkg/ignore/rules.go, AddDefaults

# What spec.chart.spec.sourceRef (HelmReleases, HelmCharts) and spec.chartRef may name that can be a tree; HelmRepositories never are
# (source-controller api/v1, LocalHelmChartSourceReference; helm-controller api/v2, CrossNamespaceSourceReference).
_TREES = SOURCE_KINDS


_VALUES = {
    ("helm.toolkit.fluxcd.io", "HelmRelease"): re.compile(r"/spec/values(?:/|\Z)"),
    ("argoproj.io", "Application"): re.compile(r"/spec/(?:source|sources/\d+)/helm/valuesObject(?:/|\Z)"),
}


def is_chart_value(group: str, kind: str, pointer: str) -> bool:
    """Whether the field at an RFC 6901 pointer holds values for a chart, in which null takes a default of the chart away.

    The API server keeps nulls there, since the field has no schema of its own (Helm docs, Values Files: Deleting a default key).
    """
    values = _VALUES.get((group, kind))
    return values is not None and values.match(pointer) is not None


@dataclass(frozen=True)
class ChartUse:
    """A chart as a HelmRelease or a HelmChart names it: its directory and its values files, both from the root of `source`."""

    source: SourceRef
    path: str
    values_files: tuple[str, ...] = ()


def release_chart(release: Value) -> ChartUse | SourceRef | None:
    """Where the chart of a HelmRelease comes from; a SourceRef for one that a HelmChart object describes, None for one of a repository.

    The artifact that spec.chartRef names is the chart itself.
    """
    spec, namespace = mapping(release, "spec"), text(mapping(release, "metadata"), "namespace")
    reference = mapping(spec, "chartRef")
    if reference:
        named = SourceRef(text(reference, "kind"), text(reference, "namespace") or namespace, text(reference, "name"))
        return named if named.kind == "HelmChart" else ChartUse(named, ".") if named.kind in _TREES else None
    return _chart_use(mapping(mapping(spec, "chart"), "spec"), namespace)


def described_chart(helm_chart: Value) -> ChartUse | None:
    """What a HelmChart describes; None for a chart of a repository."""
    return _chart_use(mapping(helm_chart, "spec"), text(mapping(helm_chart, "metadata"), "namespace"))


def _chart_use(spec: dict[str, Value], namespace: str) -> ChartUse | None:
    reference = mapping(spec, "sourceRef")
    if text(reference, "kind") not in _TREES:
        return None
    source = SourceRef(text(reference, "kind"), text(reference, "namespace") or namespace, text(reference, "name"))
    values = [*strings(spec, "valuesFiles"), *filter(None, [text(spec, "valuesFile")])]
    return ChartUse(source, build_path(text(spec, "chart")), tuple(build_path(each) for each in values))


def local_dependencies(chart: Value) -> Iterator[str]:
    """The directories, relative to the chart's, of dependencies in a Chart.yaml or requirements.yaml that are `file://` URLs."""
    urls = (text(each, "repository") for each in mappings(chart, "dependencies"))
    return (url.removeprefix("file://") for url in urls if url.startswith("file://"))


def is_own_file(name: str) -> bool:
    """Whether Helm reads the file at `name` in a chart by itself, as it does in each chart that lies unpacked in `charts/`.

    Any other file reaches the output only through `.Files` in a template (pkg/chart/loader/load.go, LoadFiles; pkg/chart/chart.go,
    CRDObjects; helm docs, chart_template_guide/accessing_files).
    """
    while name.startswith("charts/"):
        chart, _, inner = name.removeprefix("charts/").partition("/")
        if not inner or chart.startswith(("_", ".")):
            return not inner and chart.endswith(".tgz")
        name = inner
    return name in _OWN_FILES or name.startswith(("templates/", "crds/"))


_DEFINED = re.compile(rb'\b(?:define|block)\s+["`]([^"`\n]+)["`]')
_CALLED = re.compile(rb'\b(?:include|template)\s+["`]([^"`\n]+)["`]|\binclude\s+([($.][^\n}]*)')


def may_read_files(texts: Iterable[bytes]) -> bool:
    """Whether something in a chart may read its other files; `texts` are all that Helm reads by itself, values files included.

    A named template gets the `.Files` of the chart that calls it (pkg/engine/engine.go, recAllTpls, and `include`), so texts of all
    charts belong together; and one that none of them defines stands in a chart that lies elsewhere, or packed, and may read any file.
    """
    called: set[bytes] = set()
    defined: set[bytes] = set()
    for content in texts:
        if b"Files" in content:
            return True
        defined.update(_DEFINED.findall(content))
        for name, expression in _CALLED.findall(content):
            called.update([name or expression] if b".BasePath" not in expression else ())  # a file of the chart itself
    return not called <= defined


def parse_ignore_file(content: str) -> tuple[str, ...]:
    """The patterns of a .helmignore.

    Helm takes a negated pattern for "ignore all that does not match", which hardly anybody means, and refuses `**`
    (pkg/ignore/rules.go): a file with either is read as if it ignored nothing.
    """
    lines = [line.strip() for line in content.split("\n")]
    patterns = [line for line in lines if line and not line.startswith("#")]
    return (_ALWAYS_IGNORED,) if any(p.startswith("!") or "**" in p for p in patterns) else (_ALWAYS_IGNORED, *patterns)


def is_ignored(patterns: Sequence[str], path: str) -> bool:
    """Whether Helm leaves out the file at `path` in the chart, or a directory above it (pkg/ignore/rules.go, Ignore and parseRule)."""
    segments = path.split("/")
    ends = range(1, len(segments) + 1)
    return any(_matches(pattern, segments[:end], is_directory=end < len(segments)) for end in ends for pattern in patterns)


def _matches(pattern: str, segments: Sequence[str], *, is_directory: bool) -> bool:
    if pattern.endswith("/") and not is_directory:
        return False
    pattern = pattern.removesuffix("/")
    if "/" not in pattern:
        return match_name(pattern, segments[-1])
    parts = pattern.removeprefix("/").split("/")
    return len(parts) == len(segments) and all(map(match_name, parts, segments))
