"""Fields: what differs, where, and what only looks different."""

from __future__ import annotations

import pytest

from kdiff.compare.equality import clone
from kdiff.compare.walk import path_segment, walk
from kdiff.kube.field_types import UNKNOWN, builtin_type, custom_type
from kdiff.model.codec import ABSENT

A = ABSENT
POD = builtin_type("apps", "v1", "Deployment")


def fields(base, head, kind=UNKNOWN, keys=None):
    return [(d.op, d.pointer, d.before, d.after) for d in walk(base, head, kind, keys).differences]


def pod(spec):
    return {"spec": {"template": {"spec": spec}}}


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("replace", "/a", 1, True)]),
        ({"a": 0}, {"a": False}, [("replace", "/a", 0, False)]),
        ({"a": [1, True]}, {"a": [1, 1]}, [("replace", "/a/1", True, 1)]),
        ({"a": 8080}, {"a": "8080"}, [("replace", "/a", 8080, "8080")]),
        ({"a": "1.10"}, {"a": "1.1"}, [("replace", "/a", "1.10", "1.1")]),
        ({"a": 9007199254740993}, {"a": 9007199254740992}, [("replace", "/a", 9007199254740993, 9007199254740992)]),
        ({"a": "x "}, {"a": "x"}, [("replace", "/a", "x ", "x")]),
        ({"a": "x\r\n"}, {"a": "x\n"}, [("replace", "/a", "x\r\n", "x\n")]),
        ({"a": "\ufeffx"}, {"a": "x"}, [("replace", "/a", "\ufeffx", "x")]),
        ({"a": "x\x85"}, {"a": "x\n"}, [("replace", "/a", "x\x85", "x\n")]),
        ({"a": None}, {}, []),
        ({"a": None}, {"a": 0}, [("replace", "/a", None, 0)]),
        ({"a": [None]}, {"a": []}, [("remove", "/a/0", None, A)]),
        ({"a": []}, {}, [("remove", "/a", [], A)]),
        ({"a": {}}, {"a": None}, [("replace", "/a", {}, None)]),
        ({}, {"a": {"b": {"c": 1}}}, [("add", "/a", A, {"b": {"c": 1}})]),
        ({"a": {"b": 1}}, {"a": [1]}, [("replace", "/a", {"b": 1}, [1])]),
        ({"m": {"a/b": 1, "m~n": 1, "": 1, "0": 1, "-": 1}}, {"m": {"a/b": 2, "m~n": 1, "": 2, "0": 2, "-": 1}},
         [("replace", "/m/", 1, 2), ("replace", "/m/0", 1, 2), ("replace", "/m/a~1b", 1, 2)]),
    ],
)  # fmt: skip
def test_values_are_compared_exactly(base, head, expected):
    assert fields(base, head) == expected


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (list("abcde"), list("bxdf"), [("remove", "/0", "a", A), ("replace", "/1", "c", "x"), ("replace", "/3", "e", "f")]),
        (["a", "b"], ["a", "b", "c"], [("add", "/2", A, "c")]),
        (["a", "b"], ["x", "a", "b"], [("add", "/0", A, "x")]),
        (["a", "b"], ["b", "a"], [("reorder", "", ["a", "b"], ["b", "a"])]),
        ([80, 443, 80], [80, 443], [("remove", "/2", 80, A)]),
        ([], [{}], [("add", "/0", A, {})]),
        # names tell which element is which, and the order still counts where nothing declares otherwise
        ([{"name": "a", "v": 1}, {"name": "b", "v": 1}], [{"name": "b", "v": 1}, {"name": "a", "v": 2}],
         [("reorder", "", ["a", "b"], ["b", "a"]), ("replace", "/1/v", 1, 2)]),
        # an edited element among others is found by what it shares with its former self
        ([{"k": [1], "x": 1, "y": 1}, {"q": 1, "r": 2}], [{"z": 5, "w": 6}, {"k": [1], "x": 1, "y": 2}, {"q": 1, "r": 2}],
         [("add", "/0", A, {"z": 5, "w": 6}), ("replace", "/1/y", 1, 2)]),
        ([{"ref": {"name": "a"}}], [{"ref": {"name": "b"}}], [("replace", "/0/ref/name", "a", "b")]),
    ],
)  # fmt: skip
def test_lists_without_a_key_are_compared_in_order(base, head, expected):
    assert fields(base, head) == expected


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ({"containers": [{"name": "a"}, {"name": "b", "image": "1"}]}, {"containers": [{"name": "b", "image": "2"}, {"name": "a"}]},
         [("replace", "/spec/template/spec/containers/0/image", "1", "2")]),
        ({"volumes": [{"name": "a"}, {"name": "b"}]}, {"volumes": [{"name": "b"}, {"name": "a"}]}, []),
        ({"initContainers": [{"name": "a"}, {"name": "b"}]}, {"initContainers": [{"name": "b"}, {"name": "a"}]},
         [("reorder", "/spec/template/spec/initContainers", ["a", "b"], ["b", "a"])]),
        ({"containers": [{"name": "a", "args": ["x", "y"]}]}, {"containers": [{"name": "a", "args": ["y", "x"]}]},
         [("reorder", "/spec/template/spec/containers/0/args", ["x", "y"], ["y", "x"])]),
        ({"containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53}]}]},
         {"containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]}]},
         [("add", "/spec/template/spec/containers/0/ports/0/protocol", A, "TCP")]),
    ],
)  # fmt: skip
def test_builtin_lists_are_matched_by_their_declared_keys(base, head, expected):
    assert fields(pod(base), pod(head), POD) == expected


