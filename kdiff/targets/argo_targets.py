"""The Argo CD Applications that rendered objects hold or generate, as targets."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.errors import UnreadablePath
from kdiff.kube.argo import (
    ARGO_GROUP,
    ArgoApplication,
    ArgoError,
    ArgoSource,
    effective_source,
    override_files,
    read_application,
    source_type,
    unsupported_ignores,
)
from kdiff.kube.build_environment import build_environment, expand_variables
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.flux import build_path
from kdiff.kube.globs import match_text
from kdiff.model.failure import Failure, Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.tree import Tree, may_be_dir
from kdiff.model.value import Value
from kdiff.targets.application_sets import generate_applications
from kdiff.targets.followed import Followed
from kdiff.targets.sources import Verdict, normalise_url, other_branch, same_repository
from kdiff.targets.unrendered import Method, Unrendered


@dataclass(frozen=True)
class _Found:
    """An Application where it was found; `owner` is made up when an ApplicationSet generates it, and then has a generator."""

    application: ArgoApplication
    owner: KubeObject
    rendered_by: Target
    parameters: bytes = b""  # of the templatePatch that is not applied to it


@dataclass
class _Outcome:
    """What came of the Applications of one scope so far."""

    scope: str
    tree: Tree
    targets: dict[str, Target] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    own: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # (URL, reason) -> ids of Applications
    foreign: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    elsewhere: set[str] = field(default_factory=set)
    unrendered: list[Unrendered] = field(default_factory=list)
    partial: set[ObjectKey] = field(default_factory=set)
    not_rendered: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # tool -> target ids
    notes: list[Note] = field(default_factory=list)


def argo_targets(states: Sequence[TargetState], scope: str, tree: Tree, options: Options, base_name: str = "") -> Followed:
    """Every Application in `states`, and every one that an ApplicationSet there generates, whose source is `tree`.

    `states` are all the scope has rendered so far; the answer depends on nothing else but `base_name`, the revision that BASE
    names. A revision that is certainly no part of this tree is foreign, as for Flux (`sources.judge_sources`), but no
    Application is the cluster's root by convention, so its branch tells nothing. An Application with several sources gives a
    target for each that can be built: the first has the Application's id, the others `<id> <path>`. Charts, Helm directories,
    Jsonnet and plugins are counted in notes, and handed over as `unrendered`. `Failure.side` is a placeholder that the pipeline sets.
    """
    judge = _Judge(tree, options, base_name)
    outcome = _Outcome(scope, tree)
    chosen: dict[str, _Found] = {}
    rendered: dict[tuple[str, ObjectKey], KubeObject] = {}
    for found in _scan(states, judge, outcome):
        rendered.setdefault((found.rendered_by.id, found.owner.key), found.owner)
        other = chosen.setdefault(found.application.target_id, found)
        if other.owner.raw != found.owner.raw:
            message = (
                f"{found.application.target_id} is also made by {found.rendered_by.id}; what {other.rendered_by.id} makes was followed"
            )
            outcome.notes.append(Note("duplicate-target", message, target=found.application.target_id))
    judge.learn_branches(chosen.values())
    for found in chosen.values():
        _follow(found, judge, outcome)
    superseded = _superseded(outcome.targets, chosen.values())
    targets = [_below(target, superseded) for target in outcome.targets.values()]
    notes = [*outcome.notes, *_source_notes(outcome), *_cluster_notes(chosen.values())]
    return Followed(
        targets=tuple(sorted(targets, key=lambda target: target.id)),
        failures=tuple(sorted(outcome.failures)),
        notes=tuple(sorted(set(notes), key=lambda note: (note.kind, note.target or "", note.message))),
        superseded=tuple(sorted(superseded)),
        elsewhere=tuple(sorted(outcome.elsewhere)),
        unrendered=tuple(outcome.unrendered),
        generated=tuple(rendered[place] for place in sorted(rendered) if rendered[place].generator is not None),
        partial=tuple(sorted(outcome.partial)),
    )


_NAMED = "named by --self-source"


class _Judge:
    """Whether a repoURL, at a revision, is the tree."""

    def __init__(self, tree: Tree, options: Options, base_name: str) -> None:
        self.tree = tree
        self.named = options.self_source
        self.base_name = base_name
        self.branches: set[str] = set()  # all that are followed of this repository, and those of them that the entry follows
        self.of_entry: set[str] = set()

    def learn_branches(self, every: Iterable[_Found]) -> None:
        """What the Applications follow; only those of the entry tell which branch BASE is, since others come and go with that."""
        for found in every:
            own = {s.branch for s in found.application.sources if s.branch and self.reason(s.repo_url, s.path) is not None}
            self.branches |= own
            self.of_entry |= own if found.rendered_by.owner is None else set()

    def reason(self, url: str, path: str = ".") -> str | None:
        """Why `url` is taken for the tree, or None.

        It is one of the checkout's remotes, or named by `--self-source`. A path that exists here decides for a tree without
        remotes, and for a repository that is called like a remote's: a fork or a mirror.
        """
        if any(url == name or same_repository(url, name) for name in self.named):
            return _NAMED
        if any(same_repository(url, remote) for remote in self.tree.remotes):
            return "its URL is a remote of this checkout"
        if path == "." or not may_be_dir(self.tree, path):
            return None
        if not self.tree.remotes:
            return "the tree has no git remotes, and its paths exist here"
        name = normalise_url(url).rpartition("/")[2]
        if name and any(normalise_url(remote).rpartition("/")[2] == name for remote in self.tree.remotes):
            return "a remote has the same repository name, and its paths exist here"
        return None

    def verdict(self, source: ArgoSource, path: str) -> Verdict:
        """Whether files at `path` of `source` are those of the tree."""
        reason = self.reason(source.repo_url, path)
        if reason is None:
            return Verdict(False, "it is another repository")
        if source.is_pinned:
            return Verdict(False, f"it is fixed to revision {source.revision} of this repository")
        if reason != _NAMED and other_branch(source.branch, (), self.of_entry, self.base_name):
            return Verdict(False, f"it follows branch {source.branch} of this repository")
        if source.branch and len(self.branches) > 1:
            return Verdict(True, f"{reason}, its branch {source.branch} included")
        return Verdict(True, reason)

    def is_self(self, url: str) -> bool:
        """For the generators of ApplicationSets, which name no path that could decide."""
        return not self.tree.remotes or self.reason(url) is not None


def _scan(states: Sequence[TargetState], judge: _Judge, outcome: _Outcome) -> Iterator[_Found]:
    """Applications, those of targets near to the entry first, and of one target those that it renders; entries have no owner."""
    for state in sorted(states, key=lambda each: (each.target.owner is not None, each.target.id)):
        items = [item for kind in ("Application", "ApplicationSet") for item in state.objects if item.key[:2] == (ARGO_GROUP, kind)]
        for item in items:
            value = load_document(item.raw, canonical=True)
            if item.key.kind == "Application":
                yield _Found(read_application(value), item, state.target)
                ignored = unsupported_ignores(value)
                if ignored:
                    message = f"{' and '.join(ignored)} in ignoreDifferences are not applied; the fields are compared"
                    outcome.notes.append(Note("not-ignored", message, object=item.id))
                continue
            generated = generate_applications(value, outcome.tree, judge.is_self)
            for problem in generated.problems:
                message = f"the Applications of this ApplicationSet are not all known: {problem}"
                outcome.notes.append(Note("not-rendered", message, object=item.id))
            if generated.unreadable:
                target_id = f"ApplicationSet {item.id.rpartition(' ')[2]}"
                outcome.failures.append(Failure("head", target_id, "missing-resource", "; ".join(generated.unreadable), outcome.scope))
            if not generated.is_complete:
                outcome.partial.add(item.key)
            for application, parameters in zip(generated.applications, generated.parameters, strict=True):
                made = read_application(application)
                yield _Found(made, _made_up(application, made, item), state.target, parameters)


def _made_up(application: dict[str, Value], made: ArgoApplication, generator: KubeObject) -> KubeObject:
    """The Application as kustomize would print it. Its value is refused here, since only the pipeline can mask it."""
    key = ObjectKey(ARGO_GROUP, "Application", made.namespace, made.name)
    raw = dump_value(application).encode("utf-8", "replace")
    return KubeObject(key, "v1alpha1", raw, _unmasked, target=generator.target, generator=generator.key)


def _unmasked(_: bytes) -> dict[str, Value]:
    raise AssertionError("a generated Application was asked for its value before it was masked")


def _follow(found: _Found, judge: _Judge, outcome: _Outcome) -> None:
    """Each source under an id that depends on its place alone, so that a source which becomes foreign takes no other's name."""
    application = found.application
    several = sum(source.is_directory_of_git or bool(source.chart) for source in application.sources) > 1
    before = False
    followed: set[str] = set()
    if found.parameters:
        patched = f"{application.target_id} templatePatch"
        one = Unrendered(patched, "templatePatch", outcome.tree, parent=found.rendered_by.id, parameters=found.parameters)
        outcome.unrendered.append(one)
    if not application.sources:
        outcome.elsewhere.add(application.target_id)
    for source in application.sources:
        if not source.is_directory_of_git:
            if source.chart:
                target_id = application.target_id + (f" {source.chart}" if several else "")
                outcome.not_rendered["Helm charts"].add(application.target_id)
                _leave(found, target_id, "Helm", outcome, named=_helm_files(found, source, source.value, judge))
            continue
        target_id = application.target_id + (f" {source.path}" if before else "")
        before = True
        verdict = judge.verdict(source, source.path)
        (outcome.own if verdict.is_self else outcome.foreign)[source.repo_url, verdict.reason].add(application.target_id)
        if not verdict.is_self:
            outcome.elsewhere.add(target_id)
        elif source.path in followed:
            message = f"a second source with the path {source.path} is not followed"
            outcome.notes.append(Note("not-rendered", message, target=application.target_id))
        else:
            followed.add(source.path)
            try:
                _follow_source(found, source, target_id, judge, outcome)
            except UnreadablePath as error:
                outcome.failures.append(Failure("head", target_id, "missing-resource", str(error), outcome.scope))


