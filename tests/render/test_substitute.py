from __future__ import annotations

import pytest

from kdiff.documents.load import load_document
from kdiff.documents.split import split_documents
from kdiff.model.options import Options
from kdiff.model.side import UndefinedVariable
from kdiff.render.substitute import substitute_documents
from kdiff.render.variables import Variables

HEAD = "apiVersion: v1\n"
TAIL = "kind: ConfigMap\nmetadata:\n  name: c\n  namespace: shop\n"
STRICT = Options(substitution="strict")


def config(data, tail=TAIL):
    return (HEAD + "data:\n" + "".join(f"  {line}\n" for line in data.split("\n")) + tail).encode()


def data_of(result):
    (document,) = split_documents(result.output, canonical=True)
    return load_document(document.raw, canonical=True)["data"]


@pytest.mark.parametrize(
    ("data", "values", "expected"),
    [
        ("a: ${V}", {"V": "x"}, {"a": "x"}),
        ("replicas: ${V}", {"V": "3"}, {"replicas": 3}),
        ('replicas: "${V}"', {"V": "3"}, {"replicas": "3"}),
        ("flag: ${V}", {"V": "on"}, {"flag": True}),  # sigs.k8s.io/yaml reads YAML 1.1 booleans
        ("flag: ${V}", {"V": "null"}, {"flag": None}),
        ("mode: ${V}", {"V": "0755"}, {"mode": 493}),
        ("${V}.io: a", {"V": "x"}, {"x.io": "a"}),
        ("a: ${V:-d e}", {"W": ""}, {"a": "d e"}),
        ("a: $${V}", {"V": "x"}, {"a": "${V}"}),
        ("a: 5$$", {"V": "x"}, {"a": "5$"}),
        ("a: |\n  one ${V}\n  two", {"V": "x"}, {"a": "one x\ntwo\n"}),
        ("a: $V", {"V": "x"}, {"a": "$V"}),
        ("a: ${V}", {"V": "[1, 2]"}, {"a": [1, 2]}),
    ],
)
def test_objects_are_substituted_as_text(data, values, expected):
    assert data_of(substitute_documents(config(data), Variables(values), Options())) == expected


@pytest.mark.parametrize(
    ("field", "value", "substituted"),
    [
        ("labels", "disabled", False),
        ("annotations", "disabled", False),
        ("labels", "Disabled", True),
        ("annotations", "enabled", True),
    ],
)
def test_the_switch_is_compared_exactly(field, value, substituted):
    tail = f"kind: ConfigMap\nmetadata:\n  {field}:\n    kustomize.toolkit.fluxcd.io/substitute: {value}\n  name: c\n"
    output = config("a: ${V}", tail)
    result = substitute_documents(output, Variables({"V": "x"}), Options())
    assert (result.output != output) is substituted


def test_documents_without_expressions_keep_their_bytes_and_order():
    odd = b"apiVersion: v1\nkind: Namespace\nmetadata:\n  name:   spaced   # kept\n"
    result = substitute_documents(b"---\n".join([odd, config("a: ${V}"), odd]), Variables({"V": "x"}), Options())
    first, middle, last = split_documents(result.output, canonical=True)
    assert first.raw == last.raw == odd
    assert load_document(middle.raw)["data"] == {"a": "x"}


@pytest.mark.parametrize("variables", [Variables(), Variables({})])
def test_nothing_is_touched_without_variables(variables):
    output = config("a: ${V:-d} $$")
    assert substitute_documents(output, variables, STRICT).output == output


def test_the_strategy_always_evaluates_defaults_without_variables():
    assert data_of(substitute_documents(config("a: ${V:-d}"), Variables(always=True), Options())) == {"a": "d"}


