"""Which objects belong together, and what is said of each."""

from __future__ import annotations

import hashlib
import json

import pytest

from kdiff.compare import similarity
from kdiff.compare.compare_sides import compare_sides
from kdiff.compare.unified import show_tokens
from kdiff.kube.generated_names import proves_name
from kdiff.model.mask import CLOSE, OPEN
from kdiff.model.options import ListKey, Options


def told(comparison):
    return [(c.status, c.base_id, c.id) for c in comparison.changes]


def hashed(name, data, namespace="shop"):
    """A ConfigMap as kustomize's generator names it; the name is checked against the product's own proof."""
    content = json.dumps({"data": data, "kind": "ConfigMap", "name": ""}, sort_keys=True, separators=(",", ":"))
    suffix = hashlib.sha256(content.encode()).hexdigest()[:10].translate(str.maketrans("013ae", "ghkmt"))
    value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-{suffix}", "namespace": namespace}, "data": data}
    assert proves_name(value)
    return value


def test_equal_bytes_are_never_parsed(build):
    def refuse(_):
        raise AssertionError("parsed")

    objects = [build.make_object(build.config_map()) for _ in range(2)]
    for each in objects:
        each._load = refuse
    comparison = build.compare([objects[0]], [objects[1]])
    assert (comparison.changes, comparison.unchanged, comparison.notes) == ((), 1, ())


def test_added_removed_changed_unchanged(build):
    base = [build.config_map("a"), build.config_map("b", data={"x": "1"}), build.config_map("c", data={"gone": "yes"})]
    head = [build.config_map("a"), build.config_map("b", data={"x": "2"}), build.widget({"n": 1})]
    comparison = build.compare(base, head)
    assert told(comparison) == [
        ("added", None, "example.com/v1/Widget shop/w"),
        ("changed", "v1/ConfigMap shop/b", "v1/ConfigMap shop/b"),
        ("removed", "v1/ConfigMap shop/c", "v1/ConfigMap shop/c"),
    ]
    assert comparison.unchanged == 1
    changed = comparison.changes[1]
    assert (changed.pairing, changed.targets.base, changed.targets.head) == ("key", (".",), (".",))
    assert '-  x: "1"\n+  x: "2"\n' in changed.unified


def test_a_version_bump_is_one_changed_object(build):
    (change,) = build.compare([build.widget({"a": 1})], [build.widget({"a": 1}, group="example.com/v2")]).changes
    assert (change.status, change.pairing) == ("changed", "api-version")
    assert (change.base_id, change.id) == ("example.com/v1/Widget shop/w", "example.com/v2/Widget shop/w")
    assert [(f.pointer, f.before, f.after) for f in change.fields] == [("/apiVersion", "example.com/v1", "example.com/v2")]


def test_kinds_of_one_name_in_two_groups_are_two_objects(build):
    comparison = build.compare([build.widget({}, group="a.example.com/v1")], [build.widget({}, group="b.example.com/v1")])
    assert [status for status, *_ in told(comparison)] == ["removed", "added"]


def test_an_object_that_another_target_takes_over_is_moved(build):
    one, edited = build.config_map(data={"a": "1"}), build.config_map(data={"a": "2"})
    (change,) = build.compare({"x": [one], "y": []}, {"x": [], "y": [one]}, scope="s").changes
    assert (change.status, change.moved.from_, change.moved.to, change.fields) == ("moved", ("x",), ("y",), ())
    assert (change.targets.base, change.targets.head, change.patch) == (("x",), ("y",), ())
    (change,) = build.compare({"x": [one], "y": []}, {"x": [], "y": [edited]}, scope="s").changes
    assert (change.status, change.moved.to, len(change.fields)) == ("changed", ("y",), 1)


def test_targets_without_a_common_scope_know_nothing_of_one_another(build):
    one = build.config_map()
    assert [c.status for c in build.compare({"x": [one], "y": []}, {"x": [], "y": [one]}).changes] == ["removed", "added"]


def test_a_second_owner_adds_the_object_once_more(build):
    one, other = build.config_map(data={"a": "1"}), build.config_map(data={"a": "2"})
    comparison = build.compare({"x": [one], "y": []}, {"x": [one], "y": [other]}, scope="s")
    (change,) = comparison.changes
    assert (change.status, change.targets.head, change.moved, comparison.unchanged) == ("added", ("y",), None, 1)


def test_what_another_target_still_renders_has_no_counterpart(build):
    one, like_it = build.config_map(data={"a": "1" * 99}), build.config_map("new", data={"a": "1" * 99})
    changes = build.compare({"x": [one], "y": [one]}, {"x": [], "y": [one, like_it]}, scope="s").changes
    assert [(c.status, c.id, c.counterpart) for c in changes] == [
        ("removed", "v1/ConfigMap shop/app", None),
        ("added", "v1/ConfigMap shop/new", None),
    ]


