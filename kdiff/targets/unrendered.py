"""What a controller makes of this tree with a tool that kdiff does not run, and whether it may differ between the sides."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Literal, NamedTuple

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.errors import SourceError
from kdiff.kube.globs import is_pattern, match_path
from kdiff.kube.helm import IGNORE_FILE, is_ignored, is_own_file, local_dependencies, may_read_files, parse_ignore_file
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES, read_kustomization
from kdiff.model.tree import OutsideTree, Tree, may_be_file
from kdiff.model.value import Value
from kdiff.targets.kustomizations import closure

Method = Literal["Helm", "Jsonnet", "plugin", "templatePatch"]


@dataclass(frozen=True)
class Unrendered:
    """One Application or HelmRelease of one side, or a source of it, that is made from this tree.

    `id` has the form of a target id. `path` is the directory that the tool works on, None where it lies elsewhere; `named` are
    further files, as paths or globs, and all that Jsonnet starts from, with `libraries` as the directories that imports are looked
    for in; `parameters` are what a templatePatch is filled with.
    """

    id: str
    method: Method
    tree: Tree = field(compare=False, repr=False)
    path: str | None = None
    named: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    parent: str | None = None
    parameters: bytes = field(default=b"", repr=False)


class Memo:
    """What several Applications or HelmReleases share is read and compared once; one serves a run."""

    def __init__(self) -> None:
        self.matching = cache(_matching)
        self.chart = cache(_read_chart)
        self.differs = cache(_differs)


def find_change(base: Unrendered, head: Unrendered, memo: Memo | None = None) -> str | None:
    """What differs between the sides of one Application or HelmRelease, beyond the object itself; None when nothing does."""
    if base.parameters != head.parameters:
        return "the templatePatch of its ApplicationSet is not applied, and what it is filled with differs"
    memo = memo or Memo()
    old, new = _deciding(base, memo), _deciding(head, memo)
    pairs = [(old.made.get(name), new.made.get(name)) for name in old.made.keys() | new.made.keys()]
    pairs += [(old.named.get(name, path), new.named.get(name, path)) for name, path in {**old.named, **new.named}.items()]
    files = sorted({there or here or "" for here, there in pairs if memo.differs(base.tree, here, head.tree, there)})
    if not files:
        return None
    where = f" at {head.path}" if head.path else ""
    what = {"Helm": f"the Helm chart{where}", "Jsonnet": f"the Jsonnet{where}"}.get(head.method, f"what a plugin makes{where}")
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return f"{what} is not rendered, and its files differ: {', '.join(files[:3])}{more}"


def deciding_files(one: Unrendered, memo: Memo | None = None) -> frozenset[str]:
    """The files of the tree that decide what the tool makes, as far as they can be told without running it."""
    deciding = _deciding(one, memo or Memo())
    return frozenset({*deciding.made.values(), *deciding.named.values()})


class _Deciding(NamedTuple):
    """Paths of deciding files by names that do not change when the directory moves.

    A file that only one side has in `made` is missing on the other; one of `named` is there whatever the other side names.
    """

    made: Mapping[str, str]
    named: Mapping[str, str]


def _deciding(one: Unrendered, memo: Memo) -> _Deciding:
    tree = one.tree
    named = {path for name in one.named for path in (memo.matching(tree, name) if is_pattern(name) else [name])}
    made: Mapping[str, str] = {}
    if one.path is not None and one.method == "Helm":
        chart = memo.chart(tree, one.path)
        values = [_content(tree, path) for path in named]
        templated = any(b"{{" in each for each in values)
        speaks = chart.reads_files or (templated and may_read_files([*values, *(_content(tree, path) for path in chart.own.values())]))
        made = {**chart.own, **chart.others} if speaks else chart.own
    elif one.method == "Jsonnet":
        named = _with_imports(tree, named, one.libraries)
    elif one.path is not None and one.method == "plugin":
        made = _by_name(one.path, {*_below(tree, one.path), *_kustomize_files(tree, one.path)})
    return _Deciding(made, _by_name(one.path or ".", named))


def _matching(tree: Tree, pattern: str) -> list[str]:
    """Files that match, and the gaps that do or that may hide some."""
    parts = pattern.split("/")
    starts = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)] if tree.gaps else []
    hiding = (gap for gap in tree.gaps if any(match_path(start, gap) for start in starts))
    return [*(path for path in tree.paths if match_path(pattern, path)), *hiding]


def _by_name(directory: str, paths: Iterable[str]) -> dict[str, str]:
    """Paths by what they are called from `directory`, where they lie in it."""
    below = "" if directory == "." else f"{directory}/"
    return {path.removeprefix(below): path for path in paths}


def _differs(base: Tree, old: str | None, head: Tree, new: str | None) -> bool:
    try:
        return old is None or new is None or _read(base, old) != _read(head, new)
    except SourceError:  # it is there, and nobody can tell
        return True


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path)
    except (OSError, OutsideTree):
        return None


def _is_file(tree: Tree, path: str) -> bool:
    try:
        return tree.is_file(path)
    except SourceError:
        return False


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


class _Chart(NamedTuple):
    """The files of a chart and of the charts in the tree that it depends on, by their names from its directory, without ignored ones."""

    own: Mapping[str, str]  # that Helm reads by itself
    others: Mapping[str, str]
    reads_files: bool


def _read_chart(tree: Tree, directory: str) -> _Chart:
    own: dict[str, str] = {}
    others: dict[str, str] = {}
    for chart in closure([directory], partial(_chart_dependencies, tree)):
        patterns = parse_ignore_file(_content(tree, _join(chart, IGNORE_FILE)).decode("utf-8", "replace"))
        for path in _below(tree, chart):
            name = posixpath.relpath(path, chart)
            if not is_ignored(patterns, name):
                (own if is_own_file(name) or not _is_file(tree, path) else others)[posixpath.relpath(path, directory)] = path
    return _Chart(own, others, may_read_files(_content(tree, path) for path in own.values()))


def _chart_dependencies(tree: Tree, chart: str) -> Iterator[str]:
    for name in ("Chart.yaml", "requirements.yaml"):
        yield from (_join(chart, path) for path in local_dependencies(_value(tree, _join(chart, name))))


_IMPORT = re.compile(rb"\bimport(?:str|bin)?\s*@?(?:'([^'\n]+)'|\"([^\"\n]+)\")")


def _with_imports(tree: Tree, files: Iterable[str], libraries: tuple[str, ...]) -> set[str]:
    """Jsonnet files and what they import, from beside them or from a library directory."""

    def imports(path: str) -> list[str]:
        names = [(one or other).decode("utf-8", "replace") for one, other in _IMPORT.findall(_content(tree, path))]
        return [_join(place, name) for name in names for place in (posixpath.dirname(path), *libraries)]

    return closure(files, imports)


def _kustomize_files(tree: Tree, directory: str) -> set[str]:
    """What the kustomization in `directory`, which a plugin may well build, reads anywhere in the tree."""

    def references(path: str) -> list[str]:
        if may_be_file(tree, path):  # also where nobody can tell what lies below
            return []
        file = next((each for name in KUSTOMIZATION_NAMES if may_be_file(tree, each := _join(path, name))), None)
        kustomization = read_kustomization(_value(tree, file)) if file else None
        named = [_join(path, each.path) for each in kustomization.references if "\n" not in each.path] if kustomization else []
        return [*([file] if file else []), *named]

    return {path for path in closure([directory], references) if may_be_file(tree, path)}


def _join(directory: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(directory, path))
