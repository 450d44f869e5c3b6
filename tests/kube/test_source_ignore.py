"""Which files never reach Flux."""

from __future__ import annotations

import pytest

from kdiff.kube.source_ignore import default_ignore_rules, is_ignored, parse_ignore_rules


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        (".github/workflows/ci.yaml", True),
        ("docs/logo.png", True),
        ("apps/web/.sops.yaml", True),
        (".sops.yaml", True),
        ("apps/.goreleaser.yml", True),
        ("apps/cloudbuild.yaml", True),
        ("apps/web/kustomization.yaml", False),
        ("github/ci.yaml", False),
    ],
)
def test_default_excludes(path: str, ignored: bool) -> None:
    assert is_ignored(default_ignore_rules(), path) is ignored


@pytest.mark.parametrize(
    ("content", "directory", "path", "ignored"),
    [
        ("docs/", ".", "docs/a.yaml", True),
        ("docs/", ".", "apps/docs/a.yaml", True),
        ("docs/", ".", "docs", False),
        ("/docs", ".", "apps/docs/a.yaml", False),
        ("/docs", ".", "docs/a.yaml", True),
        ("# docs/", ".", "docs/a.yaml", False),
        ("*.yaml\n!keep.yaml", ".", "a/keep.yaml", False),
        ("*.yaml\n!keep.yaml", ".", "a/drop.yaml", True),
        ("/*\n!/kubernetes", ".", "docs/a.yaml", True),
        ("/*\n!/kubernetes", ".", "kubernetes/a.yaml", False),
        ("draft.yaml", "apps", "apps/web/draft.yaml", True),
        ("draft.yaml", "apps", "infra/draft.yaml", False),
        ("**/test/*.yaml", ".", "a/b/test/x.yaml", True),
        ("a/**/z.yaml", ".", "a/b/c/z.yaml", True),
        ("a**/z.yaml", ".", "ab/z.yaml", False),
        ("docs/ \r\n", ".", "docs/a.yaml", True),
    ],
)
def test_ignore_files(content: str, directory: str, path: str, ignored: bool) -> None:
    assert is_ignored(parse_ignore_rules(content, directory), path) is ignored


def test_a_source_can_bring_back_what_is_left_out_by_default() -> None:
    rules = default_ignore_rules() + parse_ignore_rules("!*.png", ".")
    assert is_ignored(rules, "docs/logo.png") is False
    assert is_ignored(rules, "docs/logo.jpg") is True
