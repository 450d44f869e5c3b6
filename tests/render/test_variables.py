from __future__ import annotations

import base64

import pytest

from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.render.variables import collect_variables


def loader(raw):
    raise AssertionError("variables need raw bytes, not the masked value")


def config_map(name, data, namespace="flux-system", kind="ConfigMap", field="data"):
    lines = "".join(f"  {key}: {value}\n" for key, value in data.items())
    raw = f"apiVersion: v1\n{field}:\n{lines}kind: {kind}\nmetadata:\n  name: {name}\n  namespace: {namespace}\n"
    return KubeObject(ObjectKey("", kind, namespace, name), "v1", raw.encode(), loader, target="t")


def secret(name, data, namespace="flux-system"):
    return config_map(name, {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}, namespace, "Secret")


def target(post_build):
    raw = f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: web\n  namespace: flux-system\nspec:\n{post_build}"
    owner = KubeObject(
        ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "flux-system", "web"), "v1", raw.encode(), loader, target="t"
    )
    return Target("Kustomization flux-system/web", "clusters/prod", "flux", "apps", tree=None, owner=owner)


def post_build(*references, inline=""):
    lines = ["  postBuild:\n"]
    if inline:
        lines.append("    substitute:\n" + "".join(f"      {line}\n" for line in inline.split("\n")))
    lines += ["    substituteFrom:\n"] * bool(references)
    for reference in references:
        kind, name, *optional = reference.split()
        lines.append(f"    - kind: {kind}\n      name: {name}\n" + "      optional: true\n" * bool(optional))
    return "".join(lines)


@pytest.mark.parametrize(
    ("references", "inline", "objects", "values"),
    [
        ((), 'A: "1"', [], {"A": "1"}),
        (("ConfigMap one",), "", [config_map("one", {"A": '"1"'})], {"A": "1"}),
        (("ConfigMap one", "ConfigMap two"), "", [config_map("two", {"A": '"2"'}), config_map("one", {"A": '"1"'})], {"A": "2"}),
        (("ConfigMap one",), 'A: "9"', [config_map("one", {"A": '"1"', "B": "b"})], {"A": "9", "B": "b"}),
        (("Secret s",), "", [secret("s", {"P": "hunter2\n"})], {"P": "hunter2"}),
        (("Secret s",), "", [config_map("s", {"P": "plain"}, kind="Secret", field="stringData")], {"P": "plain"}),
        ((), "A: |\n  one\n  two", [], {"A": "onetwo"}),
        (("ConfigMap one",), "", [config_map("one", {"A": "3"})], {}),  # no string: the API server holds no such ConfigMap
    ],
)
def test_order_and_origin_of_values(references, inline, objects, values):
    result = collect_variables(target(post_build(*references, inline=inline)), objects, Options())
    assert (result.values, result.missing, result.problem) == (values, (), None)


@pytest.mark.parametrize(
    ("reference", "objects", "missing"),
    [
        ("ConfigMap one", [], ("v1/ConfigMap flux-system/one",)),
        ("ConfigMap one optional", [], ()),
        ("ConfigMap one", [config_map("one", {"A": "a"}, namespace="default")], ("v1/ConfigMap flux-system/one",)),
        ("Secret one", [config_map("one", {"A": "a"})], ("v1/Secret flux-system/one",)),
        ("HelmRelease one", [], ()),
    ],
)
def test_sources_that_nobody_provides_are_named(reference, objects, missing):
    assert collect_variables(target(post_build(reference)), objects, Options()).missing == missing


def test_options_win_and_extra_objects_fill_gaps():
    extra = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"A": "file", "B": "file"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "namespace": "flux-system"}, "data": {"C": "file"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "namespace": "other"}, "data": {"C": "wrong"}},
    ]
    wanted = target(post_build("ConfigMap one", "ConfigMap two", inline="D: spec"))
    result = collect_variables(wanted, [config_map("one", {"A": "tree"})], Options(substitute={"D": "cli", "E": "cli"}), extra)
    assert result.values == {"A": "tree", "C": "file", "D": "cli", "E": "cli"}


def test_encrypted_and_binary_values_are_unknown_unless_given_otherwise():
    sealed = config_map("s", {"P": "ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]", "Q": "ENC[AES256_GCM,data:x]", "R": "/w=="}, kind="Secret")
    result = collect_variables(target(post_build("Secret s", inline="Q: known")), [sealed], Options())
    assert (result.values, result.unknown) == ({"Q": "known"}, {"P", "R"})


def test_a_later_source_makes_an_encrypted_value_known_again():
    sealed = config_map("one", {"P": "ENC[AES256_GCM,data:x]"})
    result = collect_variables(target(post_build("ConfigMap one", "ConfigMap two")), [sealed, config_map("two", {"P": "p"})], Options())
    assert (result.values, result.unknown) == ({"P": "p"}, frozenset())


def test_names_that_flux_refuses_are_listed():
    result = collect_variables(target(post_build(inline="9lives: a\nmy-var: b\n_ok: c")), [], Options())
    assert result.bad_names == ("9lives", "my-var")


def test_a_number_as_inline_value_is_a_problem_of_the_spec():
    result = collect_variables(target(post_build(inline="N: 3")), [], Options())
    assert result.problem is not None
    assert "substitute.N" in result.problem


@pytest.mark.parametrize(
    ("spec", "substituted"),
    [
        ("  path: ./apps\n", False),
        ("  postBuild: {}\n", False),
        ("  postBuild:\n    substituteStrategy: Always\n", True),
        ("  postBuild:\n    substituteStrategy: WithVariables\n", False),
        (post_build("ConfigMap gone"), True),
        (post_build("ConfigMap gone optional"), False),
        (post_build(inline="A: a"), True),
    ],
)
def test_flux_substitutes_only_with_variables_or_always(spec, substituted):
    assert collect_variables(target(spec), [], Options()).are_substituted is substituted


def test_a_target_without_owner_has_no_variables():
    assert not collect_variables(
        Target("apps", "apps", "kustomization", "apps", tree=None), [], Options(substitute={"A": "a"})
    ).are_substituted


def test_values_never_show_in_a_repr():
    result = collect_variables(target(post_build("Secret s")), [secret("s", {"P": "hunter2"})], Options())
    assert result.secret_values == ("hunter2",)
    assert "hunter2" not in repr(result)
