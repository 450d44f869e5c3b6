"""Artifacts that an ArtifactGenerator assembles by copy rules, as trees of their own."""

from __future__ import annotations

import json
import posixpath
import re
import weakref
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.errors import UnreadablePath
from kdiff.kube.flux import ArtifactGenerator, ArtifactPlan, CopyRule
from kdiff.kube.globs import is_pattern, match_name, match_path
from kdiff.model.failure import Note
from kdiff.model.tree import Gap, OutsideTree, Tree, TreeOrigin, find_directories
from kdiff.model.value import Value

# The API's own limit on artifacts of one generator; a pathPattern may unfold to more in a hostile tree.
MAX_ARTIFACTS = 1000
_DESTINATION = "@artifact/"
_CAPTURE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ArtifactError(Exception):
    """The artifact cannot be assembled; the message says why and names the rule."""


@dataclass(frozen=True, eq=False)
class ArtifactTree:
    """A tree whose files are copies of files of other trees, or merged content. Implements `kdiff.model.tree.Tree`."""

    origin: TreeOrigin
    files: Mapping[str, tuple[Tree, str] | bytes] = field(repr=False)
    children: Mapping[str, tuple[str, ...]] = field(repr=False)  # names by directory, `.` for the root
    remotes: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    manifests: tuple[str, ...] = ()
    gaps: Mapping[str, Gap] = field(default_factory=dict)  # none: an artifact that would have one cannot be assembled
    directory: str | None = None

    @property
    def paths(self) -> Collection[str]:
        """Every file."""
        return self.files.keys()

    def read(self, path: str) -> bytes:
        """Content of a file. Raises `FileNotFoundError` or `OutsideTree`."""
        resolved = self.resolve(path)
        if resolved not in self.files:
            raise FileNotFoundError(path)
        content = self.files[resolved]
        return content if isinstance(content, bytes) else content[0].read(content[1])

    def is_file(self, path: str) -> bool:
        """True for a file."""
        return posixpath.normpath(path) in self.files

    def is_dir(self, path: str) -> bool:
        """True for a directory that holds something, and for the root."""
        return posixpath.normpath(path) in self.children

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted. Raises `FileNotFoundError`, `NotADirectoryError` or `OutsideTree`."""
        resolved = self.resolve(path)
        if resolved in self.files:
            raise NotADirectoryError(path)
        if resolved not in self.children:
            raise FileNotFoundError(path)
        return self.children[resolved]

    def resolve(self, path: str) -> str:
        """`path` normalised; an artifact holds no links. Raises `OutsideTree`."""
        normalised = posixpath.normpath(path)
        if normalised.split("/")[0] in ("..", ""):
            raise OutsideTree(path)
        return normalised


def path_in_source(tree: Tree, path: str) -> str | None:
    """The path of a file in the tree that an artifact was assembled from, `path` itself in any other tree; None for merged content."""
    while isinstance(tree, ArtifactTree):
        held = tree.files.get(path)
        if held is None or isinstance(held, bytes):
            return None
        tree, path = held
    return path


def plan_artifacts(generator: ArtifactGenerator, sources: Mapping[str, Tree]) -> tuple[ArtifactPlan, ...]:
    """The artifacts of `generator` by name, with its pathPattern unfolded over the directories of the source it names.

    `{app}` in the pattern stands for one path segment; the artifact's name takes it in lower case, the copy paths as it is
    (source-watcher, internal/controller/artifactgenerator_pathpattern.go).

    Raises:
        ArtifactError: the pattern is malformed, names a source that is not in `sources`, or looks into what cannot be read.
    """
    if not generator.path_pattern:
        return generator.artifacts
    alias, _, pattern = generator.path_pattern.partition("/")
    tree = sources.get(alias.removeprefix("@"))
    if tree is None or not alias.startswith("@"):
        raise ArtifactError(f"pathPattern {generator.path_pattern} names a source that is not this tree")
    names = _CAPTURE.findall(pattern)
    if len(set(names)) != len(names):
        raise ArtifactError(f"pathPattern {generator.path_pattern} names a capture twice")
    for path, gap in tree.gaps.items():
        above = "/".join(pattern.split("/")[: path.count("/") + 1])
        if gap.kind != "file" and above != pattern and _matcher(above).fullmatch(path):
            raise ArtifactError(f"pathPattern {generator.path_pattern}: {gap.reason}")
    matcher = _matcher(pattern)
    found = (matcher.fullmatch(directory) for directory in sorted(find_directories(tree)))
    plans = tuple(_unfold(artifact, match.groupdict()) for match in found if match for artifact in generator.artifacts)
    if len(plans) > MAX_ARTIFACTS:
        raise ArtifactError(f"pathPattern {generator.path_pattern} unfolds to more than {MAX_ARTIFACTS} artifacts")
    return plans


def assemble_artifact(plan: ArtifactPlan, sources: Mapping[str, Tree], origin: TreeOrigin) -> ArtifactTree:
    """The tree that `plan` copies together from `sources` (trees by alias), later rules over earlier ones.

    Copying follows source-watcher (internal/builder/builder.go, applyCopyOperation): like `cp`, with globs of one level.

    Raises:
        ArtifactError: a rule is malformed, matches nothing, reads a source that is not in `sources`, or unpacks an archive.
    """
    files: dict[str, tuple[Tree, str] | bytes] = {}
    for rule in plan.rules:
        _apply(rule, sources, files)
    return tree_of_files(files, origin)


_TREES: weakref.WeakValueDictionary[tuple[TreeOrigin, frozenset[object]], ArtifactTree] = weakref.WeakValueDictionary()


def tree_of_files(files: Mapping[str, tuple[Tree, str] | bytes], origin: TreeOrigin) -> ArtifactTree:
    """A tree of `files` by normalised path: either content, or a file of another tree that is read when asked for.

    Equal files are one tree while anyone holds it, so that what was worked out for it or built from it in one round counts in the next.
    """
    content = frozenset((path, entry if isinstance(entry, bytes) else (id(entry[0]), entry[1])) for path, entry in files.items())
    known = _TREES.get((origin, content))
    if known is not None:
        return known
    children: dict[str, set[str]] = {".": set()}
    for file in files:
        path = file
        while path != ".":
            parent, name = posixpath.split(path)
            path = parent or "."
            children.setdefault(path, set()).add(name)
    tree = ArtifactTree(origin, files, {directory: tuple(sorted(names)) for directory, names in children.items()})
    _TREES[origin, content] = tree
    return tree


def _unfold(artifact: ArtifactPlan, captures: Mapping[str, str]) -> ArtifactPlan:
    def fill(template: str, values: Mapping[str, str]) -> str:
        return _CAPTURE.sub(lambda match: values.get(match[1], match[0]), template)

    lowered = {name: value.lower() for name, value in captures.items()}
    rules = tuple(replace(rule, from_=fill(rule.from_, captures), to=fill(rule.to, captures)) for rule in artifact.rules)
    return ArtifactPlan(fill(artifact.name, lowered), rules)


def _matcher(pattern: str) -> re.Pattern[str]:
    pieces = _CAPTURE.split(pattern)
    return re.compile("".join(f"(?P<{piece}>[^/]+)" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)))


def _apply(rule: CopyRule, sources: Mapping[str, Tree], files: dict[str, tuple[Tree, str] | bytes]) -> None:
    alias, slash, pattern = rule.from_.removeprefix("@").partition("/")
    if not rule.from_.startswith("@") or not slash or not rule.to.startswith(_DESTINATION):
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: paths begin with @alias/ and {_DESTINATION}")
    tree = sources.get(alias)
    if tree is None:
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: @{alias} is not this tree")
    if rule.strategy == "Extract":
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: archives are not unpacked")
    destination = rule.to.removeprefix(_DESTINATION)
    try:
        if is_pattern(pattern):
            _copy_matches(rule, tree, pattern, destination, files)
        else:
            _copy_single(rule, tree, posixpath.normpath(pattern or "."), destination, files)
    except (OutsideTree, OSError, DocumentError, UnreadablePath) as error:
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: {error}") from error
    except RecursionError as error:
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: nested too deep to be merged") from error


def _copy_matches(rule: CopyRule, tree: Tree, pattern: str, destination: str, files: dict[str, tuple[Tree, str] | bytes]) -> None:
    matches = [match for match in _glob(tree, pattern) if match not in {".", ".."}]
    if not matches:
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: nothing matches")
    chosen_below = _literal_prefix(pattern)
    prefix = pattern.removesuffix("/**") + "/"
    for match in matches:
        if _excluded(match, chosen_below, rule.exclude):
            continue
        # `dir/**` copies what is in the directory, other globs keep the whole path.
        kept = match.removeprefix(prefix) if pattern.endswith("/**") else match
        _copy(rule, tree, match, posixpath.join(destination, kept), files, base=chosen_below)


def _copy_single(rule: CopyRule, tree: Tree, path: str, destination: str, files: dict[str, tuple[Tree, str] | bytes]) -> None:
    if tree.is_dir(path):
        _copy(rule, tree, path, posixpath.join(destination, posixpath.basename(path)), files, base=path)
    elif not tree.is_file(path):
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: {path} does not exist")
    elif not _excluded(path, ".", rule.exclude):
        into = rule.to.endswith("/") or any(known.startswith(f"{posixpath.normpath(destination)}/") for known in files)
        _copy(rule, tree, path, posixpath.join(destination, posixpath.basename(path)) if into else destination, files, base=".")


def _copy(rule: CopyRule, tree: Tree, path: str, to: str, files: dict[str, tuple[Tree, str] | bytes], *, base: str) -> None:
    """Copy a file, or a directory with all below it that is not excluded. Only a single file is ever merged."""
    to = posixpath.normpath(to)
    if to.split("/")[0] == "..":
        raise ArtifactError(f"copying {rule.from_} to {rule.to}: leads out of the artifact")
    if not tree.is_dir(path):
        merge = rule.strategy == "Merge" and to in files
        files[to] = _merged(_content(files[to]), tree.read(path)) if merge else (tree, path)
        return
    start = "" if path == "." else f"{path}/"
    gaps = tree.gaps
    for file in sorted({*tree.paths, *gaps}):
        if not file.startswith(start):
            continue
        below = file.removeprefix(start)
        cuts = [index for index, character in enumerate(below) if character == "/"]
        if any(_excluded(start + below[:cut], base, rule.exclude) for cut in (*cuts, len(below))):
            continue
        if file in gaps:
            raise UnreadablePath(gaps[file].reason)
        if tree.is_file(file):  # a link to a directory is listed but is no file
            files[posixpath.normpath(posixpath.join(to, below))] = (tree, file)


def _glob(tree: Tree, pattern: str) -> Iterator[str]:
    """Paths that match segment by segment; `**` is no more than `*` here (Go io/fs.Glob)."""
    found = ["."]
    for part in pattern.split("/"):
        deeper: list[str] = []
        for directory in found:
            if not tree.is_dir(directory):
                continue
            names = (name for name in tree.list_dir(directory) if match_name(part, name))
            deeper += [posixpath.normpath(posixpath.join(directory, name)) for name in names]
        found = deeper
    return iter(found)


def _literal_prefix(pattern: str) -> str:
    parts = posixpath.normpath(pattern).split("/")
    literal = next((index for index, part in enumerate(parts) if is_pattern(part)), len(parts))
    return "/".join(parts[:literal]) or "."


def _excluded(path: str, base: str, patterns: tuple[str, ...]) -> bool:
    """Patterns see the path from the source's root and from `base`; one without a slash sees the bare name as well."""
    seen = [path, path.removeprefix(f"{base}/")]
    return any(
        any(match_path(pattern, form) for form in seen) or ("/" not in pattern and match_path(pattern, posixpath.basename(path)))
        for pattern in patterns
    )


def _content(entry: tuple[Tree, str] | bytes) -> bytes:
    return entry if isinstance(entry, bytes) else entry[0].read(entry[1])


def _merged(below: bytes, above: bytes) -> bytes:
    """Both as YAML, merged like Helm values: mappings key by key, anything else replaced (internal/builder/merge.go)."""
    merged: dict[str, Value] = {}
    for document in (*split_documents(below), *split_documents(above)):
        value = load_document(document.raw)
        if isinstance(value, dict):
            merged = _merge_mappings(merged, value)
    return json.dumps(merged, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _merge_mappings(below: dict[str, Value], above: dict[str, Value]) -> dict[str, Value]:
    merged = dict(below)
    for key, value in above.items():
        known = merged.get(key)
        merged[key] = _merge_mappings(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged
