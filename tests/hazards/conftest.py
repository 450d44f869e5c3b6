"""`hazards_of`: base and head in a short notation, through load, compare, graph and impact to hazards, without a renderer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import yaml

from kdiff.compare.compare_sides import compare_sides
from kdiff.hazards.check_hazards import CheckedHazards, check_hazards
from kdiff.hazards.rule import Rule
from kdiff.impact.assess_impact import assess_impact
from kdiff.kube.argo import read_application
from kdiff.kube.flux import build_path, read_kustomization
from kdiff.kube.graph import build_graphs
from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard
from kdiff.model.object import KubeObject
from kdiff.model.options import Options
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target
from kdiff.model.tree import TreeOrigin
from kdiff.objects.load_objects import load_objects
from kdiff.objects.masking import Masker

ENTRY = "clusters/prod"
TODAY = date(2026, 1, 1)
LINE = re.compile(r"(?P<api>[a-z][a-z0-9./-]*)/(?P<kind>[A-Z]\w*) (?:(?P<namespace>[\w.-]+)/)?(?P<name>[\w.-]+)(?: (?P<rest>\{.*\}))?")
OWNERS = {"Kustomization": "kustomize.toolkit.fluxcd.io/v1", "Application": "argoproj.io/v1alpha1"}
DEFAULTS: dict[str, dict[str, Any]] = {
    "Kustomization": {"prune": True, "path": "./apps", "sourceRef": {"kind": "GitRepository", "name": "flux-system"}},
    "Application": {"syncPolicy": {"automated": {"prune": True}}, "destination": {"server": "https://kubernetes.default.svc"}},
}


class FakeTree:
    """The files of one side, from a mapping of path to text."""

    origin = TreeOrigin("tree", "directory")
    remotes = manifests = notes = ()
    directory = None

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    @property
    def paths(self) -> list[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes:
        try:
            return self._files[path].encode()
        except KeyError:
            raise FileNotFoundError(path) from None

    def is_file(self, path: str) -> bool:
        return path in self._files


def parse(text: str) -> list[dict[str, Any]]:
    """Objects from lines `apiVersion/Kind namespace/name {more fields in flow style}`, or from YAML documents."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    found = [LINE.fullmatch(line) for line in lines]
    if not all(found):
        return [value for value in yaml.safe_load_all(text) if value]
    return [_object(f["api"], f["kind"], f["namespace"], f["name"], yaml.safe_load(f["rest"] or "{}")) for f in found if f]


def _object(api: str, kind: str, namespace: str | None, name: str, rest: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


Rendered = str | Mapping[str, str]


def _side(name: str, rendered: Rendered, tree: FakeTree, masker: Masker, state: Mapping[str, Any]) -> Side:
    objects: dict[str, list[dict[str, Any]]] = {ENTRY: []}
    for key, text in ({"entry": rendered} if isinstance(rendered, str) else rendered).items():
        if key == "entry":
            objects[ENTRY] += parse(text)
            continue
        kind, place, *rest = key.split(" ", 2)
        target_id = f"{kind} {place}"
        objects.setdefault(target_id, []).extend(parse(text))
        namespace, _, owner = place.partition("/")
        renderer = f"Kustomization {state['parents'][target_id]}" if target_id in state.get("parents", {}) else ENTRY
        spec = DEFAULTS[kind] | (yaml.safe_load(rest[0]) if rest else {})
        objects.setdefault(renderer, []).append(_object(OWNERS[kind], kind, namespace, owner, {"spec": spec}))
    loaded = {
        target: load_objects("\n---\n".join(map(json.dumps, values)).encode(), target, masker, canonical=False)
        for target, values in objects.items()
    }
    assert not [one.problem for one in loaded.values() if one.problem]
    owners = {f"{o.key.kind} {o.key.namespace}/{o.key.name}": o for one in loaded.values() for o in one.objects if o.key.kind in OWNERS}
    failed = state.get("failed", ())
    states = [
        TargetState(
            _target(target_id, owners.get(target_id), tree),
            () if target_id in failed else loaded[target_id].objects,
            Failure(name, target_id, "missing-resource", "not found", ENTRY) if target_id in failed else None,
            tuple(state.get("undefined", {}).get(target_id, ())),
            tuple(state.get("patches", {}).get(target_id, ())),
            reads=tuple(tree.paths),
        )
        for target_id in sorted(objects)
    ]
    return Side(name, tree, tuple(states))


def _target(target_id: str, owner: KubeObject | None, tree: FakeTree) -> Target:
    if owner is None:
        return Target(target_id, ENTRY, "kustomization", ENTRY, tree)
    if owner.key.kind == "Application":
        return Target(target_id, ENTRY, "argo", "apps", tree, owner, owner.target, prune=read_application(owner.value).prune)
    spec = read_kustomization(owner.value)
    return Target(
        target_id,
        ENTRY,
        "flux",
        build_path(spec.path),
        tree,
        owner,
        owner.target,
        spec.depends_on,
        spec.prune,
        spec.suspend,
        spec.deletion_policy,
        spec.force,
        spec.substitutes_from,
        str(spec.source),
    )


CheckedOf = Callable[..., CheckedHazards]
HazardsOf = Callable[..., tuple[Hazard, ...]]


@pytest.fixture
def hazards_of(checked_of: CheckedOf) -> HazardsOf:
    """The hazards alone of what `checked_of` gives."""
    return lambda *args, **given: checked_of(*args, **given).hazards


@pytest.fixture
def checked_of() -> CheckedOf:
    """`checked_of(base, head, rule=RULE)` gives the hazards of that rule (or of `rules`, or of every rule), worst first, and notes.

    `base` and `head` are texts for `parse`: then they are what the plain kustomization `clusters/prod` renders. Or they are
    mappings of `Kustomization ns/name {spec in flow style}` or `Application ns/name {spec}` to such a text: these targets prune unless
    their spec says otherwise, and the key `entry` holds what the entry renders beside them. `base_files`, `head_files` are the
    trees' files, which every target reads; `base_state`, `head_state` may hold `failed` (target ids), `undefined` and `patches` (by
    target id) and `parents` (target id to the `ns/name` of the Kustomization that renders its owner).
    """

    def run(
        base: Rendered,
        head: Rendered,
        *,
        rule: Rule | None = None,
        rules: Iterable[Rule] | None = None,
        options: Options = Options(),  # noqa: B008 - frozen
        base_files: Mapping[str, str] | None = None,
        head_files: Mapping[str, str] | None = None,
        base_state: Mapping[str, Any] | None = None,
        head_state: Mapping[str, Any] | None = None,
    ) -> CheckedHazards:
        masker = Masker(b"k")
        old = _side("base", base, FakeTree(base_files or {}), masker, base_state or {})
        new = _side("head", head, FakeTree(head_files or {}), masker, head_state or {})
        old, new = replace(old, withheld=_failed(new) & _present(old)), replace(new, withheld=_failed(old) & _present(new))
        graphs = build_graphs(old, options), build_graphs(new, options)
        changes, impact = assess_impact(compare_sides(old, new, options).changes, old, new, *graphs)
        chosen = {"rules": (rule,)} if rule else {} if rules is None else {"rules": tuple(rules)}
        return check_hazards(changes, impact, old, new, options, *graphs, today=TODAY, **chosen)

    return run


def _failed(side: Side) -> frozenset[tuple[str, str]]:
    return frozenset((s.target.scope, s.target.id) for s in side.states if s.failure)


def _present(side: Side) -> frozenset[tuple[str, str]]:
    return frozenset((s.target.scope, s.target.id) for s in side.states)
