"""The exact set of files that kustomize reads to build one directory."""

from __future__ import annotations

import hashlib
import itertools
import posixpath
import re
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from kdiff.documents.load import load_documents, load_first
from kdiff.documents.split import DocumentError
from kdiff.kube.kustomization import (
    KUSTOMIZATION_NAMES,
    Asked,
    KustomizationFile,
    Reference,
    is_git_url,
    is_http_url,
    is_local_git_url,
    read_kustomization,
    read_plugin,
    without_credentials,
)
from kdiff.model.tree import OutsideTree, Tree, refuse_gaps

# A string longer than this names no file (PATH_MAX of Linux is 4096); longer ones are inline patches.
MAX_PATH = 4096


@dataclass(frozen=True)
class ReadSet:
    """What a build of one directory reads, by tree path; every tuple sorted and free of repeats.

    `directory` is where the one that was asked for really lies, `buildable` tells whether it holds a kustomization.
    `files` are (path, SHA-256 hex) of what lies in the tree; what the overlay gives is not among them. `links` are symbolic links
    on the way to them, (path, the path it leads to). `directories` are those that were built or named. `reaches_out` is True
    when a kustomization reads a file that does not lie in or below its own directory. `unforeseen` says why kustomize itself may read
    more than was found, `foreign` why a program that it starts may, "" when nothing more can be. `escapes` are references that
    leave the tree, `remote` those that need a network, without credentials.
    """

    directory: str
    buildable: bool
    files: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    directories: tuple[str, ...]
    kustomizations: tuple[str, ...]
    reaches_out: bool
    unforeseen: str
    foreign: str
    escapes: tuple[str, ...]
    remote: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """True when two builds with the same read set give the same objects."""
        return not (self.unforeseen or self.foreign or self.remote)


def read_set(tree: Tree, directory: str, overlay: Mapping[str, bytes]) -> ReadSet:
    """The read set of a build of `directory`, as if the files of `overlay` lay in `tree`.

    Kustomizations are followed as kustomize follows them (api/internal/target/kusttarget.go), from where a symbolic link leads
    to (api/internal/loader/fileloader.go, ConfirmDir). What one directory reads is worked out once per tree and shared by every
    target that reaches it, unless the overlay touches it. Paths of `overlay` are resolved ones.

    Raises:
        OutsideTree: `directory` itself leaves the tree.
    """
    memo = _memo(tree)
    touched = set(overlay)
    for path in overlay:
        while path := posixpath.dirname(path):
            touched.add(path)
    reader = _Reader(memo, overlay, touched)
    start = reader.place(directory)
    start_links = reader.links
    found: dict[str, _Reads] = {}
    waiting = [start]
    while waiting:
        current = waiting.pop()
        if current not in found:
            reads = memo.reads.get(current)
            if reads is None or not touched.isdisjoint(reads.probed):
                reads = reader.read_directory(current)
                if touched.isdisjoint(reads.probed):
                    memo.reads[current] = reads
            found[current] = reads
            waiting += reads.bases
    unforeseen = [reads.unforeseen for _, reads in sorted(found.items()) if reads.unforeseen]
    foreign = [reads.foreign for _, reads in sorted(found.items()) if reads.foreign]
    for base in sorted({base for reads in found.values() for base in reads.plugin_bases}):
        plugins = reader.plugins(base, found)
        if plugins is None or not plugins <= {None, Asked(())}:
            unforeseen.append(f"generators or transformers built from {base} may read anything")
        elif None in plugins:
            foreign.append(f"generators or transformers built from {base} are no plugins of kustomize's own")
    files = []
    for path in sorted({path for reads in found.values() for path in reads.files}):
        digest = memo.digest(path)
        if digest is None:
            unforeseen.append(f"{path} cannot be read")
        else:
            files.append((path, digest))
    return ReadSet(
        directory=start,
        buildable=bool(found[start].kustomizations),
        files=tuple(files),
        links=_union([start_links, *(reads.links for reads in found.values())]),
        directories=_union([found, *(reads.directories for reads in found.values())]),
        kustomizations=_union(reads.kustomizations for reads in found.values()),
        reaches_out=any(reads.reaches_out for reads in found.values()),
        unforeseen=unforeseen[0] if unforeseen else "",
        foreign=foreign[0] if foreign else "",
        escapes=_union(reads.escapes for reads in found.values()),
        remote=_union(reads.remote for reads in found.values()),
    )


def serial_number(tree: Tree) -> int:
    """A number that no other tree of this process has had or will have."""
    return _memo(tree).serial


@dataclass
class _Reads:
    """What `directory` reads by itself. `probed` are all paths whose existence this depends on."""

    directory: str
    files: set[str] = field(default_factory=set)
    overlaid: set[str] = field(default_factory=set)  # files that the overlay gives
    links: set[tuple[str, str]] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)  # named where a file is meant
    kustomizations: set[str] = field(default_factory=set)
    escapes: set[str] = field(default_factory=set)
    remote: set[str] = field(default_factory=set)
    probed: set[str] = field(default_factory=set)
    plugin_bases: set[str] = field(default_factory=set)  # those of `bases` whose objects are generators or transformers
    collects: bool = True  # its kustomization leaves the fields of objects as they are
    reaches_out: bool = False  # it reads a file that is not in or below it
    unforeseen: str = ""
    foreign: str = ""


