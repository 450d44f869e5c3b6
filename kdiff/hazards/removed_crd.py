"""removed-crd: a CustomResourceDefinition leaves, and with it every object of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.references import defined_kind


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "apiextensions.k8s.io", "CustomResourceDefinition"):
        defined = defined_kind(gone.object)
        if not gone.deleted or defined is None:
            continue
        graphs = (context.base_graphs[gone.change.scope], context.head_graphs[gone.change.scope])
        resources = sorted({o.id for graph in graphs for o in graph.of_kind(*defined)})
        known = f": {some(resources)}" if resources else "; none is in this tree, which does not know those of other owners"
        yield Finding(
            message=f"{gone.told} with every {defined[1]} in the cluster{known}",
            why="The API server deletes all custom resources of a deleted definition, and their controllers clean up what they made.",
            scope=gone.change.scope,
            object=gone.object.id,
            objects=tuple(resources),
        )


RULE = Rule("removed-crd", "blocking", "A CustomResourceDefinition is removed with all its resources", _check)