def test_one_edit_in_several_targets_is_one_change(build):
    def sides(values):
        return {t: [build.config_map(data={"a": v})] for t, v in values.items()}

    (change,) = build.compare(sides({"x": "1", "y": "1"}), sides({"x": "2", "y": "2"}), scope="s").changes
    assert change.targets.base == change.targets.head == ("x", "y")
    changes = build.compare(sides({"x": "1", "y": "1"}), sides({"x": "2", "y": "3"}), scope="s").changes
    assert [c.targets.head for c in changes] == [("x",), ("y",)]


def test_the_same_edit_of_several_objects_is_a_group(build):
    base = {t: [build.config_map(data={"a": "1", "own": t})] for t in "pqr"}
    head = {t: [build.config_map(data={"a": "2" if t != "r" else "3", "own": t})] for t in "pqr"}
    (group,) = build.compare(base, head).groups
    assert [(m.scope, m.id) for m in group.objects] == [("p", "v1/ConfigMap shop/app"), ("q", "v1/ConfigMap shop/app")]
    assert [f.pointer for f in group.fields] == ["/data/a"]


def test_a_proven_hash_joins_names_and_references_follow(build):
    old, new = hashed("conf", {"L": "info"}), hashed("conf", {"L": "debug"})

    def pods(config):
        name = config["metadata"]["name"]
        env_from = [{"configMapRef": {"name": name}}]
        spec = {"containers": [{"name": "a", "envFrom": env_from}], "imagePullSecrets": [{"name": "keep"}, {"name": name}]}
        return build.deployment(spec)

    comparison = build.compare([old, pods(old)], [new, pods(new)])
    renamed, deployment = sorted(comparison.changes, key=lambda c: c.status != "renamed")
    assert (renamed.status, renamed.pairing, renamed.proof) == ("renamed", "generated-name", "hash")
    assert [f.pointer for f in renamed.fields] == ["/data/L"]
    assert {f.op for f in deployment.fields} == {"replace", "add", "remove"}
    assert {f.follows for f in deployment.fields} == {renamed.id}


def test_a_reference_from_another_namespace_does_not_follow(build):
    old, new = hashed("conf", {"L": "info"}), hashed("conf", {"L": "debug"})
    users = [build.deployment({"x": o["metadata"]["name"]}, namespace="elsewhere") for o in (old, new)]
    changes = build.compare([old, users[0]], [new, users[1]]).changes
    assert [f.follows for c in changes if c.object.kind == "Deployment" for f in c.fields] == [None]


@pytest.mark.parametrize(
    ("base", "head", "proofs"),
    [
        (["c-2456789bcd"], ["c-bcdfghkmt2"], ["pattern"]),
        (["c-2456789bcd", "c-4456789bcd"], ["c-bcdfghkmt2"], []),
        (["c-2456789bcd"], ["d-bcdfghkmt2"], []),
        (["c-2456789bcd"], ["c-aaaaaaaaaa"], []),
        (["c"], ["c-2456789bcd"], []),
    ],
)
def test_a_pattern_joins_names_only_one_to_one(build, base, head, proofs):
    comparison = build.compare([build.config_map(n, data={"a": "1"}) for n in base], [build.config_map(n, data={"a": "2"}) for n in head])
    assert [c.proof for c in comparison.changes if c.status == "renamed"] == proofs


def test_a_name_that_gains_a_proven_hash_is_renamed(build):
    new = hashed("conf", {"L": "info"})
    (change,) = build.compare([build.config_map("conf", data={"L": "info"})], [new]).changes
    assert (change.status, change.proof, change.fields) == ("renamed", "hash", ())


def job(image):
    spec = {"template": {"spec": {"containers": [{"name": "run", "image": image}]}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "migrate-", "namespace": "shop"}, "spec": spec}


@pytest.mark.parametrize(
    ("base", "head", "statuses"),
    [
        (["a:1", "b:1"], ["b:1", "a:1"], []),
        (["a:1", "b:1"], ["b:2", "a:1"], ["changed"]),
        (["a:1"], ["a:1", "b:1"], ["added"]),
        (["a:1", "a:1"], ["a:1"], ["removed"]),
    ],
)
def test_generate_name_objects_are_paired_by_content(build, base, head, statuses):
    comparison = build.compare([job(i) for i in base], [job(i) for i in head])
    assert [c.status for c in comparison.changes] == statuses
    assert all(c.id == "batch/v1/Job shop/migrate-*" for c in comparison.changes)


