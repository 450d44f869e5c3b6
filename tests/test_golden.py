"""Every folder of golden/ is run through the command and compared with what it is expected to print."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import kdiff
from kdiff.cli.main import main

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
SUFFIX = {"text": "txt", "json": "json", "diff": "diff", "markdown": "md", "html": "html", "sarif": "sarif.json"}
SUFFIX |= {"github": "github.txt", "gitlab": "gitlab.json", "junit": "junit.xml"}
CASES = sorted(p.parent for p in GOLDEN.glob("*/*/case.toml"))


def settle(text: str) -> str:
    """What varies with the version of kdiff or of the renderer becomes a placeholder."""
    text = re.sub(r'("kustomize_version": )"[^"]*"', r'\1"@@KUSTOMIZE@@"', text)
    text = re.sub(r"\bkustomize \d+\.\d+\.\d+[\w.+-]*", "kustomize @@KUSTOMIZE@@", text)
    return text.replace(kdiff.__version__, "@@VERSION@@")


@pytest.mark.parametrize("case", CASES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_golden(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, kustomize: str) -> None:
    settings = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
    for name, value in settings.get("env", {}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KDIFF_KUSTOMIZE", settings.get("kustomize", kustomize))
    # Outside of this checkout, whose git remotes would decide which sources count as this very repository.
    place = tmp_path / "case"
    shutil.copytree(case, place, symlinks=True)
    monkeypatch.chdir(place)
    if "remote" in settings:  # the URL of the repository that the case is taken for
        subprocess.run(["git", "init", "--quiet"], check=True)
        subprocess.run(["git", "remote", "add", "origin", settings["remote"]], check=True)
    arguments = settings.get("arguments", ["base", "head"])
    outputs = {name: tmp_path / name for name in settings.get("formats", ["text", "json"])}
    flags = [flag for name, path in outputs.items() for flag in ("-o", f"{name}={path}")]
    status = main([*arguments, "--color", "never", *flags])
    assert status == settings["exit"], case.name
    stale = []
    for name, path in outputs.items():
        expected = case / f"expected.{SUFFIX[name]}"
        got = settle(path.read_bytes().decode("utf-8"))
        if request.config.getoption("--update-golden"):
            if not expected.exists() or expected.read_bytes().decode("utf-8") != got:
                expected.write_bytes(got.encode("utf-8"))
                stale.append(expected.name)
        else:
            assert expected.exists(), f"{expected} is missing: run pytest --update-golden and read it"
            assert got == expected.read_bytes().decode("utf-8")
    if stale:
        pytest.fail(f"{case.parent.name}/{case.name}: rewritten, read the diff before you commit it: {', '.join(stale)}")


def test_there_are_golden_cases() -> None:
    assert len(CASES) >= 10
