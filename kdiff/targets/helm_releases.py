"""The Flux HelmReleases that rendered objects hold, as far as their charts lie in this tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kdiff.kube.flux import HELM_GROUP, SOURCE_GROUP, SourceRef
from kdiff.kube.helm import ChartUse, described_chart, release_chart
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.target import Target
from kdiff.model.tree import Tree, may_be_file
from kdiff.model.value import Value
from kdiff.targets.unrendered import Unrendered

# In the text of every HelmRelease whose chart may lie in this tree; charts of a HelmRepository are most, and need no parsing.
_HINTS = (b"GitRepository", b"Bucket", b"chartRef", b"ExternalArtifact")


@dataclass
class HelmReleases:
    """What the objects of one scope say of charts in trees."""

    releases: dict[ObjectKey, tuple[ChartUse | SourceRef, Target]] = field(default_factory=dict)
    described: dict[SourceRef, ChartUse] = field(default_factory=dict)  # by HelmChart

    def take_in(self, item: KubeObject, rendered_by: Target, load: Callable[[bytes], Value]) -> None:
        """Remember `item` when it is a HelmRelease or HelmChart; the first of an id counts."""
        group, kind = item.key.group, item.key.kind
        if (group, kind) not in ((HELM_GROUP, "HelmRelease"), (SOURCE_GROUP, "HelmChart")) or not any(hint in item.raw for hint in _HINTS):
            return
        if kind == "HelmRelease":
            use = release_chart(load(item.raw))
            if use is not None:
                self.releases.setdefault(item.key, (use, rendered_by))
        elif (described := described_chart(load(item.raw))) is not None:
            self.described.setdefault(SourceRef(kind, item.key.namespace, item.key.name), described)

    def uses(self) -> Iterator[tuple[ObjectKey, ChartUse, Target]]:
        """Every HelmRelease whose chart comes from a source that may be a tree."""
        for key, (use, rendered_by) in self.releases.items():
            chart = self.described.get(use) if isinstance(use, SourceRef) else use
            if chart is not None:
                yield key, chart, rendered_by

    def sources(self) -> dict[SourceRef, tuple[str, ...]]:
        """The sources that charts come from, with the paths of these charts."""
        found: dict[SourceRef, tuple[str, ...]] = {}
        for _, chart, _ in self.uses():
            found[chart.source] = (*found.get(chart.source, ()), chart.path)
        return found


def unrendered_releases(
    uses: Iterable[tuple[ObjectKey, ChartUse, Target]], tree_of: Callable[[SourceRef], Tree | None]
) -> Iterator[Unrendered]:
    """The HelmReleases whose chart lies in this tree; `tree_of` gives the tree that a source stands for, if it is this one."""
    for key, chart, rendered_by in uses:
        tree = tree_of(chart.source)
        # An artifact that is a chart itself may have been made from any directory of this repository.
        if tree is not None and (chart.path != "." or may_be_file(tree, "Chart.yaml")):
            name = f"{key.namespace}/{key.name}" if key.namespace else key.name
            yield Unrendered(f"HelmRelease {name}", "Helm", tree, chart.path, chart.values_files, parent=rendered_by.id)