def test_counterparts_by_name_and_by_content(build):
    moved = build.config_map("app", "old", {"a": "1"}), build.config_map("app", "new", {"a": "1"})
    data = {str(n): "v" for n in range(10)}
    renamed = build.config_map("first", data=data), build.config_map("second", data={**data, "9": "w"})
    stranger = build.config_map("odd", data={"q": "r"})
    found = {c.id: c.counterpart for c in build.compare([moved[0], renamed[0]], [moved[1], renamed[1], stranger]).changes}
    assert (found["v1/ConfigMap old/app"].id, found["v1/ConfigMap old/app"].similarity) == ("v1/ConfigMap new/app", 1.0)
    assert found["v1/ConfigMap shop/second"].id == "v1/ConfigMap shop/first"
    assert 0.6 < found["v1/ConfigMap shop/second"].similarity < 1
    assert found["v1/ConfigMap shop/odd"] is None


def test_a_failure_is_never_an_addition_or_a_removal(build):
    one, two = build.config_map("one"), build.config_map("two")
    base = build.make_side("base", {"x": [one], "y": [two]}, "s")
    head = build.make_side("head", {"x": [], "y": [two, one]}, "s", failed=["x"])
    comparison = compare_sides(base, head, Options())
    assert comparison.changes == ()
    assert comparison.unchanged == 1
    assert [(n.kind, n.target, n.object) for n in comparison.notes] == [
        ("withheld", "x", None),
        ("withheld", "y", "v1/ConfigMap shop/one"),
    ]
    swapped = compare_sides(build.make_side("base", {"x": [], "y": [two, one]}, "s", failed=["x"]),
                            build.make_side("head", {"x": [one], "y": [two]}, "s"), Options())  # fmt: skip
    assert swapped.changes == ()


def test_withheld_targets_take_no_part(build):
    one = build.config_map("one")
    base = build.make_side("base", {"x": [one]}, withheld=["x"])
    comparison = compare_sides(base, build.make_side("head", {}), Options())
    assert (comparison.changes, [n.kind for n in comparison.notes]) == ((), ["withheld"])


def test_what_means_the_same_is_a_note(build):
    base = [build.deployment({"containers": [{"name": "a", "resources": {"limits": {"cpu": "1000m"}}}, {"name": "b"}]})]
    head = [build.deployment({"containers": [{"name": "b"}, {"name": "a", "resources": {"limits": {"cpu": 1}}}]})]
    comparison = build.compare(base, head)
    (note,) = comparison.notes
    assert (note.kind, note.object, comparison.unchanged) == ("equivalent", "apps/v1/Deployment shop/web", 1)
    assert "limits.cpu" in note.message
    assert "the order of spec.template.spec.containers" in note.message
    (change,) = build.compare(base, head, show_format=True).changes
    assert [(f.class_, f.before, f.after) for f in change.fields] == [("format", "1000m", 1)]


def test_key_order_is_nothing_at_all(build):
    value = build.config_map(data={"a": "1", "b": "2"})
    comparison = build.compare([value], [dict(reversed(value.items()))])
    assert (comparison.changes, comparison.notes, comparison.unchanged) == ((), (), 1)


def test_a_rendered_crd_types_its_resources(build):
    rows = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object"}}
    schema = {"openAPIV3Schema": {"properties": {"spec": {"properties": {"rows": rows}}}}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"names": {"kind": "Widget"}, "versions": [{"name": "v1", "schema": schema}]},
    }
    base, head = build.widget({"rows": [{"k": 1}, {"k": 2}]}), build.widget({"rows": [{"k": 2}, {"k": 1}]})
    assert build.compare([crd, base], [crd, head]).changes == ()
    assert [f.op for c in build.compare([base], [head]).changes for f in c.fields] == ["reorder"]
    assert build.compare([base], [head], list_keys=(ListKey("Widget", "spec.rows[]", ("k",)),)).changes == ()


TOKENS = [f"{OPEN}{n * 8}{CLOSE}" for n in "abcd"]


def secret(data, name="db"):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "shop", "labels": {"l": "1"}}, "data": data}


def test_masked_values_stay_visible_as_changes_only(build):
    base = secret({"p": TOKENS[0], "same": TOKENS[1], "gone": TOKENS[2]})
    head = secret({"p": TOKENS[3], "same": TOKENS[1]})
    (change,) = build.compare([base], [head]).changes
    assert [(f.pointer, f.op, f.redacted) for f in change.fields] == [("/data/gone", "remove", True), ("/data/p", "replace", True)]
    assert (change.patch, change.patch_withheld) == (None, "secret")
    assert "-  gone: <masked 1>\n-  p: <masked 2>\n+  p: <masked 3>\n   same: <masked>\n" in change.unified
    assert OPEN not in repr(change)
    assert not any(n * 8 in change.unified for n in "abcd")