class _Memo:
    """What is known about one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = weakref.proxy(tree)
        self.reads: dict[str, _Reads] = {}
        self.digests: dict[str, str | None] = {}
        self.serial = next(_SERIALS)

    def digest(self, path: str) -> str | None:
        """SHA-256 of a file; None when it cannot be read."""
        if path not in self.digests:
            try:
                self.digests[path] = hashlib.sha256(self.tree.read(path)).hexdigest()
            except (OSError, OutsideTree):
                self.digests[path] = None
        return self.digests[path]


_SERIALS = itertools.count()
_MEMOS: dict[int, tuple[weakref.ref[Tree], _Memo]] = {}


def _memo(tree: Tree) -> _Memo:
    # By identity: two trees may be equal as values, and hashing one may read all of it.
    key = id(tree)
    known = _MEMOS.get(key)
    if known is None or known[0]() is not tree:
        known = (weakref.ref(tree, lambda _: _MEMOS.pop(key, None)), _Memo(tree))
        _MEMOS[key] = known
    return known[1]


class _Reader:
    """Reads single directories of a tree under an overlay."""

    def __init__(self, memo: _Memo, overlay: Mapping[str, bytes], touched: set[str]) -> None:
        self.tree: Tree = memo.tree
        self.overlay = overlay
        self.touched = touched
        self.links: set[tuple[str, str]] = set()

    def place(self, path: str) -> str:
        """Where `path` really lies; links on the way are kept. Raises OutsideTree."""
        path = posixpath.normpath(path)
        real = self.tree.resolve(path)
        if real != path:
            at = ""
            for name in path.split("/"):
                step = posixpath.normpath(posixpath.join(at, name))
                at = self.tree.resolve(step)
                if at != step:
                    self.links.add((step, at))
        return real

    def read_directory(self, directory: str) -> _Reads:
        """What kustomize reads for the kustomization in `directory`, without its bases."""
        reads = _Reads(directory)
        self.links = reads.links
        for name in KUSTOMIZATION_NAMES:
            path = self.find_file(posixpath.join(directory, name), reads)
            if path is None:
                continue
            reads.kustomizations.add(path)
            kustomization = self.parse(path)
            reads.collects = reads.collects and kustomization is not None and kustomization.collects
            if kustomization is None:
                reads.unforeseen = f"{path} cannot be read as a kustomization"
            else:
                self.follow_all(kustomization, path, reads)
        return reads

    def plugins(self, base: str, found: Mapping[str, _Reads]) -> set[Asked | None] | None:
        """What the plugins ask for that `base` gives, as `read_plugin` tells it; None when its manifests do not say which they are."""
        contents: set[bytes] = set()
        waiting, seen = [base], set()
        while waiting:
            reads = found[current := waiting.pop()]
            if current in seen:
                continue
            seen.add(current)
            waiting += reads.bases
            if not reads.collects or reads.remote or reads.unforeseen:
                return None
            with suppress(OSError, OutsideTree):  # then the whole set is unforeseen
                contents |= {self.content(path) for path in (reads.files | reads.overlaid) - reads.kustomizations}
        try:
            return {asked for content in contents for asked in _plugins(content)}
        except DocumentError:
            return None

    def parse(self, path: str) -> KustomizationFile | None:
        """The kustomization at `path`; None when it cannot be read as one."""
        try:
            value = load_first(self.content(path))
        except (DocumentError, OSError, OutsideTree):
            return None
        return read_kustomization({} if value is None else value)

    def content(self, path: str) -> bytes:
        return self.overlay[path] if path in self.overlay else self.tree.read(path)

    def find(self, path: str, reads: _Reads) -> str:
        """Where `path` really lies, now among the paths that were looked for; "" when it leaves the tree, which is an escape."""
        path = posixpath.normpath(path)
        reads.probed.add(path)
        try:
            real = self.place(path)
        except OutsideTree:
            reads.escapes.add(path)
            return ""
        reads.probed.add(real)
        return real

    def find_file(self, path: str, reads: _Reads) -> str | None:
        """The real path of the file at `path`, now among the files read; None when there is none."""
        real = self.find(path, reads)
        if real in self.overlay:
            reads.overlaid.add(real)
        elif real and self.tree.is_file(real):
            reads.files.add(real)
        else:
            return None
        # Links count by where they lead (api/internal/loader/loadrestrictions.go, RestrictionRootOnly).
        reads.reaches_out |= not _is_below(real, reads.directory)
        return real

    def find_directory(self, path: str, reads: _Reads) -> str | None:
        """The real path of the directory at `path`; None when there is none."""
        real = self.find(path, reads)
        return real if real and (real in self.touched - self.overlay.keys() or self.tree.is_dir(real)) else None

    def follow_all(self, asked: Asked, name: str, reads: _Reads) -> None:
        """Add what the kustomization or plugin `name` asks for."""
        if asked.unknown:
            reads.unforeseen = f"{name} has the unknown field {asked.unknown[0]}"
        if asked.helm:
            reads.foreign = f"{name} inflates helm charts"
        for reference in asked.references:
            self.follow(reference, reads)

    def follow(self, reference: Reference, reads: _Reads) -> None:
        """Add what `reference`, as written in the kustomization of `reads.directory`, makes kustomize read."""
        path, role = reference.path, reference.role
        inline = role in ("patch", "plugin") and ("\n" in path or "{" in path or ": " in path)
        if (inline or is_http_url(path)) and self.leaves(path, reads.directory):
            reads.unforeseen = "what looks like a URL, or like YAML in place, leads out of the tree when it is taken for a path"
        if role == "plugin" and inline:
            self.follow_plugin(path.encode(errors="replace"), "an inline generator or transformer", reads)
        elif role == "any" or inline:
            self.follow_any(path, reads)
        elif is_http_url(path):
            self.follow_remote(path, role, reads)
        elif path.startswith("/"):
            reads.escapes.add(path)
        else:
            self.follow_path(path, role, reads)

    def leaves(self, path: str, directory: str) -> bool:
        """True when kustomize would look for `path` outside of the tree, if it took it for one.

        It tries what parses as nothing else as a path, and takes away `x/..` as text before it opens a file (loader/fileloader.go,
        Load; path/filepath, Clean): whatever `x` is, `x/../../etc/passwd` lies above. Only url.Parse knows what is a URL.
        """
        try:
            self.tree.resolve(posixpath.normpath(posixpath.join(directory, path)))
        except OutsideTree:
            return True
        return False

    def follow_path(self, path: str, role: str, reads: _Reads) -> None:
        """A path in the tree or, where no file is found, a git repository."""
        joined = posixpath.join(reads.directory, path)
        if role == "chart":
            home = self.find_directory(joined, reads)
            if home is not None:
                refuse_gaps(self.tree, home)
            reads.files.update(below for below in self.tree.paths if home is not None and below.startswith(home + "/"))
            return
        file = self.find_file(joined, reads)
        if file is not None:
            if role == "plugin":
                self.follow_plugin(self.content(file), file, reads)
        elif role in ("resource", "component", "plugin") and is_local_git_url(path):
            reads.escapes.add(without_credentials(path))
        elif role in ("resource", "component", "plugin") and is_git_url(path):
            self.follow_remote(path, role, reads)
        elif (base := self.find_directory(joined, reads)) is None:
            return
        elif role in ("resource", "component", "plugin"):
            reads.bases.add(base)
            if role == "plugin":
                reads.plugin_bases.add(base)
        else:
            reads.directories.add(base)

    def follow_remote(self, path: str, role: str, reads: _Reads) -> None:
        """A URL. Configuration that comes from afar may name any file of this machine."""
        reads.remote.add(without_credentials(path))
        if role == "plugin":
            reads.unforeseen = f"generators or transformers come from {without_credentials(path)}"

    def follow_plugin(self, raw: bytes, name: str, reads: _Reads) -> None:
        """Configuration of generators or transformers: what the plugins that it configures read."""
        try:
            plugins = _plugins(raw)
        except DocumentError:
            reads.unforeseen = f"{name} cannot be read"
            return
        for asked in plugins:
            if asked is None:
                reads.foreign = f"{name} configures a plugin that may read anything"
            else:
                self.follow_all(asked, name, reads)

    def follow_any(self, path: str, reads: _Reads) -> None:
        """A string that may or may not be a path: whatever it names in the tree."""
        for candidate in {path, path.partition("=")[2]} - {"", "."}:
            joined = posixpath.normpath(posixpath.join(reads.directory, candidate))
            if "\n" in joined or len(joined) > MAX_PATH or self.leaves(candidate, reads.directory):
                continue
            if self.find_file(joined, reads) is None and (base := self.find_directory(joined, reads)) not in (None, reads.directory):
                reads.bases.add(base)


def _is_below(path: str, directory: str) -> bool:
    """Both are normalised, and may lie above the tree's root."""
    steps = directory.split("/")
    return path.split("/").count("..") <= steps.count("..") if set(steps) <= {".", ".."} else path.startswith(f"{directory}/")


_MERGE = re.compile(rb"<<\s*(?:[:,}#]|\n|\Z)")


def _plugins(raw: bytes) -> list[Asked | None]:
    """What each plugin that `raw` configures asks for, as `read_plugin` tells it.

    Raises:
        DocumentError: `raw` cannot be read, or has merge keys: kustomize reads it with go.yaml.in/yaml/v3 (kyaml), where a field's
            own value counts, whereas `load_document` has the last one.
    """
    if _MERGE.search(raw):
        raise DocumentError("merge keys")
    return [read_plugin(value) for value in load_documents(raw)]


def _union(sets: Iterable[Iterable[tuple[str, str]]] | Iterable[Iterable[str]]) -> tuple:  # type: ignore[type-arg]
    return tuple(sorted({item for items in sets for item in items}))