ENV = [{"name": "HOST", "value": "db"}, {"name": "URL", "value": "http://$(HOST)"}, {"name": "T", "value": "1"}]


@pytest.mark.parametrize(
    ("order", "ops"),
    [([0, 1, 2], []), ([2, 0, 1], []), ([0, 2, 1], []), ([1, 0, 2], ["reorder"]), ([2, 1, 0], ["reorder"])],
)
def test_env_order_counts_only_where_a_reference_is_defined_later(order, ops):
    base = pod({"containers": [{"name": "a", "env": ENV}]})
    head = pod({"containers": [{"name": "a", "env": [ENV[n] for n in order]}]})
    assert [op for op, *_ in fields(base, head, POD)] == ops


@pytest.mark.parametrize(
    ("base", "head", "same"),
    [
        ("1000m", 1, True), ("1", 1, True), ("0.5", "500m", True), ("1Gi", "1024Mi", True), ("128Mi", "128m", False),
        ("1e3", "1k", True), ("1Gi", "1G", False), ("1", True, False),
    ],
)  # fmt: skip
def test_quantities_are_compared_by_value_where_the_field_is_one(base, head, same):
    def limits(value):
        return pod({"containers": [{"name": "a", "resources": {"limits": {"cpu": value}}}]})

    walked = walk(limits(base), limits(head), POD)
    assert (not walked.differences) == same
    assert bool(walked.spellings) == (same and base != head)
    assert walk({"cpu": base}, {"cpu": head}).differences  # by the type of the field, never by look


@pytest.mark.parametrize(
    ("group", "version", "kind", "base", "head", "same"),
    [
        ("", "v1", "ConfigMap", {"metadata": {"labels": {}}}, {"metadata": {}}, True),
        ("", "v1", "ConfigMap", {"metadata": {"annotations": None}}, {"metadata": {"annotations": {}}}, True),
        ("", "v1", "ConfigMap", {"data": {}}, {}, True),
        ("", "v1", "ConfigMap", {"data": {"a": ""}}, {"data": {}}, False),
        ("networking.k8s.io", "v1", "NetworkPolicy", {"spec": {"ingress": []}}, {"spec": {"ingress": [{}]}}, False),
        ("networking.k8s.io", "v1", "NetworkPolicy", {"spec": {"ingress": []}}, {"spec": {}}, False),
        ("networking.k8s.io", "v1", "NetworkPolicy", {"spec": {"podSelector": {}}}, {"spec": {}}, False),
        ("", "v1", "Service", {"spec": {"selector": {}}}, {"spec": {}}, True),
        ("", "v1", "Pod", {"spec": {"volumes": [{"name": "a", "emptyDir": {}}]}}, {"spec": {"volumes": [{"name": "a"}]}}, False),
    ],
)
def test_empty_is_missing_only_where_the_server_drops_it(group, version, kind, base, head, same):
    kind_type = builtin_type(group, version, kind)
    assert (not walk(base, head, kind_type).differences) == same
    assert (not walk(head, base, kind_type).differences) == same


