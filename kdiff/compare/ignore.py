"""Applies rules that leave differences out, and counts what each of them hid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial

from kdiff.compare.equality import clone, same_value
from kdiff.errors import UsageError
from kdiff.kube.fields import unescape_token
from kdiff.model.failure import Note
from kdiff.model.object import KubeObject
from kdiff.model.options import IgnoreRule, Options
from kdiff.model.value import Value

STRIP_DEFAULTS = ("helm.sh/chart", "checksum/config", "app.kubernetes.io/version", "chart")
"""What `--strip-attrs defaults` stands for: label and annotation keys that follow a release without meaning a change."""

# where label and annotation maps stand: the object itself and the templates in it
_METADATA = (
    "/metadata",
    "/spec/template/metadata",
    "/spec/jobTemplate/metadata",
    "/spec/jobTemplate/spec/template/metadata",
    "/spec/volumeClaimTemplates/*/metadata",
)


@dataclass
class _Rule:
    """A rule and what became of it."""

    rule: IgnoreRule
    told: bool  # a note says when it matched nothing
    selector: tuple[_Requirement, ...]
    fields: bool
    matched: bool = False
    hidden: set[tuple[str, str]] = field(default_factory=set)  # (target, object id) whose difference was left out


@dataclass(frozen=True)
class _Requirement:
    key: str
    values: frozenset[str]
    negated: bool
    exists: bool  # only the key's presence counts

    def holds(self, labels: dict[str, Value]) -> bool:
        """A negated requirement holds for an object without the label, as in Kubernetes."""
        found = labels.get(self.key)
        hit = self.key in labels if self.exists else isinstance(found, str) and found in self.values
        return hit != self.negated


_TERM = re.compile(
    r"\s*(?:(!?)\s*([^\s!=,()]+)"
    r"|([^\s!=,()]+)\s*(==|=|!=)\s*([^\s=,()]*)"
    r"|([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\))\s*(?:,|$)"
)


def parse_selector(text: str) -> tuple[_Requirement, ...]:
    """A label selector as kubectl writes it: `app=web,tier!=db,track in (a,b),!legacy`.

    Raises:
        UsageError: the selector cannot be read.
    """
    found, at = [], 0
    while at < len(text):
        match = _TERM.match(text, at)
        if match is None:
            raise UsageError(f"cannot read the label selector {text!r}; write it like app=web,tier!=db,track in (a,b),!legacy")
        negated, key, equal_key, operator, value, set_key, set_operator, values = match.groups()
        if key:
            found.append(_Requirement(key, frozenset(), bool(negated), exists=True))
        elif equal_key:
            found.append(_Requirement(equal_key, frozenset({value}), operator == "!=", exists=False))
        else:
            found.append(_Requirement(set_key, frozenset(v.strip() for v in values.split(",")), set_operator == "notin", exists=False))
        at = match.end()
    return tuple(found)


class Ignoring:
    """All rules of a run: the user's, and those that Argo CD Applications bring along."""

    def __init__(self, options: Options, extra: Sequence[IgnoreRule] = ()) -> None:
        """Raises `UsageError` for a selector that cannot be read."""
        rules = [(rule, True) for rule in options.ignore]
        rules += [(IgnoreRule(kind=kind, origin="--skip-kinds"), True) for kind in options.skip_kinds]
        rules += [(rule, False) for rule in extra]
        attributes = [a for name in options.strip_attrs for a in (STRIP_DEFAULTS if name == "defaults" else (name,))]
        for name in dict.fromkeys(attributes):
            glob = name.replace("[", "[[]") + ("*" if name.endswith("/") else "")
            rules += [(IgnoreRule(label=glob, origin="--strip-attrs"), False), (IgnoreRule(annotation=glob, origin="--strip-attrs"), False)]
        self._rules = [
            _Rule(rule, told, parse_selector(rule.selector), bool(rule.pointer or rule.label or rule.annotation)) for rule, told in rules
        ]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def hides(self, *objects: KubeObject | None) -> bool:
        """True when a rule ignores the whole object, as any of its sides has it. It is counted."""
        hit = False
        for rule in self._rules:
            if not rule.fields and (found := [o for o in objects if o is not None and _matches(rule, o)]):
                rule.hidden.add((found[-1].target, found[-1].id))
                hit = True
        return hit

    def without_ignored(self, base: KubeObject, head: KubeObject) -> tuple[dict[str, Value], dict[str, Value]]:
        """Both values without the fields that rules ignore. What differed in them is counted."""
        values = [base.value, head.value]
        copied = False
        for rule in self._rules:
            if not rule.fields or not (_matches(rule, base) or _matches(rule, head)):
                continue
            if not copied:
                values = [clone(v) for v in values]  # type: ignore[misc]
                copied = True
            taken = [_take_fields(v, rule.rule) for v in values]
            if taken[0].keys() != taken[1].keys() or not all(same_value(v, taken[1][k]) for k, v in taken[0].items()):
                rule.hidden.add((head.target, head.id))
        return values[0], values[1]

    def notes(self, objects: Iterable[KubeObject]) -> list[Note]:
        """What was left out, by rule; and rules that match none of `objects` though a user wrote them."""
        notes = []
        unused = [r for r in self._rules if r.told and not r.hidden]
        if unused:
            for each in objects:
                for rule in unused:
                    rule.matched = rule.matched or _matches(rule, each)
                if all(r.matched for r in unused):
                    break
        for rule in self._rules:
            if rule.hidden:
                count = len(rule.hidden)
                notes.append(Note("ignored", f"{_describe(rule.rule)} left out differences in {count} object{'s'[: count > 1]}"))
        notes += [Note("ignore-unused", f"{_describe(r.rule)} matches no object") for r in unused if not r.matched]
        return notes


