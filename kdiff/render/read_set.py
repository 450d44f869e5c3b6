"""The exact set of files that kustomize reads to build one directory."""

from __future__ import annotations

import hashlib
import itertools
import posixpath
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.kube.kustomization import (
    KUSTOMIZATION_NAMES,
    KustomizationFile,
    Reference,
    is_git_url,
    is_http_url,
    is_local_git_url,
    read_kustomization,
    read_plugin,
    without_credentials,
)
from kdiff.model.tree import OutsideTree, Tree

# A string longer than this names no file (PATH_MAX of Linux is 4096); longer ones are inline patches.
MAX_PATH = 4096


@dataclass(frozen=True)
class ReadSet:
    """What a build of one directory reads, by tree path; every tuple sorted and free of repeats.

    `directory` is where the one that was asked for really lies, `buildable` tells whether it holds a kustomization.
    `files` are (path, SHA-256 hex) of what lies in the tree; what the overlay gives is not among them. `links` are symbolic links
    on the way to them, (path, the path it leads to). `directories` are those that were built or named. `unforeseen` says why
    more may be read than was found, "" when nothing more can be. `escapes` are references that leave the tree, `remote` those that
    need a network, without credentials.
    """

    directory: str
    buildable: bool
    files: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    directories: tuple[str, ...]
    kustomizations: tuple[str, ...]
    unforeseen: str
    escapes: tuple[str, ...]
    remote: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """True when two builds with the same read set give the same objects."""
        return not self.unforeseen and not self.remote

    @property
    def why_not(self) -> str:
        """Why the read set is not proven; "" when it is."""
        return self.unforeseen or (f"remote base {self.remote[0]}" if self.remote else "")


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
    unforeseen += [
        f"generators or transformers built from {base} may read anything"
        for base in sorted(base for reads in found.values() for base in reads.plugin_bases)
        if not reader.reads_nothing(base, found)
    ]
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
        unforeseen=unforeseen[0] if unforeseen else "",
        escapes=_union(reads.escapes for reads in found.values()),
        remote=_union(reads.remote for reads in found.values()),
    )


def serial_number(tree: Tree) -> int:
    """A number that no other tree of this process has had or will have."""
    return _memo(tree).serial


@dataclass
class _Reads:
    """What one directory reads by itself. `probed` are all paths whose existence this depends on."""

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
    unforeseen: str = ""


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
        reads = _Reads()
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
                continue
            if kustomization.unknown:
                reads.unforeseen = f"{path} has the unknown field {kustomization.unknown[0]}"
            if kustomization.helm:
                reads.unforeseen = f"{path} inflates helm charts"
            for reference in kustomization.references:
                self.follow(reference, directory, reads)
        return reads

    def reads_nothing(self, base: str, found: Mapping[str, _Reads]) -> bool:
        """True when the plugins that `base` builds are known from the manifests it collects, and read no files."""
        waiting, seen = [base], set()
        while waiting:
            reads = found[current := waiting.pop()]
            if current in seen:
                continue
            seen.add(current)
            waiting += reads.bases
            if not reads.collects or reads.remote:
                return False
            for path in (reads.files | reads.overlaid) - reads.kustomizations:
                try:
                    values = [load_document(document.raw) for document in split_documents(self.content(path))]
                except (DocumentError, OSError, OutsideTree):
                    return False
                if any(read_plugin(value) != () for value in values):
                    return False
        return True

    def parse(self, path: str) -> KustomizationFile | None:
        """The kustomization at `path`. Only its first document counts, as for sigs.k8s.io/yaml, which kustomize reads it with."""
        try:
            documents = split_documents(self.content(path))
            return read_kustomization(load_document(documents[0].raw) if documents else {})
        except (DocumentError, OSError, OutsideTree):
            return None

    def content(self, path: str) -> bytes:
        return self.overlay[path] if path in self.overlay else self.tree.read(path)

    def find_file(self, path: str, reads: _Reads) -> str | None:
        """The real path of the file at `path`, now among the files read; None when there is none."""
        path = posixpath.normpath(path)
        reads.probed.add(path)
        try:
            real = self.place(path)
        except OutsideTree:
            reads.escapes.add(path)
            return None
        reads.probed.add(real)
        if real in self.overlay:
            reads.overlaid.add(real)
            return real
        if self.tree.is_file(real):
            reads.files.add(real)
            return real
        return None

    def find_directory(self, path: str, reads: _Reads) -> str | None:
        """The real path of the directory at `path`; None when there is none."""
        path = posixpath.normpath(path)
        reads.probed.add(path)
        try:
            real = self.place(path)
        except OutsideTree:
            reads.escapes.add(path)
            return None
        reads.probed.add(real)
        return real if real in self.touched - self.overlay.keys() or self.tree.is_dir(real) else None

    def follow(self, reference: Reference, directory: str, reads: _Reads) -> None:
        """Add what `reference`, as written in the kustomization of `directory`, makes kustomize read."""
        path, role = reference.path, reference.role
        if not path or "\0" in path:
            return
        inline = "\n" in path or "{" in path or ": " in path
        if role == "plugin" and inline:
            self.follow_plugin(path.encode(errors="replace"), "an inline generator or transformer", directory, reads)
        elif role == "any" or (role == "patch" and inline):
            self.follow_any(path, directory, reads)
        elif is_http_url(path):
            self.follow_remote(path, role, reads)
        elif path.startswith("/"):
            reads.escapes.add(path)
        else:
            self.follow_path(path, role, directory, reads)

    def follow_path(self, path: str, role: str, directory: str, reads: _Reads) -> None:
        """A path in the tree or, where no file is found, a git repository."""
        joined = posixpath.join(directory, path)
        if role == "chart":
            home = self.find_directory(joined, reads)
            reads.files.update(below for below in self.tree.paths if home is not None and below.startswith(home + "/"))
            return
        file = self.find_file(joined, reads)
        if file is not None:
            if role == "plugin":
                self.follow_plugin(self.content(file), file, directory, reads)
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

    def follow_plugin(self, raw: bytes, name: str, directory: str, reads: _Reads) -> None:
        """Configuration of generators or transformers: what the plugins that it configures read."""
        try:
            values = [load_document(document.raw) for document in split_documents(raw)]
        except DocumentError:
            reads.unforeseen = f"{name} cannot be read"
            return
        for value in values:
            references = read_plugin(value)
            if references is None:
                reads.unforeseen = f"{name} configures a plugin that may read anything"
            for reference in references or ():
                self.follow(reference, directory, reads)

    def follow_any(self, path: str, directory: str, reads: _Reads) -> None:
        """A string that may or may not be a path: whatever it names in the tree."""
        if "\n" in path or len(path) > MAX_PATH:
            return
        for candidate in {path, path.partition("=")[2]} - {"", "."}:
            joined = posixpath.join(directory, candidate)
            try:
                self.tree.resolve(posixpath.normpath(joined))
            except OutsideTree:
                continue
            if self.find_file(joined, reads) is None and (base := self.find_directory(joined, reads)) is not None and base != directory:
                reads.bases.add(base)


def _union(sets: Iterable[Iterable[tuple[str, str]]] | Iterable[Iterable[str]]) -> tuple:  # type: ignore[type-arg]
    return tuple(sorted({item for items in sets for item in items}))
