"""Flux's post-build substitution over the output of one target, object by object, on the text as Flux does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.kube.fields import escape_token, mapping, text
from kdiff.kube.kinds import is_cluster_scoped
from kdiff.model.failure import FailureClass
from kdiff.model.object import ObjectKey, object_id
from kdiff.model.options import Options
from kdiff.model.side import UndefinedVariable
from kdiff.model.value import Value
from kdiff.render.envsubst import SubstitutionError, evaluate
from kdiff.render.variables import Variables

_SWITCH = "kustomize.toolkit.fluxcd.io/substitute"


@dataclass(frozen=True)
class Substituted:
    """`output` is canonical YAML again. With `error` (one line, not masked) the target fails with `failure_class`."""

    output: bytes = field(repr=False)
    undefined: tuple[UndefinedVariable, ...] = ()
    error: str | None = None
    failure_class: FailureClass | None = None


def substitute_documents(output: bytes, variables: Variables, options: Options) -> Substituted:
    """`output`, kustomize's YAML of one Flux target, with its variables replaced (fluxcd/pkg/kustomize, SubstituteVariables).

    An object is substituted as text, so keys are replaced too and `replicas: ${N}` becomes a number. Objects with the label or
    annotation `kustomize.toolkit.fluxcd.io/substitute: disabled` and those without `${` and `$$` keep their bytes. A variable
    without value or default renders empty, as Flux before 2.9 has it; with `options.substitution` strict it fails the target,
    as the gate StrictPostBuildSubstitutions of kustomize-controller 1.9 does. When a source of variables is missing here it stays
    visible as `${VAR}` and fails nothing, since the cluster may know it; it is listed with `perhaps_from`.
    """
    if variables.problem:
        return Substituted(output, error=variables.problem, failure_class="renderer-failed")
    if not variables.are_substituted:
        return Substituted(output)
    documents: list[bytes] = []
    undefined: list[UndefinedVariable] = []
    for document in split_documents(output, canonical=True):
        raw = document.raw
        try:
            if _is_disabled(raw):
                documents.append(raw)
                continue
            if variables.bad_names:
                names = ", ".join(repr(name) for name in variables.bad_names)
                return Substituted(output, error=f"invalid variable names: {names}", failure_class="renderer-failed")
            if b"${" in raw or b"$$" in raw:
                raw, found = _substituted(raw, variables)
                undefined += found
        except _ObjectError as error:
            return Substituted(output, error=str(error), failure_class=error.failure_class)
        documents.append(raw)
    undefined.sort(key=lambda each: (each.object, each.pointer, each.variable))
    if undefined and not variables.missing and options.substitution == "strict":
        names = ", ".join(sorted({each.variable for each in undefined}))
        message = f"variables without value or default in {undefined[0].object}: {names}"
        return Substituted(output, tuple(undefined), message, "undefined-variable")
    return Substituted(b"---\n".join(documents), tuple(undefined))


class _ObjectError(Exception):
    """One object cannot be substituted."""

    def __init__(self, message: str, failure_class: FailureClass) -> None:
        super().__init__(message)
        self.failure_class: FailureClass = failure_class


def _is_disabled(raw: bytes) -> bool:
    if _SWITCH.encode() not in raw:
        return False
    metadata = mapping(_loaded(raw, canonical=True), "metadata")
    return any(mapping(metadata, field).get(_SWITCH) == "disabled" for field in ("labels", "annotations"))


def _substituted(raw: bytes, variables: Variables) -> tuple[bytes, list[UndefinedVariable]]:
    try:
        before = raw.decode()
        after = evaluate(before, variables.values, unknown=variables.unknown, keep_unset=bool(variables.missing))
    except SubstitutionError as error:
        raise _ObjectError(f"post-build substitution of {_id(_loaded(raw, canonical=True))}: {error}", "renderer-failed") from None
    except UnicodeDecodeError:
        raise _ObjectError("the output of kustomize is not UTF-8", "invalid-yaml") from None
    if after.text == before and not after.undefined:
        return raw, []
    value = _loaded(after.text.encode("utf-8", "replace"), canonical=False)
    if not (text(value, "apiVersion") and text(value, "kind")):
        raise _ObjectError(f"substitution leaves {_id(_loaded(raw, canonical=True))} without apiVersion or kind", "invalid-yaml")
    undefined: list[UndefinedVariable] = []
    if after.undefined:
        places = {place: None for place in _places(_loaded(raw, canonical=True), variables) if place[0] in after.undefined}
        unplaced = set(after.undefined) - {name for name, _ in places}
        sources = variables.missing
        undefined = [
            UndefinedVariable(name, _id(value), pointer, sources) for name, pointer in (*places, *((name, "") for name in unplaced))
        ]
    return (raw if after.text == before else dump_value(value).encode()), undefined


def _loaded(raw: bytes, *, canonical: bool) -> Value:
    try:
        return load_document(raw, canonical=canonical)
    except DocumentError as error:
        raise _ObjectError(f"substitution gives YAML that cannot be read: {error}", "invalid-yaml") from None


def _id(value: Value) -> str:
    """The object id of report-v1."""
    metadata, api_version = mapping(value, "metadata"), text(value, "apiVersion")
    group, _, version = api_version.rpartition("/")
    kind, name = text(value, "kind"), text(metadata, "name") or text(metadata, "generateName") + "*"
    namespace = "" if is_cluster_scoped(group, kind) else text(metadata, "namespace")
    return object_id(ObjectKey(group, kind, namespace, name), version)


def _places(value: Value, variables: Variables) -> Iterator[tuple[str, str]]:
    """(variable, RFC 6901 pointer after substitution) of every undefined variable in a string or key of `value`."""
    waiting: list[tuple[Value, str]] = [(value, "")]
    while waiting:
        item, pointer = waiting.pop()
        if isinstance(item, dict):
            for key, inner in item.items():
                new_key, names = _evaluated(key, variables)
                below = f"{pointer}/{escape_token(new_key)}"
                waiting.append((inner, below))
                yield from ((name, below) for name in names)
        elif isinstance(item, list):
            waiting += [(inner, f"{pointer}/{index}") for index, inner in enumerate(item)]
        elif isinstance(item, str):
            yield from ((name, pointer) for name in _evaluated(item, variables)[1])


def _evaluated(string: str, variables: Variables) -> tuple[str, tuple[str, ...]]:
    if "${" not in string:
        return string, ()
    try:
        after = evaluate(string, variables.values, unknown=variables.unknown, keep_unset=bool(variables.missing))
    except SubstitutionError:  # an expression that runs on into another field, which only the whole text can tell
        return string, ()
    return after.text, after.undefined
