"""Masked values are equal where Kubernetes reads equal values, and nowhere else."""

from __future__ import annotations

import base64
import binascii

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kdiff.compare.equality import clone, same_value
from kdiff.model.mask import TOKEN
from kdiff.objects.masking import Masker
from kdiff.objects.secret_texts import LAST_APPLIED
from kdiff.objects.tokens import Tokens

TOKENS = Tokens(b"k")
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"

numbers = st.one_of(st.integers(-(10**13), 10**13), st.sampled_from([0, 1, 123456, 123456789012, 1e15, 1e22, 10**22, 1234.5678, 0.1]))
texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="ab=\n +/", max_size=9),
    st.binary(max_size=7).map(lambda raw: base64.b64encode(raw).decode()),
    numbers.map(str),
    st.sampled_from(["true", "null", "YQ==", "YQ=\n=", "YR==", "YQ= =", "YQ", "a: b\n", "-----BEGIN", PEM, "k3y-abc", "k3y-abck3y-abc"]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, numbers.map(float), texts)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=5
)  # fmt: skip
QUICK = settings(max_examples=150, deadline=None)


def alike(value):
    """Values that are often the same, or look it: as text, as a number, coded, in a list."""
    text = str(value)
    near = [clone(value), text, [value], {"a": value}, base64.b64encode(text.encode()).decode(), f"{text}\n"]
    if isinstance(value, (int, float)):
        near += [float(value), int(value), bool(value)]
    return st.sampled_from(near) | values


pairs = values.flatmap(lambda value: st.tuples(st.just(value), alike(value)))


def masker(*learned):
    found = Masker(b"k")
    for each in learned:
        found.learn_secret({"kind": "Secret", "stringData": {"a": each, "b": "k3y-abc", "c": 123456789012}})
    return found


def as_data(value):
    """What encoding/json makes of a []byte, by another way than the code that is tested."""
    if not isinstance(value, str):
        return value
    text = value.translate({10: None, 13: None})
    try:
        plain = binascii.a2b_base64(text)
    except (ValueError, binascii.Error):
        return ["no base64", value]
    same = base64.b64encode(plain).decode()
    is_standard = len(same) == len(text) and same.rstrip("=")[:-1] == text.rstrip("=")[:-1] and same.count("=") == text.count("=")
    alphabet = set(text.rstrip("=")) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return ["bytes", *plain] if is_standard and alphabet else ["no base64", value]


@QUICK
@given(pairs)
@example((123456789012, "123456789012"))
@example((True, "true"))
@example((["a"], "- a\n"))
@example((None, ""))
def test_values_of_stringdata_are_equal_when_the_masked_are(pair):
    one, other = ({"kind": "Secret", "stringData": {"a": each}} for each in pair)
    assert same_value(masker().mask_value(one), masker().mask_value(other)) == same_value(*pair)


@QUICK
@given(pairs)
@example(("no base64!", base64.b64encode(b"no base64!").decode()))
@example(("YQ==", "YQ=\n="))
@example(("YQ==", "YR=="))
@example(("YQ==", "YQ= ="))
@example(("123456789012", 123456789012))
def test_values_of_data_are_equal_when_the_masked_are(pair):
    one, other = ({"kind": "Secret", "data": {"a": each}} for each in pair)
    assert same_value(masker().mask_value(one), masker().mask_value(other)) == same_value(as_data(pair[0]), as_data(pair[1]))


@QUICK
@given(pairs)
def test_the_other_fields_of_a_secret_are_equal_when_the_masked_are(pair):
    for place in ("data", "stringData", "misspelled"):
        one, other = ({"kind": "Secret", place: each} for each in pair)
        same = same_value(*pair)
        if place == "data" and all(isinstance(each, dict) for each in pair):
            same = same_value(*({key: as_data(item) for key, item in each.items()} for each in pair))
        assert same_value(masker().mask_value(one), masker().mask_value(other)) == same
    one, other = ({"kind": "Secret", "metadata": {"annotations": {LAST_APPLIED: each}}} for each in pair)
    assert same_value(masker().mask_value(one), masker().mask_value(other)) == same_value(*pair)


@QUICK
@given(pairs, values)
@example((123456789012, "123456789012"), None)
@example((123456789012.0, 123456789012), None)
@example((123, "123"), None)
@example(("k3y-abck3y-abc", "k3y-abc k3y-abc"), None)
@example(({"k3y-abc": 1, "k3y-abck3y-abc": 2}, {"k3y-abc": 2, "k3y-abck3y-abc": 1}), None)
@example(({PEM: 1, PEM + "x": 2}, {PEM: 1}), None)
def test_values_elsewhere_are_equal_when_the_masked_are(pair, learned):
    found = masker(*pair, learned)
    for key in ("a", "password"):
        one, other = ({"kind": "ConfigMap", "data": {key: each}} for each in pair)
        assert same_value(found.mask_value(one), found.mask_value(other)) == same_value(*pair)


@QUICK
@given(values, values)
def test_no_key_is_lost(value, learned):
    def shape(node):
        if isinstance(node, dict):
            return [shape(item) for item in node.values()]
        return [shape(item) for item in node] if isinstance(node, list) else None

    masked = masker(value, learned).mask_value({"kind": "ConfigMap", "data": value})
    assert shape(masked["data"]) == shape(value)


def test_one_secret_has_one_token_in_data_in_stringdata_and_in_plain():
    found = masker()
    found.learn(["tr0ub4dor-é"])
    coded = base64.b64encode("tr0ub4dor-é".encode()).decode()
    secret = found.mask_value({"kind": "Secret", "stringData": {"a": "tr0ub4dor-é"}, "data": {"a": coded}})
    token = secret["data"]["a"]
    assert TOKEN.fullmatch(token)
    assert secret["stringData"]["a"] == found.token("tr0ub4dor-é") == token
    assert found.mask_value({"data": {"a": "x tr0ub4dor-é"}}) == {"data": {"a": f"x {token}"}}


@pytest.mark.parametrize("number", [123456789012, 123456789012.0, -123456789012, 123456789012.5, 1e22])
def test_a_number_that_is_secret_is_hidden_elsewhere(number):
    found = Masker(b"k")
    found.learn_secret({"kind": "Secret", "stringData": {"a": number}})
    hidden = found.mask_value({"spec": {"x": number, "y": str(number)}})["spec"]
    assert TOKEN.fullmatch(hidden["x"])
    assert hidden["x"] != hidden["y"]


def test_a_secret_of_hexadecimal_digits_tears_no_token():
    token = TOKENS.of_text("x")
    digits = token[4:12]
    assert not digits.isalpha()
    assert not digits.isdigit()  # else it were looked for as a word
    found = Masker(b"k")
    found.learn([digits])
    assert found.mask_value({"kind": "Secret", "stringData": {"a": "x"}, "spec": {"x": digits}})["stringData"]["a"] == token


def test_deep_values_get_a_token():
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    assert TOKENS.of_value(deep) != TOKENS.of_value([deep])
