"""Keys of list elements."""

from __future__ import annotations

import pytest

from kdiff.kube.list_keys import customary_key, element_keys, env_order_differs, key_values, user_list_keys
from kdiff.model.options import ListKey

PORT = (("port", None), ("protocol", "TCP"))


@pytest.mark.parametrize(
    ("items", "values"),
    [
        ([{"port": 1}, {"port": 1, "protocol": "UDP"}], [[1, "TCP"], [1, "UDP"]]),
        ([{"port": 1}, {"port": 1, "protocol": "TCP"}], None),
        ([{"port": 1}, {"port": "1"}], [[1, "TCP"], ["1", "TCP"]]),
        ([{"port": 1}, {"port": True}], [[1, "TCP"], [True, "TCP"]]),
        ([{"port": [1]}], None),
        ([{"protocol": "TCP"}], None),
        (["x"], None),
        ([], []),
    ],
)
def test_keys_are_complete_distinct_and_typed(items, values):
    found = element_keys(items, PORT)
    assert (found and [key_values(k) for k in found]) == (values or found)
    assert (found is None) == (values is None)


@pytest.mark.parametrize(
    ("base", "head", "key"),
    [
        ([{"name": "a"}], [{"name": "b"}], "name"),
        ([{"name": "a"}, {"name": "a"}], [{"name": "b"}], None),
        ([{"name": "a", "id": 1}, {"name": "a", "id": 2}], [{"name": "b", "id": 1}], "id"),
        ([{"name": "a"}], [{"title": "b"}], None),
        ([{"id": True}], [{"id": False}], None),
        ([], [{"name": "a"}], None),
    ],
)
def test_customary_keys_identify_every_element_of_both_lists(base, head, key):
    found = customary_key(base, head)
    assert (found and found[0][0]) == key


def env(*pairs):
    return [{"name": name, "value": value} for name, value in pairs]


@pytest.mark.parametrize(
    ("base", "head", "differs"),
    [
        (env(("A", "1"), ("B", "$(A)")), env(("B", "$(A)"), ("A", "1")), True),
        (env(("A", "1"), ("B", "$$(A)")), env(("B", "$$(A)"), ("A", "1")), False),
        (env(("A", "1"), ("B", "$(C)")), env(("B", "$(C)"), ("A", "1")), False),
        (env(("A", "1"), ("B", "2")), env(("B", "2"), ("A", "1")), False),
    ],
)
def test_env_order(base, head, differs):
    assert env_order_differs(base, head) == differs


def test_the_users_keys_are_found_by_kind_with_or_without_group():
    rules = (ListKey("Widget", "spec.rows[]", ("k",)), ListKey("x.io/Widget", "spec.a[].b", ("n", "m")), ListKey("Other", "spec", ("o",)))
    assert user_list_keys(rules, "x.io", "Widget") == {"spec.rows": (("k", None),), "spec.a.b": (("n", None), ("m", None))}
    assert user_list_keys(rules, "y.io", "Widget") == {"spec.rows": (("k", None),)}
