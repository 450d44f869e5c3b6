"""crd-version-removed: a version of a CustomResourceDefinition is no longer served while objects at head use it."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import values_at
from kdiff.kube.references import defined_kind
from kdiff.model.value import Value


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        ref = change.object
        if (ref.group, ref.kind) != ("apiextensions.k8s.io", "CustomResourceDefinition") or not (change.base_value and change.head_value):
            continue
        lost = _served(change.base_value) - _served(change.head_value)
        graph = context.head_graphs[change.scope]
        definitions = [o for o in graph.of_kind(ref.group, ref.kind) if o.id == change.id]
        defined = defined_kind(definitions[0]) if definitions else None
        if not lost or defined is None:
            continue
        users = [o for o in graph.of_kind(*defined) if o.version in lost]
        if not users:
            continue
        versions = sorted({o.version for o in users})
        ids = sorted({o.id for o in users})
        yield Finding(
            message=f"{change.id} no longer serves {some(versions)}, but head still has {some(ids)}, which cannot be applied any more",
            why="A version that is not listed with served: true is unknown to the API server, which answers `no matches for kind`.",
            scope=change.scope,
            object=change.id,
            objects=tuple(ids),
            pointer="/spec/versions",
        )


def _served(definition: dict[str, Value]) -> set[str]:
    return {
        str(version.get("name"))
        for _, version in values_at(definition, "spec.versions[]")
        if isinstance(version, dict) and version.get("served") is True
    }


RULE = Rule("crd-version-removed", "blocking", "A CRD version in use is no longer served", _check)
