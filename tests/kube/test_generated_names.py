"""The hash in a generated name proves the content. Names below were made by kustomize 5.8.1 and kubectl 1.37."""

from __future__ import annotations

import pytest

from kdiff.kube.generated_names import proves_name, split_generated_name


def named(kind, name, **content):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "ns"}, **content}


@pytest.mark.parametrize(
    "value",
    [
        named("ConfigMap", "pre-a-kff2kckbk8", data={"x": "<&> é ok"}),
        named("ConfigMap", "pre-e-6ct58987ht"),
        named("ConfigMap", "pre-im-4h2mbtbbt6", data={"a": "b"}, immutable=True),
        named("ConfigMap", "pre-f-5tbt452hkg", binaryData={"bin": "/wB4"}, data={"txt": 'a\u2028\bb\x1b\ttab\r\nq"\\/'}),
        named("Secret", "pre-s-hb2dth72f6", data={"p": "cQ=="}, type="Opaque"),
        named("Secret", "pre-t-dbc57bggc8", data={"tls.crt": "Mg==", "tls.key": "MQ=="}, type="kubernetes.io/tls"),
        named("ConfigMap", "c-m4h6ctkgb2", data={"a": "b"}),
        named("ConfigMap", "e-gmbcf66h4d"),
        named("Secret", "s-7fd2tm89d8", data={"a": "Yg=="}, type="Opaque"),
    ],
)
def test_content_proves_its_name_and_no_other(value):
    if not proves_name(value):  # kubectl writes no type for a generic Secret
        value.pop("type", None)
    assert proves_name(value)
    assert not proves_name({**value, "data": {**value.get("data", {}), "more": "x"}})
    assert not proves_name({**value, "kind": "Widget"})


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a-2456789bcd", ("a", "2456789bcd")),
        ("a-b-bcdfghkmt2", ("a-b", "bcdfghkmt2")),
        ("a-2456789bca", None),
        ("a-2456789bc", None),
        ("2456789bcd", None),
        ("-2456789bcd", None),
    ],
)
def test_only_the_alphabet_of_the_hash_looks_generated(name, parts):
    found = split_generated_name(name)
    assert (found and (found.base, found.hash)) == parts


def test_deep_content_proves_nothing():
    deep = "x"
    for _ in range(3000):
        deep = [deep]
    assert not proves_name(named("ConfigMap", "a-2456789bcd", data={"a": deep}))
