"""Entry of the stage: the YAML of one target to keyed, masked objects, parsed only where someone asks for their value."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.errors import SourceError
from kdiff.kube.kinds import is_cluster_scoped
from kdiff.model.failure import Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.value import Value
from kdiff.objects.identity import Identity, NoIdentity, identity_of, scan_identity
from kdiff.objects.masking import Masker
from kdiff.objects.secret_sources import may_hold_secret


@dataclass(frozen=True)
class LoadedObjects:
    """The objects of one target, in order, or one line that says why they cannot be read.

    Of several objects of one key only the last is here (see `keep_last`). Objects of one generateName prefix share a key and differ in
    `ordinal`.
    """

    objects: tuple[KubeObject, ...] = ()
    notes: tuple[Note, ...] = ()
    problem: str | None = None


def load_objects(
    output: bytes, target: str, masker: Masker, *, canonical: bool, known: dict[bytes, KubeObject] | None = None
) -> LoadedObjects:
    """The objects in `output`; `canonical` when kustomize wrote it, else it is read as kubectl reads a file.

    Lists (`v1 List`, `ConfigMapList`, also nested) give their items, as kubectl takes them apart; a kind such as `AllowList`
    without `items` is an object. Every Secret is learned by `masker` at once, so load both sides before asking for a value.
    Asking for the `value` of an object whose YAML is broken raises SourceError. `known` holds objects of this very target by
    their bytes, and takes in new ones: what the other side renders alike is the same object, not looked at again.
    """
    loader = _Loader(target, masker, {} if known is None else known)
    line = 1
    try:
        for document in split_documents(output, canonical=canonical):
            line = document.line
            loader.add_document(document.raw, canonical=canonical)
    except DocumentError as error:
        return LoadedObjects(problem=masker.mask_text(f"{error.message} (line {line + error.line - 1})"))
    except NoIdentity as error:
        return LoadedObjects(problem=masker.mask_text(f"{error} (in the document that begins on line {line})"))
    masker.learn_names(loader.names)
    return keep_last(loader.objects, loader.notes())


def keep_last(objects: Sequence[KubeObject], notes: Iterable[Note] = ()) -> LoadedObjects:
    """Of several objects of one key the last: they are applied in order, so that one stays in the cluster. A note names each such key.

    Objects of one generateName prefix are each an object of their own.
    """
    every = [(o.key, n if o.key.name.endswith("*") else 0) for n, o in enumerate(objects)]
    last = dict(zip(every, objects, strict=True))
    repeated = {key for key, times in Counter(every).items() if times > 1} if len(last) < len(every) else set()
    message = "rendered more than once by this target; only the last one is compared, since that is what stays in the cluster"
    duplicates = (Note("duplicate", message, last[key].target, last[key].id) for key in repeated)
    return LoadedObjects(tuple(last.values()), (*sorted(duplicates, key=lambda n: n.object or ""), *notes))


@dataclass
class _Loader:
    target: str
    masker: Masker
    known: dict[bytes, KubeObject]
    objects: list[KubeObject] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    _seen: dict[ObjectKey, int] = field(default_factory=dict)
    _for_kustomize: int = 0

    def __post_init__(self) -> None:
        self._read_canonical = functools.partial(_load_value, masker=self.masker, target=self.target, canonical=True)
        self._read_foreign = functools.partial(_load_value, masker=self.masker, target=self.target, canonical=False)

    def add_document(self, raw: bytes, *, canonical: bool) -> None:
        before = self.known.get(raw)
        if before is not None and before.key not in self._seen:
            self._keep(before)
            return
        identity = scan_identity(raw, canonical=canonical)
        if identity is not None and not (identity.kind == "Secret" or identity.kind.endswith("List") or may_hold_secret(raw)):
            self._add(identity, raw, canonical=canonical)
            return
        value = load_document(raw, canonical=canonical)
        if value is None:
            return  # kubectl passes over documents that are null
        if not _is_list(value):
            self._add_value(value, raw, canonical=canonical)
            return
        for item in _items(value):
            self._add_value(item, dump_value(item).encode(), canonical=True)

    def _add_value(self, value: Value, raw: bytes, *, canonical: bool) -> None:
        if _is_for_kustomize(value):  # such a file needs no name
            self._for_kustomize += 1
            return
        identity = identity_of(value)
        if identity.kind == "Secret" and isinstance(value, dict):
            self.masker.learn_secret(value)
        elif may_hold_secret(raw):
            self.masker.learn_embedded(value)
        self._add(identity, raw, canonical=canonical)

    def _add(self, identity: Identity, raw: bytes, *, canonical: bool) -> None:
        if _kustomize_reads(identity.api_version):
            self._for_kustomize += 1
            return
        group, _, version = identity.api_version.rpartition("/")
        namespace = "" if is_cluster_scoped(group, identity.kind) else identity.namespace
        key = ObjectKey(group, identity.kind, namespace, identity.name)
        generated = identity.name.endswith("*")
        load = self._read_canonical if canonical else self._read_foreign
        obj = KubeObject(key, version, raw, load, target=self.target, ordinal=self._seen.get(key, 0) if generated else 0)
        self.names.update(identity[1:])
        if not generated:  # of these each has an ordinal of its own
            self.known[raw] = obj
        self._keep(obj)

    def _keep(self, obj: KubeObject) -> None:
        self._seen[obj.key] = self._seen.get(obj.key, 0) + 1
        self.objects.append(obj)

    def notes(self) -> Iterator[Note]:
        for name in sorted({obj.id for obj in self.objects if b"ENC[AES256_GCM," in obj.raw}):
            yield Note("sops", "encrypted with SOPS; its values are compared as ciphertext", self.target, name)
        if self._for_kustomize:
            plural = "objects are" if self._for_kustomize > 1 else "object is"
            yield Note("not-applied", f"{self._for_kustomize} {plural} configuration of kustomize, not of the cluster", self.target)


def _load_value(raw: bytes, *, masker: Masker, target: str, canonical: bool) -> dict[str, Value]:
    try:
        value = load_document(raw, canonical=canonical)
    except DocumentError as error:
        identity = scan_identity(raw, canonical=canonical)
        what = f"{identity.kind} {identity.name}" if identity else "an object"
        what += "" if target == "." else f" of {target}"
        reason = masker.mask_text(f"{error.message} (line {error.line} of its document)")
        raise SourceError(f"cannot read {what}: {reason}; correct the YAML") from None
    if not isinstance(value, dict):
        raise SourceError("cannot read an object" + ("" if target == "." else f" of {target}") + ": it is no mapping; correct the YAML")
    return masker.mask_value(value)


def _kustomize_reads(api_version: str) -> bool:
    # kustomize api/konfig, KustomizationVersion and ComponentVersion; `builtin` configures its plugins.
    return api_version == "builtin" or api_version.startswith("kustomize.config.k8s.io/")


def _is_for_kustomize(value: Value) -> bool:
    return isinstance(value, dict) and isinstance(api_version := value.get("apiVersion"), str) and _kustomize_reads(api_version)


def _is_list(value: Value) -> bool:
    """True for what kubectl takes apart: a kind that ends in List and holds items (apimachinery unstructured, detectList)."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("apiVersion"), str)
        and isinstance(kind := value.get("kind"), str)
        and kind.endswith("List")
        and "items" in value
        and isinstance(value["items"], (list, type(None)))
    )


def _items(value: Value) -> Iterator[Value]:
    """The objects in a List and in the Lists that it holds, in order, each given the kind that its List implies."""
    todo = [value]
    while todo:
        node = todo.pop()
        if not (isinstance(node, dict) and _is_list(node)):
            yield node
            continue
        implied = {"apiVersion": node["apiVersion"], "kind": str(node["kind"]).removesuffix("List")}
        items = node["items"] if isinstance(node["items"], list) else []
        todo.extend(
            implied | item if isinstance(item, dict) and not item.get("kind") and implied["kind"] else item for item in reversed(items)
        )
