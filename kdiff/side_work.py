"""What one side knows while both are rendered, and what it must not conclude from what it does not know."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.failure import Failure, Note
from kdiff.model.object import ObjectKey
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target
from kdiff.model.tree import SideName, Tree
from kdiff.model.withheld import Key
from kdiff.targets.artifacts import path_in_source
from kdiff.targets.followed import Followed
from kdiff.targets.unrendered import find_change


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
    partial = {(scope, key) for scope, followed in work.followed.items() for key in followed.partial}
    here |= {(scope, target_id) for scope, f in other.followed.items() for target_id, maker in f.generated if (scope, maker) in partial}
    lost = [key for key in sorted(here - work.targets.keys()) if key in other.states and other.states[key].failure is None]
    for key in lost:
        message = "what it builds on this side is not in this tree, or is not rendered; the notes say why"
        target = replace(other.states[key].target, tree=work.tree)
        work.unfollowed[key] = (target, Failure(work.name, key[1], "missing-source", message, key[0]))
        work.targets[key], work.refused[key] = work.unfollowed[key]
    return bool(lost)


def fail_unrendered(base: SideWork, head: SideWork) -> None:
    """What Helm, Jsonnet or a plugin would make differs, and no manifest shows it: said as a failure, or a note beside a manifest."""
    works = (base, head)
    unrendered = [{(scope, one.id): one for scope, f in work.followed.items() for one in f.unrendered} for work in works]
    objects = [{(key[0], obj.key): obj.raw for key, state in work.states.items() for obj in state.objects} for work in works]
    for key in sorted((unrendered[0].keys() | unrendered[1].keys()) - base.states.keys() - head.states.keys()):
        sides = [each.get(key) for each in unrendered]
        maker = next((one.generator for one in sides if one is not None), None)
        parents = [work.states.get((key[0], one.parent or "")) for work in works for one in sides if one is not None]
        if any(state is not None and state.failure is not None for state in parents):
            continue  # what failed above says so; nobody knows what would be here
        differs = maker is not None and objects[0].get((key[0], maker)) != objects[1].get((key[0], maker))
        change = find_change(sides[0], sides[1], generator_differs=differs)
        for work, one in zip(works, sides, strict=True):
            if change is not None and change.is_shown:
                work.notes.append(Note("not-rendered", change.message, target=key[1], scope=key[0]))
            elif change is not None and one is not None:
                target = Target(key[1], key[0], "argo" if one.id.startswith("Application ") else "flux", ".", work.tree, parent=one.parent)
                work.states[key] = TargetState(target, failure=Failure(work.name, key[1], "renderer-missing", change.message, key[0]))


def finished_side(work: SideWork, hidden: frozenset[Key]) -> Side:
    """The side as the later stages take it; `hidden` are the targets that are withheld there."""
    states = tuple(state for key, state in sorted(work.states.items()) if key not in work.superseded)
    notes = [*work.tree.notes, *work.notes]
    for scope, followed in sorted(work.followed.items()):
        notes += [replace(note, scope=scope) for note in followed.notes]
    return Side(work.name, work.tree, states, tuple(notes), hidden)
