"""Reading Flux objects."""

from __future__ import annotations

import pytest

from kdiff.kube.flux import (
    ArtifactPlan,
    CopyRule,
    FluxKustomization,
    SourceRef,
    build_path,
    leaves_source,
    read_artifact_generator,
    read_kustomization,
    read_source,
    synchronised_objects,
)
from kdiff.model.value import Value


def test_a_kustomization_with_every_field() -> None:
    value: Value = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "web", "namespace": "apps"},
        "spec": {
            "path": "./apps/web",
            "prune": True,
            "suspend": True,
            "force": True,
            "deletionPolicy": "Orphan",
            "sourceRef": {"kind": "GitRepository", "name": "flux-system", "namespace": "flux-system"},
            "dependsOn": [{"name": "db"}, {"name": "certs", "namespace": "infra"}],
            "postBuild": {
                "substituteFrom": [{"kind": "ConfigMap", "name": "vars"}, {"kind": "Secret", "name": "keys"}, {"kind": "Pod", "name": "x"}]
            },
            "kubeConfig": {"secretRef": {"name": "other"}},
        },
    }
    assert read_kustomization(value) == FluxKustomization(
        namespace="apps",
        name="web",
        source=SourceRef("GitRepository", "flux-system", "flux-system"),
        path="./apps/web",
        prune=True,
        suspend=True,
        force=True,
        deletion_policy="Orphan",
        depends_on=("Kustomization apps/db", "Kustomization infra/certs"),
        substitutes_from=("v1/ConfigMap apps/vars", "v1/Secret apps/keys"),
        remote_cluster=True,
    )


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "text",
        {"metadata": [], "spec": 1},
        {"metadata": {"name": 1}, "spec": {"path": [], "sourceRef": "x", "dependsOn": {"name": "a"}, "postBuild": [], "prune": "true"}},
        {"spec": {"dependsOn": [1, None], "postBuild": {"substituteFrom": [None]}}},
    ],
)
def test_wrong_types_read_as_absent(value: Value) -> None:
    assert read_kustomization(value) == FluxKustomization("", "", SourceRef("", "", ""))


@pytest.mark.parametrize(
    ("kind", "reference", "pinned", "branch"),
    [
        ("GitRepository", {}, None, None),
        ("GitRepository", {"branch": "main"}, None, "main"),
        ("GitRepository", {"branch": "main", "tag": "v1"}, "tag v1", "main"),
        ("GitRepository", {"branch": "main", "semver": ">=1", "tag": "v1"}, "semver >=1", "main"),
        ("GitRepository", {"commit": "abc"}, "commit abc", None),
        ("GitRepository", {"name": "refs/heads/release"}, None, "release"),
        ("GitRepository", {"name": "refs/heads/release", "tag": "v1"}, None, "release"),
        ("GitRepository", {"name": "refs/tags/v1"}, "name refs/tags/v1", None),
        ("OCIRepository", {"tag": "latest"}, None, None),
        ("OCIRepository", {"semver": "1.x"}, None, None),
        ("OCIRepository", {"tag": "latest", "digest": "sha256:1"}, "digest sha256:1", None),
    ],
)
def test_what_revision_a_source_follows(kind: str, reference: dict[str, Value], pinned: str | None, branch: str | None) -> None:
    source = read_source({"kind": kind, "metadata": {"name": "a"}, "spec": {"url": "https://git.example.com/a", "ref": reference}})
    assert (source.pinned, source.branch) == (pinned, branch)


@pytest.mark.parametrize(
    ("written", "path", "leaves"),
    [
        ("", ".", False),
        ("./", ".", False),
        (".", ".", False),
        ("./apps/web/", "apps/web", False),
        ("/apps", "apps", False),
        ("apps/../infra", "infra", False),
        ("../apps", "apps", True),
        ("./../../etc/passwd", "etc/passwd", True),
        ("..apps", "..apps", False),
    ],
)
def test_a_path_never_leaves_the_source(written: str, path: str, leaves: bool) -> None:
    assert (build_path(written), leaves_source(written)) == (path, leaves)


def test_an_artifact_generator() -> None:
    value: Value = {
        "metadata": {"name": "g", "namespace": "flux-system"},
        "spec": {
            "sources": [
                {"alias": "repo", "kind": "GitRepository", "name": "flux-system"},
                {"alias": "x", "kind": "Bucket", "name": "b", "namespace": "n"},
            ],
            "artifacts": [
                {"name": "apps", "copy": [{"from": "@repo/apps/**", "to": "@artifact/", "exclude": ["*.md"], "strategy": "Merge"}]}
            ],
        },
    }
    generator = read_artifact_generator(value)
    assert generator.sources == {"repo": SourceRef("GitRepository", "flux-system", "flux-system"), "x": SourceRef("Bucket", "n", "b")}
    assert generator.artifacts == (ArtifactPlan("apps", (CopyRule("@repo/apps/**", "@artifact/", ("*.md",), "Merge"),)),)


@pytest.mark.parametrize(
    ("sync", "name", "reference"),
    [
        ({"kind": "GitRepository", "url": "u", "ref": "refs/heads/main", "path": "clusters/a"}, "flux-system", {"name": "refs/heads/main"}),
        ({"kind": "OCIRepository", "url": "u", "ref": "latest", "path": "clusters/a", "name": "fleet"}, "fleet", {"tag": "latest"}),
        ({"kind": "Bucket", "url": "u", "ref": "bucket", "path": "clusters/a"}, "flux-system", {}),
    ],
)
def test_what_a_flux_instance_makes(sync: dict[str, Value], name: str, reference: dict[str, str]) -> None:
    made = synchronised_objects({"metadata": {"name": "flux", "namespace": "flux-system"}, "spec": {"sync": sync}})
    assert made is not None
    source, root = read_source(made[0]), read_kustomization(made[1])
    assert (source.ref.name, dict(source.reference), source.url) == (name, reference, "u")
    assert (root.target_id, root.source, root.path, root.prune) == (f"Kustomization flux-system/{name}", source.ref, "clusters/a", True)


def test_a_flux_instance_without_sync_makes_nothing() -> None:
    assert synchronised_objects({"metadata": {"name": "flux"}, "spec": {}}) is None
