"""Writes kdiff/kube/field_table.py from the Kubernetes OpenAPI document.

    python docs/make_field_table.py swagger.json 1.36

`swagger.json` is api/openapi-spec/swagger.json of a kubernetes/kubernetes release (the official clients publish the same
document). Only what comparing needs is kept: which object type a field holds, how a list is merged, which scalars are
quantities or times, and whether an empty list or map is dropped when the API server stores the object.

Format of the table, one type a line: `Name field=SPEC field=SPEC ...`. SPEC is
    q         resource.Quantity              t       metav1.Time or MicroTime
    o TYPE    an object of that type (written without the blank)
    m SPEC    a map with values of SPEC, `m` alone for scalars
    l SPEC    a list that is atomic or has no list type: order counts; `l` alone for scalars
    s SPEC    a set
    k KEYS|SPEC  a list matched by KEYS (comma separated; `protocol:TCP` gives the default of a key)
A final `?` marks a list or map with Go's omitempty (not in the schema's `required`).
Kinds come first: `= group version prefix Kind Kind ...` (`-` for the core group); the type of a kind is `prefix.Kind`. A version
before a stable one is left out, it falls back to that; so are types that hold nothing of the above.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

OUT = Path(__file__).parent.parent / "kdiff" / "kube" / "field_table.py"
REF = "#/definitions/"
PREFIXES = ("io.k8s.api.", "io.k8s.apimachinery.pkg.apis.", "io.k8s.apiextensions-apiserver.pkg.apis.", "io.k8s.kube-aggregator.pkg.apis.")
SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "q",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "t",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "t",
}
# the document does not carry this default as data; the API server fills it in before it merges
KEY_DEFAULTS = {"protocol": "protocol:TCP"}
# empty differs from missing although Go has omitempty: authors write `ingress: []` to deny all traffic, and an empty list of
# scaling policies is refused where a missing one gets defaults
EMPTY_MATTERS = {
    ("networking.v1.NetworkPolicySpec", "ingress"),
    ("networking.v1.NetworkPolicySpec", "egress"),
    ("autoscaling.v2.HPAScalingRules", "policies"),
}


def short(name):
    for prefix in PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def spec_of(schema, definitions):
    ref = schema.get("$ref", "").removeprefix(REF)
    if ref:
        if ref in SCALARS:
            return SCALARS[ref]
        return "o" + short(ref) if definitions[ref].get("properties") else ""
    if "additionalProperties" in schema:
        return "m" + spec_of(schema["additionalProperties"], definitions)
    if schema.get("type") != "array":
        return ""
    item = spec_of(schema["items"], definitions)
    # outside `status`, every list with a patch merge key has list-map-keys too, and those are the complete ones
    if keys := schema.get("x-kubernetes-list-map-keys"):
        return "k" + ",".join(KEY_DEFAULTS.get(k, k) for k in keys) + "|" + item
    return ("s" if schema.get("x-kubernetes-list-type") == "set" else "l") + item


def refs_of(schema):
    for key, value in schema.items():
        if key == "$ref":
            yield value.removeprefix(REF)
        elif isinstance(value, dict):
            yield from refs_of(value)


def stable_kinds(definitions):
    """(group, version, kind, definition) of the objects that can be rendered; the stable version only, where there is one."""
    found = [
        (gvk["group"], gvk["version"], gvk["kind"], name)
        for name, schema in sorted(definitions.items())
        for gvk in schema.get("x-kubernetes-group-version-kind", [])
        if schema.get("properties", {}).get("metadata", {}).get("$ref", "").endswith(".ObjectMeta")
    ]
    stable = {(group, kind) for group, version, kind, _ in found if "alpha" not in version and "beta" not in version}
    return [k for k in found if (k[0], k[2]) not in stable or ("alpha" not in k[1] and "beta" not in k[1])]


def fields_of(definitions, kinds):
    """Type to field to spec, for all that `kinds` lead to and that says something."""
    top = {name for *_, name in kinds}
    todo, types = list(top), {}
    while todo:
        name = todo.pop()
        if name in types:
            continue
        schema = definitions[name]
        required = set(schema.get("required", ()))
        types[name] = {}
        for field, sub in sorted(schema.get("properties", {}).items()):
            if field == "status" and name in top:
                continue  # the API server takes no status from a manifest
            spec = spec_of(sub, definitions)
            todo.extend(r for r in refs_of(sub) if r not in SCALARS)
            droppable = spec[:1] in tuple("mlsk") and field not in required and (short(name), field) not in EMPTY_MATTERS
            if spec:
                types[name][field] = spec + ("?" if droppable else "")
    types = {short(name): fields for name, fields in types.items()}
    while empty := {"o" + name for name, fields in types.items() if not fields}:
        types = {
            name: {f: kept for f, spec in fields.items() if (kept := without(spec, empty))} for name, fields in types.items() if fields
        }
    return types


def without(spec, empty):
    """`spec` without a type that says nothing: a list or map of it stays one, an object of it is no longer told."""
    bare = spec.rstrip("?")
    for name in empty:
        if bare == name:
            return ""
        if bare.endswith(name) and (bare[: -len(name)].endswith("|") or set(bare[: -len(name)]) <= set("mls")):
            return bare[: -len(name)] + spec[len(bare) :]
    return spec


def main():
    source, release = sys.argv[1], sys.argv[2]
    definitions = json.loads(Path(source).read_text(encoding="utf-8"))["definitions"]
    kinds = stable_kinds(definitions)
    types = fields_of(definitions, kinds)
    rows = {}
    for group, version, kind, name in kinds:
        prefix, _, last = short(name).rpartition(".")
        assert last == kind, name
        rows.setdefault((group or "-", version, prefix), []).append(kind)
    lines = [f"= {' '.join(key)} {' '.join(sorted(row))}" for key, row in sorted(rows.items())]
    lines += [f"{name} {' '.join(f'{f}={s}' for f, s in fields.items())}" for name, fields in sorted(types.items())]
    text = "\n".join(lines)
    OUT.write_text(
        '"""Fields of the built-in kinds, generated by docs/make_field_table.py from the OpenAPI document '
        f'of Kubernetes {release}; do not edit."""\n'
        "# ruff: noqa: E501\n\nfrom __future__ import annotations\n\n"
        f'TABLE = """\\\n{text}\n"""\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
