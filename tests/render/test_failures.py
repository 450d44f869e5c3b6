"""kustomize's own complaints, as it utters them now, in one line and under their class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.process import run
from kdiff.render.failures import MAX_MESSAGE, explain_failure, one_line
from kdiff.render.find_renderer import find_renderer
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: x}\nstringData: {p: hunter2-leak}\n"
OTHER = SECRET.replace("namespace: x", "namespace: y")
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"

# (kustomization of app, other files, class, message)
CASES: list[tuple[str, dict[str, str], str, str]] = [
    ("resources: [no.yaml]", {}, "missing-resource", "app/no.yaml does not exist"),
    ("resources: [../no]", {}, "missing-resource", "no does not exist"),
    ("resources: [../b]", {"b/kustomization.yaml": "resources: [no.yaml]"}, "missing-resource", "b/no.yaml does not exist; b asks for it"),
    ("components: [../no]", {}, "missing-resource", "no does not exist"),
    (
        "resources: [../b]",
        {"b/kustomization.yaml": "components: [../c]", "c/kustomization.yaml": COMPONENT + "resources: [no.yaml]"},
        "missing-resource",
        "c/no.yaml does not exist; c asks for it",
    ),
    ("resources: [../b]", {"b/x.yaml": CM}, "missing-kustomization", "b holds no kustomization.yaml, kustomization.yml or Kustomization"),
    ("components: [../b]", {"b/x.yaml": CM}, "missing-kustomization", "b holds no kustomization.yaml, kustomization.yml or Kustomization"),
    ("resources: [a.yaml]\npatches: [{path: no.yaml}]", {"app/a.yaml": CM}, "missing-resource", "app/no.yaml does not exist"),
    ("resources: [a.yaml]\npatchesStrategicMerge: [no.yaml]", {"app/a.yaml": CM}, "missing-resource", "app/no.yaml does not exist"),
    ("configMapGenerator: [{name: a, files: [no.txt]}]", {}, "missing-resource", "app/no.txt does not exist"),
    ("configMapGenerator: [{name: a, files: [d]}]", {"app/d/a.txt": "a"}, "missing-resource", "app/d is a directory, where a file is needed"),
    ("secretGenerator: [{name: a, envs: [no.env]}]", {}, "missing-resource", "app/no.env does not exist"),
    ("configMapGenerator: [{name: a, files: [b=c=d]}]", {}, "invalid-kustomization", "b=c=d of a generator has more than one ="),
    ("configMapGenerator: [{name: a, files: [b=]}]", {}, "invalid-kustomization", "b= of a generator has no file path"),
    ("configMapGenerator: [{name: a, files: [=b]}]", {}, "invalid-kustomization", "=b of a generator has no key name"),
    ("secretGenerator: [{name: a, literals: [b=hunter2-leak, b=hunter2-leak]}]", {}, "invalid-kustomization", "a generator gives the key b twice"),
    ("configMapGenerator: [{name: a, files: ['\"no.txt\"']}]", {}, "missing-resource", 'app/"no.txt" does not exist'),
    ("secretGenerator: [{name: a, literals: [hunter2-leak]}]", {}, "invalid-kustomization", "a literal of a generator is not key=value"),
    ("secretGenerator: [{name: a, behavior: merge, literals: [a=hunter2-leak]}]", {}, "missing-resource", "there is no Secret a for a generator to merge into or replace"),
    ("configMapGenerator: [{name: a, literals: [a=b]}, {name: a, literals: [a=c]}]", {}, "duplicate-id", "ConfigMap a exists already; a generator needs behavior: merge or replace"),
    ("transformers: [no.yaml]\nnamePrefix: a", {}, "missing-resource", "app/no.yaml does not exist"),
    ("openapi: {path: no.json}\nnamePrefix: a", {}, "missing-resource", "app/no.json does not exist"),
    ("namePrefix: a", {"app/Kustomization": "namePrefix: a"}, "invalid-kustomization", "there is more than one kustomization file"),
    ("", {}, "invalid-kustomization", "the kustomization asks for nothing"),
    ("kind: Kustomization", {}, "invalid-kustomization", "the kustomization asks for nothing"),
    ("a: [", {}, "invalid-kustomization", "the kustomization is no YAML: line 1: did not find expected node content"),
    ("a: [b\nc: d", {}, "invalid-kustomization", "the kustomization is no YAML: line 1: did not find expected ',' or ']'"),
    ("a: *hunter2-leak", {}, "invalid-kustomization", "the kustomization is no YAML: unknown anchor … referenced"),
    ("metadata: {labels: [hunter2-leak]}", {}, "invalid-kustomization", "metadata.labels has the type array, where kustomize wants a mapping"),
    ("- a", {}, "invalid-kustomization", "the kustomization has the type array, where kustomize wants a mapping"),
    ("novel: 1", {}, "invalid-kustomization", "the kustomization has the unknown field novel"),
    ("resources: a.yaml", {}, "invalid-kustomization", "resources has the type string, where kustomize wants a list"),
    ("resources: [../b]", {"b/kustomization.yaml": "namespace: [1]"}, "invalid-kustomization", "b: namespace has the type array, where kustomize wants a string"),
    ("components: [../b]", {"b/kustomization.yaml": COMPONENT + "novel: 1"}, "invalid-kustomization", "b: the kustomization has the unknown field novel"),
    ("kind: Other\nnamePrefix: a", {}, "invalid-kustomization", "kind should be Kustomization or Component"),
    ("resources: [a.yaml]", {"app/a.yaml": "a: ["}, "invalid-yaml", "app/a.yaml is no YAML: line 1: did not find expected node content"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: [hunter2-leak\nb: c"}, "invalid-yaml", "app/a.yaml is no YAML: line 3: did not find expected ',' or ']'"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: {a: hunter2-leak\nb: c"}, "invalid-yaml", "app/a.yaml is no YAML: line 3: did not find expected ',' or '}'"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: !<hunter2-leak a\n"}, "invalid-yaml", "app/a.yaml is no YAML: line 4: did not find the expected '>'"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: !!int hunter2-leak\n"}, "invalid-yaml", "one of its files is no YAML: cannot decode !!str … as a !!int"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: !!binary hunter2-leak\n"}, "invalid-yaml", "one of its files is no YAML: !!binary value contains invalid base64 data"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "? [hunter2-leak]\n: a\n"}, "invalid-yaml", "one of its files is no YAML: line 4: cannot unmarshal !!seq into string"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "data: {1: hunter2-leak}\n"}, "invalid-yaml", "a manifest has a key that is no string"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "<<: hunter2-leak\n"}, "invalid-yaml", "app/a.yaml cannot be read: map merge requires map or sequence of maps as the value"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "--- a: hunter2-leak\n"}, "invalid-yaml", "app/a.yaml is no YAML: more than a comment stands behind ---"),
    ("resources: [../b]", {"b/kustomization.yaml": "resources: [x/a.yaml]", "b/x/a.yaml": "a: b\n c: d\n"}, "invalid-yaml", "b/x/a.yaml is no YAML: line 2: mapping values are not allowed in this context"),
    ("resources: [a.yaml]", {"app/a.yaml": "apiVersion: v1\nmetadata: {name: a}\n"}, "invalid-yaml", "app/a.yaml holds an object without kind"),
    ("resources: [a.yaml]", {"app/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"}, "invalid-yaml", "app/a.yaml holds an object without metadata.name"),
    ("resources: [a.yaml]", {"app/a.yaml": "{{ if .x }}\na: b\n{{ end }}\n"}, "invalid-yaml", "app/a.yaml holds what is no Kubernetes object"),
    ("resources: [a.yaml]", {"app/a.yaml": CM + "kind: ConfigMap\n"}, "invalid-yaml", "a manifest has the key kind twice, first in line 2"),
    ("resources: [a.yaml, b.yaml]", {"app/a.yaml": SECRET, "app/b.yaml": SECRET}, "duplicate-id", "two objects are v1/Secret x/a"),
    ("resources: [a.yaml]\ncomponents: [../c]", {"app/a.yaml": SECRET, "c/kustomization.yaml": COMPONENT + "resources: [a.yaml]", "c/a.yaml": SECRET}, "duplicate-id", "c: two objects are v1/Secret x/a"),
    ("namespace: z\nresources: [a.yaml, b.yaml]", {"app/a.yaml": SECRET, "app/b.yaml": OTHER}, "duplicate-id", "two objects have the same kind, namespace and name once the transformers have run"),
    ("resources: [../b]", {"b/kustomization.yaml": "resources: [../app]"}, "cycle", "b: app leads back to app"),
    ("resources: [.]", {}, "cycle", "app leads back to app"),
    ("resources: [../x.yaml]", {"x.yaml": CM}, "load-restriction", "x.yaml is not in or below app, which asks for it; --load-restrictor none allows that"),
    ("resources: ['https://me:hunter2-leak@git.example.invalid/org/repo//x?ref=v1&timeout=5s']", {}, "remote-unreachable", "cannot fetch https://git.example.invalid/org/repo//x?ref=v1&timeout=5s"),
    ("resources: ['git@git.example.invalid:org/repo?timeout=5s']", {}, "remote-unreachable", "cannot fetch git@git.example.invalid:org/repo?timeout=5s"),
    ("resources: [../b]", {"b/kustomization.yaml": "resources: ['https://git.example.invalid/a.yaml']"}, "remote-unreachable", "b: cannot fetch https://git.example.invalid/a.yaml"),
    ("configMapGenerator: [{name: a, files: ['a=https://git.example.invalid/a']}]", {}, "remote-unreachable", "cannot fetch https://git.example.invalid/a"),
    ("helmCharts: [{name: a, repo: 'https://charts.example.invalid', version: '1'}]", {}, "renderer-failed", "helm charts are inflated only with --enable-helm"),
    ("generators: [g.yaml]", {"app/g.yaml": "apiVersion: foo/v1\nkind: Bar\nmetadata: {name: a}\n"}, "renderer-failed", "the plugin Bar is not one of kustomize's own"),
    ("resources: [a.yaml]\npatches: [{target: {kind: Secret}, patch: '[{op: replace, path: /stringData/p, value: hunter2-leak}]'}]", {"app/a.yaml": SECRET}, "invalid-kustomization", "a patch is not valid"),
    ("resources: [a.yaml]\npatches: [{path: p.yaml}]", {"app/a.yaml": CM, "app/p.yaml": "hunter2-leak"}, "invalid-kustomization", "p.yaml is no valid patch"),
    ("resources: [a.yaml]\npatches: [{path: p.yaml}]", {"app/a.yaml": CM, "app/p.yaml": CM.replace("name: a", "name: b")}, "missing-resource", "a patch is for v1/ConfigMap b, which is not among the objects"),
    ("resources: [a.yaml]\nreplacements: [{source: {kind: Foo, name: x}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]}]", {"app/a.yaml": CM}, "missing-resource", "a replacement takes its value from Foo x, which is not among the objects"),
    ("resources: [../b]", {"b/kustomization.yaml": COMPONENT + "namePrefix: x"}, "invalid-kustomization", "b is a Component and is listed under resources"),
    ("components: [../b]", {"b/kustomization.yaml": "namePrefix: x"}, "invalid-kustomization", "b is listed under components and is a Kustomization"),
    ("components: [a.yaml]", {"app/a.yaml": CM}, "invalid-kustomization", "app/a.yaml is a file, where a directory is needed"),
    ("resources: [a.yaml]\ncrds: [a.yaml]", {"app/a.yaml": SECRET}, "invalid-kustomization", "a.yaml under crds is no OpenAPI definition"),
    ("resources: [a.yaml]\nreplicas: [{name: z, count: 2}]", {"app/a.yaml": SECRET}, "missing-resource", "replicas are for z, which is not among the objects"),
    ("resources: [a.yaml]\nconfigurations: [b.yaml]", {"app/a.yaml": SECRET, "app/b.yaml": "novel: 1"}, "invalid-kustomization", "a configuration has the unknown field novel"),
    ("resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, path: p.yaml}]", {"app/a.yaml": CM, "app/p.yaml": f"{CM}---\n{CM}"}, "invalid-kustomization", "several strategic merge patches in one place cannot have a target"),
    ("resources: [a.yaml]\nreplacements: [{source: {kind: ConfigMap, name: a, fieldPath: data.no}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]}]", {"app/a.yaml": CM}, "missing-resource", "a replacement takes its value from data.no of ConfigMap a, which does not exist"),
    ("resources: [a.yaml]\nvars: [{name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}, fieldref: {fieldPath: data.no}}]", {"app/a.yaml": CM}, "missing-resource", "the var X takes its value from a field that is not there"),
    ("resources: [a.yaml]\nvars: [&v {name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}}, *v]", {"app/a.yaml": CM}, "invalid-kustomization", "two vars are named X"),
    ("resources: [a.yaml]\nvars: [{name: X, objref: {kind: Foo, name: x, apiVersion: v1}}]", {"app/a.yaml": CM}, "missing-resource", "the var X takes its value from an object that is not there"),
]  # fmt: skip


def test_kustomize_fails_in_the_ways_that_are_known(make_tree: Callable[..., Any], kustomize: str) -> None:
    options = Options(cache=False, kustomize=kustomize, timeout=60)
    renderer = find_renderer(options, run)
    trees = [
        make_tree({"app/kustomization.yaml": text + "\n", **files}, f"case{number}") for number, (text, files, _, _) in enumerate(CASES)
    ]
    builds = [plan_build(Target("app", "app", "kustomization", "app", tree), options, renderer) for tree in trees]
    outputs = run_builds(builds, renderer, options, run)  # type: ignore[arg-type]
    said = [(text, output.failure_class, output.message) for (text, *_), output in zip(CASES, outputs, strict=True)]
    assert said == [(text, class_, message) for text, _, class_, message in CASES]


@pytest.mark.parametrize(
    ("stderr", "class_", "message"),
    [
        ("error: hit 27s timeout running '/usr/bin/git fetch --depth=1 https://h/o/r main'", "remote-unreachable", "cannot fetch https://h/o/r"),
        ("Error: no 'git' program on path: x", "remote-unreachable", "a remote base needs git, which is not installed"),
        ("error: accumulating resources: accumulating resources from 'https://u:p@h/x.yaml': HTTP Error: status code 404 (Not Found)", "remote-unreachable", "cannot fetch https://h/x.yaml"),
        ("# Warning: 'bases' is deprecated.\nerror: evalsymlink failure on '/t/s/root/a' : lstat", "missing-resource", "a does not exist"),
        ("error: cycle detected: candidate root '/t/s/root' contains visited root '/t/s/root/app'", "cycle", "the root leads back to app"),
        ("error: evalsymlink failure on '/t/s/b/c' : lstat", "missing-resource", "../b/c does not exist"),
        ("error: secret thing &{p:hunter2-leak} [hunter2-leak] `hunter2-leak`", "renderer-failed", "secret thing &"),
        ('error: unknown trouble in /t/s/root/app/x.yaml: "hunter2-leak" is wrong', "renderer-failed", 'unknown trouble in app/x.yaml: "…" is wrong'),
        ("error: loading KV pairs: env source files: [a.env]: novel trouble [hunter2-leak]", "renderer-failed", "loading KV pairs: novel trouble"),
        ("error: loading KV pairs: env source files: [a.env]: line [1 2] has invalid utf8 bytes : A=hunter2-leak", "invalid-kustomization", "an env file of a generator is not UTF-8"),
        ("error: map[string]interface {}(nil): novel trouble", "renderer-failed", "novel trouble"),
        ('error: map[string]interface {}{"a":"}: hunter2-leak"}: novel trouble', "renderer-failed", "novel trouble"),
        ('error: novel trouble {"a":"yaml: hunter2-leak"}', "renderer-failed", "novel trouble"),
        ("error: yaml: line 3: did not find expected ',' or ']': 'hunter2-leak'", "invalid-yaml", "one of its files is no YAML: line 3: did not find expected ',' or ']':"),
        ("error: yaml: line 3: cannot unmarshal !!str `',' hunter2-leak` into int", "invalid-yaml", "one of its files is no YAML: line 3: cannot unmarshal !!str"),
        ("error: yaml: unmarshal errors:\n  line 3: cannot unmarshal !!str `a` hunter2-leak ',' ...` into int", "invalid-yaml", "one of its files is no YAML: line 3: cannot unmarshal !!str … into int"),
        ("", "renderer-failed", "kustomize failed and did not say why"),
        ("error: \x1b[31mred\u202egnp.exe", "renderer-failed", r"\x1b"),
    ],
)  # fmt: skip
def test_messages_that_are_hard_to_provoke(stderr: str, class_: str, message: str) -> None:
    assert explain_failure(stderr, "app", "/t/s/root") == (class_, message)


@given(
    st.text(max_size=60),
    st.sampled_from(
        ["{}", "evalsymlink failure on '{}' : ", "nothing selected by {}", "recursed accumulation of path '{}': x", "no matches for Id {};"]
    ),
)
def test_no_message_breaks_a_line_or_a_terminal(text: str, frame: str) -> None:
    _, message = explain_failure("error: " + frame.replace("{}", text), "app", "/t/s/root")
    assert message.isprintable()
    assert message
    assert len(message) <= MAX_MESSAGE


NO_FILE = "evalsymlink failure on '/t/s/root/app/no.yaml' : lstat /t/s/root/app/no.yaml: no such file or directory"


@pytest.mark.parametrize("header", ["E1201 03:10:53.123456   12345 run.go:72] ", "E0102 23:59:59.000001       7 run.go:72] "])
@pytest.mark.parametrize(
    ("said", "class_", "message"),
    [
        (f"\"command failed\" err=\"accumulating resources: accumulation err='accumulating resources from 'no.yaml': {NO_FILE}': {NO_FILE}\"", "missing-resource", "app/no.yaml does not exist"),
        (f'"command failed" err="accumulating components: accumulateDirectory: \\"recursed accumulation of path \'/t/s/root/e\': {NO_FILE}\\""', "missing-resource", "app/no.yaml does not exist; e asks for it"),
        ('"command failed" err=<\n\tFailed to read kustomization file under /t/s/root/app:\n\tkind should be Kustomization or Component\n >', "invalid-kustomization", "kind should be Kustomization or Component"),
        ('"command failed" err="a novel cause"', "renderer-failed", "a novel cause"),
        ('"Unhandled Error" logger="UnhandledError" err="a \\"novel\\" cause"', "renderer-failed", 'a "…" cause'),
        ("a novel cause", "renderer-failed", "a novel cause"),
    ],
)  # fmt: skip
def test_no_header_of_a_log_is_quoted(header: str, said: str, class_: str, message: str) -> None:
    """The dispatcher kubectl of the Google Cloud SDK speaks so; clock and process are others each time."""
    noted = f'W{header[1:]}"kubectl is old"\nI{header[1:]}"and chatty" err="none"\n# Warning: \'bases\' is deprecated.\n'
    assert explain_failure(f"{noted}{header}{said}\n", "app", "/t/s/root") == (class_, message)


def messages(stderr: str) -> set[tuple[str, str]]:
    """What is said of one failure in two builds."""
    return {
        explain_failure(
            stderr.replace("{scratch}", scratch).replace("{n}", number).replace("{address}", address), "app", f"{scratch}/tree/up/root"
        )
        for scratch, number, address in (("/tmp/kdiff-a1b2", "123", "0xc000012345"), ("/var/tmp/kdiff-zz9", "98765", "0x7ffe12345678"))
    }


@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        ("error: unable to find one of 'kustomization.yaml' in directory '{scratch}/tmp/kustomize-{n}/deploy'", "(remote base)/deploy holds no kustomization.yaml, kustomization.yml or Kustomization"),
        ("error: novel trouble with {scratch}/tmp/kustomize-{n}/x.yaml", "novel trouble with (remote base)/x.yaml"),
        ("error: novel trouble with {scratch}/home/.gitconfig", "novel trouble with home/.gitconfig"),
        ("error: novel trouble with {scratch}/tree/up/root/app/x.yaml", "novel trouble with app/x.yaml"),
        ("error: novel trouble with {scratch}/tree/up/x.yaml", "novel trouble with ../x.yaml"),
        ("error: novel trouble at {address}", "novel trouble at 0x…"),
        ("panic: novel trouble\n\ngoroutine 1 [running]:\nmain.main({address})", "panic: novel trouble"),
    ],
)  # fmt: skip
def test_the_same_failure_is_the_same_words(stderr: str, message: str) -> None:
    assert {said for _, said in messages(stderr)} == {message}


def test_long_lines_are_cut() -> None:
    assert one_line("x" * 1000) == "x" * (MAX_MESSAGE - 1) + "…"
