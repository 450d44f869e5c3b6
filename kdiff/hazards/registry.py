"""Every rule, in the order of rules.md. Adding one here is all that it takes to run it."""

from __future__ import annotations

from kdiff.hazards import (
    crd_version_removed,
    recreated,
    removed_crd,
    removed_namespace,
    removed_networkpolicy,
    removed_pdb,
    removed_pv,
    removed_pvc,
    removed_statefulset,
)
from kdiff.hazards.rule import Rule

RULES: tuple[Rule, ...] = (
    removed_namespace.RULE,
    removed_crd.RULE,
    crd_version_removed.RULE,
    removed_pvc.RULE,
    removed_pv.RULE,
    removed_statefulset.RULE,
    removed_networkpolicy.RULE,
    removed_pdb.RULE,
    recreated.RULE,
)
