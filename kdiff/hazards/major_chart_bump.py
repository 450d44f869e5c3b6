"""major-chart-bump: a Helm chart goes to another major version."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from kdiff.hazards.earlier import earlier_object
from kdiff.hazards.image_pairs import several
from kdiff.hazards.phrases import count
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import label, mapping, text, values_at
from kdiff.kube.flux import HELM_GROUP, SOURCE_GROUP
from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.versions import chart_major
from kdiff.model.change import Change
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

_LABEL = re.compile(r"(.+?)-v?(\d+\..*)")  # Helm docs, Labels and Annotations: helm.sh/chart is name-version


def _check(context: Context) -> Iterator[Finding]:
    found: dict[tuple[str, str, str, str], list[Change]] = defaultdict(list)
    for change in context.changes:
        earlier = earlier_object(context, change)
        if change.head_value is None or earlier is None:
            continue
        before = dict(_charts(earlier.key, earlier.value, context.base_graphs[change.scope]))
        for name, version in _charts(key_of(change.object), change.head_value, context.head_graphs[change.scope]):
            old = before.get(name)
            majors = chart_major(old or ""), chart_major(version)
            if old is not None and None not in majors and majors[0] != majors[1]:
                found[change.scope, name, old, version].append(change)
    for (scope, name, old, version), changes in sorted(found.items(), key=lambda item: item[0]):
        yield Finding(
            message=f"the chart {name} goes from {old} to {version}, another major version, in {changes[0].id}"
            + (f" and {count(len(changes) - 1, 'other object')}" if len(changes) > 1 else ""),
            why="A new major number of a chart announces renamed values, replaced objects or steps to be taken by hand.",
            scope=scope,
            object=changes[0].id,
            objects=several(changes),
        )


def _charts(key: ObjectKey, value: dict[str, Value], graph: ReferenceGraph) -> Iterator[tuple[str, str]]:
    """(chart, version or range) that an object asks for, or that it was rendered from."""
    spec = mapping(value, "spec")
    if key.group == HELM_GROUP and key.kind == "HelmRelease":
        chart = mapping(mapping(spec, "chart"), "spec")
        yield text(chart, "chart"), text(chart, "version")
    elif key.group == SOURCE_GROUP and key.kind == "HelmChart":
        yield text(spec, "chart"), text(spec, "version")
    elif key.group == SOURCE_GROUP and key.kind == "OCIRepository":
        ref = mapping(spec, "ref")  # digest over semver over tag (source-controller api, OCIRepositoryRef)
        if any(r.pointer.endswith("/chartRef/name") for r in graph.references_to(key)) and not text(ref, "digest"):
            yield text(spec, "url").rpartition("/")[2], text(ref, "semver") or text(ref, "tag")
    elif key.group == "argoproj.io":
        for path in ("spec.source", "spec.sources[]", "spec.template.spec.source", "spec.template.spec.sources[]"):
            for _, source in values_at(value, path):
                if text(source, "chart"):
                    yield text(source, "chart"), text(source, "targetRevision")
    rendered = _LABEL.fullmatch(label(value, "helm.sh/chart"))
    if rendered:
        yield rendered[1], rendered[2]


RULE = Rule("major-chart-bump", "caution", "A chart goes to another major version", _check)
