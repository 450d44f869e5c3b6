"""What the objects rendered so far lead to: the one way from objects to further targets."""

from __future__ import annotations

from collections.abc import Sequence

from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.tree import Tree
from kdiff.targets.argo_targets import argo_targets
from kdiff.targets.flux_targets import flux_targets
from kdiff.targets.followed import Followed


def follow_targets(states: Sequence[TargetState], scope: str, tree: Tree, options: Options, base_name: str = "") -> Followed:
    """ALL targets that the objects of one scope, on one side, lead to; called again with more states until the set is stable.

    `states` holds every target of `scope` that was rendered so far, the entry first of all; failed ones have no objects.
    Rendered manifests (kind `manifests`) have no tree to follow and lead nowhere. `base_name` is the revision that BASE names.
    """
    rendered = [state for state in states if state.target.kind != "manifests"]
    flux = flux_targets(rendered, scope, tree, options, base_name)
    argo = argo_targets(rendered, scope, tree, options, base_name)
    return Followed(
        targets=tuple(sorted((*flux.targets, *argo.targets), key=lambda target: target.id)),
        failures=tuple(sorted((*flux.failures, *argo.failures))),
        notes=tuple(sorted((*flux.notes, *argo.notes), key=lambda note: (note.kind, note.target or "", note.message))),
        superseded=tuple(sorted({*flux.superseded, *argo.superseded})),
        elsewhere=tuple(sorted((*flux.elsewhere, *argo.elsewhere))),
        unrendered=tuple(sorted((*flux.unrendered, *argo.unrendered), key=lambda one: one.id)),
        generated=argo.generated,
        partial=argo.partial,
    )
