"""Unique values are planted wherever a Secret can lie, and every output, stream and file is searched for them."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import kdiff
from kdiff.cli.main import main
from kdiff.compare.views import deepdiff_view, unified_view
from kdiff.reports.formats import FORMATS

PLANTED: dict[str, str] = {}


def canary(place: str) -> str:
    """The secret of a place: letters and digits, so that no escaping changes how it is spelled."""
    return PLANTED.setdefault(place, "Zq" + hashlib.sha256(place.encode()).hexdigest()[:18] + "Kw")


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def spellings(secret: str) -> Iterator[str]:
    """Plain, and what base64 of any text around it must hold."""
    yield secret
    for shift in range(3):
        coded = b64("\0" * shift + secret)
        yield coded[math.ceil(shift * 8 / 6) : (shift + len(secret)) * 8 // 6]


def leaks(text: str) -> list[str]:
    return [place for place, secret in PLANTED.items() if any(spelling in text for spelling in spellings(secret))]


def secret(name: str, body: str) -> str:
    return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  namespace: shop\n{body}---\n"


def flux(name: str, path: str, more: str = "") -> str:
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 1h
  prune: true
  path: {path}
  sourceRef: {{kind: GitRepository, name: flux-system}}
{more}---
"""


def applied(value: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "applied"}, "stringData": {"p": value}})


def secrets_of(side: str) -> dict[str, str]:
    """A target full of Secrets: written out, generated, with documents inside, and one that only this side has."""

    def c(place: str) -> str:
        return canary(f"{side} {place}")

    docker = json.dumps({"auths": {"r.example": {"username": "u", "password": c("docker"), "auth": b64(f"u:{c('docker auth')}")}}})
    helm = f"auth:\n  password: {c('helm yaml')}\n  users:\n  - name: a\n    token: {c('helm yaml list')}\n"
    deep = json.dumps({"db": {"url": f"postgres://app:{c('json url')}@db/x", "apiKey": c("json")}})
    return {
        "secrets/kustomization.yaml": f"""\
namespace: shop
resources: [secret.yaml]
secretGenerator:
- name: generated
  literals: [literal={c("generated literal")}]
  envs: [generated.env]
  files: [whole.txt, values.yaml=values.yaml]
patches:
- target: {{kind: Secret, name: plain}}
  patch: |-
    - op: add
      path: /stringData/patched
      value: {c("patched")}
""",
        "secrets/generated.env": f"FROM_ENV={c('generated env')}\n",
        "secrets/whole.txt": c("generated file"),
        "secrets/values.yaml": helm.replace(c("helm yaml"), c("generated helm")),
        "secrets/secret.yaml": (
            secret("plain", f"stringData:\n  p: {c('stringData')}\n")
            + secret("data", f"data:\n  p: {b64(c('data'))}\n  inner: {b64(deep)}\n")
            + secret("applied", "").replace(
                "  namespace",
                f"  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: {applied(c('applied'))!r}\n  namespace",
            )
            + secret("docker", f"type: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: {b64(docker)}\n")
            + secret("helm", "stringData:\n  values.yaml: |\n" + "".join(f"    {line}\n" for line in helm.splitlines()))
            + secret(f"only-{side}", f"stringData:\n  p: {c('only here')}\n  q: |\n    line one\n    {c('second line')}\n")
            + secret("vars", f"stringData:\n  DB_PASSWORD: {c('flux variable')}\n")
            + secret("number", f"stringData:\n  pin: '{int(hashlib.sha256(c('number').encode()).hexdigest()[:12], 16)}'\n")
        ),
    }


def apps_of(side: str) -> dict[str, str]:
    """A target whose objects hold what Secrets hold, in many spellings."""

    def c(place: str) -> str:
        return canary(f"{side} {place}")

    return {
        "apps/kustomization.yaml": "namespace: shop\nresources: [copies.yaml]\nconfigMapGenerator:\n"
        f"- name: generated-copy\n  literals: [copy={c('generated literal')}]\n",
        "apps/copies.yaml": f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: copies}}
