"""YAML of a target to keyed objects: nothing is lost, nothing is taken twice, nothing is parsed before it is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdiff.documents.dump import dump_value
from kdiff.documents.load import load_document
from kdiff.errors import SourceError
from kdiff.model.mask import has_token
from kdiff.objects.identity import Identity, identity_of, scan_identity
from kdiff.objects.load_objects import load_objects
from kdiff.objects.masking import Masker


def loaded(text, *, canonical=False, masker=None):
    raw = text.encode() if isinstance(text, str) else text
    return load_objects(raw, "apps/web", masker or Masker(b"k"), canonical=canonical)


def ids(text, *, canonical=False):
    result = loaded(text, canonical=canonical)
    assert result.problem is None
    return [each.id for each in result.objects]


def test_objects_of_kustomize_are_keyed_in_order():
    text = (
        "apiVersion: v1\ndata:\n  kind: |\n    kind: Fake\n    metadata:\n      name: fake\nkind: ConfigMap\nmetadata:\n"
        "  labels:\n    name: other\n  name: web\n  namespace: shop\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: system:web\n  namespace: shop\n"
    )
    assert ids(text, canonical=True) == ["v1/ConfigMap shop/web", "rbac.authorization.k8s.io/v1/ClusterRole system:web"]
    assert loaded(text, canonical=True).objects[0].value["data"] == {"kind": "kind: Fake\nmetadata:\n  name: fake\n"}


def test_no_output_is_no_object():
    assert loaded("", canonical=True).objects == ()


LIST = """\
apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: AllowList, metadata: {name: edge}, spec: {cidrs: [a]}}
- apiVersion: v1
  kind: ConfigMapList
  items:
  - {metadata: {name: a}, data: {x: yes}}
  - {metadata: {name: b}}
- apiVersion: v1
  kind: List
  items: []
