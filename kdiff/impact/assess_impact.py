"""Works out what the changes reach: counts, rollouts, dependents, images, and an effect for every change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kdiff.impact.counts import count_by_kind, count_by_namespace, count_by_target, count_cluster_scoped, count_crds
from kdiff.impact.dependents import find_dependents
from kdiff.impact.effects import effects_of, find_held
from kdiff.impact.images import find_image_changes
from kdiff.impact.rollouts import find_rollouts
from kdiff.impact.routine import has_routine_shape
from kdiff.impact.target_dependents import find_target_dependents
from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.reconciliation import Targets
from kdiff.model.change import Change
from kdiff.model.impact import Impact
from kdiff.model.side import Side


def assess_impact(
    changes: tuple[Change, ...],
    base: Side,
    head: Side,
    base_graphs: Mapping[str, ReferenceGraph],
    head_graphs: Mapping[str, ReferenceGraph],
) -> tuple[tuple[Change, ...], Impact]:
    """The same changes with their effects, and the Impact of report-v1.

    Graphs are by scope and answer for every scope of `changes` (`kdiff.kube.graph.build_graphs`). `routine` tells the shape
    of the changes alone: it stands only where no hazard is raised and nothing failed, which is known later.
    """
    base_targets, head_targets = Targets(base), Targets(head)
    held = find_held(changes, base_targets, head_targets)
    rollouts = find_rollouts(changes, held, head_graphs)
    rolling = {(r.scope, r.object) for r in rollouts}
    with_effects = tuple(
        replace(
            change,
            effects=effects_of(
                change,
                rolls=(change.scope, change.id) in rolling,
                held=(change.scope, change.id) in held,
                base=(base_targets, base_graphs[change.scope]),
                head=(head_targets, head_graphs[change.scope]),
            ),
        )
        for change in changes
    )
    return with_effects, Impact(
        by_kind=count_by_kind(changes),
        by_namespace=count_by_namespace(changes),
        by_target=count_by_target(changes),
        cluster_scoped=count_cluster_scoped(changes),
        crds=count_crds(changes),
        rollouts=rollouts,
        pods=sum(r.replicas for r in rollouts if r.replicas is not None),
        dependents=find_dependents(changes, base_graphs, head_graphs),
        target_dependents=find_target_dependents(changes, base, head, head_graphs),
        images=find_image_changes(changes),
        routine=has_routine_shape(changes),
    )