data:
  plain: {c("stringData")}
  coded: {b64(c("data"))}
  shifted: {b64("x" + c("data"))}
  sentence: the password is {c("helm yaml")}, keep it
  yaml: |
    nested:
      deeper: {c("json")}
  json: '{json.dumps({"a": [c("docker")]})}'
  ini: |
    [db]
    password = {c("generated env")}
  from-file: {c("generated file")}
  from-flux: ${{DB_PASSWORD}}
  from-flux-coded: {b64(c("flux variable"))}
  {c("patched")}: a key
  from-inline: ${{INLINE}}
  from-map: ${{FROM_MAP}}
binaryData:
  b: {b64(c("generated helm"))}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {{example.com/token: "{c("applied")}"}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata:
      labels: {{app: web}}
      annotations: {{note: "token={c("stringData")}"}}
    spec:
      containers:
      - name: web
        image: web:{side}
        args: ["--token={c("stringData")}"]
        command: [sh, -c, "login {c("json url")}"]
        env:
        - {{name: TOKEN, value: "{c("helm yaml list")}"}}
        - {{name: URL, value: "postgres://app:{c("docker auth")}@db/x"}}
        - {{name: FROM_FLUX, value: "${{DB_PASSWORD}}"}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {{name: widget}}
spec: {{settings: [{{token: "{c("only here")}", text: "{c("second line")}"}}]}}
---
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {{name: work}}
spec:
  workload:
    manifests:
    - {{apiVersion: v1, kind: Secret, metadata: {{name: inside}}, data: {{p: {b64(c("inside a work"))}}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: manifests}}
data:
  all.yaml: |
    kind: Secret
    metadata: {{name: inside}}
    stringData: {{p: "{c("inside a text")}"}}
""",
    }


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


# Targets that kustomize refuses, each in words of its own that may quote what it was given. No Secret is ever rendered.
BROKEN: Mapping[str, dict[str, str]] = {
    "literal-without-key": {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: [@@]\n"},
    "literal-bad-key": {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: ['a b=@@']\n"},
    "env-without-key": {"kustomization.yaml": "secretGenerator:\n- name: x\n  envs: [x.env]\n", "x.env": "a=b\n-- @@\n"},
    "duplicate": {
        "kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
        "a.yaml": secret("x", "stringData: {p: @@}\n"),
        "b.yaml": secret("x", "stringData: {p: @@}\n"),
    },
    "data-is-text": {"kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n", "a.yaml": secret("x", "data: @@\n")},
    "data-is-list": {"kustomization.yaml": "resources: [a.yaml]\ncommonAnnotations: {a: b}\n", "a.yaml": secret("x", "data:\n- @@\n")},
    "bad-indent": {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": secret("x", "stringData:\n  p: @@\n q: @@\n")},
    "tab": {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": secret("x", "stringData:\n\tp: @@\n")},
    "unknown-anchor": {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": secret("x", "stringData:\n  p: *@@\n")},
    "no-kind": {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "kind: Secret\nstringData: {p: @@}\n"},
    "field-of-kustomization": {"kustomization.yaml": "secretGenerator:\n- name: x\n  literal: [p=@@]\n"},
    "type-of-kustomization": {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: p=@@\n"},
    "patch-unparsable": {
        "kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: Secret}\n  patch: |-\n    - op: add\n      path: /stringData/p\n      value: @@\n     bad: x\n",
        "a.yaml": secret("x", "stringData: {q: @@}\n"),
    },
    "patch-no-match": {
        "kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: |-\n"
        + indented(secret("other", "stringData: {p: @@}\n").removesuffix("---\n")),
        "a.yaml": secret("x", "stringData: {q: @@}\n"),
    },
    "patch-test-fails": {
        "kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: Secret}\n  patch: |-\n    - {op: test, path: /stringData/q, value: '@@'}\n",
        "a.yaml": secret("x", "stringData: {q: not-@@}\n"),
    },
    "patch-bad-path": {
        "kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: Secret}\n  patch: |-\n    - {op: replace, path: /stringData/no/where, value: '@@'}\n",
        "a.yaml": secret("x", "stringData: {q: @@}\n"),
    },
    "patch-file-unparsable": {
        "kustomization.yaml": "resources: [a.yaml]\npatches:\n- path: p.yaml\n",
        "p.yaml": secret("x", "stringData:\n  p: @@\n bad: [\n").removesuffix("---\n"),
        "a.yaml": secret("x", "stringData: {q: @@}\n"),
    },
    "merge-without-base": {"kustomization.yaml": "secretGenerator:\n- name: x\n  behavior: merge\n  literals: [p=@@]\n"},
    "replacement": {
        "kustomization.yaml": "resources: [a.yaml]\nreplacements:\n- source: {kind: Secret, name: x, fieldPath: stringData.p}\n  targets:\n  - select: {kind: Secret}\n    fieldPaths: [stringData.none.deeper]\n",
        "a.yaml": secret("x", "stringData: {p: @@}\n"),
    },
    "transformer": {
        "kustomization.yaml": 'resources: [a.yaml]\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  target: {kind: Secret}\n  patch: \'[{"op": "nope", "path": "/stringData/p", "value": "@@"}]\'\n',
        "a.yaml": secret("x", "stringData: {p: @@}\n"),
    },
    "generator": {
        "kustomization.yaml": "generators:\n- |-\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: g}\n  literals: ['@@']\n",
    },
}


ACCEPTED = {"literal-bad-key", "env-without-key", "data-is-text", "data-is-list"}  # kustomize 5.8 renders what no API server takes


def broken_of(side: str) -> dict[str, str]:
    files = {}
    for name, contents in BROKEN.items():
        for path, content in contents.items():
            files[f"broken/{name}/{path}"] = content.replace("@@", canary(f"{side} {name}"))
    return files


# Read while targets are followed, before the Secrets whose values it repeats are rendered.
APPS = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: apps
  namespace: shop
  annotations: {{note: "{stringData}"}}
spec:
  interval: 1h
  prune: true
  path: ./apps
  targetNamespace: shop
  sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}
  postBuild:
    substitute: {{INLINE: "{helm}"}}
    substituteFrom:
    - {{kind: Secret, name: vars}}
    - {{kind: ConfigMap, name: map-vars}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: map-vars, namespace: shop}}
data: {{FROM_MAP: "{json}"}}
---
"""


def tree_of(side: str) -> dict[str, str]:
    apps = APPS.format(stringData=canary(f"{side} stringData"), helm=canary(f"{side} helm yaml"), json=canary(f"{side} json"))
    kustomizations = [
        flux("secrets", "./secrets"),
        apps,
        *(flux(f"broken-{name}", f"./broken/{name}") for name in BROKEN),
    ]
    return {
        "clusters/prod/kustomization.yaml": "resources: [flux.yaml]\n",
        "clusters/prod/flux.yaml": "".join(kustomizations),
        **secrets_of(side),
        **apps_of(side),
        **broken_of(side),
    }


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def command(*argv: str) -> str:
    """Everything that the command prints, on both streams."""
    streams = io.StringIO()
    with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
        main(argv)
    return streams.getvalue()


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("canary")
    for side in ("base", "head"):
        write(root / side, tree_of(side))
        manifests = secrets_of(side)["secrets/secret.yaml"] + apps_of(side)["apps/copies.yaml"]
        for place in ("patched", "generated env", "generated file", "generated helm"):  # no Secret of these files holds them
            for spelling in spellings(canary(f"{side} {place}")):
                manifests = manifests.replace(spelling, "x")
        write(root / side, {"all.yaml": manifests})
    return root


@pytest.fixture(scope="module")
def outputs(trees: Path) -> dict[str, str]:
    """Every text that the command leaves anywhere, by a name for it. The report is shown in every format, live and from JSON."""
    sides = [str(trees / "base"), str(trees / "head"), "--entry", "clusters/prod"]
    reports = trees / "reports"
    reports.mkdir()
    cache = trees / "cache"
    saved = str(reports / "live.json")
    found: dict[str, str] = {}
    files = [word for name in FORMATS if name != "json" for word in ("-o", f"{name}={reports / name}.live")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_STEP_SUMMARY", str(reports / "step-summary"))
        patch.setenv("GITHUB_OUTPUT", str(reports / "step-output"))
        found["verbose run"] = command(*sides, "--verbose", "--cache-dir", str(cache), "-o", f"json={saved}", *files)
    for layout in ("--full", "--stat", "--summary"):
        found[layout] = command("show", saved, layout)
    for name in FORMATS:
        found[f"show {name}"] = command("show", saved, "--full", "-o", name)
    found |= {
        f"manifests {name}": command(str(trees / "base/secrets/secret.yaml"), str(trees / "head/all.yaml"), "-o", name) for name in FORMATS
    }
    for name in ("bad-indent", "tab", "unknown-anchor", "data-is-list", "data-is-text"):
        path = str(trees / "head/broken" / name / "a.yaml")
        found[f"broken manifests {name}"] = command(path, str(trees / "base/secrets/secret.yaml"), "--full")
    found["merge"] = command("merge", saved, "-o", "json")
    found |= {f"file {path.name}": path.read_text(encoding="utf-8") for path in reports.iterdir()}
    found |= {f"cache {path.name}": path.read_bytes().decode("latin-1") for path in cache.rglob("*") if path.is_file()}
    return found


def test_no_output_holds_a_planted_value(outputs: dict[str, str]) -> None:
    found = {name: places for name, text in outputs.items() if (places := leaks(text))}
    assert not found


def test_no_view_of_a_live_report_holds_a_planted_value(trees: Path) -> None:
    report = kdiff.render_diff(trees / "base", trees / "head", entry=["clusters/prod"], options=kdiff.Options(cache=False))
    assert report.changes
    assert not leaks(repr(report))
    assert not leaks(report.to_json())  # not --verbose, so that only what failed taught the masker
    for change in report:
        for view in (unified_view(change, 99), str(deepdiff_view(change)), repr(change.head_value), repr(change.base_value)):
            assert not leaks(view), change.id


def test_every_planted_value_would_show_without_masking(trees: Path) -> None:
    """The proof that the search above can fail: --show-secrets brings all of them."""
    text = command(
        str(trees / "base"), str(trees / "head"), "--entry", "clusters/prod", "--show-secrets", "-o", "json", "--verbose", "--no-cache"
    )
    unseen = {place for place in PLANTED if place.partition(" ")[2] not in BROKEN} - set(leaks(text))
    assert not unseen - {"base number", "head number"}


def test_masked_changes_stay_visible(outputs: dict[str, str]) -> None:
    report = json.loads(outputs["file live.json"])
    by_id = {change["id"]: change for change in report["changes"]}
    for name in ("plain", "data", "applied", "docker", "helm", "vars"):
        assert all(field["redacted"] for field in by_id[f"v1/Secret shop/{name}"]["fields"]), name
    assert by_id["v1/Secret shop/only-base"]["status"] == "removed"
    assert by_id["v1/Secret shop/only-head"]["status"] == "added"
    copies = {field["pointer"] for field in by_id["v1/ConfigMap shop/copies"]["fields"]}
    assert {f"/data/{key}" for key in ("plain", "coded", "shifted", "sentence", "json", "from-flux")} <= copies
    assert len(report["failures"]) >= len(BROKEN) - len(ACCEPTED)
