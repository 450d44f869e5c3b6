"""Typed readers of Flux objects: Kustomizations, sources, ArtifactGenerators, FluxInstances. Wrong types read as absent."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.model.value import Value

KUSTOMIZE_GROUP = "kustomize.toolkit.fluxcd.io"
SOURCE_GROUP = "source.toolkit.fluxcd.io"
HELM_GROUP = "helm.toolkit.fluxcd.io"
ARTIFACT_GROUP = "source.extensions.fluxcd.io"
OPERATOR_GROUP = "fluxcd.controlplane.io"

# What spec.sourceRef of a Kustomization may name (kustomize-controller api/v1, CrossNamespaceSourceReference).
SOURCE_KINDS = frozenset({"GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"})
# What spec.postBuild.substituteFrom may name (kustomize-controller api/v1, SubstituteReference).
SUBSTITUTION_KINDS = frozenset({"ConfigMap", "Secret"})

# `flux bootstrap` and the FluxInstance of flux-operator both name the cluster's own source and root Kustomization so.
BOOTSTRAP_NAME = "flux-system"
BOOTSTRAP_NAMESPACE = "flux-system"


@dataclass(frozen=True, order=True)
class SourceRef:
    """A source by kind, namespace and name. Its text is `OCIRepository flux-system/flux-system`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`Kind namespace/name`, or `Kind name` where no namespace is known."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def is_bootstrap(self) -> bool:
        """True for the source that flux bootstrap and FluxInstance create, of whatever kind."""
        return self.name == BOOTSTRAP_NAME and self.namespace in (BOOTSTRAP_NAMESPACE, "")


@dataclass(frozen=True)
class FluxKustomization:
    """The fields of a Flux Kustomization that say what is built from where, and what happens to the objects.

    `path` is spec.path as written, "" when absent. `depends_on` holds target ids, `substitutes_from` object ids, both in the
    order of the spec. Field meanings: kustomize-controller, api/v1/kustomization_types.go.
    """

    namespace: str
    name: str
    source: SourceRef
    path: str = ""
    prune: bool = False
    suspend: bool = False
    force: bool = False
    deletion_policy: str | None = None
    depends_on: tuple[str, ...] = ()
    substitutes_from: tuple[str, ...] = ()
    remote_cluster: bool = False  # spec.kubeConfig: the objects are applied to another cluster

    @property
    def target_id(self) -> str:
        """The target id of report-v1: `Kustomization namespace/name`."""
        return kustomization_id(self.namespace, self.name)


@dataclass(frozen=True)
class FluxSource:
    """A GitRepository, OCIRepository or Bucket. `reference` is spec.ref; `pinned` names what it fixes the revision to, if so.

    `selections` names the fields that leave files of the repository out of its artifact, or bring others in, and that are set
    (source-controller api/v1, GitRepositorySpec and OCIRepositorySpec).
    """

    ref: SourceRef
    url: str = ""
    reference: Mapping[str, str] = field(default_factory=dict)
    selections: tuple[str, ...] = ()

    @property
    def pinned(self) -> str | None:
        """`tag v1.2.3` and the like when spec.ref fixes a revision that is not the tip of a branch.

        GitRepository: commit over name over semver over tag over branch; OCIRepository: digest over semver over tag
        (source-controller api/v1, GitRepositoryRef and OCIRepositoryRef). An OCI tag or range moves with every push, so only
        a digest counts there.
        """
        if self.ref.kind == "OCIRepository":
            digest = self.reference.get("digest")
            return f"digest {digest}" if digest else None
        for key in ("commit", "name", "semver", "tag"):
            value = self.reference.get(key)
            if value:
                return None if key == "name" and value.startswith("refs/heads/") else f"{key} {value}"
        return None

    @property
    def branch(self) -> str | None:
        """The branch that is followed, where spec.ref names one."""
        name = self.reference.get("name", "")
        return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else self.reference.get("branch")


@dataclass(frozen=True)
class CopyRule:
    """One copy operation of an artifact (source-watcher api/v1beta1, CopyOperation): `from_` and `to` as written."""

    from_: str
    to: str
    exclude: tuple[str, ...] = ()
    strategy: str = "Overwrite"


@dataclass(frozen=True)
class ArtifactPlan:
    """One artifact that an ArtifactGenerator assembles."""

    name: str
    rules: tuple[CopyRule, ...]


@dataclass(frozen=True)
class ArtifactGenerator:
    """An ArtifactGenerator: `sources` by alias, `path_pattern` as written or "", and the artifacts it makes."""

    namespace: str
    name: str
    sources: Mapping[str, SourceRef]
    path_pattern: str
    artifacts: tuple[ArtifactPlan, ...]


def kustomization_id(namespace: str, name: str) -> str:
    """`Kustomization namespace/name`, or without the namespace where none is rendered."""
    return f"Kustomization {namespace}/{name}" if namespace else f"Kustomization {name}"


