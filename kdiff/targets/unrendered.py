"""What a controller makes of this tree with a tool that kdiff does not run, and whether it may differ between the sides."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.errors import SourceError
from kdiff.kube.globs import is_pattern, match_path
from kdiff.kube.helm import IGNORE_FILE, OWN_FILES, is_ignored, local_dependencies, parse_ignore_file
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES, read_kustomization
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value

Method = Literal["Helm", "Jsonnet", "plugin", "templatePatch"]


@dataclass(frozen=True)
class Unrendered:
    """One Application or HelmRelease of one side, or a source of it, that is made from this tree.

    `id` has the form of a target id. `path` is the directory that the tool works on, None where it lies elsewhere; `named` are
    further files, as paths or globs, and for Jsonnet its library directories; `parameters` are what a templatePatch is filled with.
    """

    id: str
    method: Method
    tree: Tree = field(compare=False, repr=False)
    path: str | None = None
    named: tuple[str, ...] = ()
    parent: str | None = None
    parameters: bytes = field(default=b"", repr=False)


def find_change(base: Unrendered, head: Unrendered) -> str | None:
    """What differs between the sides of one Application or HelmRelease, beyond the object itself; None when nothing does."""
    if base.parameters != head.parameters:
        return "the templatePatch of its ApplicationSet is not applied, and what it is filled with differs"
    files = [path for path in sorted({*deciding_files(base), *deciding_files(head)}) if _differs(base.tree, head.tree, path)]
    if not files:
        return None
    where = f" at {head.path}" if head.path else ""
    what = {"Helm": f"the Helm chart{where}", "Jsonnet": f"the Jsonnet{where}"}.get(head.method, f"what a plugin makes{where}")
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return f"{what} is not rendered, and its files differ: {', '.join(files[:3])}{more}"


def deciding_files(one: Unrendered) -> frozenset[str]:
    """The files of the tree that decide what the tool makes, as far as they can be told without running it."""
    tree = one.tree
    found = {path for name in one.named for path in (_matching(tree, name) if is_pattern(name) else [name])}
    if one.path is not None and one.method == "Helm":
        found |= _chart_files(tree, one.path)
    elif one.path is not None and one.method == "Jsonnet":
        found = set(_jsonnet_files(tree, one.path, one.named))
    elif one.path is not None and one.method == "plugin":
        found |= {*_below(tree, one.path), *_kustomize_files(tree, one.path)}
    return frozenset(found)


def _matching(tree: Tree, pattern: str) -> list[str]:
    return [path for path in tree.paths if match_path(pattern, path)]


def _differs(base: Tree, head: Tree, path: str) -> bool:
    try:
        return _read(base, path) != _read(head, path)
    except SourceError:  # it is there, and nobody can tell
        return True


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path)
    except (OSError, OutsideTree):
        return None


def _content(tree: Tree, path: str) -> bytes:
    try:
        return _read(tree, path) or b""
    except SourceError:
        return b""


def _value(tree: Tree, path: str) -> Value:
    try:
        return load_document(_content(tree, path))
    except DocumentError:
        return None


def _below(tree: Tree, directory: str) -> Iterator[str]:
    """Every file below `directory`, through links too, as Helm and others follow them, and what nobody can look into there."""
    yield from (gap for gap in tree.gaps if directory == "." or f"{gap}/".startswith(f"{directory}/"))
    waiting, seen = [directory], set()
    while waiting:
        path = waiting.pop()
        try:
            if tree.is_file(path):
                yield path
            elif tree.is_dir(path) and (real := tree.resolve(path)) not in seen:
                seen.add(real)
                waiting += [_join(path, name) for name in tree.list_dir(path)]
        except SourceError:
            yield path


def _closure(start: Iterable[str], leads_to: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += leads_to(path)
    return found


def _chart_files(tree: Tree, directory: str) -> set[str]:
    """The files of a chart and of the charts in the tree that it depends on, without what cannot reach the output.

    That is what .helmignore names and, unless something in the chart speaks of `.Files`, what lies beside Chart.yaml and is
    not Helm's own: README.md, or the values of another release.
    """
    found: set[str] = set()
    for chart in _closure([directory], partial(_chart_dependencies, tree)):
        patterns = parse_ignore_file(_content(tree, _join(chart, IGNORE_FILE)).decode("utf-8", "replace"))
        inner = {path: posixpath.relpath(path, chart) for path in _below(tree, chart)}
        read = {path for path, name in inner.items() if not is_ignored(patterns, name)}
        beside = {path for path in read if "/" not in inner[path] and inner[path] not in OWN_FILES}
        found |= read if any(b"Files" in _content(tree, path) for path in read - beside) else read - beside
    return found


def _chart_dependencies(tree: Tree, chart: str) -> Iterator[str]:
    for name in ("Chart.yaml", "requirements.yaml"):
        yield from (_join(chart, path) for path in local_dependencies(_value(tree, _join(chart, name))))


_IMPORT = re.compile(rb"\bimport(?:str|bin)?\s*@?(?:'([^'\n]+)'|\"([^\"\n]+)\")")


def _jsonnet_files(tree: Tree, directory: str, libraries: tuple[str, ...]) -> set[str]:
    """The .jsonnet files below `directory` and what they import, from beside them or from a library directory."""

    def imports(path: str) -> list[str]:
        names = [(one or other).decode("utf-8", "replace") for one, other in _IMPORT.findall(_content(tree, path))]
        return [_join(place, name) for name in names for place in (posixpath.dirname(path), *libraries)]

    return _closure((path for path in _below(tree, directory) if path.endswith(".jsonnet")), imports)


def _kustomize_files(tree: Tree, directory: str) -> set[str]:
    """What the kustomization in `directory`, which a plugin may well build, reads anywhere in the tree."""

    def references(path: str) -> list[str]:
        file = next((each for name in KUSTOMIZATION_NAMES if tree.is_file(each := _join(path, name))), None)
        kustomization = read_kustomization(_value(tree, file)) if file else None
        named = [_join(path, each.path) for each in kustomization.references if "\n" not in each.path] if kustomization else []
        return [*([file] if file else []), *named]

    return {path for path in _closure([directory], references) if tree.is_file(path)}


def _join(directory: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(directory, path))
