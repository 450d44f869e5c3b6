"""Which targets a run starts from on each side."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TypeAlias

from kdiff.errors import UnreadablePath, UsageError
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.failure import Note
from kdiff.model.options import Options
from kdiff.model.target import Target, TargetKind
from kdiff.model.tree import Tree, directories_above, may_be_dir
from kdiff.targets.kustomizations import FoundKustomization, find_kustomizations, find_owners, holds_gitops_objects, outermost, roots

Found: TypeAlias = Mapping[str, FoundKustomization]  # by directory

# A note names this many entries and counts the others.
NAMED = 6


@dataclass(frozen=True)
class Entries:
    """The targets that each side starts from, sorted by id, and a note that says how they were chosen.

    `found` holds the kustomizations of base and of head where the trees themselves suggested the entries (see `find_unreached`).
    """

    base: tuple[Target, ...]
    head: tuple[Target, ...]
    notes: tuple[Note, ...] = ()
    found: tuple[Found, Found] | None = None


def choose_entries(base: Tree, head: Tree, options: Options) -> Entries:
    """What `options.entry` names; else all kustomizations for `options.all_targets`; else what the trees themselves suggest.

    That is, in this order, on both sides together: rendered manifests as they are; the kustomization at the root; the
    directories that hold the outermost Flux and Argo CD objects; every kustomization that no other one includes. Components
    are never entries of their own accord. A root kustomization that only head has joins what base starts from, so that nothing
    of base is lost from sight. `options.targets` and `exclude_targets` narrow what was found, not what was named or what leads
    to a whole cluster. Each entry is a scope of its own. Where the trees suggested the entries, kustomizations that differ and that
    nothing leads to are compared too: see `find_unreached`.

    An entry that is a directory on one side only is a target on that side only. A directory without kustomization is

    - a target of kind `flux` where objects of Flux or Argo CD lie in it: then it is applied whole, as Flux does;
    - no target in base while head has a kustomization there: it is new, and its objects are added. A file that is called
      `kustomization` with whatever ending or case was meant as one, so with it base fails, as kustomize does;
    - else a target that fails: at head, where the kustomization may have been lost by mistake, nothing counts as removed.

    What cannot be looked into has not left: it stays a target, and fails. Where entries are searched for, so does a directory of
    which nobody can tell whether it holds any, and a submodule whose commit differs; beside a kustomization at the root none are searched.

    Raises:
        UsageError: an entry that neither side has, or nothing to start from.
    """
    trees = (base, head)
    if base.manifests or head.manifests:
        return Entries((Target(".", ".", "manifests", ".", base),), (Target(".", ".", "manifests", ".", head),))
    if options.entry:
        paths = tuple(sorted({_entry(path, base, head) for path in options.entry}))
        return entries_at(trees, (paths, paths), "named with --entry")
    found = (find_kustomizations(base), find_kustomizations(head))
    if options.all_targets:
        everything = [[d for d, k in side.items() if k.kind != "Component"] for side in found]
        return _narrowed(trees, _with_gaps(trees, everything), options, "every kustomization that is not a component")
    owned = [outermost(find_owners(tree), side) if "." not in found[0] else () for tree, side in zip(trees, found, strict=True)]
    if "." in found[0] or ("." in found[1] and not (found[0] or owned[0])):
        return replace(entries_at(trees, ((".",), (".",)), "the kustomization at the root"), found=found)
    new_root = {"."} & found[1].keys()
    if any(owned):
        both = {*owned[0], *owned[1]} - new_root
        tops = _with_gaps(trees, (both, both | new_root))
        return replace(entries_at(trees, tops, "they hold the outermost Flux and Argo CD objects"), found=found)
    # A root of one side that the other merely includes is built there as well: its objects have not left.
    wanted = {*roots(found[0]), *roots(found[1])} if not new_root else {*roots(found[0])}
    entries = _narrowed(trees, _with_gaps(trees, (wanted, wanted | new_root)), options, "kustomizations that no other one includes")
    return replace(entries, found=found)


def find_unreached(found: tuple[Found, Found], reached: AbstractSet[str], options: Options) -> tuple[str, ...]:
    """Directories of the outermost kustomizations that no target of either side stands for or includes, sorted.

    An Application of an example may have chosen the entries, and what applies the others may stand in another repository. `reached` are
    the directories of all targets and of the kustomizations that they read.
    """
    rest = [{directory: k for directory, k in side.items() if directory not in reached} for side in found]
    return tuple(sorted(path for path in {*roots(rest[0]), *roots(rest[1])} if options.wants_target(path)))


def note_unreached(paths: Sequence[str]) -> Note:
    """What is said of kustomizations that differ while a target failed that may lead to them."""
    return Note("not-read", f"not compared, as a target that may lead there failed: {_named(paths)}; --entry compares them")


def _named(paths: Sequence[str]) -> str:
    return ", ".join(paths[:NAMED]) + (f" and {len(paths) - NAMED} more" if len(paths) > NAMED else "")


def _entry(path: str, base: Tree, head: Tree) -> str:
    """A path as the user wrote it, normalised. A kustomization file stands for its directory."""
    directory = posixpath.normpath(path)
    if posixpath.basename(directory) in KUSTOMIZATION_NAMES:
        directory = posixpath.dirname(directory) or "."
    if may_be_dir(base, directory) or may_be_dir(head, directory):
        return directory
    if base.is_file(directory) or head.is_file(directory):
        raise UsageError(f"--entry {path}: that is a file; name the directory of a kustomization")
    hint = "it is relative to the root of BASE and HEAD"
    known = sorted({d for tree in (base, head) for d in directories_above(tree.paths)})
    near = (
        difflib.get_close_matches(directory, known, n=3, cutoff=0.6)
        or [d for d in known if posixpath.basename(d) == posixpath.basename(directory)][:3]
    )
    if near:
        hint += f"; near it are: {', '.join(near)}"
    raise UsageError(f"--entry {path}: neither side has that directory; {hint}")


def _with_gaps(trees: tuple[Tree, Tree], paths: Sequence[Iterable[str]]) -> list[list[str]]:
    """`paths`, one sequence a side, and the gaps in which further ones may lie; one that holds an entry of either side fails there."""
    every = {path for side in paths for path in side}
    told = every | directories_above(every)
    return [
        [*side, *(path for path, gap in tree.gaps.items() if gap.kind != "file" and path not in told)]
        for tree, side in zip(trees, paths, strict=True)
    ]


def _narrowed(trees: tuple[Tree, Tree], paths: Sequence[Sequence[str]], options: Options, why: str) -> Entries:
    """Entries at `paths`, one sequence a side, less what the globs leave out."""
    kept = [[path for path in side if options.wants_target(path)] for side in paths]
    found = {path for side in paths for path in side}
    if not found:
        raise UsageError("neither side holds a kustomization; name a directory with --entry, or give rendered manifests")
    left_out = len(found) - len({path for side in kept for path in side})
    if left_out == len(found):
        raise UsageError(f"--targets and --exclude-targets leave out every target ({left_out}); they are globs over paths")
    note = Note("targets", f"{left_out} target{'s'[: left_out != 1]} left out by --targets and --exclude-targets")
    return entries_at(trees, kept, why, (note,) if left_out else ())


def entries_at(trees: tuple[Tree, Tree], paths: Sequence[Sequence[str]], why: str, notes: tuple[Note, ...] = ()) -> Entries:
    """Entries at `paths`, one sequence a side, under the rules of `choose_entries`; a note names them and says `why`."""
    every = sorted({path for side in paths for path in side})
    base, head = targets_at(trees, paths)
    new = (path for path in sorted({*paths[0]}) if _is_new(path, *trees))
    added = (Note("entries", f"{path} has no kustomization in base, so all that it builds in head is added") for path in new)
    return Entries(base, head, (Note("entries", f"entries: {_named(every)} ({why})"), *added, *notes))


def targets_at(trees: tuple[Tree, Tree], paths: Sequence[Sequence[str]]) -> tuple[tuple[Target, ...], tuple[Target, ...]]:
    """The targets of each side at `paths`, sorted by id."""
    every = sorted({path for side in paths for path in side})
    old = {path for path in paths[0] if not _is_new(path, *trees)}
    base, head = (
        tuple(_target(tree, path) for path in every if _is_there(tree, path, wanted=path in side))
        for tree, side in zip(trees, (old, {*paths[1]}), strict=True)
    )
    return base, head


def _is_new(path: str, base: Tree, head: Tree) -> bool:
    """Whether base has the directory `path` and nothing in it that is, or was meant to be, a target of its own."""
    try:
        if not base.is_dir(path) or _has_kustomization(base, path) or not _has_kustomization(head, path):
            return False
        return not any(name.partition(".")[0].lower() == "kustomization" for name in base.list_dir(path)) and not holds_gitops_objects(
            base, path
        )
    except UnreadablePath:
        return False


def _has_kustomization(tree: Tree, path: str) -> bool:
    return any(tree.is_file(posixpath.join(path, name)) for name in KUSTOMIZATION_NAMES)


def _is_there(tree: Tree, path: str, *, wanted: bool) -> bool:
    """Whether `path` is a target: a directory that is `wanted`, or what has not left and cannot be read."""
    try:
        if tree.is_dir(path):
            return wanted
    except UnreadablePath:
        return True
    return _is_cut_off(tree, path)


def _is_cut_off(tree: Tree, path: str) -> bool:
    """True where a link stands in the way of `path` and leads out of the tree."""
    place = path
    while place not in ("", "."):
        if place in tree.paths and not tree.is_dir(place):
            return not tree.is_file(place)
        place = posixpath.dirname(place)
    return False


def _target(tree: Tree, path: str) -> Target:
    try:
        kind: TargetKind = "kustomization" if _has_kustomization(tree, path) or not holds_gitops_objects(tree, path) else "flux"
    except UnreadablePath:
        kind = "kustomization"
    return Target(path, path, kind, path, tree)
