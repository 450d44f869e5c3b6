"""The variables of a Flux Kustomization's postBuild: from its ConfigMaps and Secrets, inline, and from the command line."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.kube.fields import mapping, mappings, text
from kdiff.kube.flux import SUBSTITUTION_KINDS
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.model.value import Value

_NAME = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
_ENCRYPTED = re.compile(r"ENC\[[A-Z0-9_]+,.*\]", re.DOTALL)  # what sops writes in place of a value


@dataclass(frozen=True)
class Variables:
    """What `${...}` in a target's objects may stand for.

    `missing` holds the object ids of ConfigMaps and Secrets that are not optional and that nobody provides: they live in the
    cluster only, so a variable that has no value may have one there; `absent` holds the keys of these and of the optional ones
    that nobody provides. `unknown` names variables whose value is there but
    encrypted or no text. `bad_names` are names that Flux refuses, `problem` a fault of the spec itself; either fails the target.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    unknown: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()
    absent: tuple[ObjectKey, ...] = ()
    bad_names: tuple[str, ...] = ()
    problem: str | None = None
    always: bool = False  # spec.postBuild.substituteStrategy: Always
    secret_values: tuple[str, ...] = field(default=(), repr=False)  # for the masker to learn

    @property
    def are_substituted(self) -> bool:
        """Whether Flux substitutes at all.

        Without any variable it leaves even defaults and `$$` alone, unless the strategy is Always (kustomize-controller 1.9,
        docs/spec/v1/kustomizations.md; fluxcd/pkg/kustomize, SubstituteVariables). A source that is missing here counts as if
        it held some.
        """
        return bool(self.values or self.unknown or self.missing or self.always)


def collect_variables(target: Target, objects: Iterable[KubeObject], options: Options, extra: Sequence[Value] = ()) -> Variables:
    """The variables of `target`, found among the `objects` of its scope; `extra` are ConfigMaps and Secrets from files.

    Later entries of substituteFrom win over earlier ones, inline values over those, `options.substitute` over all. A source
    is looked for in the Kustomization's own namespace; what the tree renders wins over `extra`, which may leave the namespace
    out. Newlines are taken out of values that come from the spec or from objects (fluxcd/pkg/kustomize, LoadVariables). Of a
    Secret, stringData wins over data, as the API server merges them (core/v1, Secret.stringData).
    """
    spec = mapping(_owner_value(target), "spec")
    if "postBuild" not in spec:
        return Variables()
    post_build = mapping(spec, "postBuild")
    values: dict[str, str] = {}
    unknown: set[str] = set()
    missing: list[str] = []
    secret_values: list[str] = []
    namespace = text(mapping(_owner_value(target), "metadata"), "namespace")
    references = [ref for ref in mappings(post_build, "substituteFrom") if text(ref, "kind") in SUBSTITUTION_KINDS]
    sources = _sources(references, namespace, objects, extra)
    for ref in references:
        key = _key(ref, namespace)
        if key not in sources:
            if ref.get("optional") is not True:
                missing.append(f"v1/{key.kind} " + (f"{namespace}/{key.name}" if namespace else key.name))
            continue
        for name, value in _entries(sources[key]):
            values.pop(name, None)
            unknown.discard(name)
            if value is None or _ENCRYPTED.fullmatch(value):
                unknown.add(name)
            else:
                values[name] = value.replace("\n", "")
                if key.kind == "Secret":
                    secret_values.append(values[name])
    problem = None
    for name, inline in mapping(post_build, "substitute").items():
        if not isinstance(inline, str):
            problem = f"spec.postBuild.substitute.{name} is not a string, which the API server refuses; quote it"
            continue
        unknown.discard(name)
        values[name] = inline.replace("\n", "")
    unknown -= options.substitute.keys()
    values |= options.substitute
    return Variables(
        values=values,
        unknown=frozenset(unknown),
        missing=tuple(dict.fromkeys(missing)),
        absent=tuple(dict.fromkeys(key for ref in references if (key := _key(ref, namespace)) not in sources)),
        bad_names=tuple(sorted(name for name in (*values, *unknown) if not _NAME.fullmatch(name))),
        problem=problem,
        always=post_build.get("substituteStrategy") == "Always",
        secret_values=tuple(secret_values),
    )


def _owner_value(target: Target) -> Value:
    """The Kustomization in clear: its masked value may show tokens where an inline value equals a secret."""
    return load_document(target.owner.raw, canonical=True) if target.owner else None


def _key(ref: Value, namespace: str) -> ObjectKey:
    return ObjectKey("", text(ref, "kind"), namespace, text(ref, "name"))


def _sources(
    references: Sequence[Value], namespace: str, objects: Iterable[KubeObject], extra: Sequence[Value]
) -> Mapping[ObjectKey, Value]:
    """The ConfigMaps and Secrets in clear that `references` name and somebody provides."""
    wanted = {_key(ref, namespace) for ref in references}
    found: dict[ObjectKey, Value] = {}
    for value in extra if wanted else ():
        metadata = mapping(value, "metadata")
        key = ObjectKey("", text(value, "kind"), text(metadata, "namespace") or namespace, text(metadata, "name"))
        if key in wanted:
            found[key] = value
    for each in objects if wanted else ():
        if each.key in wanted:
            try:
                found[each.key] = load_document(each.raw, canonical=True)
            except DocumentError:  # its own target says so; here its values are simply not known
                found.pop(each.key, None)
    return found


def _entries(source: Value) -> Iterator[tuple[str, str | None]]:
    """Names and values of a ConfigMap or Secret; None for a value that is no text."""
    is_secret = text(source, "kind") == "Secret"
    for name, value in mapping(source, "data").items():
        if isinstance(value, str):
            yield name, _decoded(value) if is_secret else value
    for name, value in mapping(source, "stringData").items() if is_secret else ():
        if isinstance(value, str):
            yield name, value


def _decoded(encoded: str) -> str | None:
    if _ENCRYPTED.fullmatch(encoded):
        return None
    try:
        return base64.b64decode("".join(encoded.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        return None