def test_a_fixed_mask_key_shows_stable_digests(build):
    (change,) = build.compare([secret({"p": TOKENS[0]})], [secret({"p": TOKENS[1]})], mask_key="k").changes
    assert "<masked aaaaaaaa>" in change.unified
    assert "<masked bbbbbbbb>" in change.unified


def test_swapped_secrets_do_not_look_alike():
    text = show_tokens(f"-a: {TOKENS[0]}\n-b: {TOKENS[1]}\n+a: {TOKENS[1]}\n+b: {TOKENS[0]}\n")
    assert text == "-a: <masked 1>\n-b: <masked 2>\n+a: <masked 2>\n+b: <masked 1>\n"


def test_a_patch_beside_secrets_tells_none(build):
    base, head = secret({"p": TOKENS[0]}), secret({"p": TOKENS[0]})
    head["metadata"]["labels"] = {"l": "2"}
    (change,) = build.compare([base], [head]).changes
    assert change.patch == ({"op": "replace", "path": "/metadata/labels/l", "value": "2"},)
    assert TOKENS[0] not in change.unified


def test_different_secret_edits_are_no_group(build):
    base = {t: [secret({"p": TOKENS[0]})] for t in "xy"}
    assert build.compare(base, {"x": [secret({"p": TOKENS[1]})], "y": [secret({"p": TOKENS[2]})]}).groups == ()
    assert len(build.compare(base, {t: [secret({"p": TOKENS[1]})] for t in "xy"}).groups) == 1


def test_a_secrets_hash_is_proven_on_what_is_masked(build):
    def named(value):
        data = {"p": value}
        content = json.dumps({"data": data, "kind": "Secret", "name": "", "type": "Opaque"}, sort_keys=True, separators=(",", ":"))
        suffix = hashlib.sha256(content.encode()).hexdigest()[:10].translate(str.maketrans("013ae", "ghkmt"))
        clear = {**secret(data, f"s-{suffix}"), "type": "Opaque"}
        masked = {**clear, "data": {"p": OPEN + hashlib.sha256(value.encode()).hexdigest() + CLOSE}}
        return build.make_object(masked, raw=json.dumps(clear).encode())

    comparison = build.compare([named("b2xk")], [named("bmV3")])
    (change,) = comparison.changes
    assert (change.status, change.proof) == ("renamed", "hash")
    assert "b2xk" not in repr(comparison)
    assert "bmV3" not in repr(comparison)


def test_order_of_input_does_not_matter(build):
    base = [build.config_map(str(n), data={"a": "1"}) for n in range(20)]
    head = [build.config_map(str(n), data={"a": str(n % 3)}) for n in range(5, 25)]
    assert build.compare(base, head) == build.compare(base[::-1], head[::-1])


def test_a_thousand_unmatched_objects_take_linear_work(build, work, monkeypatch):
    measured = []
    monkeypatch.setattr(similarity, "_similarity", lambda old, new, real=similarity._similarity: measured.append(1) or real(old, new))
    base = [build.config_map(f"old-{n}", data={f"k{m}": f"{n * 7 % 1000}-{m}" for m in range(20)}) for n in range(1000)]
    head = [build.config_map(f"new-{n}", data={f"k{m}": f"{n}-{m}" for m in range(20)}) for n in range(1000)]
    assert work(build.compare, base, head) < 2000 * 4000
    assert len(measured) < 20 * 1000, "each is measured against its closest few, not against all"
    comparison = build.compare(base, head)
    assert sum(c.counterpart is not None for c in comparison.changes) == 2000


def test_edits_below_masked_keys_are_no_group(build):
    """Where a path is hidden, nobody sees whether it is the same one."""
    base = {"x": [build.config_map(data={})], "y": [build.config_map(data={})]}
    head = {target: [build.config_map(data={TOKENS[n]: "x"})] for n, target in enumerate("xy", 1)}
    comparison = build.compare(base, head)
    assert [f.pointer for change in comparison.changes for f in change.fields] == ["/data/<masked>"] * 2
    assert comparison.groups == ()


def test_null_among_the_values_of_a_chart_is_a_difference(build):
    def release(values):
        return build.widget({"values": values, "other": values}) | {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease"}

    (change,) = build.compare([release({"a": {"b": None}})], [release({"a": {}})]).changes
    assert [(f.pointer, f.op, f.class_) for f in change.fields] == [("/spec/values/a/b", "remove", "value")]
    assert [c.object.name for c in build.compare([build.widget({"values": {"b": None}})], [build.widget({"values": {}})]).changes] == []