- {apiVersion: v1, kind: Service, metadata: {name: c}}
"""


def test_lists_are_taken_apart_in_order():
    assert ids(LIST) == ["example.com/v1/AllowList edge", "v1/ConfigMap a", "v1/ConfigMap b", "v1/Service c"]
    assert loaded(LIST).objects[1].value == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": True}}


@pytest.mark.parametrize("items", ["", "items: null\n", "items: []\n"])
def test_a_kind_that_ends_in_list_is_an_object_unless_it_has_items(items):
    text = f"apiVersion: e.com/v1\nkind: AllowList\nmetadata:\n  name: a\n{items}"
    assert ids(text) == ([] if items else ["e.com/v1/AllowList a"])


def test_json_objects_and_null_documents():
    assert ids(
        '{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}\n---\n~\n'
    ) == [
        "v1/Service a",
        "v1/Service b",
    ]


def test_generated_names_share_a_key_and_differ_in_ordinal():
    text = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: seed-}\n"
    result = loaded(f"{text}---\n{text}")
    assert [(each.id, each.ordinal) for each in result.objects] == [("batch/v1/Job seed-*", 0), ("batch/v1/Job seed-*", 1)]
    assert result.notes == ()


def test_of_a_key_that_appears_twice_the_last_is_kept_and_noted():
    text = "apiVersion: {}\nkind: Ingress\nmetadata:\n  name: a\n"
    result = loaded(text.format("networking.k8s.io/v1") + "---\n" + text.format("networking.k8s.io/v1beta1"))
    assert [each.version for each in result.objects] == ["v1beta1"]
    assert [(note.kind, note.object, note.target) for note in result.notes] == [
        ("duplicate", "networking.k8s.io/v1beta1/Ingress a", "apps/web")
    ]


def test_configuration_of_kustomize_is_counted_but_no_object():
    text = (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n---\n"
        "apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: p\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: a\n"
    )
    result = loaded(text)
    assert [each.id for each in result.objects] == ["v1/Service a"]
    assert [(note.kind, note.message[:14]) for note in result.notes] == [("not-applied", "2 objects are ")]


def test_sops_is_noted():
    text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  x: ENC[AES256_GCM,data:aaaa,iv:b,tag:c,type:str]\n"
    result = loaded(text)
    assert [(note.kind, note.object) for note in result.notes] == [("sops", "v1/Secret a")]
    assert has_token(result.objects[0].value["stringData"]["x"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- 1\n", "a list where an object must be (in the document that begins on line 1)"),
        ("a: 1\n---\njust words\n", "an object has no kind (in the document that begins on line 1)"),
        ("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\nkind: Service\n", "a Service has no apiVersion (in the document that begins on line 5)"),
        ("apiVersion: v1\nkind: Service\n", "a Service has no metadata.name (in the document that begins on line 1)"),
        ("apiVersion: v1\nkind: Service\nmetadata:\n  name: 123\n", "that is no string"),
        ("apiVersion: v1\nkind: Service\nmetadata:\n  name: on\n", "that is no string"),
        ("apiVersion: v1\nkind: List\nitems: [5]\n", "a single value where an object must be"),
        ("# x\n---\napiVersion: v1\nkind: [\n", "(line 5)"),
        ("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  a: x\n  a: y\n", 'the key "a" stands twice in one mapping (line 7)'),
    ],
)  # fmt: skip
def test_what_is_no_object_is_a_problem_of_one_line(text, problem):
    result = loaded(text)
    assert problem in result.problem
    assert "\n" not in result.problem
    assert result.objects == ()


def test_broken_yaml_below_a_readable_identity_stops_with_a_clear_error():
    result = loaded("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: [\n")
    with pytest.raises(SourceError, match=r"cannot read ConfigMap a of apps/web: .* \(line 6"):
        _ = result.objects[0].value


IDENTITIES = [
    ("apiVersion: v1\nkind: A\nmetadata:\n  name: web\n", ("v1", "A", "", "web")),
    ("kind: A\nmetadata:\n  namespace: \"n\"\n  name: 'web'\nspec: {}\napiVersion: g/v1\n", ("g/v1", "A", "n", "web")),
    ("apiVersion: v1\nkind: A\nmetadata:\n  name: 1e3\n", None),
    ("apiVersion: v1\nkind: A\nmetadata:\n  name: web\n    more\n", None),
    ("apiVersion: v1\nkind: A\nmetadata: {name: web}\n", None),
    ("apiVersion: v1\nkind: A\nmetadata:\n  name: web # c\n", None),
    ("apiVersion: v1\nkind: A\nkind: B\nmetadata:\n  name: web\n", None),
    ("apiVersion: v1\nkind: A\nmetadata:\n  name: web\n  namespace: ~\n", None),
    ("apiVersion: v1\nmetadata:\n  name: web\n", None),
]
FOREIGN_ONLY_PARSED = [
    'apiVersion: v1\n"kind": Secret\nx: "\nkind: A\n"\nmetadata:\n  name: web\n',
    "apiVersion: v1\n? kind\n: Secret\nx: '\nkind: A\n'\nmetadata:\n  name: web\n",
    "<<: &a {kind: Secret}\napiVersion: v1\nx: '\nkind: A\n'\nmetadata:\n  name: web\n",
    "apiVersion: v1\nkind: A\nmetadata:\n  a: '\n  name: fake\n'\n  \"name\": web\n",
    "apiVersion: v1\nkind: A\nmetadata:\n    name: web\n",
    "apiVersion: v1\nkind: A\nmetadata:\n  name: web\n# c\n  namespace: n\n",
    "apiVersion: v1\nkind: yes\nmetadata:\n  name: web\n",
    "apiVersion: v1\r\nkind: A\r\nmetadata:\r\n  name: web\r\n",
]


@pytest.mark.parametrize(("text", "expected"), [*IDENTITIES, *((text, None) for text in FOREIGN_ONLY_PARSED)])
def test_the_scan_says_what_a_parse_says_or_nothing(text, expected):
    scanned = scan_identity(text.encode(), canonical=False)
    assert scanned == (Identity(*expected) if expected else None)
    if scanned:
        assert scanned == identity_of(load_document(text.encode()))


NAMES = st.sampled_from(["web", "123", "1e3", "on", "null", "a:b", "a: b", "*", "\u2028x", "web-1.2", "=", "'", "true", "x\ny", "n" * 130])
META = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "namespace": NAMES,
        "labels": st.dictionaries(NAMES, NAMES, max_size=2),
        "annotations": st.dictionaries(NAMES, st.text() | NAMES, max_size=2),
    },
)
OBJECTS = st.fixed_dictionaries(
    {"apiVersion": st.sampled_from(["v1", "apps/v1", "1", "on"]), "kind": NAMES, "metadata": META},
    optional={"data": st.dictionaries(NAMES, st.sampled_from(["x\nkind: Fake\nmetadata:\n  name: fake\n", "\u2028kind: A"]), max_size=2), "zeta": NAMES},
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(OBJECTS, st.booleans())
def test_a_scanned_identity_is_the_parsed_one(value, canonical):
    raw = dump_value(value).encode()
    scanned = scan_identity(raw, canonical=canonical)
    assert scanned is None or scanned == identity_of(value)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80) | st.text(alphabet="apikndv1:-\n {}[]'\"", max_size=80).map(str.encode), st.booleans())
def test_rubbish_gives_a_problem_and_no_exception(raw, canonical):
    result = loaded(b"apiVersion: v1\nkind: A\n" + raw, canonical=canonical)
    assert result.problem or all(each.id for each in result.objects)


def test_identical_streams_need_no_parse(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("parsed")

    monkeypatch.setattr("kdiff.objects.load_objects.load_document", refuse)
    assert ids("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {}\n") == ["v1/ConfigMap a"]


@pytest.mark.parametrize(
    "held",
    [
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"pin": "1234"}}',  # in full
        '{"kind": "Secret", "name": "s", "data": {"data": {"pin": "MTIzNA=="}}}',  # as a Kyverno rule generates it
    ],
)
def test_a_secret_inside_another_object_is_masked_whole(held):
    text = f"apiVersion: example.com/v1\nkind: Bundle\nmetadata: {{name: b}}\nspec:\n  manifests:\n  - {held}\n"
    (bundle,) = loaded(text).objects
    shown = str(bundle.value)
    assert "1234" not in shown
    assert "MTIzNA" not in shown
    assert bundle.value["spec"]["manifests"][0]["kind"] == "Secret"


def test_what_only_names_a_secret_is_shown():
    spec = "spec:\n  valuesFrom:\n  - {kind: Secret, name: values, valuesKey: data}\n  data: {kind: Secret, name: x}\n"
    (release,) = loaded(f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: r}}\n{spec}").objects
    assert release.value["spec"]["valuesFrom"] == [{"kind": "Secret", "name": "values", "valuesKey": "data"}]
    assert release.value["spec"]["data"] == {"kind": "Secret", "name": "x"}


def test_a_patch_of_secrets_in_another_object_is_masked():
    spec = 'spec:\n  patches:\n  - target: {kind: Secret}\n    patch: |\n      - {op: add, path: /stringData/p, value: "tr0ub4dor-and-3"}\n'
    (flux,) = loaded(f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: k}}\n{spec}").objects
    assert "tr0ub4dor" not in str(flux.value)
    assert "/stringData/p" in str(flux.value)