def _leave(
    found: _Found,
    target_id: str,
    method: Method,
    outcome: _Outcome,
    *,
    path: str | None = None,
    named: Iterable[str] = (),
    libraries: tuple[str, ...] = (),
) -> None:
    """Take down what is not built under `target_id`, and all files that decide what it is."""
    outcome.elsewhere.add(target_id)
    one = Unrendered(target_id, method, outcome.tree, path, tuple(named), libraries, found.rendered_by.id)
    if one.path is not None or one.named:
        outcome.unrendered.append(one)


def _follow_source(found: _Found, source: ArgoSource, target_id: str, judge: _Judge, outcome: _Outcome) -> None:
    application, scope, tree = found.application, outcome.scope, outcome.tree
    if source.path.startswith(("../", "/")) or source.path == "..":
        message = f"spec.source.path {source.path} leads out of the tree"
        outcome.failures.append(Failure("head", target_id, "load-restriction", message, scope))
        return
    if not tree.is_dir(source.path):
        message = f"spec.source.path {source.path} is not a directory of the tree"
        outcome.failures.append(Failure("head", target_id, "missing-kustomization", message, scope))
        return
    try:
        options = effective_source(source, application.name, tree, load_document)
        kind = source_type(options, source.path, tree)
    except ArgoError as error:
        outcome.failures.append(Failure("head", target_id, "invalid-kustomization", str(error), scope))
        return
    if kind == "helm":
        outcome.not_rendered["Helm charts"].add(application.target_id)
        named = (*_helm_files(found, source, options, judge), *override_files(source.path, application.name))
        _leave(found, target_id, "Helm", outcome, path=source.path, named=named)
        return
    if kind == "plugin":
        outcome.not_rendered["plugins"].add(application.target_id)
        _leave(found, target_id, "plugin", outcome, path=source.path)
        return
    directory = mapping(dict(options), "directory")
    if kind == "directory" and (named := tuple(_jsonnet_files(tree, source.path, directory))):
        outcome.not_rendered["Jsonnet"].add(application.target_id)
        libraries = tuple(map(build_path, strings(mapping(directory, "jsonnet"), "libs")))
        _leave(found, f"{target_id} Jsonnet", "Jsonnet", outcome, path=source.path, named=named, libraries=libraries)
    outcome.targets[target_id] = Target(
        id=target_id,
        scope=scope,
        kind="argo",
        path=source.path,
        tree=tree,
        owner=found.owner,
        parent=found.rendered_by.id,
        prune=application.prune,
    )


