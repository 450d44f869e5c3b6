"""image-registry-changed: an image comes from somewhere else."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.image_pairs import DEFAULT_REGISTRY, image_pairs, registry, several, shown
from kdiff.hazards.rule import Context, Finding, Rule

# Kinds that hold values of a chart: where these name no host, the chart has its own.
_CHART_USERS = frozenset({"HelmRelease", "HelmChart", "HelmChartConfig", "Application", "ApplicationSet"})


def _check(context: Context) -> Iterator[Finding]:
    for pair, changes in image_pairs(context):
        if pair.before is None:
            continue
        default = "" if all(change.object.kind in _CHART_USERS for change in changes) else DEFAULT_REGISTRY
        before, after = registry(pair.before) or default, registry(pair.after) or default
        if before == after or not (before and after):
            continue
        yield Finding(
            message=f"{changes[0].id} takes {shown(pair.after)} from {after} instead of {before}",
            why="Somebody else decides what is in the image now; nodes need access, and perhaps an imagePullSecret, for another host.",
            scope=pair.scope,
            object=changes[0].id,
            objects=several(changes),
        )


RULE = Rule("image-registry-changed", "caution", "An image comes from another registry", _check)
