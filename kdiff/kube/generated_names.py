"""Names that end in a hash of the content: what the base name is, and the proof that the hash is of this very content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kdiff.model.value import Value

# the ten characters that kustomize and kubectl make of the first ten hex digits (api/hasher/hasher.go; kubectl
# pkg/util/hash/hash.go): no vowels, and 0, 1, 3 replaced
_SUFFIX = re.compile(r"(.+)-([2456789bcdfghkmt]{10})", re.DOTALL)
_TRANSLATION = str.maketrans("013ae", "ghkmt")
_GO_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
HASHED_KINDS = {"ConfigMap", "Secret"}


@dataclass(frozen=True)
class GeneratedName:
    """A name split before its hash."""

    base: str
    hash: str


def split_generated_name(name: str) -> GeneratedName | None:
    """The parts of a name that looks generated, else None."""
    match = _SUFFIX.fullmatch(name)
    return GeneratedName(match.group(1), match.group(2)) if match else None


def proves_name(value: Mapping[str, Value]) -> bool:
    """True when the name of this ConfigMap or Secret ends in the hash of its own content. Give it unmasked values.

    kustomize 4 and 5 hash compact sorted JSON of `kind`, `name`, `data` and what else is set, where the name is always ""
    (the hasher looks for a field literally called `metadata/name`) and missing data is "". `kubectl create --append-hash`
    and older kustomize hash the base name, `{}` for missing data, and `immutable` where it is set.
    """
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kind = value.get("kind")
    parts = split_generated_name(name) if isinstance(name, str) else None
    if parts is None or kind not in HASHED_KINDS:
        return False
    return any(_hash(content) == parts.hash for content in _contents(value, str(kind), parts.base))


def _contents(value: Mapping[str, Value], kind: str, base: str) -> list[dict[str, Value]]:
    extra = "binaryData" if kind == "ConfigMap" else "stringData"
    kustomize: dict[str, Value] = {"kind": kind, "name": "", "data": value.get("data", "")}
    kubectl: dict[str, Value] = {"kind": kind, "name": base, "data": value.get("data", {})}
    if kind == "Secret":
        kustomize["type"] = kubectl["type"] = value.get("type", "")
    if isinstance(value.get(extra), dict):
        kustomize[extra] = value[extra]
        if extra == "binaryData":
            kubectl[extra] = value[extra]
    older = {**kustomize, "name": base}
    if value.get("immutable") is not None:
        kubectl["immutable"] = value["immutable"]
    return [kustomize, kubectl, older]


def _hash(content: Mapping[str, Value]) -> str:
    """SHA-256 of the JSON that Go's encoding/json writes, in kustomize's alphabet."""
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        for plain, escaped in _GO_ESCAPES.items():
            text = text.replace(plain, escaped)
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    except (RecursionError, UnicodeEncodeError):
        return ""
    return digest[:10].translate(_TRANSLATION)