def _jsonnet_files(tree: Tree, directory: str, options: Mapping[str, Value]) -> Iterator[str]:
    """The Jsonnet that Argo CD evaluates: with `recurse` below sub-directories too, but never behind a link to a directory.

    `include` and `exclude` hold for it as for manifests (reposerver/repository.go, findManifests).
    """
    include, exclude = text(dict(options), "include"), text(dict(options), "exclude")
    waiting = [""]
    while waiting:
        relative = waiting.pop()
        path = posixpath.normpath(posixpath.join(directory, relative))
        if not relative or (options.get("recurse") is True and path not in tree.paths and tree.is_dir(path)):
            waiting += [posixpath.join(relative, name) for name in tree.list_dir(path)]
        elif path.endswith(".jsonnet") and not (
            (exclude and match_text(exclude, relative)) or (include and not match_text(include, relative))
        ):
            yield path


def _helm_files(found: _Found, source: ArgoSource, options: Mapping[str, Value], judge: _Judge) -> Iterator[str]:
    """Paths or globs in the tree of the files with values that a chart gets beside its own.

    They count from the chart, with a slash in front from the root of its repository, and after `$name` from that of the source
    which has this `ref` (reposerver/repository.go, getResolvedValueFiles; user-guide/multiple_sources).
    """
    helm, environment = mapping(dict(options), "helm"), build_environment(found.application, source)
    lenders = {f"${each.ref}": each for each in found.application.sources if each.ref}
    for written in (*strings(helm, "valueFiles"), *(text(each, "path") for each in mappings(helm, "fileParameters"))):
        first, _, rest = written.partition("/")
        if first in lenders:
            path = build_path(expand_variables(rest, environment))
            if judge.verdict(lenders[first], posixpath.dirname(re.split(r"[*?\[{]", path)[0]) or ".").is_self:
                yield path
        elif not source.chart and "://" not in written:
            path = expand_variables(written, environment)
            yield build_path(path) if path.startswith("/") else build_path(posixpath.join(source.path, path))


