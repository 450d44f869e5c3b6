"""Which sources stand for the tree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdiff.kube.flux import FluxSource, SourceRef
from kdiff.model.options import Options
from kdiff.model.tree import TreeKind, TreeOrigin
from kdiff.targets.artifacts import ArtifactTree, tree_of_files
from kdiff.targets.sources import SourceUse, judge_sources, normalise_url, other_branch, revision_name

FLEET = SourceRef("GitRepository", "flux-system", "flux-system")
OTHER = SourceRef("GitRepository", "apps", "team")
IMAGES = SourceRef("OCIRepository", "apps", "published")


def tree(*remotes: str) -> ArtifactTree:
    return replace(tree_of_files({"apps/web/a.yaml": b""}, TreeOrigin("base", "directory")), remotes=remotes)


def use(ref: SourceRef, *paths: str, url: str | None = None, order: int = 1, **reference: str) -> SourceUse:
    return SourceUse(ref, None if url is None else FluxSource(ref, url, reference), paths, order)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://git.example.com/Team/Fleet.git", "git.example.com/team/fleet"),
        ("ssh://git@git.example.com:2222/team/fleet", "git.example.com/team/fleet"),
        ("git@git.example.com:team/fleet.git", "git.example.com/team/fleet"),
        ("https://user:word@git.example.com/team/fleet/", "git.example.com/team/fleet"),
        ("oci://registry.example.com/team/fleet/cluster", "registry.example.com/team/fleet/cluster"),
        ("", ""),
        ("not a url", ""),
        ("https://git.example.com/", ""),
    ],
)
def test_urls_of_one_repository_are_spelled_alike(url: str, expected: str) -> None:
    assert normalise_url(url) == expected


@pytest.mark.parametrize(
    ("uses", "remotes", "options", "expected"),
    [
        pytest.param([use(FLEET, "./apps/web")], (), Options(), {FLEET: True}, id="bootstrap source, undeclared"),
        pytest.param(
            [use(FLEET, "./gone", url="https://x.example.com/a/b")],
            ("https://y.example.com/c/d",),
            Options(),
            {FLEET: True},
            id="bootstrap source of another URL",
        ),
        pytest.param(
            [use(replace(FLEET, kind="OCIRepository"), "./apps/web")],
            (),
            Options(),
            {replace(FLEET, kind="OCIRepository"): True},
            id="bootstrap source of another kind",
        ),
        pytest.param([use(OTHER, "./apps/web")], (), Options(), {OTHER: True}, id="undeclared, its path exists"),
        pytest.param([use(OTHER, "./gone", "./apps/web")], (), Options(), {OTHER: True}, id="undeclared, one of its paths exists"),
        pytest.param([use(OTHER, "./gone")], (), Options(), {OTHER: False}, id="undeclared, its path does not exist"),
        pytest.param([use(OTHER, "./")], (), Options(), {OTHER: False}, id="undeclared, and every tree has a root"),
        pytest.param(
            [use(OTHER, "./apps/web", url="git@git.example.com:team/fleet.git")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: True},
            id="a remote by another spelling",
        ),
        pytest.param(
            [use(OTHER, "./gone", url="https://git.example.com/team/fleet", branch="dev")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: False},
            id="a branch of it that has other directories",
        ),
        pytest.param(
            [
                use(FLEET, "./apps/web", url="https://git.example.com/team/fleet", branch="main"),
                use(OTHER, "./aps", url="https://git.example.com/team/fleet", branch="main"),
            ],
            (),
            Options(),
            {FLEET: True, OTHER: True},
            id="the branch of the root, so that the missing path is told",
        ),
        pytest.param(
            [use(OTHER, "./gone", "./", url="https://git.example.com/team/fleet", branch="dev")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: True},
            id="a branch of it that has one of the directories",
        ),
        pytest.param(
            [use(OTHER, "./gone", url="https://git.example.com/team/fleet")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: True},
            id="a remote without a branch, so that the missing path is told",
        ),
        pytest.param(
            [use(OTHER, "./apps/web", url="https://git.example.com/team/else")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: False},
            id="no remote",
        ),
        pytest.param(
            [use(OTHER, "./apps/web", url="https://git.example.com/team/fleet", tag="v1")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {OTHER: False},
            id="a remote at a tag",
        ),
        pytest.param(
            [use(IMAGES, "./apps/web", url="oci://registry.example.com/team/fleet/cluster", tag="latest")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {IMAGES: True},
            id="OCI with owner and repository of a remote",
        ),
        pytest.param(
            [use(IMAGES, "./apps/web", url="oci://registry.example.com/team/fleet-more")],
            ("https://git.example.com/team/fleet",),
            Options(),
            {IMAGES: False},
            id="OCI with a longer name",
        ),
        pytest.param(
            [use(OTHER, "./gone", url="https://git.example.com/a/b")], (), Options(self_source=("apps/team",)), {OTHER: True}, id="named"
        ),
        pytest.param(
            [use(OTHER, "./gone", url="https://git.example.com/a/b")],
            (),
            Options(self_source=("GitRepository apps/team",)),
            {OTHER: True},
            id="named with its kind",
        ),
        pytest.param(
            [use(OTHER, "./gone", url="https://git.example.com/a/b")],
            (),
            Options(self_source=("Bucket apps/team",)),
            {OTHER: False},
            id="another kind was named",
        ),
        pytest.param(
            [
                use(FLEET, "./apps/web", url="https://git.example.com/a/b", branch="main"),
                use(OTHER, "./apps/web", url="https://git.example.com/a/b.git", branch="main"),
            ],
            (),
            Options(),
            {FLEET: True, OTHER: True},
            id="the URL of the bootstrap source",
        ),
        pytest.param(
            [
                use(FLEET, "./apps/web", url="https://git.example.com/a/b", branch="main"),
                use(OTHER, "./apps/web", url="https://git.example.com/a/b", branch="next"),
            ],
            (),
            Options(),
            {FLEET: True, OTHER: False},
            id="another branch of the bootstrap source",
        ),
        pytest.param(
            [use(OTHER, "./apps/web", url="https://git.example.com/a/b")],
            (),
            Options(),
            {OTHER: True},
            id="the only repository of an export",
        ),
        pytest.param(
            [use(OTHER, "./", url="https://git.example.com/a/b")], (), Options(), {OTHER: False}, id="an export in which no path tells"
        ),
        pytest.param(
            [
                use(OTHER, "./apps/web", url="https://git.example.com/a/b"),
                use(SourceRef("GitRepository", "x", "y"), "./apps", url="https://git.example.com/c/d"),
            ],
            (),
            Options(),
            {OTHER: False, SourceRef("GitRepository", "x", "y"): False},
            id="two repositories that may be the export",
        ),
        pytest.param(
            [
                use(OTHER, "./apps/web", url="https://git.example.com/a/b"),
                use(SourceRef("GitRepository", "x", "y"), "./apps", url="https://git.example.com/c/d", order=2),
            ],
            (),
            Options(),
            {OTHER: True, SourceRef("GitRepository", "x", "y"): False},
            id="the nearer of two repositories",
        ),
        pytest.param(
            [use(FLEET, "./apps/web"), use(OTHER, "./apps", url="https://git.example.com/c/d")],
            (),
            Options(),
            {FLEET: True, OTHER: False},
            id="no guess beside a bootstrap source",
        ),
    ],
)
def test_verdicts(uses: list[SourceUse], remotes: tuple[str, ...], options: Options, expected: dict[SourceRef, bool]) -> None:
    verdicts = judge_sources(uses, (), tree(*remotes), options)
    assert {ref: verdict.is_self for ref, verdict in verdicts.items()} == expected
    assert all(verdict.reason for verdict in verdicts.values())


def test_the_source_that_a_flux_instance_makes_is_the_bootstrap_source() -> None:
    assert judge_sources(
        [use(OTHER, "./gone", url="https://git.example.com/a/b")], [OTHER], tree("https://git.example.com/c/d"), Options()
    )[OTHER].is_self


@pytest.mark.parametrize(
    ("branch", "of_root", "followed", "base_name", "other"),
    [
        ("next", (), ("main", "next"), "", False),
        ("next", (), ("main", "next"), "HEAD~1", False),
        ("next", (), ("main", "next"), "topic", False),
        ("next", (), ("main", "next"), "domain", False),
        ("next", (), ("next",), "main", False),
        ("next", (), ("main", "next"), "main", True),
        ("next", (), ("main", "next"), "origin/main", True),
        ("next", (), ("main", "next"), "next", False),
        ("main", (), ("main", "next"), "refs/heads/next", True),
        (None, (), ("main",), "main", False),
        ("next", ("main",), (), "", True),
        ("next", ("main",), ("next",), "next", False),
        ("main", ("main",), ("next",), "next", False),
        ("dev", ("main",), ("next", "dev"), "next", True),
    ],
)
def test_which_branch_is_certainly_another_one(
    branch: str | None, of_root: tuple[str, ...], followed: tuple[str, ...], base_name: str, other: bool
) -> None:
    assert other_branch(branch, of_root, followed, base_name) is other


def test_a_branch_that_base_names_tells_the_others_apart() -> None:
    uses = [
        use(replace(OTHER, name=name), "./apps/web", url="https://git.example.com/a/b", order=0, branch=name) for name in ("main", "next")
    ]
    remote = tree("https://git.example.com/a/b")
    assert [verdict.is_self for verdict in judge_sources(uses, (), remote, Options()).values()] == [True, True]
    assert [verdict.is_self for verdict in judge_sources(uses, (), remote, Options(), "main").values()] == [True, False]
    further = [replace(each, order=1) for each in uses]
    assert [verdict.is_self for verdict in judge_sources(further, (), remote, Options(), "main").values()] == [True, True]


@pytest.mark.parametrize(
    ("label", "kind", "name"),
    [("git:main", "git", "main"), ("git:origin/main:clusters", "git", "origin/main"), ("main", "directory", ""), ("-", "stdin", "")],
)
def test_the_revision_that_a_side_names(label: str, kind: TreeKind, name: str) -> None:
    assert revision_name(TreeOrigin(label, kind)) == name
