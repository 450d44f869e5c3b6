"""Secrets are hidden wherever they turn up, changes stay visible, and what is public stays readable."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from kdiff.documents.dump import dump_value
from kdiff.model.mask import TOKEN, has_token
from kdiff.objects.load_objects import load_objects
from kdiff.objects.masking import Masker

CANARY = 'cAn4ry+q/7&<x>="é'
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nqwertyuiopasdfgh\n-----END RSA PRIVATE KEY-----\n"


def b64(text):
    return base64.b64encode(text.encode()).decode()


def secret(**values):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": values}


def masked(value, *secrets, names=()):
    masker = Masker(b"k")
    for each in secrets:
        masker.learn_secret(each)
    masker.learn_names(names)
    return masker.mask_value(value)


def shown(value, *secrets, names=()):
    """The masked value as text, tokens as `***`."""
    return TOKEN.sub("***", dump_value(masked(value, *secrets, names=names)))


def test_every_value_of_a_secret_becomes_a_token_of_one_length():
    value = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"data":{"a":"eA=="}}', "a": "b"}},
        "data": {"a": b64("x"), "b": b64("y" * 999), "c": None, "d": "no base64!", "e": 5},
        "stringData": {"a": "x", "b": "", "c": ["deep"]},
        "type": "Opaque",
    }
    got = masked(value, value)
    tokens = [*got["data"].values(), *got["stringData"].values()]
    assert all(TOKEN.fullmatch(token) for token in tokens if token is not None)
    assert len({len(token) for token in tokens if token}) == 1
    assert got["data"]["c"] is None
    assert list(got["data"]) == list("abcde")
    assert got["data"]["a"] == got["stringData"]["a"] != got["data"]["b"]
    assert TOKEN.fullmatch(got["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert got["metadata"]["annotations"]["a"] == "b"
    assert got["type"] == "Opaque"


def test_lines_of_a_private_key_that_became_keys_are_hidden():
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
    value = {"kind": "Secret", "data": {line: "", line[:60] + "+/8=": None, "tls.key": "eA=="}}
    assert [TOKEN.sub("***", key) for key in masked(value, value)["data"]] == ["***", "***", "tls.key"]


def test_tokens_are_equal_within_a_run_and_differ_between_keys():
    one, two = Masker(b"one"), Masker(b"two")
    assert one.token("x") == one.token(b"x") == Masker(b"one").token("x")
    assert one.token("x") != two.token("x")


SPELLINGS = {
    "plain": CANARY,
    "base64": b64(CANARY),
    "base64 in base64 of more": b64(f"user:{CANARY}@host"),
    "base64 in base64 of more, shifted": b64(f"u:{CANARY}"),
    "base64 in base64 of more, shifted twice": b64(f"us{CANARY}\n"),
    "base64 for addresses": base64.urlsafe_b64encode(CANARY.encode()).decode(),
    "JSON": json.dumps({"a": CANARY}, ensure_ascii=False),
    "JSON in ASCII": json.dumps({"a": CANARY}),
    "JSON of Go": json.dumps({"a": CANARY}, ensure_ascii=False).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"),
    "address": f"https://u:{quote(CANARY, safe='')}@h",
    "inside a word": f"xx{CANARY}xx",
    "last-applied": json.dumps({"stringData": {"x": CANARY}}),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("place", ["value", "key", "list", "name of a container", "image", "label"])
def test_a_secret_is_hidden_elsewhere_in_every_spelling(spelling, place):
    value = {
        "value": {"data": {"x": spelling}},
        "key": {"data": {spelling: "x"}},
        "list": {"spec": {"args": ["a", ["b", spelling]]}},
        "name of a container": {"spec": {"containers": [{"name": spelling}]}},
        "image": {"spec": {"image": spelling}},
        "label": {"metadata": {"name": "x", "labels": {"a": spelling}}},
    }[place]
    text = dump_value(masked({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, **value}, secret(a=CANARY)))
    assert has_token(text)
    for part in (CANARY, b64(CANARY)[:10], b64("u:" + CANARY)[4:14], b64("us" + CANARY)[4:14], "cAn4ry"):
        assert part not in text


@pytest.mark.parametrize(
    ("held", "elsewhere", "expected"),
    [
        ("hunter2-x", "a hunter2-x b", "a *** b"),
        ("hunter2-x\n", "hunter2-x", "***"),
        ("swordfish", "postgres://app:swordfish@db", "postgres://app:***@db"),
        ("swordfish", "swordfishing", "swordfishing"),
        ("12345678", "port 12345678", "port ***"),
        ("12345678", "1234567890", '"1234567890"'),
        ("short", "short", "short"),
        ("localhost", "http://localhost:80", "http://localhost:80"),
        ("Production", "production", "production"),
        ("orders-db", "tcp://orders-db:5432", "tcp://***:5432"),
        ("ENC[AES256_GCM,data:abcdef]", "ENC[AES256_GCM,data:abcdef]", "ENC[AES256_GCM,data:abcdef]"),
        ("db:\n  password: tr0ub4dor\n  host: db.shop.svc\n", "tr0ub4dor db.shop.svc", "*** db.shop.svc"),
        ('{"auths": {"ghcr.io": {"username": "someone", "auth": "c29tZW9uZTpwdw"}}}', "c29tZW9uZTpwdw someone ghcr.io", "*** *** ghcr.io"),
        ('{"auths": {"ghcr.io": {"auth": "' + b64("someone:pw-0f-it") + '"}}}', "login pw-0f-it ghcr.io", "login *** ghcr.io"),
        ("[db]\npassword = s3cr3t-ini\nhost = db.shop.svc\n", "s3cr3t-ini db.shop.svc", "*** db.shop.svc"),
        ("export DB_PASS='q-w-e-r-t'\n", "q-w-e-r-t", "***"),
        ("postgres://app:p4ss%40w@db.shop.svc/app", "p4ss%40w db.shop.svc", "*** db.shop.svc"),
        (PEM, "qwertyuiopasdfgh", "***"),
        ("image: ghcr.io/acme/web:1.2.3\nreplicas: 3\n", "ghcr.io/acme/web:1.2.3", "ghcr.io/acme/web:1.2.3"),
        ("mode: x7Kp92mQz\n", "x7Kp92mQz", "***"),
        ("pin: 1\nkey: 73519462\n", 73519462, "***"),
        ("73519462", 735194620, "735194620"),
        (
            "host: db-1.cluster-a.eu-west-1.rds.example.com\na: b\n",
            "db-1.cluster-a.eu-west-1.rds.example.com",
            "db-1.cluster-a.eu-west-1.rds.example.com",
        ),
        (
            "image: ghcr.io/acme/a-web-server-of-many-words:1.2.3\na: b\n",
            "acme/a-web-server-of-many-words:1.2.3",
            "acme/a-web-server-of-many-words:1.2.3",
        ),
        ("jwt: eyJhbGciOi.eyJzdWIiOiIx.c2ln\na: b\n", "Bearer eyJhbGciOi.eyJzdWIiOiIx.c2ln", "Bearer ***"),
    ],
)
def test_policy(held, elsewhere, expected):
    assert shown({"data": {"x": elsewhere}}, secret(a=held)) == f"data:\n  x: {expected}\n"
    encoded = {"apiVersion": "v1", "kind": "Secret", "data": {"a": b64(held)}}
    assert shown({"data": {"x": elsewhere}}, encoded) == f"data:\n  x: {expected}\n"


def test_names_of_rendered_objects_and_words_in_naming_fields_stay():
    value = {
        "metadata": {"name": "x", "labels": {"app": "payments"}},
        "spec": {"image": "payments:1", "host": "gateway-one", "owner": "payments"},
    }
    assert shown(value, secret(a="payments", b="gateway-one"), names=["gateway-one"]) == (
        "metadata:\n  labels:\n    app: payments\n  name: x\nspec:\n  host: gateway-one\n  image: payments:1\n  owner: ***\n"
    )


def test_the_identity_of_an_object_stays():
    value = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "k3y-abcdef", "namespace": "k3y-abcdef", "labels": {"a": "k3y-abcdef"}}}
    got = masked(value, secret(a="k3y-abcdef"))
    assert (got["metadata"]["name"], got["metadata"]["namespace"]) == ("k3y-abcdef", "k3y-abcdef")
    assert has_token(got["metadata"]["labels"]["a"])


@pytest.mark.parametrize("text", [PEM, f"x\n{PEM}y", PEM[:70], b64(PEM), f"key: {b64(PEM)}"])
def test_private_keys_are_hidden_though_no_secret_holds_them(text):
    got = masked({"data": {"x": text}})["data"]["x"]
    assert has_token(got)
    assert "MIIEow" not in got
    assert b64("MIIEow")[:7] not in got


def test_certificates_are_no_private_keys():
    text = "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----\n"
    value = {"data": {"x": text, "y": b64(text)}}
    assert masked(value) == value


def test_nothing_learned_gives_the_same_value_back():
    value = {"data": {"x": "y" * 100}}
    assert masked(value) is value


def test_show_secrets_hides_nothing():
    masker = Masker(b"k", show_secrets=True)
    value = secret(a=CANARY)
    masker.learn_secret(value)
    assert masker.mask_value(value) is value
    assert masker.mask_text(CANARY) == CANARY


def test_secrets_learned_later_count_for_every_value_asked_for_after():
    masker = Masker(b"k")
    config = b"apiVersion: v1\ndata:\n  x: tr0ub4dor\nkind: ConfigMap\nmetadata:\n  name: c\n"
    base = load_objects(config, ".", masker, canonical=True)
    load_objects(b"apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  p: tr0ub4dor\n", ".", masker, canonical=True)
    assert has_token(base.objects[0].value["data"]["x"])
    assert "tr0ub4dor" not in repr(base) + repr(masker)


@pytest.mark.parametrize(
    ("output", "public"),
    [
        ("a: b\n", True),
        ("spec:\n  swordfish: x\n- swordfish:\n", True),
        ("a: swordfish\n", False),
        ("a: x swordfish:\n", False),
        ("a: b\n- swordfish\n", False),
        ("tr0ub4dor-and-3: x\n", False),
        (f"a: {b64('tr0ub4dor-and-3')}\n", False),
        (f"a: |\n  {PEM}", False),
    ],
)
def test_output_is_public_when_nothing_secret_shows(output, public):
    masker = Masker(b"k")
    masker.learn(["swordfish", "tr0ub4dor-and-3"])
    assert masker.is_public(output.encode()) is public
    assert not Masker(b"k", show_secrets=True).is_public(b"a: b\n")


def test_deep_values_are_masked():
    value = {"x": "tr0ub4dor"}
    for _ in range(3000):
        value = {"n": value}
    assert "tr0ub4dor" not in dump_value(masked(value, secret(a="tr0ub4dor")))


@pytest.mark.parametrize(
    "message",
    [
        '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"p":"plain-leak","q":"x"}}',
        '{"data":{"p":"plain-leak"},"kind":"Secret"}',
        "kind: Secret\nmetadata:\n  name: a\nstringData:\n  p: plain-leak\n  q: |\n    plain-leak\ntype: Opaque\n",
        "map[data:map[p:plain-leak q:x] kind:Secret metadata:map[name:a]]",
        'map[string]interface {}{"data":map[string]interface {}{"p":"plain-leak"}, "kind":"Secret"}',
    ],
)
def test_secrets_that_an_error_prints_are_hidden_though_none_was_learned(message):
    got = Masker(b"k").mask_text(f"error: conflict: {message}")
    assert "plain-leak" not in got
    assert "conflict" in got
    assert "Secret" in got


KUSTOMIZATION = """\
secretGenerator:
- name: a
  literals: [p=leak-literal]
  envs: [./x.env]
  files: [cert=k/f.txt]