def _matches(rule: _Rule, each: KubeObject) -> bool:
    wanted, key = rule.rule, each.key
    if wanted.kind and not _glob(wanted.kind, f"{key.group}/{key.kind}" if "/" in wanted.kind else key.kind):
        return False
    if wanted.name and not _glob(wanted.name, key.name):
        return False
    if wanted.namespace and not _glob(wanted.namespace, key.namespace):
        return False
    if wanted.target and not _glob(wanted.target, each.target):
        return False
    if not rule.selector:
        return True
    metadata = each.value.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    known = labels if isinstance(labels, dict) else {}
    return all(requirement.holds(known) for requirement in rule.selector)


def _glob(pattern: str, text: str) -> bool:
    return pattern == text or fnmatchcase(text, pattern)


def _segment(pattern: str, name: str) -> bool:
    return pattern in ("*", name)


def _describe(rule: IgnoreRule) -> str:
    criteria = ("kind", "name", "namespace", "target", "selector", "pointer", "label", "annotation")
    given = " ".join(f"{name}={value}" for name in criteria if (value := getattr(rule, name)))
    return f"{rule.origin} {given}".strip()


def _take_fields(value: Value, rule: IgnoreRule) -> dict[str, Value]:
    """Remove the rule's fields from `value`, in place, and return them by pointer."""
    taken: dict[str, Value] = {}
    if rule.pointer:
        *parents, last = [unescape_token(s) for s in rule.pointer.split("/")[1:]]
        for at, parent in _places(value, parents):
            _take(parent, partial(_segment, last), at, taken)
    for name, pattern in (("labels", rule.label), ("annotations", rule.annotation)):
        if pattern:
            for where in _METADATA:
                for at, parent in _places(value, [*where.split("/")[1:], name]):
                    _take(parent, partial(_glob, pattern), at, taken)
    return taken


def _places(value: Value, segments: Sequence[str]) -> list[tuple[str, Value]]:
    """Every node that `segments` lead to; `*` is any one segment."""
    nodes: list[tuple[str, Value]] = [("", value)]
    for segment in segments:
        below: list[tuple[str, Value]] = []
        for at, node in nodes:
            children = _children(node)
            below += [(f"{at}/{name}", child) for name, child in children if segment in ("*", name)]
        nodes = below
    return nodes


def _children(node: Value) -> list[tuple[str, Value]]:
    if isinstance(node, dict):
        return list(node.items())
    return [(str(n), item) for n, item in enumerate(node)] if isinstance(node, list) else []


def _take(parent: Value, wanted: Callable[[str], bool], at: str, taken: dict[str, Value]) -> None:
    if isinstance(parent, dict):
        for name in [n for n in parent if wanted(n)]:
            taken[f"{at}/{name}"] = parent.pop(name)
    elif isinstance(parent, list):
        for n in [n for n in range(len(parent) - 1, -1, -1) if wanted(str(n))]:
            taken[f"{at}/{n}"] = parent.pop(n)
