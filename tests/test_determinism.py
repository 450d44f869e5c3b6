"""The same inputs give the same bytes: whatever the hash seed, the number of jobs, and whether builds come from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kdiff.reports.formats import FORMATS

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
TREES = ["trees/shop", "trees/flux-three-levels", "trees/flux-handover-plain"]
MANIFESTS = [("rendered/statuses", ("base.yaml", "head.yaml")), ("rendered/secrets", ("base.yaml", "head.yaml"))]


def outputs(case: Path, sides: tuple[str, str], into: Path, seed: int, kustomize: str, *more: str) -> dict[str, bytes]:
    into.mkdir()
    flags = [word for name in FORMATS for word in ("-o", f"{name}={into / name}")]
    done = subprocess.run(
        [sys.executable, "-m", "kdiff", *sides, *flags, "--color", "always", *more],
        cwd=case,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "KDIFF_KUSTOMIZE": kustomize},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1, 2), done.stderr
    return {path.name: path.read_bytes() for path in into.iterdir()}


@pytest.mark.parametrize("name", TREES)
def test_trees(name: str, tmp_path: Path, kustomize: str) -> None:
    case, cache = GOLDEN / name, f"--cache-dir={tmp_path / 'cache'}"
    first = outputs(case, ("base", "head"), tmp_path / "one", 1, kustomize, cache, "--jobs=4")
    assert set(first) == set(FORMATS)
    assert outputs(case, ("base", "head"), tmp_path / "two", 2, kustomize, cache, "--jobs=1") == first
    assert outputs(case, ("base", "head"), tmp_path / "three", 3, kustomize, "--no-cache", "--jobs=2") == first


@pytest.mark.parametrize(("name", "sides"), MANIFESTS)
def test_manifests_whatever_the_key_of_the_masks(name: str, sides: tuple[str, str], tmp_path: Path, kustomize: str) -> None:
    """Masks are made with a random key in each run; nothing of it shows."""
    first = outputs(GOLDEN / name, sides, tmp_path / "one", 1, kustomize)
    assert outputs(GOLDEN / name, sides, tmp_path / "two", 2, kustomize) == first
    assert set(first) == set(FORMATS)


def test_the_order_of_documents_does_not_matter(tmp_path: Path, kustomize: str) -> None:
    case = GOLDEN / "rendered" / "statuses"
    first = outputs(case, ("base.yaml", "head.yaml"), tmp_path / "one", 1, kustomize, "--no-config")
    turned = tmp_path / "turned"
    turned.mkdir()
    for side in ("base.yaml", "head.yaml"):
        documents = (case / side).read_text(encoding="utf-8").split("\n---\n")
        (turned / side).write_text("\n---\n".join(d.strip("\n") for d in reversed(documents)) + "\n", encoding="utf-8")
    second = outputs(turned, ("base.yaml", "head.yaml"), tmp_path / "two", 2, kustomize, "--no-config")
    assert second["diff"] == first["diff"]
