"""Which references at head lead to nothing, and whether that is news."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kdiff.hazards.rule import Context
from kdiff.kube.fields import text
from kdiff.kube.flux import (
    ARTIFACT_GROUP,
    HELM_GROUP,
    KUSTOMIZE_GROUP,
    OPERATOR_GROUP,
    SOURCE_GROUP,
    SourceRef,
    read_artifact_generator,
    synchronised_objects,
)
from kdiff.kube.graph import ReferenceGraph
from kdiff.kube.reconciliation import removal_of
from kdiff.kube.references import Reference
from kdiff.model.object import KubeObject, ObjectKey, object_id
from kdiff.model.options import Options

# Makers whose product outlives them: cert-manager keeps a Certificate's Secret unless it is told to own it (cert-manager docs,
# Cleaning up Secrets when Certificates are deleted), a StatefulSet's claims stay, and so does what a Kyverno rule generated unless it
# synchronizes (Kyverno docs, Generate Rules).
_PRODUCT_STAYS = {"Certificate", "Ingress", "Gateway", "Issuer", "ClusterIssuer", "StatefulSet", "ClusterPolicy", "Policy"}


@dataclass(frozen=True)
class Missing:
    """A reference at head without its object. `lost` when base had the object; else base never spoke of it."""

    reference: Reference
    lost: bool


def is_source_reference(reference: Reference) -> bool:
    """True for sourceRef and chartRef of what Flux applies: a Kustomization, a HelmRelease or a HelmChart."""
    owner = reference.source.key
    return (owner.group, owner.kind) in {
        (KUSTOMIZE_GROUP, "Kustomization"),
        (HELM_GROUP, "HelmRelease"),
        (SOURCE_GROUP, "HelmChart"),
    } and reference.pointer.endswith(("/sourceRef/name", "/chartRef/name"))


def is_dependency(reference: Reference) -> bool:
    """True for dependsOn of a Kustomization or a HelmRelease."""
    owner = reference.source.key
    return owner.group in (KUSTOMIZE_GROUP, HELM_GROUP) and reference.pointer.startswith("/spec/dependsOn/")


def missing_at_head(context: Context) -> Iterator[tuple[str, Missing]]:
    """(scope, reference) for every reference of a changed scope that leads to nothing at head and that is news, sorted.

    One that base could not follow either is news only where nothing at base named the same object, in a scope whose targets are followed
    from Flux or Argo CD: then nobody showed that the cluster has it from elsewhere. Objects that stay in the cluster though they left git
    count as there, and so does all that a target which could not be rendered may hold.
    """
    for scope in sorted({change.scope for change in context.changes}):
        base, head = context.base_graphs[scope], context.head_graphs[scope]
        made_before, made = _made_by_flux(base), _made_by_flux(head)
        for reference in head.dangling:
            target = head.settle(reference.target)
            if reference.optional or target in made or _is_own(target, context.options):
                continue
            if target in made_before or base.resolves(reference):
                if target in made_before or _is_gone(context, scope, reference):
                    yield scope, Missing(reference, lost=True)
            elif not base.references_to(target) and _is_whole(context, scope):
                yield scope, Missing(reference, lost=False)


def target_id(context: Context, scope: str, key: ObjectKey) -> str:
    """The object id of what a reference names: its version as base rendered it, v1 where it never did."""
    known = context.base_graphs[scope].objects.get(context.base_graphs[scope].settle(key), ())
    return known[0].id if known else object_id(key, "v1")


def _is_gone(context: Context, scope: str, reference: Reference) -> bool:
    """True when what base had is really gone at head. A guess across namespaces, where one side states none, proves nothing."""
    key = context.base_graphs[scope].settle(reference.target)
    if key.namespace != reference.target.namespace:
        return False
    declared = context.base_graphs[scope].objects.get(key, ())
    if declared and key in context.head_graphs[scope]:
        return True  # it is there without the data key that is needed
    sources: list[KubeObject] = list(declared)
    if not declared:
        sources = [r.source for r in context.base_graphs[scope].references_to(reference.target) if r.kind == "makes"]
        sources = [o for o in sources if o.key.kind not in _PRODUCT_STAYS]
    return any(
        (scope, obj.target) not in context.base.withheld
        and removal_of(obj, scope, context.base_targets, context.head_targets).fate == "delete"
        for obj in sources
    )


def _is_whole(context: Context, scope: str) -> bool:
    """True when a cluster was followed on both sides and head has no failure that base had not."""
    base, head = context.base.in_scope(scope), context.head.in_scope(scope)
    followed = all(any(s.target.kind in ("flux", "argo") for s in states) for states in (base, head))
    return followed and {s.target.id for s in head if s.failure} <= {s.target.id for s in base if s.failure}


def _is_own(key: ObjectKey, options: Options) -> bool:
    """What the cluster has without a manifest in the tree: what flux bootstrap and FluxInstance make, and --self-source."""
    if key.group not in (SOURCE_GROUP, KUSTOMIZE_GROUP):
        return False
    source = SourceRef(key.kind, key.namespace, key.name)
    return source.is_bootstrap or bool({str(source), f"{key.namespace}/{key.name}"} & set(options.self_source))


def _made_by_flux(graph: ReferenceGraph) -> frozenset[ObjectKey]:
    """Sources and Kustomizations that FluxInstances and ArtifactGenerators make."""
    made: set[ObjectKey] = set()
    for instance in graph.of_kind(OPERATOR_GROUP, "FluxInstance"):
        source, root = synchronised_objects(instance.value) or ({}, {})
        for value in (source, root):
            metadata = value.get("metadata")
            group = text(value, "apiVersion").partition("/")[0]
            made.add(ObjectKey(group, text(value, "kind"), text(metadata, "namespace"), text(metadata, "name")))
    for each in graph.of_kind(ARTIFACT_GROUP, "ArtifactGenerator"):
        generator = read_artifact_generator(each.value)
        made |= {ObjectKey(SOURCE_GROUP, "ExternalArtifact", generator.namespace, artifact.name) for artifact in generator.artifacts}
    return frozenset(made)
