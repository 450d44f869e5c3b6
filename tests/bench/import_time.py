"""What `import kdiff` costs over bare Python, and the modules that it and the first commands load. Exit 1 above 60 ms.

    python tests/bench/import_time.py [RUNS]

Wall time of whole processes, the fastest of each kind: what else the machine does only ever adds. With compiled bytecode, as an
installed package has it. By hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

LIMIT = 0.060  # seconds over bare Python
CODES = {
    "bare": "pass",
    "import kdiff": "import kdiff",
    "kdiff.Report": "import kdiff; kdiff.Report",
    "kdiff.render_diff": "import kdiff; kdiff.render_diff",
    "kdiff --help": "import sys; from kdiff.cli.main import main; sys.stdout = open('/dev/null', 'w'); main(['--help'])",
}


def fastest(code, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - begin)
    return min(times)


def modules(code):
    count = f"import sys\n{code}\nsys.stderr.write(str(len(sys.modules)))"
    return int(subprocess.run([sys.executable, "-c", count], check=True, capture_output=True, text=True).stderr)


def run(runs):
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as bytecode:
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        measure(runs)


def measure(runs):
    for code in CODES.values():
        fastest(code, 1)  # compiles
    bare = fastest(CODES["bare"], runs)
    print(f"{'':20} {'ms':>7} {'over bare':>10} {'modules':>8}")
    for name, code in CODES.items():
        took = bare if name == "bare" else fastest(code, runs)
        print(f"{name:20} {took * 1000:7.1f} {(took - bare) * 1000:10.1f} {modules(code):8}")
        if name == "import kdiff" and took - bare > LIMIT:
            raise SystemExit(f"import kdiff costs more than {LIMIT * 1000:.0f} ms")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
