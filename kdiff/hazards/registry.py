"""Every rule, in the order of rules.md. Adding one here is all that it takes to run it."""

from __future__ import annotations

from functools import cache

from kdiff.errors import ConfigError
from kdiff.hazards import (
    capability_added,
    crd_version_removed,
    dangling_dependency,
    dangling_reference,
    dangling_source,
    dependency_cycle,
    duplicate_object,
    exposure_changed,
    host_access,
    image_registry_changed,
    image_unpinned,
    immutable_field,
    large_changeset,
    limits_removed,
    major_chart_bump,
    major_image_bump,
    moved_without_handover,
    not_pruned,
    patch_matches_nothing,
    privileged,
    probe_removed,
    prune_optout_ineffective,
    pvc_shrink,
    rbac_widened,
    recreated,
    removed_api,
    removed_crd,
    removed_namespace,
    removed_networkpolicy,
    removed_pdb,
    removed_pv,
    removed_pvc,
    removed_statefulset,
    replicas_vs_autoscaler,
    resumes,
    runs_as_root,
    scaled_to_zero,
    source_bootstrap_cycle,
    suspended_target,
    suspends,
    undefined_variable,
    unordered_substitution,
    verification_dropped,
    webhook_fails_closed,
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
    pvc_shrink.RULE,
    immutable_field.RULE,
    recreated.RULE,
    scaled_to_zero.RULE,
    replicas_vs_autoscaler.RULE,
    moved_without_handover.RULE,
    duplicate_object.RULE,
    not_pruned.RULE,
    prune_optout_ineffective.RULE,
    suspends.RULE,
    resumes.RULE,
    suspended_target.RULE,
    dangling_source.RULE,
    source_bootstrap_cycle.RULE,
    dangling_dependency.RULE,
    dependency_cycle.RULE,
    undefined_variable.RULE,
    unordered_substitution.RULE,
    patch_matches_nothing.RULE,
    verification_dropped.RULE,
    dangling_reference.RULE,
    privileged.RULE,
    host_access.RULE,
    capability_added.RULE,
    runs_as_root.RULE,
    rbac_widened.RULE,
    exposure_changed.RULE,
    webhook_fails_closed.RULE,
    image_unpinned.RULE,
    image_registry_changed.RULE,
    major_image_bump.RULE,
    major_chart_bump.RULE,
    limits_removed.RULE,
    probe_removed.RULE,
    removed_api.RULE,
    large_changeset.RULE,
)


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules of this package, then those that installed packages offer as entry points of the group `kdiff.rules`, by name.

    An entry point names a `Rule`. Raises `ConfigError` for one that cannot be loaded, is none, or takes an id that is taken.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - 100 ms

    found = {rule.id: rule for rule in RULES}
    for entry in sorted(entry_points(group="kdiff.rules"), key=lambda e: e.name):
        try:
            rule = entry.load()
        except Exception as error:  # noqa: BLE001 - a foreign module may raise anything
            raise ConfigError(f"the rule {entry.name} ({entry.value}) cannot be loaded: {error}; mend or uninstall its package") from None
        if not isinstance(rule, Rule):
            raise ConfigError(f"the entry point {entry.name} ({entry.value}) of kdiff.rules is no kdiff.hazards.rule.Rule")
        if rule.id in found:
            raise ConfigError(f"the rule {entry.name} ({entry.value}) takes the id {rule.id}, which another rule has")
        found[rule.id] = rule
    return tuple(found.values())
