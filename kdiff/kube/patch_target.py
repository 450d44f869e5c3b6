"""What the target of a kustomize patch selects, as far as one object's names and labels tell."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kdiff.kube.fields import mapping, text
from kdiff.model.json_text import json_text
from kdiff.model.value import Value

MAX_PATTERN = 300
"""A longer pattern selects whatever it is asked about: nobody writes it, and Python's regular expressions may run for ever."""


@dataclass(frozen=True)
class PatchTarget:
    """A selector of kustomize (api/types/selector.go); an empty field selects everything."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    labels: str = ""
    annotations: str = ""

    def __str__(self) -> str:
        """As people say it: `Deployment web`, `HelmRelease labelled app=web`, `everything`."""
        place = f"{self.namespace}/{self.name}" if self.namespace and self.name else self.name
        words = [self.kind or ("objects" if self != PatchTarget() else "everything"), place]
        if self.namespace and not self.name:
            words.append(f"in namespace {self.namespace}")
        if self.labels:
            words.append(f"labelled {self.labels}")
        if self.annotations:
            words.append(f"annotated {self.annotations}")
        return " ".join(word for word in words if word)


@dataclass(frozen=True)
class Selectable:
    """An object as selectors see it, with every name and namespace that it has had so far."""

    group: str
    version: str
    kind: str
    names: frozenset[str]
    namespaces: frozenset[str]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def read_target(value: Value) -> PatchTarget:
    """The `target` of a patch, or the `select` of a replacement."""
    fields = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")
    return PatchTarget(*(text(value, field) for field in fields))


def selectable(value: Value, namespaces: frozenset[str] = frozenset()) -> Selectable | None:
    """How selectors see the object `value`, which may be in one of `namespaces` too; None when it is no object.

    Where a namespace is not stated, kustomize takes `default` (kyaml/resid, EffectiveNamespace).
    """
    if not isinstance(value, dict) or not text(value, "kind"):
        return None
    metadata = mapping(value, "metadata")
    group, _, version = text(value, "apiVersion").rpartition("/")
    labels, annotations = ({key: str(item) for key, item in mapping(metadata, field).items()} for field in ("labels", "annotations"))
    own = frozenset({text(metadata, "namespace") or "default"})
    return Selectable(group, version, text(value, "kind"), frozenset({text(metadata, "name")}), own | namespaces, labels, annotations)


def selects_kind(target: PatchTarget, obj: Selectable) -> bool:
    """True when group, version and kind fit, or when it cannot be told."""
    return _fits(target.group, obj.group) and _fits(target.version, obj.version) and _fits(target.kind, obj.kind)


def selects(target: PatchTarget, obj: Selectable) -> bool:
    """True when the target selects the object, or when it cannot be told (api/resmap/reswrangler.go, Select)."""
    return (
        selects_kind(target, obj)
        and any(_fits(target.name, name) for name in obj.names)
        and any(_fits(target.namespace, namespace) for namespace in obj.namespaces)
        and _fits_labels(target.labels, obj.labels)
        and _fits_labels(target.annotations, obj.annotations)
    )


def patch_identity(patch: Value) -> str:
    """Equal for patches of equal content and target, wherever they stand."""
    return hashlib.sha256(json_text(patch, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _fits(pattern: str, word: str) -> bool:
    """An anchored regular expression of Go's (selector.go, anchorRegex); what Python might take for ever to match counts as fitting."""
    if not pattern or pattern == word:
        return True
    compiled = _compiled(pattern)
    return compiled is None or compiled.fullmatch(word) is not None


_OPAQUE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
# Inside a class, what Go and Python read differently, such as [[:alpha:]].
_OTHER_CLASS = re.compile(r"\[.*(?:\[|--|&&|~~|\|\|)", re.DOTALL)


@lru_cache(1024)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """None for a pattern that could backtrack much: more than two repetitions, a repeated group, more than three groups.

    None as well for one that Python does not read as Go does.
    """
    plain = _OPAQUE.sub("x", pattern)
    repetitions = len(re.findall(r"[*+?{]", plain.replace("(?:", "(")))
    if len(pattern) > MAX_PATTERN or any(map(_OTHER_CLASS.match, _OPAQUE.findall(pattern))):
        return None
    if repetitions > 2 or plain.count("(") > 3 or re.search(r"\)[*+?{]|\(\?[^:]", plain):
        return None
    try:
        return re.compile(pattern)
    except re.error:
        return None


# Kubernetes docs, Labels and Selectors: equality- and set-based requirements, joined by commas (apimachinery, labels.Parse).
_REQUIREMENT = re.compile(
    r"\s*(?:(?P<not>!)\s*(?P<absent>[^\s!=,()]+)|(?P<key>[^\s!=,()]+)\s*"
    r"(?:(?P<op>==|=|!=)\s*(?P<value>[^\s!=,()]*)|(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)


def _fits_labels(selector: str, labels: Mapping[str, str]) -> bool:
    at = 0
    while at < len(selector):
        found = _REQUIREMENT.match(selector, at)
        if found is None:
            return True  # kustomize says what is wrong with it
        key = found["absent"] or found["key"]
        if found["absent"]:
            holds = key not in labels
        elif found["op"]:
            holds = (labels.get(key) == found["value"]) != (found["op"] == "!=")
        elif found["set"]:
            options = {option.strip() for option in found["values"].split(",")}
            holds = (labels.get(key) in options) != (found["set"] == "notin")
        else:
            holds = key in labels
        if not holds:
            return False
        at = found.end()
    return True
