"""Compares two rendered streams with kdiff, GNU diff, DeepDiff and dyff, and prints each one's cost as a ratio.

    python tests/bench/compare.py                    # two streams of 50 MB, 1 % of the objects changed
    python tests/bench/compare.py --megabytes 10 --percent 5 --runs 3

Each run is a process of its own: CPU seconds (user and system) and peak memory are the kernel's. DeepDiff gets parsed values of
the objects that differ only, and a sample of those: all of them would take hours. dyff runs where it is installed, for at most
`--patience` seconds. By hand, not part of the test suite.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = ("alpha", "bravo", "carbon", "delta", "ember", "fjord", "gamma", "harbor", "indigo", "jasper")
SAMPLE = 100  # objects for DeepDiff


def text_of(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def app(rng, n):
    name = f"{rng.choice(WORDS)}-{n}"
    container = {
        "name": "main",
        "image": f"registry.example.com/{name}:1.{rng.randrange(40)}.{rng.randrange(40)}",
        "env": [{"name": f"VAR_{k}", "value": text_of(rng, 3)} for k in range(rng.randrange(4, 12))],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"mountPath": "/etc/app", "name": "config"}],
    }
    metadata = {"labels": {"app": name, "team": rng.choice(WORDS)}, "name": name, "namespace": f"ns-{n % 50}"}
    pod = {"containers": [container], "volumes": [{"configMap": {"name": name}, "name": "config"}]}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": rng.randrange(1, 9), "selector": {"matchLabels": {"app": name}}, "template": template},
    }
    data = {f"key-{k}": text_of(rng, 8) for k in range(6)}
    yield {"apiVersion": "v1", "data": {**data, "app.yaml": f"port: 8080\nname: {name}\n"}, "kind": "ConfigMap", "metadata": metadata}
    ports = [{"name": "http", "port": 80, "targetPort": "http"}]
    yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": ports, "selector": {"app": name}}}


def crd(rng, n):
    fields = {f"field{k:04d}": {"description": text_of(rng, 20), "type": "string"} for k in range(1000)}
    schema = {"openAPIV3Schema": {"properties": {"spec": {"properties": fields, "type": "object"}}, "type": "object"}}
    names = {"kind": f"Thing{n}", "plural": f"thing{n}s"}
    version = {"name": "v1", "schema": schema, "served": True, "storage": True}
    yield {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"thing{n}s.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }


def dashboard(rng, n):
    panels = [{"id": k, "title": text_of(rng, 4), "targets": [{"expr": f"rate({rng.choice(WORDS)}[5m])"}]} for k in range(1200)]
    data = {"board.json": json.dumps({"panels": panels}, indent=2)}
    yield {"apiVersion": "v1", "data": data, "kind": "ConfigMap", "metadata": {"name": f"board-{n}", "namespace": "monitoring"}}


def edited(value, rng):
    """The object with one edit, by kind."""
    value = json.loads(json.dumps(value))
    if value["kind"] == "Deployment":
        value["spec"]["template"]["spec"]["containers"][0]["image"] += "-next"
    elif value["kind"] == "CustomResourceDefinition":
        fields = value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        fields["field0500"]["description"] += " " + rng.choice(WORDS)
    elif value["kind"] == "Service":
        value["spec"]["ports"][0]["port"] = 8080
    else:
        name = next(iter(value["data"]))
        value["data"][name] = value["data"][name].replace("a", "b", 3)
    return value


def write_streams(folder, megabytes, percent, seed):
    """Base and head in the shape that kustomize writes; how many objects there are and how many differ."""
    from kdiff.documents.dump import dump_value

    rng = random.Random(seed)
    paths = [folder / "base.yaml", folder / "head.yaml"]
    written = objects = changed = n = 0
    with paths[0].open("wb") as base, paths[1].open("wb") as head:
        while written < megabytes * 1_000_000:
            make = crd if n % 400 == 399 else dashboard if n % 400 == 199 else app
            for value in make(rng, n):
                raw = dump_value(value).encode()
                other = raw
                if rng.random() * 100 < percent:
                    other = dump_value(edited(value, rng)).encode()
                    changed += other != raw
                base.write(b"---\n" * (objects > 0) + raw)
                head.write(b"---\n" * (objects > 0) + other)
                written += len(raw)
                objects += 1
            n += 1
    return paths, objects, changed


def run_kdiff(base, head):
    from kdiff.compare.compare_sides import compare_sides
    from kdiff.model.options import Options
    from kdiff.model.side import Side, TargetState
    from kdiff.model.target import Target
    from kdiff.objects.load_objects import load_objects
    from kdiff.objects.masking import Masker

    masker = Masker(b"bench", show_secrets=False)
    target = Target(".", ".", "manifests", ".", None)
    sides, known = [], {}
    for name, path in (("base", base), ("head", head)):
        loaded = load_objects(Path(path).read_bytes(), ".", masker, canonical=True, known=known)
        sides.append(Side(name, None, (TargetState(target, loaded.objects),)))
    comparison = compare_sides(*sides, Options())
    print(f"{len(comparison.changes)} changes, {comparison.unchanged} unchanged")


def run_deepdiff(base, head):
    from deepdiff import DeepDiff

    from kdiff.documents.load import load_document
    from kdiff.documents.split import split_documents

    streams = [split_documents(Path(p).read_bytes(), canonical=True) for p in (base, head)]
    differing = [(a.raw, b.raw) for a, b in zip(*streams, strict=True) if a.raw != b.raw]
    sample = [[load_document(raw, canonical=True) for raw in pair] for pair in differing[:SAMPLE]]
    begun = time.process_time()
    for old, new in sample:
        DeepDiff(old, new)
    each = (time.process_time() - begun) / max(1, len(sample))
    print(f"{each * 1000:.1f} ms an object, {each * len(differing):.1f} s for all {len(differing)} that differ")


def measured(command, patience):
    """(CPU seconds, wall seconds, peak MB, what it printed last) of one process; None when it took too long."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, _, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begun > patience:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.005)
        child.returncode = 0
        wall = time.monotonic() - begun
        out.seek(max(0, out.seek(0, os.SEEK_END) - 200))
        said = out.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--percent", type=float, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=600)
    parser.add_argument("--child", nargs=3, metavar=("WHAT", "BASE", "HEAD"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        {"kdiff": run_kdiff, "deepdiff": run_deepdiff}[args.child[0]](*args.child[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        paths, objects, changed = write_streams(Path(folder), args.megabytes, args.percent, args.seed)
        size = paths[0].stat().st_size
        print(f"two streams of {size / 1e6:.1f} MB, {objects} objects, {changed} differ")
        itself = [sys.executable, __file__, "--child"]
        files = [str(p) for p in paths]
        commands = {"GNU diff -u": ["diff", "-u", *files], "kdiff": [*itself, "kdiff", *files], "DeepDiff": [*itself, "deepdiff", *files]}
        if dyff := shutil.which("dyff"):
            commands["dyff"] = [dyff, "between", *files]
        best = {}
        for turn in range(args.runs):
            for name, command in commands.items():
                if turn == 0 or (name in best and name in ("GNU diff -u", "kdiff")):
                    run = measured(command, args.patience)
                    if run is None:
                        print(f"{name}: no answer within {args.patience:.0f} s")
                    elif name not in best or run[0] < best[name][0]:
                        best[name] = run
        yard = best["GNU diff -u"][0]
        print(f"{'':12} {'CPU s':>8} {'x diff':>8} {'wall s':>8} {'peak MB':>8} {'x bytes':>8}")
        for name, (cpu, wall, peak, said) in best.items():
            shown = said if name in ("kdiff", "DeepDiff") else ""
            print(f"{name:12} {cpu:8.2f} {cpu / yard:8.2f} {wall:8.2f} {peak:8.0f} {peak * 1e6 / (2 * size):8.2f}  {shown}")


if __name__ == "__main__":
    main()
