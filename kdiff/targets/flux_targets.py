"""The Flux Kustomizations that rendered objects hold, as targets."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kdiff.documents.load import load_document
from kdiff.kube.flux import (
    ARTIFACT_GROUP,
    HELM_GROUP,
    KUSTOMIZE_GROUP,
    OPERATOR_GROUP,
    SOURCE_GROUP,
    SOURCE_KINDS,
    ArtifactGenerator,
    FluxKustomization,
    FluxSource,
    SourceRef,
    build_path,
    read_artifact_generator,
    read_kustomization,
    read_source,
    synchronised_objects,
)
from kdiff.kube.resource_set import resources_made
from kdiff.model.failure import Failure, Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.tree import Tree
from kdiff.model.value import Value
from kdiff.targets.artifacts import ArtifactError, assemble_artifact, plan_artifacts
from kdiff.targets.followed import Followed
from kdiff.targets.helm_releases import HelmReleases, unrendered_releases
from kdiff.targets.sources import SourceUse, Verdict, judge_sources

# Objects of these kinds make further objects in the cluster that kdiff does not render.
NOT_RENDERED = {(HELM_GROUP, "HelmRelease"): "HelmRelease", (OPERATOR_GROUP, "ResourceSet"): "ResourceSet"}


@dataclass(frozen=True)
class _Found:
    """A Kustomization where it was found. `generated` ones are made by a FluxInstance and give way to a rendered one."""

    kustomization: FluxKustomization
    owner: KubeObject
    rendered_by: Target
    depth: int
    generated: bool = False


@dataclass(frozen=True)
class _Artifact:
    """An ExternalArtifact: its tree, or why it could not be assembled. `foreign` when a source of it is not this tree."""

    generator: str
    tree: Tree | None = None
    problem: str = ""
    foreign: bool = False


@dataclass
class _Scan:
    """What the objects of one scope hold, nearest to the entry first."""

    found: list[_Found]
    sources: dict[SourceRef, FluxSource]
    bootstrap: set[SourceRef]
    generators: list[ArtifactGenerator]
    not_rendered: dict[str, set[ObjectKey]]
    made: set[str]  # ids of the Kustomizations that ResourceSets make
    releases: HelmReleases


def flux_targets(states: Sequence[TargetState], scope: str, tree: Tree, options: Options, base_name: str = "") -> Followed:
    """Every Flux Kustomization in `states` whose source is `tree`, with its spec as rendered, so that a parent's patches count.

    `states` are all the scope has rendered so far; the answer depends on nothing else. A suspended Kustomization is followed
    too, as `suspended`; its children are not marked, since they go on reconciling by themselves (kustomize-controller,
    Reconcile: only the object's own spec.suspend is looked at). Where several targets render one Kustomization, the one nearest
    to the entry counts. `Failure.side` is a placeholder that the pipeline sets.
    """
    scan = _scan(states)
    nearest = _unique(scan.found, frozenset())
    verdicts = _judge(nearest, scan, tree, options, base_name)
    superseded = _superseded(scan.found, verdicts)
    chosen = _unique(scan.found, superseded.keys())
    artifacts = _assemble(scan.generators, verdicts, tree)

    targets: list[Target] = []
    failures: list[Failure] = []
    foreign: dict[SourceRef, list[FluxKustomization]] = defaultdict(list)
    own: dict[SourceRef, int] = Counter()
    for found in chosen:
        kustomization = found.kustomization
        source = kustomization.source
        artifact = artifacts.get(source)
        if artifact is not None and artifact.problem and not artifact.foreign:
            failures.append(Failure("head", kustomization.target_id, "missing-source", f"{source}: {artifact.problem}", scope))
        elif artifact is not None and artifact.tree is not None:
            own[source] += 1
            targets.append(_target(found, scope, artifact.tree, superseded))
        elif source in verdicts and verdicts[source].is_self:
            own[source] += 1
            targets.append(_target(found, scope, tree, superseded))
        else:
            foreign[source].append(kustomization)

    def tree_of(source: SourceRef) -> Tree | None:
        if source in artifacts:
            return artifacts[source].tree
        return tree if source in verdicts and verdicts[source].is_self else None

    notes = [
        *_source_notes(own, foreign, verdicts, artifacts),
        *_selection_notes(own, scan.sources),
        *_duplicate_notes(scan.found, chosen, superseded),
        *_not_rendered_notes(scan.not_rendered),
        *_chart_notes(scan.releases, own, verdicts),
        *_remote_cluster_notes(chosen),
    ]
    return Followed(
        targets=tuple(sorted(targets, key=lambda target: target.id)),
        failures=tuple(sorted(failures)),
        notes=tuple(sorted(notes, key=lambda note: (note.kind, note.message))),
        superseded=tuple(sorted(superseded)),
        elsewhere=tuple(sorted(scan.made.union(one.target_id for users in foreign.values() for one in users))),
        unrendered=tuple(unrendered_releases(scan.releases.uses(), tree_of)),
    )


def _scan(states: Sequence[TargetState]) -> _Scan:
    parents = {state.target.id: state.target for state in states}
    scan = _Scan([], {}, set(), [], defaultdict(set), set(), HelmReleases())
    ordered = sorted(((len(_ancestors(state.target, parents)), state.target.id, state) for state in states), key=lambda row: row[:2])
    for depth, _, state in ordered:
        above = {target.source for target in (state.target, *_ancestors(state.target, parents))}
        for item in state.objects:
            group, kind = item.key.group, item.key.kind
            scan.releases.take_in(item, state.target, _value)
            if (group, kind) == (KUSTOMIZE_GROUP, "Kustomization"):
                scan.found.append(_Found(read_kustomization(_value(item.raw)), item, state.target, depth))
            elif group == SOURCE_GROUP and kind in SOURCE_KINDS:
                _declare(scan, read_source(_value(item.raw)), above)
            elif (group, kind) == (ARTIFACT_GROUP, "ArtifactGenerator"):
                scan.generators.append(read_artifact_generator(_value(item.raw)))
            elif (group, kind) == (OPERATOR_GROUP, "FluxInstance"):
                _scan_instance(scan, item, state.target, depth)
            elif (group, kind) in NOT_RENDERED:
                scan.not_rendered[NOT_RENDERED[group, kind]].add(item.key)
                scan.made |= _kustomizations_made(item) if kind == "ResourceSet" else set()
    return scan


def _kustomizations_made(resource_set: KubeObject) -> set[str]:
    keys = (key for _, key in resources_made(_value(resource_set.raw)))
    return {f"Kustomization {k.namespace}/{k.name}" for k in keys if (k.group, k.kind) == (KUSTOMIZE_GROUP, "Kustomization")}


def _declare(scan: _Scan, source: FluxSource, above: set[str | None]) -> None:
    # A source that is only declared below its own users would, if it counted, end what declares it.
    if source.ref.is_bootstrap or str(source.ref) not in above:
        scan.sources.setdefault(source.ref, source)


def _scan_instance(scan: _Scan, instance: KubeObject, rendered_by: Target, depth: int) -> None:
    made = synchronised_objects(_value(instance.raw))
    if made is None:
        return
    source, root = read_source(made[0]), read_kustomization(made[1])
    scan.sources.setdefault(source.ref, source)
    scan.bootstrap.add(source.ref)
    key = ObjectKey(KUSTOMIZE_GROUP, "Kustomization", root.namespace, root.name)
    owner = KubeObject(key, "v1", json.dumps(made[1]).encode(), json.loads, target=rendered_by.id)
    scan.found.append(_Found(root, owner, rendered_by, depth, generated=True))


@lru_cache(maxsize=4096)
def _value(raw: bytes) -> Value:
    """The value as rendered. Not `KubeObject.value`: a masked path or URL would be another path or URL. Read-only."""
    return load_document(raw, canonical=True)


def _ancestors(target: Target, parents: Mapping[str, Target]) -> list[Target]:
    chain: list[Target] = []
    seen = {target.id}
    while target.parent is not None and target.parent not in seen and target.parent in parents:
        target = parents[target.parent]
        seen.add(target.id)
        chain.append(target)
    return chain


def _unique(found: Iterable[_Found], superseded: Iterable[str]) -> list[_Found]:
    """One of each id: the nearest to the entry; a rendered one before a generated, any before that of a superseded entry."""
    passed_over = set(superseded)
    rank = sorted(found, key=lambda one: (one.generated, one.rendered_by.id in passed_over, one.depth))
    chosen: dict[str, _Found] = {}
    for one in rank:
        chosen.setdefault(one.kustomization.target_id, one)
    return list(chosen.values())


def _judge(found: Sequence[_Found], scan: _Scan, tree: Tree, options: Options, base_name: str) -> dict[SourceRef, Verdict]:
    users: dict[SourceRef, list[_Found]] = defaultdict(list)
    for one in found:
        users[one.kustomization.source].append(one)
    named = [*users, *(ref for generator in scan.generators for ref in generator.sources.values())]
    uses = [
        SourceUse(
            ref,
            scan.sources.get(ref),
            tuple(one.kustomization.path for one in users[ref]),
            min((one.depth for one in users[ref]), default=0),
        )
        for ref in sorted(set(named))
        if ref.kind != "ExternalArtifact"
    ]
    verdicts = judge_sources(uses, scan.bootstrap, tree, options, base_name)
    # Sources of charts alone come last: what Kustomizations build decides which repository this tree is.
    charts = [
        SourceUse(ref, scan.sources.get(ref), paths, len(found))
        for ref, paths in sorted(scan.releases.sources().items())
        if ref not in verdicts and ref.kind != "ExternalArtifact"
    ]
    return {**judge_sources([*uses, *charts], scan.bootstrap, tree, options, base_name), **verdicts} if charts else verdicts


def _superseded(found: Sequence[_Found], verdicts: Mapping[SourceRef, Verdict]) -> dict[str, str]:
    """Entries whose directory a Kustomization rendered there builds again, and the id of that Kustomization.

    This is what flux bootstrap writes: clusters/prod holds the Kustomization flux-system/flux-system, whose path is clusters/prod.
    """
    roots = [
        one
        for one in found
        if one.rendered_by.owner is None
        and build_path(one.kustomization.path) == one.rendered_by.path
        and one.kustomization.source in verdicts
        and verdicts[one.kustomization.source].is_self
    ]
    roots.sort(key=lambda one: (not one.kustomization.source.is_bootstrap, one.kustomization.target_id))
    superseded: dict[str, str] = {}
    for one in roots:
        superseded.setdefault(one.rendered_by.id, one.kustomization.target_id)
    return superseded


def _target(found: _Found, scope: str, tree: Tree, superseded: Mapping[str, str]) -> Target:
    kustomization = found.kustomization
    parent: str | None = superseded.get(found.rendered_by.id, found.rendered_by.id)
    if parent == kustomization.target_id:
        # A root hangs below the entry that it stands for: where the entry fails, nobody knows what became of the root.
        parent = next((entry for entry, root in superseded.items() if root == parent), None)
    return Target(
        id=kustomization.target_id,
        scope=scope,
        kind="flux",
        path=build_path(kustomization.path),
        tree=tree,
        owner=found.owner,
        parent=parent,
        depends_on=kustomization.depends_on,
        prune=kustomization.prune,
        suspended=kustomization.suspend,
        deletion_policy=kustomization.deletion_policy,
        force=kustomization.force,
        substitutes_from=kustomization.substitutes_from,
        source=str(kustomization.source),
    )


def _assemble(generators: Iterable[ArtifactGenerator], verdicts: Mapping[SourceRef, Verdict], tree: Tree) -> dict[SourceRef, _Artifact]:
    """Every ExternalArtifact that the generators make. One may be a source of another, so they are tried until nothing is new."""
    made: dict[SourceRef, _Artifact] = {}
    waiting = list(generators)
    while waiting:
        ready = [one for one in waiting if all(ref.kind != "ExternalArtifact" or ref in made for ref in one.sources.values())]
        # A generator that waits for an artifact which nobody makes, or for itself, is as foreign as one without a source.
        for generator in ready or waiting:
            _assemble_all(generator, verdicts, tree, made)
        waiting = [one for one in waiting if one not in ready] if ready else []
    return made


def _assemble_all(
    generator: ArtifactGenerator, verdicts: Mapping[SourceRef, Verdict], tree: Tree, made: dict[SourceRef, _Artifact]
) -> None:
    name = f"ArtifactGenerator {generator.namespace}/{generator.name}"
    sources: dict[str, Tree] = {}
    for alias, ref in generator.sources.items():
        made_tree = made[ref].tree if ref in made else None
        if made_tree is not None:
            sources[alias] = made_tree
        elif ref in verdicts and verdicts[ref].is_self:
            sources[alias] = tree
    foreign = len(sources) < len(generator.sources)
    try:
        plans = plan_artifacts(generator, sources)
    except ArtifactError as error:
        plans = tuple(replace(artifact, rules=()) for artifact in generator.artifacts)
        for plan in plans:
            made[_artifact_ref(generator, plan.name)] = _Artifact(name, problem=str(error), foreign=foreign)
        return
    for plan in plans:
        try:
            artifact = _Artifact(name, assemble_artifact(plan, sources, tree.origin))
        except ArtifactError as error:
            artifact = _Artifact(name, problem=str(error), foreign=foreign)
        made[_artifact_ref(generator, plan.name)] = artifact


def _artifact_ref(generator: ArtifactGenerator, name: str) -> SourceRef:
    return SourceRef("ExternalArtifact", generator.namespace, name)


def _source_notes(
    own: Mapping[SourceRef, int],
    foreign: Mapping[SourceRef, Sequence[FluxKustomization]],
    verdicts: Mapping[SourceRef, Verdict],
    artifacts: Mapping[SourceRef, _Artifact],
) -> Iterator[Note]:
    for ref, count in own.items():
        reason = f"assembled from it by {artifacts[ref].generator}" if ref in artifacts else verdicts[ref].reason
        yield Note("self-source", f"{ref} is taken for this tree ({reason}); {_targets(count)} from it")
    for ref, users in foreign.items():
        reason = artifacts[ref].problem if ref in artifacts else verdicts[ref].reason if ref in verdicts else "nothing in the tree makes it"
        names = ", ".join(sorted(user.target_id.removeprefix("Kustomization ") for user in users)[:3])
        more = f" and {len(users) - 3} more" if len(users) > 3 else ""
        yield Note(
            "foreign-source",
            f"{ref} is not this tree ({reason}); {_targets(len(users))} from it without being followed: {names}{more}."
            " If it is this tree, name it with --self-source",
        )


def _selection_notes(own: Iterable[SourceRef], sources: Mapping[SourceRef, FluxSource]) -> Iterator[Note]:
    for ref in own:
        if ref in sources and (fields := sources[ref].selections):
            yield Note(
                "source-selection",
                f"{' and '.join(fields)} of {ref} {'are' if len(fields) > 1 else 'is'} not applied: all of the tree counts",
            )


def _targets(count: int) -> str:
    return "1 Kustomization builds" if count == 1 else f"{count} Kustomizations build"


def _duplicate_notes(found: Sequence[_Found], chosen: Iterable[_Found], superseded: Mapping[str, str]) -> Iterator[Note]:
    others: dict[str, list[_Found]] = defaultdict(list)
    for one in found:
        if not one.generated and one.rendered_by.id not in superseded:
            others[one.kustomization.target_id].append(one)
    for one in chosen:
        target = one.kustomization.target_id
        differing = sorted({other.rendered_by.id for other in others[target] if other.owner.raw != one.owner.raw})
        if differing:
            yield Note(
                "duplicate-target",
                f"{target} is rendered differently by {', '.join(differing)}; what {one.rendered_by.id} renders was followed",
                target=target,
            )


def _not_rendered_notes(not_rendered: Mapping[str, set[ObjectKey]]) -> Iterator[Note]:
    for kind, keys in not_rendered.items():
        objects = (
            f"1 {kind} is compared as written; what it makes"
            if len(keys) == 1
            else f"{len(keys)} {kind}s are compared as written; what they make"
        )
        yield Note("not-rendered", f"{objects} in the cluster is not rendered")


def _chart_notes(releases: HelmReleases, own: Mapping[SourceRef, int], verdicts: Mapping[SourceRef, Verdict]) -> Iterator[Note]:
    """The sources that are taken for the tree and that no Kustomization builds from."""
    for ref, paths in releases.sources().items():
        if ref not in own and ref in verdicts and verdicts[ref].is_self:
            users = "1 HelmRelease takes its chart" if len(paths) == 1 else f"{len(paths)} HelmReleases take their charts"
            yield Note("self-source", f"{ref} is taken for this tree ({verdicts[ref].reason}); {users} from it")


def _remote_cluster_notes(chosen: Iterable[_Found]) -> Iterator[Note]:
    for one in chosen:
        if one.kustomization.remote_cluster:
            target = one.kustomization.target_id
            yield Note(
                "remote-cluster", f"{target} applies to another cluster (spec.kubeConfig) but is compared in this scope", target=target
            )
