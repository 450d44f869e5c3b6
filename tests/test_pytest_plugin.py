from __future__ import annotations

import importlib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

# pytester forgets the modules that an inner run loads; PyYAML's compiled half does not survive a second import
for module in ("kdiff.pipeline", "kdiff.documents.load", "kdiff.documents.dump"):
    importlib.import_module(module)

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: {replicas}
"""
MODULE = """
def test_it(kustomize_diff):
    report = kustomize_diff("base.yaml", "head.yaml", skip_kinds=["Secret"])
    assert [change.id for change in report] == ["apps/v1/Deployment shop/web"]
    kustomize_diff.assert_golden(report, "golden/web.{suffix}")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".yaml", base=DEPLOYMENT.format(replicas=2), head=DEPLOYMENT.format(replicas=3))
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")

    def run(*arguments: str, suffix: str = "diff"):
        pytester.makepyfile(test_web=MODULE.format(suffix=suffix))
        return pytester.runpytest_inprocess("-p", "kdiff.pytest_plugin", *arguments)

    return run


@pytest.mark.parametrize("suffix", ["diff", "txt", "md", "json"])
def test_a_golden_file_is_written_on_demand_and_then_holds(project, pytester, suffix) -> None:
    missing = project(suffix=suffix)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines([f"*golden/web.{suffix} does not exist; pytest --kdiff-update-golden writes it"])
    updated = project("--kdiff-update-golden", suffix=suffix)
    updated.assert_outcomes(failed=1)
    updated.stdout.fnmatch_lines([f"*golden/web.{suffix} was rewritten: read it before you commit it"])
    project(suffix=suffix).assert_outcomes(passed=1)
    text = (pytester.path / "golden" / f"web.{suffix}").read_text(encoding="utf-8")
    assert "replicas" in text
    assert str(pytester.path) not in text, "the file holds on every machine"


def test_one_run_rewrites_all_golden_files_of_a_test(project, pytester) -> None:
    project()
    pytester.makepyfile(
        test_web="def test_it(kustomize_diff):\n    report = kustomize_diff('base.yaml', 'head.yaml')\n"
        "    for suffix in ('txt', 'md', 'json'):\n        kustomize_diff.assert_golden(report, f'golden/all.{suffix}')\n"
    )
    result = pytester.runpytest_inprocess("-p", "kdiff.pytest_plugin", "--kdiff-update-golden")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*golden/all.{suffix} was rewritten*" for suffix in ("txt", "md", "json")])


def test_a_difference_is_shown(project, pytester) -> None:
    project("--kdiff-update-golden")
    pytester.makefile(".yaml", head=DEPLOYMENT.format(replicas=4))
    changed = project()
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(["*golden/web.diff differs*", "*-+*replicas: 3", "*++*replicas: 4"])


def test_an_unknown_suffix_is_refused(project) -> None:
    project(suffix="pdf").stdout.fnmatch_lines(["*web.pdf: name the golden file with one of .txt, .md, .json, .diff"])


def test_an_unknown_option_is_refused(project, pytester) -> None:
    project()
    pytester.makepyfile(test_web="def test_it(kustomize_diff):\n    kustomize_diff('base.yaml', 'head.yaml', entries=['x'])\n")
    result = pytester.runpytest_inprocess("-p", "kdiff.pytest_plugin")
    result.stdout.fnmatch_lines(["*TypeError*entries*"])


def test_a_wrong_source_is_one_line(project, pytester) -> None:
    project()
    pytester.makepyfile(test_web="def test_it(kustomize_diff):\n    kustomize_diff('base.yaml', None)\n")
    result = pytester.runpytest_inprocess("-p", "kdiff.pytest_plugin")
    result.stdout.fnmatch_lines(["*UsageError: head must be a path or a string such as git:main, not None"])


def test_pytest_finds_the_plugin_by_itself() -> None:
    text = (Path(__file__).resolve().parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nkdiff = "kdiff.pytest_plugin"\n' in text
