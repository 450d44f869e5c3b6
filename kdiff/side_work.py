"""What one side knows while both are rendered, and what it must not conclude from what it does not know."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from kdiff.kube.argo import application_id
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.failure import Failure, Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target, TargetKind
from kdiff.model.tree import SideName, Tree
from kdiff.model.withheld import Key
from kdiff.targets.artifacts import path_in_source
from kdiff.targets.followed import Followed
from kdiff.targets.unrendered import Memo, deciding_files, find_change


@dataclass
class SideWork:
    """What one side knows so far; it grows from wave to wave."""

    name: SideName
    tree: Tree
    entries: dict[Key, Target]
    targets: dict[Key, Target]
    refused: dict[Key, Failure] = field(default_factory=dict)  # targets that following found, but that have no build
    unfollowed: dict[Key, tuple[Target, Failure]] = field(default_factory=dict)  # targets that only the other side follows
    unknown: dict[Key, Failure] = field(default_factory=dict)  # targets whose variables a failed target may hold
    absent: dict[Key, tuple[ObjectKey, ...]] = field(default_factory=dict)  # what they substitute from and nobody provides
    unsettled: set[str] = field(default_factory=set)  # scopes whose variables substitute one another without end
    superseded: set[Key] = field(default_factory=set)
    states: dict[Key, TargetState] = field(default_factory=dict)
    followed: dict[str, Followed] = field(default_factory=dict)  # by scope
    notes: list[Note] = field(default_factory=list)

    @property
    def partial(self) -> frozenset[tuple[str, ObjectKey]]:
        """(scope, key) of the ApplicationSets of which not all Applications are known."""
        return frozenset((scope, key) for scope, followed in self.followed.items() for key in followed.partial)


def start_work(name: SideName, tree: Tree, entries: Iterable[Target]) -> SideWork:
    """A side of which only the entries are known."""
    by_key = {(target.scope, target.id): target for target in entries}
    return SideWork(name, tree, by_key, dict(by_key))


def files_read(works: Iterable[SideWork]) -> set[str]:
    """Paths, in the tree of each side, of all files that some target reads or stands for."""
    states = [state for work in works for state in work.states.values()]
    read = [(state.target.tree, path) for state in states for path in state.reads]
    # a kustomization that Flux or Argo CD edits is built from its edited form
    built = [(s.target.tree, posixpath.normpath(posixpath.join(s.target.path, name))) for s in states for name in KUSTOMIZATION_NAMES]
    return {found for tree, path in (*read, *built) if (found := path_in_source(tree, path)) is not None}


def directories_reached(works: Iterable[SideWork]) -> set[str]:
    """The directories of all targets and of every kustomization that one of them reads."""
    return {posixpath.dirname(path) or "." for path in files_read(works) if posixpath.basename(path) in KUSTOMIZATION_NAMES}


def refuse_unfollowed(work: SideWork, other: SideWork) -> bool:
    """Targets that the other side follows and this side has but does not follow: nobody knows here what they build now.

    Their source or revision has become another one, Helm builds them, or the ApplicationSet that makes them cannot be read.
    What they built has not left, so they fail here. True when there are new ones, which what depends on their variables must
    know of.
    """
    here = {(scope, target_id) for scope, followed in work.followed.items() for target_id in followed.elsewhere}
    partial = work.partial
    owners = {key: state.target.owner for key, state in other.states.items()}
    here |= {key for key, owner in owners.items() if owner and owner.generator and (key[0], owner.generator) in partial}
    lost = [key for key in sorted(here - work.targets.keys()) if key in other.states and other.states[key].failure is None]
    for key in lost:
        message = "what it builds on this side is not in this tree, or is not rendered; the notes say why"
        target = replace(other.states[key].target, tree=work.tree)
        work.unfollowed[key] = (target, Failure(work.name, key[1], "missing-source", message, key[0]))
        work.targets[key], work.refused[key] = work.unfollowed[key]
    return bool(lost)


def fail_unrendered(base: SideWork, head: SideWork) -> set[str]:
    """What Helm, Jsonnet or a plugin makes of files that differ is shown by no object: said as a failure.

    Where one side alone has something to make, it is compared with what lies there on the other, if the object is there too.
    Returns the paths of all files that were compared, in the tree of each side.
    """
    works = (base, head)
    unrendered = [{(scope, one.id): one for scope, f in work.followed.items() for one in f.unrendered} for work in works]
    for work, here, there, declared in zip(works, unrendered, reversed(unrendered), map(_declared, works), strict=True):
        lost = [key for key, one in there.items() if key not in here and _owner(key) in declared and one.method != "templatePatch"]
        here |= {key: replace(there[key], tree=work.tree) for key in lost}
    memo = Memo()
    compared: set[str] = set()
    for key in sorted((unrendered[0].keys() & unrendered[1].keys()) - base.states.keys() - head.states.keys()):
        sides = (unrendered[0][key], unrendered[1][key])
        compared.update(path for one in sides for path in map(partial(path_in_source, one.tree), deciding_files(one, memo)) if path)
        message = find_change(*sides, memo)
        for work, one in zip(works, sides, strict=True) if message else ():
            kind: TargetKind = "argo" if one.id.startswith("Application ") else "flux"
            target = Target(key[1], key[0], kind, one.path or ".", work.tree, parent=one.parent)
            parent = work.states.get((key[0], one.parent or ""))
            # what lies elsewhere may hold none of this tree's objects, but those of the files that declare it
            reads = parent.reads if parent is not None and one.path is None else ()
            failure = Failure(work.name, key[1], "renderer-missing", message or "", key[0])
            work.states[key] = TargetState(target, failure=failure, reads=reads)
    return compared


def _declared(work: SideWork) -> set[Key]:
    """The Applications and HelmReleases of a side, by the ids that their targets have."""
    objects = [
        (key[0], obj) for key, state in work.states.items() for obj in state.objects if obj.key.kind in ("Application", "HelmRelease")
    ]
    objects += [(scope, obj) for scope, followed in work.followed.items() for obj in followed.generated]
    return {(scope, f"{obj.key.kind} {'/'.join(filter(None, (obj.key.namespace, obj.key.name)))}") for scope, obj in objects}


def _owner(key: Key) -> Key:
    """The id of the object itself: what follows it names one of several sources, or the tool."""
    return key[0], " ".join(key[1].split(" ")[:2])


def fail_ungenerated(work: SideWork, other: SideWork) -> None:
    """Applications that only the other side is known to have, of an ApplicationSet that may generate them here too, fail here."""
    partial = work.partial
    known = {(key[0], obj.key) for key, state in work.states.items() for obj in state.objects}
    known |= {(scope, obj.key) for scope, followed in work.followed.items() for obj in followed.generated}
    reads = {(key[0], obj.key): state.reads for key, state in work.states.items() for obj in state.objects if (key[0], obj.key) in partial}
    for scope, followed in other.followed.items():
        for obj in followed.generated:
            key = (scope, application_id(obj.key.namespace, obj.key.name))
            if obj.generator is None or (scope, obj.generator) not in partial or (scope, obj.key) in known:
                continue
            if key not in work.states:
                message = "whether it is generated on this side is not known; the notes say why"
                target = Target(key[1], scope, "argo", ".", work.tree, parent=obj.target)
                failure = Failure(work.name, key[1], "missing-source", message, scope)
                work.states[key] = TargetState(target, failure=failure, reads=reads.get((scope, obj.generator), ()))


def add_generated(work: SideWork, mask: Callable[[KubeObject], KubeObject]) -> None:
    """The Applications that ApplicationSets generate are objects of the targets that render these, as `mask` gives them."""
    made: dict[Key, dict[ObjectKey, KubeObject]] = defaultdict(dict)
    for scope, followed in work.followed.items():
        for obj in followed.generated:
            made[scope, obj.target][obj.key] = mask(obj)
    for key, state in work.states.items():
        target, objects = state.target, state.objects
        if target.owner is not None and target.owner.generator is not None:
            found = made[key[0], target.owner.target].get(target.owner.key)
            target = replace(target, owner=found or mask(target.owner))  # what only the other side follows has the owner from there
        if state.failure is None:
            objects += tuple(made[key].values())
        work.states[key] = replace(state, target=target, objects=objects)


def finished_side(work: SideWork, hidden: frozenset[Key]) -> Side:
    """The side as the later stages take it; `hidden` are the targets that are withheld there."""
    states = tuple(state for key, state in sorted(work.states.items()) if key not in work.superseded)
    notes = [*work.tree.notes, *work.notes]
    for scope, followed in sorted(work.followed.items()):
        notes += [replace(note, scope=scope) for note in followed.notes]
    return Side(work.name, work.tree, states, tuple(notes), hidden, work.partial)