def _superseded(targets: dict[str, Target], found: Iterable[_Found]) -> dict[str, str]:
    """Entries whose directory an Application rendered there builds again, as a root of app-of-apps may, and that target's id."""
    entries = {one.rendered_by.id: one.rendered_by for one in found if one.rendered_by.owner is None}
    superseded: dict[str, str] = {}
    for target in sorted(targets.values(), key=lambda each: each.id):
        entry = entries.get(target.parent or "")
        if entry is not None and entry.path == target.path:
            superseded.setdefault(entry.id, target.id)
    return superseded


def _below(target: Target, superseded: dict[str, str]) -> Target:
    parent = superseded.get(target.parent or "", target.parent)
    if parent == target.parent:
        return target
    return replace(target, parent=None if parent == target.id else parent)


def _source_notes(outcome: _Outcome) -> Iterator[Note]:
    for (url, reason), users in outcome.own.items():
        yield Note("self-source", f"{_shown(url)} is taken for this tree ({reason}); {_applications(users)} from it")
    for (url, reason), users in outcome.foreign.items():
        message = f"{_shown(url)} is not this tree ({reason}); {_applications(users)} from it without being followed: {_names(users)}"
        hint = "" if reason.startswith("it is fixed") else ". If it is this tree, name its URL with --self-source"
        yield Note("foreign-source", message + hint)
    for tool, users in outcome.not_rendered.items():
        yield Note("not-rendered", f"{_applications(users)} from {tool}, which are not rendered: {_names(users)}")


def _shown(url: str) -> str:
    """The URL without a user and password."""
    return re.sub(r"//[^@/]*@", "//", url) or "a source without repoURL"


def _applications(users: set[str]) -> str:
    return "1 Application builds" if len(users) == 1 else f"{len(users)} Applications build"


def _names(users: set[str]) -> str:
    names = ", ".join(sorted(user.removeprefix("Application ") for user in users)[:3])
    return names + (f" and {len(users) - 3} more" if len(users) > 3 else "")


def _cluster_notes(found: Iterable[_Found]) -> Iterator[Note]:
    clusters = sorted({one.application.cluster for one in found if one.application.cluster})
    if len(clusters) > 1:
        names = ", ".join(clusters[:3])
        yield Note("remote-cluster", f"Applications go to {len(clusters)} clusters but are compared in one scope: {names}")
