"""Which kustomizations a tree holds, what each includes, and where Flux and Argo CD objects lie among its files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kdiff.documents.load import load_documents, load_first
from kdiff.documents.split import DocumentError
from kdiff.errors import UnreadablePath
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES, read_kustomization
from kdiff.model.tree import OutsideTree, Tree, is_manifest, may_be_dir
from kdiff.model.value import Value


@dataclass(frozen=True)
class FoundKustomization:
    """A directory with a kustomization file. `includes` are tree paths of directories and files that it names.

    `kind` is as written, `Kustomization` where none is (kustomize's default) or where the file cannot be read.
    """

    directory: str
    kind: str
    includes: frozenset[str]


@dataclass(frozen=True)
class FoundOwner:
    """A Flux Kustomization, Argo CD Application or ApplicationSet in a source file, and what it applies of the tree's directories."""

    file: str
    applies: tuple[str, ...]


def find_kustomizations(tree: Tree) -> dict[str, FoundKustomization]:
    """Every kustomization of `tree` by directory, also those that kustomize will refuse or that cannot be read."""
    found: dict[str, FoundKustomization] = {}
    for path in sorted({*tree.paths, *(path for path, gap in tree.gaps.items() if gap.kind == "file")}):
        directory, name = posixpath.split(path)
        if name in KUSTOMIZATION_NAMES and (directory or ".") not in found:
            found[directory or "."] = _read(tree, path, directory or ".")
    return found


def _read(tree: Tree, path: str, directory: str) -> FoundKustomization:
    try:
        kustomization = read_kustomization(load_first(tree.read(path)))
    except (DocumentError, OSError, OutsideTree, UnreadablePath):
        kustomization = None
    if kustomization is None:
        return FoundKustomization(directory, "Kustomization", frozenset())
    includes = set()
    for reference in kustomization.references:
        if reference.role in ("resource", "component", "plugin") and "\n" not in reference.path and not reference.path.startswith("/"):
            joined = posixpath.normpath(posixpath.join(directory, reference.path))
            try:
                includes.add(tree.resolve(joined))
            except OutsideTree:
                continue
    return FoundKustomization(directory, kustomization.kind, frozenset(includes))


def roots(kustomizations: dict[str, FoundKustomization]) -> tuple[str, ...]:
    """Directories of kustomizations that are no Components and that no other one includes, sorted.

    Kustomizations that only include one another in a ring have no root; the first of them in order of paths stands for the ring.
    """
    included = {path for k in kustomizations.values() for path in k.includes if path != k.directory}
    chosen = sorted(d for d, k in kustomizations.items() if k.kind != "Component" and d not in included)
    reached = _reach(chosen, kustomizations)
    for directory, kustomization in sorted(kustomizations.items()):
        if kustomization.kind != "Component" and directory not in reached:
            chosen.append(directory)
            reached |= _reach([directory], kustomizations)
    return tuple(sorted(chosen))


def _reach(start: Iterable[str], kustomizations: dict[str, FoundKustomization]) -> set[str]:
    """Every path that is included, directly or through others, and `start` itself."""
    return closure(start, lambda path: kustomizations[path].includes if path in kustomizations else ())


def closure(start: Iterable[str], leads_to: Callable[[str], Iterable[str]]) -> set[str]:
    """`start` and every path that is led to, directly or through others."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += leads_to(path)
    return reached


# The objects that lead to further targets; each is looked for in files that hold both strings, before any YAML is read.
_OWNERS = (
    (b"kustomize.toolkit.fluxcd.io/", b"Kustomization"),
    (b"fluxcd.controlplane.io/", b"FluxInstance"),
    (b"argoproj.io/", b"Application"),
)


def find_owners(tree: Tree) -> tuple[FoundOwner, ...]:
    """The Flux Kustomizations, FluxInstances and Argo CD Applications in manifests of `tree`, in order of files.

    Files that are no YAML, such as templates, and those that cannot be read are passed over.
    """
    found: list[FoundOwner] = []
    for path in sorted(tree.paths):
        if not is_manifest(path):
            continue
        try:
            raw = tree.read(path)
            if any(group in raw and kind in raw for group, kind in _OWNERS):
                values = load_documents(raw)
                applied = [applies for value in values if (applies := _applies(value)) is not None]
                found += [FoundOwner(path, tuple(each for each in applies if may_be_dir(tree, each))) for applies in applied]
        except (DocumentError, OSError, OutsideTree, UnreadablePath):
            continue
    return tuple(found)


_GITOPS_OBJECT = re.compile(
    rb"^[\"' \t{,]*apiVersion[\"']?:[ \t]*[\"']?(?:[a-z.]*\bfluxcd\.(?:io|controlplane\.io)|argoproj\.io)/", re.MULTILINE
)


def holds_gitops_objects(tree: Tree, below: str) -> bool:
    """Whether a manifest below the directory has an object of Flux or Argo CD, a HelmRelease for one: then one of them applies it.

    Files that cannot be read are passed over.
    """
    for path in sorted(tree.paths):
        if is_manifest(path) and _is_below(path, below):
            try:
                if _GITOPS_OBJECT.search(tree.read(path)):
                    return True
            except (OSError, OutsideTree, UnreadablePath):
                continue
    return False


def outermost(owners: Iterable[FoundOwner], kustomizations: dict[str, FoundKustomization]) -> tuple[str, ...]:
    """The directories from which everything that `owners` apply can be reached, sorted.

    An owner is outermost when whatever applies its file is, in turn, applied by it: the root of a cluster applies itself. Its
    directory is what it applies, or, when nothing applies its file, the kustomization or directory that holds it. While
    others apply more, owners that apply nothing of this tree do not count, nor do those that apply its root: every repository
    has a root, so they may well mean another one.
    """
    every = tuple(owners)
    for counts in (lambda owner: bool(owner.applies), lambda owner: owner.applies != (".",)):
        every = tuple(filter(counts, every)) or every
    reach = {owner: _covers(owner, kustomizations) for owner in every}
    above = {owner: [other for other in every if _is_covered(owner.file, reach[other])] for owner in every}
    chosen: set[str] = set()
    for owner in every:
        if all(owner in above[other] for other in above[owner]):
            if owner in above[owner]:
                chosen |= {directory for directory in owner.applies if _is_covered(owner.file, _covers_one(directory, kustomizations))}
            else:
                chosen |= _holders(owner.file, kustomizations)
    plain = {directory for directory in chosen if directory not in kustomizations}
    return tuple(sorted(d for d in chosen if not any(d != p and _is_below(d, p) for p in plain)))


def _covers(owner: FoundOwner, kustomizations: dict[str, FoundKustomization]) -> tuple[str, ...]:
    return tuple({path for directory in owner.applies for path in _covers_one(directory, kustomizations)})


def _covers_one(directory: str, kustomizations: dict[str, FoundKustomization]) -> set[str]:
    """Paths that are applied when `directory` is: what its kustomization includes, or all below when it has none."""
    return _reach([directory], kustomizations) - (kustomizations.keys() & {directory}) if directory in kustomizations else {directory}


def _is_covered(file: str, covering: Iterable[str]) -> bool:
    return any(file == path or _is_below(file, path) for path in covering)


def _holders(file: str, kustomizations: dict[str, FoundKustomization]) -> set[str]:
    """The outermost kustomizations that include `file`; the directory of a file that none includes."""
    parents = {d for d, k in kustomizations.items() if file in k.includes}
    if not parents:
        return {posixpath.dirname(file) or "."}
    seen: set[str] = set()
    tops: set[str] = set()
    while parents:
        directory = parents.pop()
        if directory not in seen:
            seen.add(directory)
            outer = {d for d, k in kustomizations.items() if directory in k.includes and d != directory}
            parents |= outer
            if not outer:
                tops.add(directory)
    return tops


def _applies(value: Value) -> tuple[str, ...] | None:
    """The directories that the owner `value` applies; None when it is no owner."""
    if not isinstance(value, dict):
        return None
    group = str(value.get("apiVersion")).partition("/")[0]
    kind = value.get("kind")
    spec = value.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    sources: list[Value]
    if (group, kind) == ("kustomize.toolkit.fluxcd.io", "Kustomization"):
        sources = [{"path": spec.get("path", ".")}]
    elif (group, kind) == ("fluxcd.controlplane.io", "FluxInstance"):
        sources = [spec.get("sync")]
    elif (group, kind) == ("argoproj.io", "Application"):
        several = spec.get("sources")
        sources = several if isinstance(several, list) else [spec.get("source")]
    elif (group, kind) == ("argoproj.io", "ApplicationSet"):
        return _applies({**value, "kind": "Application", "spec": _template_spec(spec)})
    else:
        return None
    paths = [source.get("path") for source in sources if isinstance(source, dict)]
    return tuple(posixpath.normpath(path.lstrip("/") or ".") for path in paths if isinstance(path, str))


def _template_spec(spec: dict[str, Value]) -> Value:
    template = spec.get("template")
    return template.get("spec") if isinstance(template, dict) else None


def _is_below(path: str, directory: str) -> bool:
    return directory == "." or path.startswith(directory + "/")
