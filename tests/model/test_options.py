"""What Python code may put into the options of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kdiff.errors import UsageError
from kdiff.model.options import IgnoreRule, ListKey, Options, ReferenceField, WaiverRule

TUPLES = [name for name, hint in Options.__annotations__.items() if hint.startswith("tuple[")]
BAD_OPTIONS = [
    ({"skip_kinds": ("",)}, "skip_kinds holds an empty string"),
    ({"entry": [Path("x")]}, f"entry must hold strings only, not a value of type {type(Path()).__name__}"),
    ({"entry": None}, "entry must be a list or tuple of strings, not None"),
    ({"disable": {"a"}}, "disable must be a list or tuple of strings, not a value of type set"),
    ({"ignore": IgnoreRule(kind="a")}, "ignore must be a list or tuple of IgnoreRule values, not a value of type IgnoreRule"),
    ({"waivers": [{}]}, "waivers must hold WaiverRule values only, not a value of type dict"),
    ({"jobs": -1}, "jobs: -1 is less than 0"),
    ({"jobs": 1.5}, "jobs must be a whole number, not a value of type float"),
    ({"jobs": True}, "jobs must be a whole number, not a value of type bool"),
    ({"timeout": -1}, "timeout: -1 is less than 0.1"),
    ({"timeout": float("nan")}, "timeout: nan is not a number to count with"),
    ({"timeout": float("inf")}, "timeout: inf is not a number to count with"),
    ({"timeout": "5"}, "timeout must be a number, not a value of type str"),
    ({"max_output": 0}, "max_output: 0 is less than 1"),
    ({"cache_size": -1}, "cache_size: -1 is less than 0"),
    ({"similarity": 10**400}, f"similarity: {10**400} is more than 1"),
    ({"large_targets": 0}, "large_targets: 0 is less than 1"),
    ({"large_objects": 0}, "large_objects: 0 is less than 1"),
    ({"cache": "no"}, "cache must be True or False, not a value of type str"),
    ({"load_restrictor": "None"}, "load_restrictor must be one of root-only, none, not 'None'"),
    ({"substitution": None}, "substitution must be one of lenient, strict, not None"),
    ({"severity": {"a": "high"}}, "severity['a'] must be one of blocking, caution, info, not 'high'"),
    ({"substitute": {"A": 3}}, "substitute['A'] must be a string, not a value of type int"),
    ({"substitute": ["A=3"]}, "substitute must be a mapping, not a value of type list"),
    ({"kustomize": ["kustomize"]}, "kustomize must be a string, not a value of type list"),
    ({"kustomize": ""}, "kustomize is empty"),
    ({"kubernetes_version": "latest"}, 'kubernetes_version: "latest" is not a Kubernetes release such as 1.34'),
]


def refused(make, *values, **given) -> str:
    with pytest.raises(UsageError) as error:
        make(*values, **given)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", TUPLES)
def test_a_single_string_is_no_list(name) -> None:
    message = refused(Options, **{name: "web"})
    assert message.startswith(f"{name} must be a list of ")
    assert message.endswith(", not one string: write ['web']")


@pytest.mark.parametrize("name", TUPLES)
def test_a_list_will_do(name) -> None:
    assert getattr(Options(**{name: []}), name) == ()
    assert hash(Options(skip_kinds=["Secret"]).skip_kinds) == hash(("Secret",))


@pytest.mark.parametrize(("given", "message"), BAD_OPTIONS, ids=lambda v: next(iter(v)) if isinstance(v, dict) else "")
def test_nonsense_is_refused_in_one_line(given: dict[str, Any], message: str) -> None:
    assert refused(Options, **given) == message


def test_what_may_be_secret_is_not_quoted() -> None:
    for given in ({"mask_key": b"hush"}, {"substitute": {"A": b"hush"}}, {"substitute": "hush"}):
        assert "hush" not in refused(Options, **given)


@pytest.mark.parametrize(
    ("make", "values", "message"),
    [
        (IgnoreRule, (), "an empty rule would match everything; name at least one key"),
        (IgnoreRule, (None,), "kind must be a string, not None"),
        (lambda: IgnoreRule(pointer="spec"), (), 'pointer "spec" must begin with /, such as /spec/replicas'),
        (WaiverRule, ("a", "b", ""), "reason is empty"),
        (WaiverRule, ("a", "b", "c", "20270131"), 'expires "20270131" is not a date such as 2027-01-31'),
        (ListKey, ("a", "b", "name"), "keys must be a list of strings, not one string: write ['name']"),
        (ListKey, ("a", "b", ()), "keys is empty"),
        (ReferenceField, ("a", "", "b"), "path is empty"),
    ],
)
def test_rules_that_mean_nothing_are_refused(make, values, message) -> None:
    assert refused(make, *values) == message
