"""The CPU time of the whole command against that of the kustomize processes it started, without and with the cache.

    python tests/bench/whole_command.py BASE HEAD [OPTIONS OF KDIFF]

Both are counted by the kernel in one run: the ratio is (kdiff + kustomize) / kustomize. The aim is at most 1.15 without a cache.
The number of targets shows what was avoided: rendering every target of both sides would take twice as many builds. By hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = """\
import json, resource, sys, time
begin = time.perf_counter()
from kdiff.cli.main import main
status = main(sys.argv[2:])
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
json.dump({
    "status": status,
    "wall": time.perf_counter() - begin,
    "own": own.ru_utime + own.ru_stime,
    "kustomize": children.ru_utime + children.ru_stime,
    "memory": own.ru_maxrss / 1024,
}, open(sys.argv[1], "w"))
"""


def measured(arguments, scratch, cache):
    figures, report = scratch / "figures.json", scratch / "report.json"
    flags = ["-o", f"json={report}", f"--cache-dir={cache}"]
    done = subprocess.run([sys.executable, "-c", RUN, str(figures), *arguments, *flags], check=False, capture_output=True, text=True)
    if not report.exists():
        raise SystemExit(f"kdiff failed: {done.stderr}")
    return json.loads(figures.read_text()), json.loads(report.read_text())


def run(arguments):
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(scratch / "bytecode")
        subprocess.run([sys.executable, "-c", "import kdiff.pipeline, kdiff.cli.main"], check=True)  # compiled as installed packages are
        print(f"{'':12} {'wall s':>7} {'kdiff s':>8} {'kustomize s':>12} {'ratio':>6} {'MB':>6}")
        report = None
        for title in ("no cache", "cached"):
            took, report = measured(arguments, scratch, scratch / "cache")
            total, kustomize = took["own"] + took["kustomize"], took["kustomize"]
            ratio = f"{total / kustomize:6.2f}" if kustomize else "     -"
            print(f"{title:12} {took['wall']:7.2f} {took['own']:8.2f} {kustomize:12.2f} {ratio} {took['memory']:6.0f}")
        targets, objects = report["summary"]["targets"], report["summary"]["objects"]
        builds = targets["rendered_base"] + targets["rendered_head"]
        print(f"{targets['total']} targets, {targets['changed']} changed: {builds} builds, {targets['reused']} renderings reused")
        print(f"{objects['base']} objects at base, {objects['head']} at head, {len(report['changes'])} changed")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    run(sys.argv[1:])
