"""Patches turn one value into the other, exactly, in both directions."""

from __future__ import annotations

import jsonpatch
import pytest

from kdiff.compare.equality import same_value
from kdiff.compare.patch import make_patch, needs_secret, reverse_patch
from kdiff.model.mask import CLOSE, OPEN

CASES = [
    ({"a": 1}, {"a": True}),
    ({"a": 1}, {"a": 1.5, "b": None}),
    ({"a/b": 1, "m~n": 1, "": 1, "0": 1, "-": 1}, {"a/b": 2, "m~n": 2, "": 2, "0": 2, "-": 2}),
    ({"l": list("abcde")}, {"l": list("bxdf")}),
    ({"l": [{"a": 1}, {"b": 1}, {"c": 1}]}, {"l": [{"c": 1}, {"a": 2}]}),
    ({"l": [1, 2, 3, 4, 5, 6]}, {"l": [1, 2, 9, 3, 4, 5, 6]}),
    ({"l": [1, 2, 3, 4, 5, 6]}, {"l": [6, 5, 4, 3, 2, 1]}),
    ({"l": [[1, 2], [3]]}, {"l": [[1], [0], [3, 4]]}),
    ({"l": []}, {"l": {}}),
    ({"a": {}}, {"a": []}),
    ({"a": None}, {}),
]


@pytest.mark.parametrize(("base", "head"), [*CASES, *((h, b) for b, h in CASES)])
def test_a_patch_gives_exactly_the_other_value(base, head):
    patch = make_patch(base, head)
    assert patch
    assert same_value(jsonpatch.JsonPatch(list(patch)).apply(base), head)


def test_an_insertion_is_one_operation():
    assert make_patch({"l": list("abcdefgh")}, {"l": list("abcXdefgh")}) == ({"op": "add", "path": "/l/3", "value": "X"},)


def test_what_does_not_exist_is_null():
    assert make_patch(None, {"a": 1}) == ({"op": "add", "path": "", "value": {"a": 1}},)
    assert make_patch({"a": 1}, None) == ({"op": "replace", "path": "", "value": None},)
    assert jsonpatch.JsonPatch(list(make_patch(None, {"a": 1}))).apply(None) == {"a": 1}
    assert jsonpatch.JsonPatch(list(make_patch({"a": 1}, None))).apply({"a": 1}) is None


def test_a_shuffled_list_is_replaced_as_a_whole():
    base = {"l": [{"name": str(n)} for n in range(1000)]}
    head = {"l": base["l"][::-1]}
    assert len(make_patch(base, head)) == 1


def test_deep_values_are_patched():
    base, head = 1, 2
    for _ in range(1500):
        base, head = {"n": base}, {"n": head}
    assert make_patch(base, head) == ({"op": "replace", "path": "/n" * 1500, "value": 2},)


def test_values_too_deep_to_copy_are_replaced_from_the_root():
    base, head = {"a": 1}, 2
    for _ in range(3000):
        head = [head]
    (operation,) = make_patch(base, {"a": head})
    assert (operation["op"], operation["path"]) == ("replace", "")


def test_masked_values_make_a_patch_useless():
    token = f"{OPEN}ab12{CLOSE}"
    assert needs_secret(make_patch({}, {"a": [token]}))
    assert needs_secret(make_patch({token: {"a": 1}}, {token: {"a": 2}}))
    assert not needs_secret(make_patch({"a": token, "b": 1}, {"b": 1}))


def test_a_change_can_be_undone(build):
    base, head = build.config_map(data={"a": "1", "b": "2"}), build.config_map(data={"a": "3", "c": "4"})
    (change,) = build.compare([base], [head]).changes
    assert jsonpatch.JsonPatch(list(change.patch)).apply(base) == head
    assert jsonpatch.JsonPatch(list(reverse_patch(change))).apply(head) == base
    (new,) = build.compare([], [head]).changes
    assert jsonpatch.JsonPatch(list(reverse_patch(new))).apply(head) is None
