"""Counts the changes by kind, by namespace and by target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kdiff.kube.kinds import is_cluster_scoped
from kdiff.model.change import Change
from kdiff.model.impact import Counts

NO_NAMESPACE = "-"  # key of objects that name no namespace; no namespace can be called so


def count_by_kind(changes: Iterable[Change]) -> dict[str, Counts]:
    """Counts by kind, sorted; `Kind.group` where kinds of two groups share a name."""
    pairs = [((c.object.kind, c.object.group), c) for c in changes]
    groups: dict[str, set[str]] = {}
    for (kind, group), _ in pairs:
        groups.setdefault(kind, set()).add(group)
    return _count((f"{kind}.{group}" if group and len(groups[kind]) > 1 else kind, c) for (kind, group), c in pairs)


def count_by_namespace(changes: Iterable[Change]) -> dict[str, Counts]:
    """Counts by the namespace an object names (at head; at base for removed ones), `-` for none."""
    return _count((c.object.namespace or NO_NAMESPACE, c) for c in changes)


def count_by_target(changes: Iterable[Change]) -> dict[str, Counts]:
    """Counts by target id, for every target that renders the object on either side; `scope: id` where two scopes share an id."""
    changes = tuple(changes)
    pairs = [((t, c.scope), c) for c in changes for t in sorted({*c.targets.base, *c.targets.head})]
    scopes: dict[str, set[str]] = {}
    for (target, scope), _ in pairs:
        scopes.setdefault(target, set()).add(scope)
    return _count((f"{scope}: {target}" if len(scopes[target]) > 1 else target, c) for (target, scope), c in pairs)


def count_cluster_scoped(changes: Iterable[Change]) -> int:
    """How many changed objects are cluster-scoped."""
    return sum(is_cluster_scoped(c.object.group, c.object.kind) for c in changes)


def count_crds(changes: Iterable[Change]) -> int:
    """How many changed objects are CustomResourceDefinitions."""
    return sum((c.object.group, c.object.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition") for c in changes)


def _count(named: Iterable[tuple[str, Change]]) -> dict[str, Counts]:
    """A change counts by its status, and once more as moved when its target changed beside."""
    counts: dict[str, Counts] = {}
    for name, change in named:
        now = counts.get(name, Counts())
        now = replace(now, **{change.status: getattr(now, change.status) + 1})
        if change.moved is not None and change.status != "moved":
            now = replace(now, moved=now.moved + 1)
        counts[name] = now
    return dict(sorted(counts.items()))
