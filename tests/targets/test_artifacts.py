"""Artifacts copied together from a tree."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kdiff.kube.flux import ArtifactGenerator, ArtifactPlan, CopyRule, SourceRef
from kdiff.model.tree import Gap, OutsideTree, TreeOrigin
from kdiff.targets.artifacts import ArtifactError, assemble_artifact, plan_artifacts, tree_of_files

ORIGIN = TreeOrigin("head", "directory")
TREE = tree_of_files(
    {
        path: path.encode()
        for path in (
            "apps/base/web/deploy.yaml",
            "apps/base/web/README.md",
            "apps/base/kustomization.yaml",
            "apps/prod/kustomization.yaml",
            "apps/Staging/kustomization.yaml",
            "infra/ns.yaml",
            "top.yaml",
        )
    },
    ORIGIN,
)


def assemble(*rules: CopyRule) -> dict[str, str]:
    tree = assemble_artifact(ArtifactPlan("out", rules), {"repo": TREE}, ORIGIN)
    return {path: tree.read(path).decode() for path in sorted(tree.paths)}


@pytest.mark.parametrize(
    ("source", "to", "exclude", "expected"),
    [
        ("infra/**", "", (), ["ns.yaml"]),
        ("apps/base/**", "base/", (), ["base/kustomization.yaml", "base/web/README.md", "base/web/deploy.yaml"]),
        ("apps/base/**", "", ("*.md",), ["kustomization.yaml", "web/deploy.yaml"]),
        ("apps/base/**", "", ("web",), ["kustomization.yaml"]),
        ("apps/base/**", "", ("apps/base/web/**",), ["kustomization.yaml"]),
        ("apps/base", "", ("web/*.md",), ["base/kustomization.yaml", "base/web/deploy.yaml"]),
        ("apps/base", "x", (), ["x/base/kustomization.yaml", "x/base/web/README.md", "x/base/web/deploy.yaml"]),
        ("top.yaml", "", (), ["top.yaml"]),
        ("top.yaml", "renamed.yaml", (), ["renamed.yaml"]),
        ("top.yaml", "into/", (), ["into/top.yaml"]),
        ("top.yaml", "", ("*.yaml",), []),
        ("*.yaml", "x/", (), ["x/top.yaml"]),
        (
            "apps/*/kustomization.yaml",
            "",
            (),
            ["apps/Staging/kustomization.yaml", "apps/base/kustomization.yaml", "apps/prod/kustomization.yaml"],
        ),
        ("infra", "../..", (), None),
        ("missing", "", (), None),
        ("missing/*", "", (), None),
    ],
)
def test_copying(source: str, to: str, exclude: tuple[str, ...], expected: list[str] | None) -> None:
    rule = CopyRule(f"@repo/{source}", f"@artifact/{to}", exclude)
    if expected is None:
        with pytest.raises(ArtifactError, match="copying"):
            assemble(rule)
    else:
        assert list(assemble(rule)) == expected


def test_a_file_copied_onto_a_directory_goes_into_it() -> None:
    assert "infra/top.yaml" in assemble(CopyRule("@repo/infra", "@artifact/"), CopyRule("@repo/top.yaml", "@artifact/infra"))


def test_later_rules_overwrite_earlier_ones() -> None:
    assert assemble(CopyRule("@repo/top.yaml", "@artifact/a.yaml"), CopyRule("@repo/infra/ns.yaml", "@artifact/a.yaml")) == {
        "a.yaml": "infra/ns.yaml"
    }


def test_merging_replaces_lists_and_joins_mappings() -> None:
    tree = tree_of_files({"a.yaml": b"x: {a: 1, b: 2}\nl: [1]\n", "b.yaml": b"x: {b: 3}\nl: [2]\n---\nz: 1\n"}, ORIGIN)
    rules = (CopyRule("@repo/a.yaml", "@artifact/v.yaml"), CopyRule("@repo/b.yaml", "@artifact/v.yaml", (), "Merge"))
    merged = assemble_artifact(ArtifactPlan("out", rules), {"repo": tree}, ORIGIN).read("v.yaml")
    assert json.loads(merged) == {"x": {"a": 1, "b": 3}, "l": [2], "z": 1}


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (CopyRule("repo/infra", "@artifact/"), "begin with @alias/"),
        (CopyRule("@repo", "@artifact/"), "begin with @alias/"),
        (CopyRule("@repo/infra", "artifact/"), "begin with @alias/"),
        (CopyRule("@else/infra", "@artifact/"), "@else is not this tree"),
        (CopyRule("@repo/a.tgz", "@artifact/", (), "Extract"), "archives"),
    ],
)
def test_rules_that_cannot_be_followed(rule: CopyRule, said: str) -> None:
    with pytest.raises(ArtifactError, match=said):
        assemble(rule)


def test_a_path_pattern_makes_an_artifact_of_every_directory_it_matches() -> None:
    plan = ArtifactPlan("env-{env}", (CopyRule("@repo/apps/{env}/**", "@artifact/{env}/"),))
    generator = ArtifactGenerator(
        "flux-system", "g", {"repo": SourceRef("GitRepository", "flux-system", "flux-system")}, "@repo/apps/{env}", (plan,)
    )
    plans = plan_artifacts(generator, {"repo": TREE})
    assert [(p.name, p.rules[0].from_, p.rules[0].to) for p in plans] == [
        ("env-staging", "@repo/apps/Staging/**", "@artifact/Staging/"),
        ("env-base", "@repo/apps/base/**", "@artifact/base/"),
        ("env-prod", "@repo/apps/prod/**", "@artifact/prod/"),
    ]


@pytest.mark.parametrize("pattern", ["@else/apps/{env}", "repo/apps/{env}", "@repo/{a}/{a}"])
def test_path_patterns_that_mean_nothing(pattern: str) -> None:
    with pytest.raises(ArtifactError, match="pathPattern"):
        plan_artifacts(ArtifactGenerator("n", "g", {}, pattern, (ArtifactPlan("x", ()),)), {"repo": TREE})


def test_an_artifact_reads_like_any_tree() -> None:
    tree = assemble_artifact(ArtifactPlan("out", (CopyRule("@repo/apps", "@artifact/"),)), {"repo": TREE}, ORIGIN)
    assert tree.list_dir("apps") == ("Staging", "base", "prod")
    assert tree.is_dir(".")
    assert tree.is_dir("apps/base/web")
    assert tree.is_file("./apps/base/../base/kustomization.yaml")
    assert not tree.is_file("../apps/base/kustomization.yaml")
    assert not tree.is_dir("infra")
    with pytest.raises(FileNotFoundError):
        tree.read("infra/ns.yaml")
    with pytest.raises(FileNotFoundError):
        tree.list_dir("infra")
    with pytest.raises(NotADirectoryError):
        tree.list_dir("apps/base/kustomization.yaml")
    with pytest.raises(OutsideTree):
        tree.read("../secret")


HIDDEN = replace(
    TREE, gaps={"apps/secret": Gap("directory", "apps/secret cannot be read"), "infra/a.yaml": Gap("file", "infra/a.yaml is a FIFO")}
)


@pytest.mark.parametrize(
    ("source", "exclude", "problem"),
    [
        ("apps", (), "apps/secret cannot be read"),
        ("infra", (), "infra/a.yaml is a FIFO"),
        ("apps", ("secret",), None),
        ("apps/base/**", (), None),
    ],
)
def test_what_cannot_be_looked_into_is_not_left_out(source: str, exclude: tuple[str, ...], problem: str | None) -> None:
    plan = ArtifactPlan("out", (CopyRule(f"@repo/{source}", "@artifact/", exclude),))
    if problem is None:
        assert assemble_artifact(plan, {"repo": HIDDEN}, ORIGIN).paths
    else:
        with pytest.raises(ArtifactError, match=problem):
            assemble_artifact(plan, {"repo": HIDDEN}, ORIGIN)


@pytest.mark.parametrize(("pattern", "hidden"), [
    ("@repo/apps/{app}/{part}", True), ("@repo/{top}/secret/x", True), ("@repo/apps/{app}", False), ("@repo/{top}/base", False),
    ("@repo/apps/base/{app}", False), ("@repo/other/{app}", False),
])  # fmt: skip
def test_a_pattern_over_what_cannot_be_looked_into_is_a_problem(pattern: str, hidden: bool) -> None:
    generator = ArtifactGenerator("g", "ns", {"repo": SourceRef("GitRepository", "ns", "r")}, pattern, ())
    if hidden:
        with pytest.raises(ArtifactError, match="cannot be read"):
            plan_artifacts(generator, {"repo": HIDDEN})
    else:
        assert plan_artifacts(generator, {"repo": HIDDEN}) == ()


def test_equal_files_are_one_tree() -> None:
    files = {"a.yaml": b"a", "b.yaml": (TREE, "apps/web/a.yaml")}
    tree = tree_of_files(files, ORIGIN)
    assert tree_of_files(dict(reversed(files.items())), ORIGIN) is tree
    assert tree_of_files({**files, "a.yaml": b"b"}, ORIGIN) is not tree
    assert tree_of_files({**files, "b.yaml": (tree, "apps/web/a.yaml")}, ORIGIN) is not tree
    assert tree_of_files(files, TreeOrigin("other", "directory")) is not tree
