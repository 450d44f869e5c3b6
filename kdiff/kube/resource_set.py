"""Which objects a ResourceSet of flux-operator makes, as far as its manifest alone tells their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import NamedTuple

from kdiff.kube.fields import annotation, mapping, mappings, text
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

MAX_OBJECTS = 10_000
"""Inputs times resources may be any number; what comes after so many is not looked at."""

_RECONCILE = "fluxcd.controlplane.io/reconcile"
_INPUT = re.compile(r"<<-?\s*inputs((?:\.\w+)+)\s*(?:\|\s*quote\s*)?-?>>")
_SEPARATOR = re.compile(r"^---.*$", re.MULTILINE)
_TOP = re.compile(r"^(apiVersion|kind):[ \t]+([^\n]+)", re.MULTILINE)
_METADATA = re.compile(r"^metadata:[ \t]*\n(?P<first>(?P<indent>[ \t]+)\S[^\n]*\n?)(?P<rest>(?:(?:[ \t]|<<)[^\n]*\n?|\n)*)", re.MULTILINE)


class _Identity(NamedTuple):
    """What identifies an object, as written; `<< >>` may stand in each."""

    pointer: str
    api_version: str
    kind: str
    namespace: str
    name: str


def resources_made(resource_set: Value) -> Iterator[tuple[str, ObjectKey]]:
    """(RFC 6901 pointer, key) of each object whose name is written out, or follows from `spec.inputs` by `<< inputs.x >>`.

    flux-operator takes them from spec.resources, spec.resourcesTemplate and the same two of each of spec.steps, leaves out what carries
    the annotation reconcile: disabled, and gives no namespace to what has none (internal/builder/resourceset.go, BuildResourceSet;
    docs/api/v1/resourceset.md). Whether a condition in a template holds is not asked: such an object may be there.
    """
    spec = mapping(resource_set, "spec")
    inputs = list(mappings(spec, "inputs"))
    found = (_keys(identity, inputs) for identity in _identities(spec))
    yield from islice((made for keys in found for made in keys), MAX_OBJECTS)


def _identities(spec: Mapping[str, Value]) -> Iterator[_Identity]:
    places = [("/spec", dict(spec))]
    places += [(f"/spec/steps/{index}", step) for index, step in enumerate(mappings(dict(spec), "steps"))]
    for place, value in places:
        for index, resource in enumerate(mappings(value, "resources")):
            if annotation(resource, _RECONCILE) != "disabled":
                pointer, metadata = f"{place}/resources/{index}/metadata/name", mapping(resource, "metadata")
                api_version, kind = text(resource, "apiVersion"), text(resource, "kind")
                yield _Identity(pointer, api_version, kind, text(metadata, "namespace"), text(metadata, "name"))
        for document in _SEPARATOR.split(text(value, "resourcesTemplate")):
            yield from _written(f"{place}/resourcesTemplate", document)


def _written(pointer: str, document: str) -> Iterator[_Identity]:
    """The identity in one document of a Go template, which is no YAML before it is executed: read by its lines, in block style."""
    top = {match[1]: _word(match[2]) for match in _TOP.finditer(document)}
    block = _METADATA.search(document)
    if block is None or not {"apiVersion", "kind"} <= top.keys():
        return
    entry = re.compile(rf"^{block['indent']}(name|namespace):[ \t]+([^\n]+)", re.MULTILINE)
    metadata = {match[1]: _word(match[2]) for match in entry.finditer(block["first"] + block["rest"])}
    yield _Identity(pointer, top["apiVersion"], top["kind"], metadata.get("namespace", ""), metadata.get("name", ""))


def _word(written: str) -> str:
    """A scalar without its quotes and the comment behind it."""
    word = written.partition(" #")[0].strip()
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def _keys(identity: _Identity, inputs: list[dict[str, Value]]) -> Iterator[tuple[str, ObjectKey]]:
    for values in inputs if any("<<" in part for part in identity) else [{}]:
        pointer, api_version, kind, namespace, name = (_INPUT.sub(partial(_input, values), part) for part in identity)
        if name and kind and not any("<<" in part for part in (api_version, kind, namespace, name)):
            yield pointer, ObjectKey(api_version.rpartition("/")[0], kind, namespace, name)


def _input(values: Mapping[str, Value], match: re.Match[str]) -> str:
    """The input that an expression names; the expression itself where it is not known, or no plain word."""
    found: Value = dict(values)
    for step in match[1].removeprefix(".").split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return str(found) if isinstance(found, (str, int)) and not isinstance(found, bool) else match[0]
