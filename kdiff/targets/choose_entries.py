"""Which targets a run starts from on each side."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kdiff.errors import UsageError
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.failure import Note
from kdiff.model.options import Options
from kdiff.model.target import Target, TargetKind
from kdiff.model.tree import Tree
from kdiff.targets.kustomizations import find_kustomizations, find_owners, outermost, roots

# A note names this many entries and counts the others.
NAMED = 6


@dataclass(frozen=True)
class Entries:
    """The targets that each side starts from, sorted by id, and a note that says how they were chosen."""

    base: tuple[Target, ...]
    head: tuple[Target, ...]
    notes: tuple[Note, ...] = ()


def choose_entries(base: Tree, head: Tree, options: Options) -> Entries:
    """What `options.entry` names; else all kustomizations for `options.all_targets`; else what the trees themselves suggest.

    That is, in this order, on both sides together: rendered manifests as they are; the kustomization at the root; the
    directories that hold the outermost Flux and Argo CD objects; every kustomization that no other one includes. Components
    are never entries of their own accord. `options.targets` and `exclude_targets` narrow what was found, not what was
    named or what leads to a whole cluster. Each entry is a scope of its own. An entry that is a directory on one side only
    is a target on that side only; one that is a directory without kustomization stays a target and fails, unless Flux
    objects lie in it: then Flux would apply it, and the target is of kind `flux`.

    Raises:
        UsageError: an entry that neither side has, or nothing to start from.
    """
    if base.manifests or head.manifests:
        return Entries((Target(".", ".", "manifests", ".", base),), (Target(".", ".", "manifests", ".", head),))
    if options.entry:
        paths = tuple(sorted({_entry(path, base, head) for path in options.entry}))
        return _entries((base, head), (paths, paths), "named with --entry")
    found = (find_kustomizations(base), find_kustomizations(head))
    if options.all_targets:
        everything = [[d for d, k in side.items() if k.kind != "Component"] for side in found]
        return _narrowed((base, head), everything, options, "every kustomization that is not a component")
    if any("." in side for side in found):
        return _entries((base, head), ((".",), (".",)), "the kustomization at the root")
    owned = [outermost(find_owners(tree), side) for tree, side in zip((base, head), found, strict=True)]
    if any(owned):
        both = tuple(sorted({*owned[0], *owned[1]}))
        return _entries((base, head), (both, both), "they hold the outermost Flux and Argo CD objects")
    top = [roots(side) for side in found]
    # A root of one side that the other merely includes is built there as well: its objects have not left.
    wanted = {*top[0], *top[1]}
    return _narrowed(
        (base, head), [[d for d in wanted if d in side] for side in found], options, "kustomizations that no other one includes"
    )


def _entry(path: str, base: Tree, head: Tree) -> str:
    """A path as the user wrote it, normalised. A kustomization file stands for its directory."""
    directory = posixpath.normpath(path)
    if posixpath.basename(directory) in KUSTOMIZATION_NAMES:
        directory = posixpath.dirname(directory) or "."
    if base.is_dir(directory) or head.is_dir(directory):
        return directory
    if base.is_file(directory) or head.is_file(directory):
        raise UsageError(f"--entry {path}: that is a file; name the directory of a kustomization")
    hint = "it is relative to the root of BASE and HEAD"
    known = sorted({d for tree in (base, head) for d in _directories(tree.paths)})
    near = (
        difflib.get_close_matches(directory, known, n=3, cutoff=0.6)
        or [d for d in known if posixpath.basename(d) == posixpath.basename(directory)][:3]
    )
    if near:
        hint += f"; near it are: {', '.join(near)}"
    raise UsageError(f"--entry {path}: neither side has that directory; {hint}")


def _directories(paths: Iterable[str]) -> set[str]:
    """Every directory above a file."""
    found: set[str] = set()
    for path in paths:
        directory = posixpath.dirname(path)
        while directory and directory not in found:
            found.add(directory)
            directory = posixpath.dirname(directory)
    return found


def _narrowed(trees: tuple[Tree, Tree], paths: Sequence[Sequence[str]], options: Options, why: str) -> Entries:
    """Entries at `paths`, one sequence a side, less what the globs leave out."""

    def keeps(path: str) -> bool:
        wanted = not options.targets or any(fnmatchcase(path, glob) for glob in options.targets)
        return wanted and not any(fnmatchcase(path, glob) for glob in options.exclude_targets)

    kept = [[path for path in side if keeps(path)] for side in paths]
    found = {path for side in paths for path in side}
    if not found:
        raise UsageError("neither side holds a kustomization; name a directory with --entry, or give rendered manifests")
    left_out = len(found) - len({path for side in kept for path in side})
    if left_out == len(found):
        raise UsageError(f"--targets and --exclude-targets leave none of the {left_out} targets; they are globs over paths")
    note = Note("targets", f"{left_out} targets left out by --targets and --exclude-targets")
    return _entries(trees, kept, why, (note,) if left_out else ())


def _entries(trees: tuple[Tree, Tree], paths: Sequence[Sequence[str]], why: str, notes: tuple[Note, ...] = ()) -> Entries:
    every = sorted({path for side in paths for path in side})
    named = ", ".join(every[:NAMED]) + (f" and {len(every) - NAMED} more" if len(every) > NAMED else "")
    base, head = (
        tuple(_target(tree, path) for path in every if (path in side and tree.is_dir(path)) or _is_cut_off(tree, path))
        for tree, side in zip(trees, paths, strict=True)
    )
    return Entries(base, head, (Note("entries", f"entries: {named} ({why})"), *notes))


def _is_cut_off(tree: Tree, path: str) -> bool:
    """True where a link stands in the way of `path` and leads out of the tree: what lies there has not left, it cannot be read."""
    place = path
    while place not in ("", "."):
        if place in tree.paths and not tree.is_dir(place):
            return not tree.is_file(place)
        place = posixpath.dirname(place)
    return False


def _target(tree: Tree, path: str) -> Target:
    built = any(tree.is_file(posixpath.join(path, name)) for name in KUSTOMIZATION_NAMES)
    kind: TargetKind = "kustomization" if built or not find_owners(tree, path) else "flux"
    return Target(path, path, kind, path, tree)
