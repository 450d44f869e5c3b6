"""Laws that hold for every pair of Kubernetes-like objects."""

from __future__ import annotations

import random

import jsonpatch
from deepdiff import DeepDiff
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kdiff.compare.compare_sides import compare_sides
from kdiff.compare.equality import clone, same_value
from kdiff.compare.patch import make_patch
from kdiff.compare.walk import walk
from kdiff.kube.field_types import builtin_type
from kdiff.model.options import Options

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "a", "1", "x y", "k: v\n", "é", "~/"]), st.just(1.5))
keys = st.sampled_from(["a", "b", "name", "a/b", "m~n", "", "0", "-", "x.y"])
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=20)
specs = st.dictionaries(keys, values, max_size=5)

env = st.lists(st.fixed_dictionaries({"name": st.sampled_from("ABC"), "value": st.sampled_from(["1", "$(A)", "$$(B)"])}), max_size=3,
               unique_by=lambda e: e["name"])  # fmt: skip
ports = st.lists(
    st.fixed_dictionaries({"containerPort": st.integers(1, 3), "protocol": st.sampled_from(["TCP", "UDP"])}), max_size=3,
    unique_by=lambda p: (p["containerPort"], p["protocol"]))  # fmt: skip
limits = st.dictionaries(st.sampled_from(["cpu", "memory"]), st.sampled_from(["1", "1000m", "1Gi", "1024Mi", 1]), max_size=2)
containers = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abc"), "image": st.sampled_from(["i:1", "i:2"])},
                          optional={"env": env, "ports": ports, "args": st.lists(st.sampled_from("xyz"), max_size=3),
                                    "resources": st.fixed_dictionaries({"limits": limits})}),
    min_size=1, max_size=3, unique_by=lambda c: c["name"])  # fmt: skip
pod_specs = st.fixed_dictionaries({"containers": containers})
POD = builtin_type("apps", "v1", "Deployment")


@QUICK
@given(values)
def test_equal_values_have_no_difference(value):
    assert walk(value, clone(value)) == walk(None, None)
    assert make_patch([value], [clone(value)]) == ()


@QUICK
@given(values, values)
def test_a_patch_gives_exactly_the_other_side(base, head):
    for old, new in (([base], [head]), ([head], [base]), ({"a": base}, {"a": head})):
        before = clone(old)
        assert same_value(jsonpatch.JsonPatch(list(make_patch(old, new))).apply(old), new)
        assert same_value(old, before)


@QUICK
@given(specs, specs)
def test_kdiff_and_deepdiff_agree_on_equality(base, head):
    walked = walk(base, head)
    # DeepDiff tells 1 from 1.0, which JSON does not: no whole number here is a float. In lists it takes False for 0 and True for 1.
    assert bool(walked.differences or walked.spellings) == bool(DeepDiff(_without_booleans(base), _without_booleans(head)))


def _without_booleans(value):
    if isinstance(value, dict):
        return {key: _without_booleans(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_booleans(item) for item in value]
    return f"a boolean: {value}" if isinstance(value, bool) else value


@QUICK
@given(pod_specs, pod_specs, st.randoms(use_true_random=False))
def test_permuting_keyed_lists_and_map_keys_changes_nothing(base, head, rng):
    def shuffled(spec):
        spec = clone(spec)
        for container in spec["containers"]:
            rng.shuffle(container.get("ports", []))
        rng.shuffle(spec["containers"])
        return dict(sorted(spec.items(), reverse=True))

    def told(one, other):
        walked = walk({"spec": {"template": {"spec": one}}}, {"spec": {"template": {"spec": other}}}, POD)
        return {(d.path, d.op, repr(d.before), repr(d.after)) for d in walked.differences if "ports[" not in d.path}

    assert not told(base, shuffled(base))
    assert {(p, o) for p, o, *_ in told(base, head)} == {(p, o) for p, o, *_ in told(shuffled(base), shuffled(head))}


SWAPPED = {"added": "removed", "removed": "added", "changed": "changed", "renamed": "renamed", "moved": "moved"}
names = st.sampled_from(["a", "b", "c-2456789bcd", "c-bcdfghkmt2", "c-4456789bcd"])
objects = st.dictionaries(st.tuples(st.sampled_from(["t1", "t2"]), names), st.sampled_from(["1", "2"]), max_size=6)


@QUICK
@given(objects, objects)
def test_swapping_the_sides_swaps_the_statuses(build, base, head):
    def side(name, chosen):
        targets = {"t1": [], "t2": []}
        for (target, named), data in chosen.items():
            targets[target].append(build.config_map(named, data={"k": data}))
        return build.make_side(name, targets, "s")

    there = compare_sides(side("base", base), side("head", head), Options())
    back = compare_sides(side("base", head), side("head", base), Options())
    assert there.unchanged == back.unchanged
    assert sorted((SWAPPED[c.status], c.id, c.targets.base, c.targets.head) for c in there.changes if c.status != "renamed") == sorted(
        (c.status, c.id, c.targets.head, c.targets.base) for c in back.changes if c.status != "renamed"
    )
    assert sorted((c.base_id, c.id) for c in there.changes if c.status == "renamed") == sorted(
        (c.id, c.base_id) for c in back.changes if c.status == "renamed"
    )


@QUICK
@given(objects, objects, st.integers(0, 9))
def test_the_order_of_documents_changes_nothing(build, base, head, seed):
    def side(name, chosen, rng):
        targets = {"t1": [], "t2": []}
        for (target, named), data in rng.sample(sorted(chosen.items()), len(chosen)):
            targets[target].append(build.config_map(named, data={"k": data}))
        return build.make_side(name, targets, "s")

    straight = random.Random(0)
    other = random.Random(seed)
    one = compare_sides(side("base", base, straight), side("head", head, straight), Options())
    assert one == compare_sides(side("base", base, other), side("head", head, other), Options())