def build_path(written: str) -> str:
    """The tree path of a spec.path: Flux joins it below the root of the source and never leaves that.

    `..` stops at the root and a leading slash means the root (kustomize-controller, reconcile: securejoin.SecureJoin).
    """
    return posixpath.normpath("/" + written).lstrip("/") or "."


def leaves_source(written: str) -> bool:
    """True when a spec.path, taken by its letter, leads out of the source: `../other`."""
    return posixpath.normpath("./" + written).split("/")[0] == ".."


def read_kustomization(value: Value) -> FluxKustomization:
    """A Flux Kustomization of any version of its group.

    A reference without namespace means the Kustomization's own (api/v1/reference_types.go and controller, checkDependencies);
    substituteFrom has no namespace at all.
    """
    metadata, spec = _parts(value)
    namespace = text(metadata, "namespace")
    return FluxKustomization(
        namespace=namespace,
        name=text(metadata, "name"),
        source=_source_ref(mapping(spec, "sourceRef"), namespace),
        path=text(spec, "path"),
        prune=spec.get("prune") is True,
        suspend=spec.get("suspend") is True,
        force=spec.get("force") is True,
        deletion_policy=text(spec, "deletionPolicy") or None,
        depends_on=tuple(kustomization_id(text(ref, "namespace") or namespace, text(ref, "name")) for ref in mappings(spec, "dependsOn")),
        substitutes_from=tuple(
            f"v1/{text(ref, 'kind')} " + (f"{namespace}/{text(ref, 'name')}" if namespace else text(ref, "name"))
            for ref in mappings(mapping(spec, "postBuild"), "substituteFrom")
            if text(ref, "kind") in SUBSTITUTION_KINDS
        ),
        remote_cluster=bool(mapping(spec, "kubeConfig")),
    )


_SELECTIONS = ("ignore", "include", "sparseCheckout", "layerSelector")


def read_source(value: Value) -> FluxSource:
    """A GitRepository, OCIRepository or Bucket (spec.url, or spec.endpoint of a Bucket)."""
    metadata, spec = _parts(value)
    kind = text(value, "kind") if isinstance(value, dict) else ""
    return FluxSource(
        ref=SourceRef(kind, text(metadata, "namespace"), text(metadata, "name")),
        url=text(spec, "url") or text(spec, "endpoint"),
        reference={key: item for key, item in mapping(spec, "ref").items() if isinstance(item, str)},
        selections=tuple(f"spec.{name}" for name in _SELECTIONS if spec.get(name)),
    )


def read_artifact_generator(value: Value) -> ArtifactGenerator:
    """An ArtifactGenerator (source-watcher, docs/spec/v1beta1/artifactgenerators.md)."""
    metadata, spec = _parts(value)
    namespace = text(metadata, "namespace")
    return ArtifactGenerator(
        namespace=namespace,
        name=text(metadata, "name"),
        sources={text(source, "alias"): _source_ref(source, namespace) for source in mappings(spec, "sources")},
        path_pattern=text(spec, "pathPattern"),
        artifacts=tuple(
            ArtifactPlan(
                text(artifact, "name"),
                tuple(
                    CopyRule(text(rule, "from"), text(rule, "to"), tuple(strings(rule, "exclude")), text(rule, "strategy") or "Overwrite")
                    for rule in mappings(artifact, "copy")
                ),
            )
            for artifact in mappings(spec, "artifacts")
        ),
    )


def synchronised_objects(value: Value) -> tuple[dict[str, Value], dict[str, Value]] | None:
    """The source and the root Kustomization that a FluxInstance makes from spec.sync, or None when it has none.

    Both are named spec.sync.name, else like the instance's namespace; the root prunes (flux-operator, internal/builder, the
    sync template; api/v1/fluxinstance_types.go, Sync).
    """
    metadata, spec = _parts(value)
    sync = mapping(spec, "sync")
    if not sync:
        return None
    namespace = text(metadata, "namespace") or BOOTSTRAP_NAMESPACE
    name = text(sync, "name") or namespace
    kind, reference = text(sync, "kind"), text(sync, "ref")
    named: dict[str, Value] = {"name": name, "namespace": namespace}
    source_spec: dict[str, Value] = {"url": text(sync, "url")}
    if kind in ("GitRepository", "OCIRepository"):
        source_spec["ref"] = {"name" if kind == "GitRepository" else "tag": reference}
    source: dict[str, Value] = {"apiVersion": f"{SOURCE_GROUP}/v1", "kind": kind, "metadata": named, "spec": source_spec}
    root: dict[str, Value] = {
        "apiVersion": f"{KUSTOMIZE_GROUP}/v1",
        "kind": "Kustomization",
        "metadata": dict(named),
        "spec": {"path": text(sync, "path"), "prune": True, "sourceRef": {"kind": kind, "name": name}},
    }
    return source, root


def _parts(value: Value) -> tuple[dict[str, Value], dict[str, Value]]:
    return mapping(value, "metadata"), mapping(value, "spec")


def _source_ref(ref: Value, namespace: str) -> SourceRef:
    return SourceRef(text(ref, "kind"), text(ref, "namespace") or namespace, text(ref, "name"))