UNDEFINED = config('a: ${X}\nb/c: "${X} ${Y}"\n${Z}k: v\nd: ${W:-w}')
PLACES = (
    UndefinedVariable("X", "v1/ConfigMap shop/c", "/data/a"),
    UndefinedVariable("X", "v1/ConfigMap shop/c", "/data/b~1c"),
    UndefinedVariable("Y", "v1/ConfigMap shop/c", "/data/b~1c"),
    UndefinedVariable("Z", "v1/ConfigMap shop/c", "/data/k"),
)


def test_lenient_renders_undefined_variables_empty_and_says_where():
    result = substitute_documents(UNDEFINED, Variables({"V": "x"}), Options())
    assert data_of(result) == {"a": None, "b/c": " ", "k": "v", "d": "w"}
    assert result.undefined == PLACES
    assert result.error is None


def test_strict_fails_the_target_and_names_every_variable():
    result = substitute_documents(UNDEFINED, Variables({"V": "x"}), STRICT)
    assert (result.failure_class, result.output, result.undefined) == ("undefined-variable", UNDEFINED, PLACES)
    assert result.error == "variables without value or default in v1/ConfigMap shop/c: X, Y, Z"


def test_a_missing_source_leaves_visible_placeholders():
    result = substitute_documents(UNDEFINED, Variables({"V": "x"}, missing=("v1/Secret n/s",)), STRICT)
    assert data_of(result) == {"a": "${X}", "b/c": "${X} ${Y}", "${Z}k": "v", "d": "w"}
    assert result.error is None
    assert {(each.variable, each.pointer, each.perhaps_from) for each in result.undefined} == {
        ("X", "/data/a", ("v1/Secret n/s",)),
        ("X", "/data/b~1c", ("v1/Secret n/s",)),
        ("Y", "/data/b~1c", ("v1/Secret n/s",)),
        ("Z", "/data/${Z}k", ("v1/Secret n/s",)),
    }


def test_a_text_that_stays_as_it_is_still_tells_its_undefined_variables():
    text = config("a: ${X}")
    result = substitute_documents(text, Variables(missing=("v1/Secret n/s",)), STRICT)
    assert result.output == text
    assert [each.variable for each in result.undefined] == ["X"]


def test_an_encrypted_value_leaves_a_visible_placeholder():
    result = substitute_documents(config("a: ${P} ${V}"), Variables({"V": "x"}, unknown=frozenset({"P"})), STRICT)
    assert (data_of(result), result.undefined) == ({"a": "${P} x"}, ())


@pytest.mark.parametrize(
    ("data", "variables", "failure_class", "words"),
    [
        ("a: ${V", Variables({"V": "x"}), "renderer-failed", "v1/ConfigMap shop/c: missing closing brace"),
        ("a: ${A[@]}", Variables({"V": "x"}), "renderer-failed", "missing closing brace"),
        ("a: ${V}", Variables({"V": "b: [c"}), "invalid-yaml", "cannot be read"),
        ("a: x", Variables({"my-var": "x"}, bad_names=("my-var",)), "renderer-failed", "'my-var'"),
        ("a: x", Variables({"V": "x"}, problem="spec.x is wrong"), "renderer-failed", "spec.x is wrong"),
    ],
)
def test_what_flux_refuses_fails_the_target(data, variables, failure_class, words):
    result = substitute_documents(config(data), variables, Options())
    assert result.failure_class == failure_class
    assert words in result.error
    assert "\n" not in result.error


def test_a_value_that_takes_the_kind_away_fails_the_target():
    output = b"apiVersion: v1\nkind: ${V}\nmetadata:\n  name: c\n"
    assert substitute_documents(output, Variables({"V": ""}), Options()).failure_class == "invalid-yaml"


def test_output_that_is_not_text_fails_the_target():
    assert substitute_documents(b"a: ${V} \xff\n", Variables({"V": ""}), Options()).failure_class == "invalid-yaml"


def test_an_unreadable_result_quotes_no_value():
    result = substitute_documents(config("a: ${V}"), Variables({"V": "hunter2: [c"}), Options())
    assert "hunter2" not in result.error
    assert "hunter2" not in repr(result)