configMapGenerator:
- name: b
  literals: [p=open-literal]
generators:
- |-
  apiVersion: builtin
  kind: SecretGenerator
  literals: [leak-keyless]
patches:
- target: {kind: Secret}
  patch: |-
    - op: replace
      path: /stringData/p
      value: leak-op
- target: {kind: Secret}
  patch: |-
    - op: replace
      path: /stringData/p
      value: leak-torn
     bad: indent
- target: {kind: ConfigMap}
  patch: |-
    - op: replace
      path: /data/p
      value: open-op
- path: p.yaml
  target: {kind: Secret}
- patch: |-
    apiVersion: v1
    kind: Secret
    metadata: {name: s}
    stringData: {q: leak-inline}
"""
SOURCES = {
    "apps/kustomization.yaml": KUSTOMIZATION,
    "apps/x.env": "# c\nE=leak-env\n",
    "apps/k/f.txt": "leak-file\n",
    "apps/p.yaml": "kind: Secret\ndata: {x: " + b64("leak-data") + "}\n",
    "apps/s.yaml": "a: 1\n---\napiVersion: v1\nkind: List\nitems:\n- {kind: Secret, stringData: {x: leak-listed}}\n",
    "apps/c.yaml": "kind: ConfigMap\ndata: {x: open-data}\n",
    "apps/broken.yaml": "kind: Secret\nmetadata:\n  name: public-name\nstringData:\n- name: public-too\n  x: *leak-anchor\n  y: 'leak-quoted'\n z: [\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "leak-literal",
        "leak-env",
        "leak-file",
        "leak-op",
        "leak-inline",
        "leak-data",
        b64("leak-data"),
        "leak-listed",
        "leak-keyless",
        "leak-torn",
        "leak-anchor",
        "leak-quoted",
    ],
)
def test_sources_of_a_build_that_failed_are_learned(text):
    masker = Masker(b"k")
    masker.learn_sources((path, content.encode()) for path, content in SOURCES.items())
    assert "***" in TOKEN.sub("***", masker.mask_text(f"error: {text}: no"))
    assert text not in masker.mask_text(f"error: {text}: no")


@pytest.mark.parametrize("text", ["open-literal", "open-op", "open-data", "public-name", "public-too"])
def test_other_sources_are_not_secret(text):
    masker = Masker(b"k")
    masker.learn_sources((path, content.encode()) for path, content in SOURCES.items())
    assert masker.mask_text(text) == text


def test_misspelled_fields_of_a_secret_are_masked_too():
    masker = Masker(b"k")
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "type": "Opaque", "StringData": {"pw": "TOPSECRET"}}
    masked = masker.mask_value(secret)
    assert "TOPSECRET" not in str(masked)
    assert (masked["metadata"], masked["type"], list(masked["StringData"])) == ({"name": "s"}, "Opaque", ["pw"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"port": 8080, "args": ["--port=8080", "abc", "x80"]}, 'args:\n- "--port=8080"\n- abc\n- x80\nport: 8080\n'),
        ({"password": "abc", "user": "abc"}, "password: ***\nuser: abc\n"),
        ({"adminPassword": 8080, "tokens": 8080}, "adminPassword: ***\ntokens: 8080\n"),
        ({"env": [{"name": "DB_PASSWORD", "value": "abc"}, {"name": "HOST", "value": "abc"}]},
         "env:\n- name: DB_PASSWORD\n  value: ***\n- name: HOST\n  value: abc\n"),
        ({"url": "postgres://app:abc@abc/abc"}, "url: postgres://app:***@abc/abc\n"),
        ({"url": "postgres://app:abcd@abc/abc"}, "url: postgres://app:abcd@abc/abc\n"),
        ({"pin": "8080", "spin": "8080"}, 'pin: ***\nspin: "8080"\n'),
        ({"file": 'abc: 1\npassword: "abc"\n'}, 'file: |\n  abc: 1\n  password: "***"\n'),
        ({"file": "[db]\npassword = abc\nhost = abc\n"}, "file: |\n  [db]\n  password = ***\n  host = abc\n"),
        ({"args": ["--password=abc", "--user=abc"]}, 'args:\n- "--password=***"\n- "--user=abc"\n'),
        ({"password": "admin"}, "password: admin\n"),
    ],
)  # fmt: skip
def test_short_secrets_are_hidden_where_a_password_stands_and_nowhere_else(value, expected):
    """Such as what Flux substitutes: `PORT: "8080"` and a password of three characters lie in one Secret."""
    variables = secret(PORT="8080", PASSWORD="abc", USER="admin")
    assert shown(value, variables) == expected
    masker = Masker(b"k")
    masker.learn_secret(variables)
    assert masker.is_public(dump_value(value).encode()) == ("***" not in expected)
