"""Directories that may only have got another name."""

from __future__ import annotations


def counterparts(comparison):
    return {(c.status, c.scope, c.id): (c.counterpart.scope, c.counterpart.similarity) for c in comparison.changes if c.counterpart}


def test_both_halves_name_each_other_and_a_note_the_directories(build):
    same, old, new = build.config_map("same", data={"a": "1"}), build.config_map(data={"a": "1"}), build.config_map(data={"a": "2"})
    comparison = build.compare({"staging": [same, old]}, {"stage": [same, new]})
    assert counterparts(comparison) == {
        ("removed", "staging", "v1/ConfigMap shop/same"): ("stage", 1.0),
        ("removed", "staging", "v1/ConfigMap shop/app"): ("stage", 0.0),
        ("added", "stage", "v1/ConfigMap shop/same"): ("staging", 1.0),
        ("added", "stage", "v1/ConfigMap shop/app"): ("staging", 0.0),
    }
    assert [(n.kind, n.target, n.message) for n in comparison.notes] == [
        ("renamed-directory", "stage", "perhaps stage is staging under a new name: 1 of its 2 objects are the same")
    ]


def test_of_several_the_one_with_more_equal_objects_is_chosen(build):
    def overlay(value):
        return [build.config_map(data={"a": value}), build.config_map("same", data={"a": "1"})]

    comparison = build.compare({"dev": overlay("1"), "prod": overlay("2")}, {"d": overlay("1"), "p": overlay("2")})
    assert {(c.scope, c.counterpart.scope) for c in comparison.changes} == {("dev", "d"), ("d", "dev"), ("prod", "p"), ("p", "prod")}


def test_directories_that_share_little_or_that_stay_are_not_joined(build):
    one = build.config_map(data={"a": "1"})
    others = [build.config_map(n, data={"a": "1"}) for n in "pqrs"]
    assert counterparts(build.compare({"old": [one]}, {"new": [one, *others]})) == {}
    assert counterparts(build.compare({"old": [one], "new": []}, {"new": [one]})) == {}