def test_a_key_of_a_string_map_is_there_even_with_null():
    kind = builtin_type("", "v1", "ConfigMap")
    assert fields({"data": {"a": "b"}}, {"data": {"a": "b", "region": None}}, kind) == [("add", "/data/region", A, None)]
    assert fields({"data": None}, {}, kind) == []


def test_a_set_has_no_order_but_keeps_count():
    kind = builtin_type("", "v1", "ConfigMap")
    assert not fields({"metadata": {"finalizers": ["a", "b"]}}, {"metadata": {"finalizers": ["b", "a"]}}, kind)
    assert fields({"metadata": {"finalizers": ["a", "b"]}}, {"metadata": {"finalizers": ["b", "c"]}}, kind) == [
        ("remove", "/metadata/finalizers/0", "a", A),
        ("add", "/metadata/finalizers/1", A, "c"),
    ]


def test_custom_resources_are_typed_by_their_schema():
    rules = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["host", "port"],
        "items": {"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}},
    }
    duration = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}
    quantity = {"x-kubernetes-int-or-string": True, "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$"}
    kind = custom_type(
        {"properties": {"spec": {"properties": {"rules": rules, "interval": duration, "size": quantity, "at": {"format": "date-time"}}}}}
    )
    base = {
        "spec": {
            "rules": [{"host": "a", "port": 1}, {"host": "a", "port": 2}],
            "interval": "90s",
            "size": "1Gi",
            "at": "2024-01-01T00:00:00Z",
        }
    }
    head = {
        "spec": {
            "rules": [{"host": "a", "port": 2}, {"host": "a", "port": 1}],
            "interval": "1m30s",
            "size": "1024Mi",
            "at": "2024-01-01T01:00:00+01:00",
        }
    }
    walked = walk(base, head, kind)
    assert not walked.differences
    assert [d.path for d in walked.spellings] == ["spec.at", "spec.interval", "spec.size"]
    assert walked.reordered == ("spec.rules",)
    assert len(walk(base, head, custom_type()).differences) == 4


def test_the_users_own_keys_match_elements():
    base, head = {"spec": {"rows": [{"n": {"x": 1}, "k": 1}, {"k": 2}]}}, {"spec": {"rows": [{"k": 2}, {"n": {"x": 2}, "k": 1}]}}
    walked = walk(base, head, UNKNOWN, {"spec.rows": (("k", None),)})
    assert [(d.pointer, d.base_pointer, d.path) for d in walked.differences] == [
        ("/spec/rows/1/n/x", "/spec/rows/0/n/x", "spec.rows[k=1].n.x")
    ]


def test_paths_name_elements_by_as_much_of_the_key_as_tells_them_apart():
    def ports(*numbers):
        return {"spec": {"ports": [{"port": p, "protocol": proto, "targetPort": t} for p, proto, t in numbers]}}

    service = builtin_type("", "v1", "Service")
    walked = walk(ports((53, "TCP", 1), (53, "UDP", 1)), ports((53, "TCP", 1), (53, "UDP", 2)), service)
    assert walked.differences[0].path == "spec.ports[port=53,protocol=UDP].targetPort"
    walked = walk(ports((53, "TCP", 1), (80, "TCP", 1)), ports((53, "TCP", 2), (80, "TCP", 1)), service)
    assert walked.differences[0].path == "spec.ports[port=53].targetPort"


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [("", "a", "a"), ("a", "b-c", "a.b-c"), ("a", "x.y/z", 'a["x.y/z"]'), ("a", "", 'a[""]'), ("", 'q"\\', '["q\\"\\\\"]')],
)
def test_path_segments_read_as_one_name(path, name, expected):
    assert path_segment(path, name) == expected


@pytest.mark.parametrize(("levels", "told"), [(900, 900), (4000, 1000)])
def test_no_depth_overflows_the_stack(levels, told):
    base, head = 1, 2
    for _ in range(levels):
        base, head = {"n": [base]}, {"n": [head]}
    (difference,) = walk(base, head).differences
    assert difference.op == "replace"
    assert difference.pointer == "/n/0" * told
    assert not walk(base, clone(base)).differences
