"""Flux Kustomizations that rendered objects hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from kdiff.documents.load import load_document
from kdiff.model.failure import Failure
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.tree import TreeOrigin
from kdiff.model.value import Value
from kdiff.targets.artifacts import tree_of_files
from kdiff.targets.flux_targets import flux_targets
from kdiff.targets.followed import Followed

TREE = tree_of_files(
    dict.fromkeys(("clusters/prod/apps.yaml", "apps/web/a.yaml", "apps/db/a.yaml", "infra/a.yaml"), b""),
    TreeOrigin("head", "directory"),
)
ENTRY = Target(id="clusters/prod", scope="clusters/prod", kind="flux", path="clusters/prod", tree=TREE)


def rendered(text: str, target: str = "clusters/prod") -> KubeObject:
    value = load_document(text.encode())
    assert isinstance(value, dict)
    metadata = value["metadata"]
    assert isinstance(metadata, dict)
    group, _, version = str(value["apiVersion"]).rpartition("/")
    key = ObjectKey(group, str(value["kind"]), str(metadata.get("namespace", "")), str(metadata["name"]))
    return KubeObject(key, version, text.encode(), lambda _: {"metadata": {"name": "masked"}}, target=target)


def kustomization(
    name: str, path: str, *more: str, source: str = "GitRepository flux-system/flux-system", namespace: str = "flux-system"
) -> str:
    kind, _, ref = source.partition(" ")
    source_namespace, _, source_name = ref.partition("/")
    lines = [
        "apiVersion: kustomize.toolkit.fluxcd.io/v1",
        "kind: Kustomization",
        f"metadata:\n  name: {name}\n  namespace: {namespace}",
        "spec:",
        f"  path: {path}",
        f"  sourceRef:\n    kind: {kind}\n    name: {source_name}\n    namespace: {source_namespace}",
        *(f"  {line}" for line in more),
    ]
    return "\n".join(lines) + "\n"


def git_repository(name: str, url: str, *more: str, namespace: str = "flux-system") -> str:
    spec = "".join(f"  {line}\n" for line in (f"url: {url}", *more))
    return (
        f"apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n{spec}"
    )


def state(target: Target, *texts: str) -> TargetState:
    return TargetState(target, tuple(rendered(text, target.id) for text in texts))


def follow(*texts: str, options: Options = Options()) -> Followed:  # noqa: B008
    return flux_targets([state(ENTRY, *texts)], "clusters/prod", TREE, options)


def ids(targets: Iterable[Target]) -> list[str]:
    return [target.id for target in targets]


def notes(followed: Followed, kind: str) -> list[str]:
    return [note.message for note in followed.notes if note.kind == kind]


def test_a_target_has_all_that_its_spec_says() -> None:
    text = kustomization(
        "web", "./apps/web", "prune: true", "suspend: true", "force: true", "deletionPolicy: Orphan", "dependsOn:", "- name: db",
        "postBuild:", "  substituteFrom:", "  - kind: ConfigMap", "    name: vars",
    )  # fmt: skip
    (target,) = follow(text).targets
    assert target == Target(
        id="Kustomization flux-system/web",
        scope="clusters/prod",
        kind="flux",
        path="apps/web",
        tree=TREE,
        parent="clusters/prod",
        depends_on=("Kustomization flux-system/db",),
        prune=True,
        suspended=True,
        deletion_policy="Orphan",
        force=True,
        substitutes_from=("v1/ConfigMap flux-system/vars",),
        source="GitRepository flux-system/flux-system",
    )
    assert target.owner is not None
    assert target.owner.raw == text.encode()


@pytest.mark.parametrize("api_version", ["kustomize.toolkit.fluxcd.io/v1", "kustomize.toolkit.fluxcd.io/v1beta2"])
def test_every_version_is_followed(api_version: str) -> None:
    assert ids(follow(kustomization("web", "apps/web").replace("kustomize.toolkit.fluxcd.io/v1", api_version)).targets) == [
        "Kustomization flux-system/web"
    ]


def test_kustomizations_of_kustomize_are_not_flux() -> None:
    assert (
        follow(kustomization("web", "apps/web").replace("kustomize.toolkit.fluxcd.io/v1", "kustomize.config.k8s.io/v1beta1")) == Followed()
    )


def test_targets_are_sorted_and_their_missing_directory_is_left_to_the_build() -> None:
    followed = follow(kustomization("z", "gone"), kustomization("a", "apps/web"))
    assert [(target.id, target.path) for target in followed.targets] == [
        ("Kustomization flux-system/a", "apps/web"),
        ("Kustomization flux-system/z", "gone"),
    ]
    assert followed.failures == ()


def test_a_root_that_renders_itself_stands_for_the_entry() -> None:
    root = kustomization("flux-system", "./clusters/prod", "prune: true")
    web = kustomization("web", "apps/web")
    first = follow(root, web)
    assert first.superseded == ("clusters/prod",)
    assert [(target.id, target.parent) for target in first.targets] == [
        ("Kustomization flux-system/flux-system", "clusters/prod"),
        ("Kustomization flux-system/web", "Kustomization flux-system/flux-system"),
    ]
    itself = state(first.targets[0], root, web.replace("apps/web", "apps/db"))
    second = flux_targets([state(ENTRY, root, web), itself, state(first.targets[1])], "clusters/prod", TREE, Options())
    assert second.superseded == first.superseded
    assert [(target.id, target.parent, target.path) for target in second.targets] == [
        ("Kustomization flux-system/flux-system", "clusters/prod", "clusters/prod"),
        ("Kustomization flux-system/web", "Kustomization flux-system/flux-system", "apps/db"),
    ]
    assert notes(second, "duplicate-target") == []


def test_a_root_that_fails_still_leads_to_its_children() -> None:
    root, web = kustomization("flux-system", "clusters/prod"), kustomization("web", "apps/web")
    (target, _) = follow(root, web).targets
    failed = TargetState(target, failure=Failure("head", target.id, "renderer-failed", "no"))
    assert ids(flux_targets([state(ENTRY, root, web), failed], "clusters/prod", TREE, Options()).targets) == [
        target.id,
        "Kustomization flux-system/web",
    ]


def test_the_answer_does_not_depend_on_the_order_of_states() -> None:
    apps, web = kustomization("apps", "infra"), kustomization("web", "apps/web")
    (parent,) = follow(apps).targets
    states = [state(ENTRY, apps), state(parent, web)]
    assert flux_targets(states, "clusters/prod", TREE, Options()) == flux_targets(states[::-1], "clusters/prod", TREE, Options())


def test_two_that_render_each_other_come_to_an_end() -> None:
    one, two = kustomization("one", "apps/web"), kustomization("two", "apps/db")
    targets = follow(one, two).targets
    states = [state(targets[0], two), state(replace(targets[1], parent=targets[0].id), one)]
    states[0] = state(replace(targets[0], parent=targets[1].id), two)
    assert ids(flux_targets(states, "clusters/prod", TREE, Options()).targets) == ids(targets)


def test_of_two_renderings_the_one_nearest_to_the_entry_is_followed() -> None:
    apps, near, far = kustomization("apps", "infra"), kustomization("web", "apps/web"), kustomization("web", "apps/db")
    parent = next(target for target in follow(apps, near).targets if target.id.endswith("/apps"))
    followed = flux_targets([state(parent, far), state(ENTRY, apps, near)], "clusters/prod", TREE, Options())
    assert {target.id: target.path for target in followed.targets}["Kustomization flux-system/web"] == "apps/web"
    assert notes(followed, "duplicate-target") == [
        "Kustomization flux-system/web is rendered differently by Kustomization flux-system/apps; what clusters/prod renders was followed"
    ]


def test_foreign_sources_are_counted_and_not_followed() -> None:
    team = "GitRepository apps/team"
    followed = follow(
        git_repository("team", "https://git.example.com/a/b", namespace="apps"),
        *(kustomization(f"t{index}", "apps/web", source=team) for index in range(5)),
        kustomization("web", "apps/web"),
    )
    assert ids(followed.targets) == ["Kustomization flux-system/web"]
    (message,) = notes(followed, "foreign-source")
    assert message.startswith(
        "GitRepository apps/team is not this tree (https://git.example.com/a/b is another repository); 5 Kustomizations build from it"
    )
    assert "and 2 more" in message


def test_every_alias_is_said() -> None:
    followed = follow(kustomization("a", "apps/web"), kustomization("b", "apps/web", source="GitRepository flux-system/typo"))
    assert notes(followed, "self-source") == [
        "GitRepository flux-system/flux-system is taken for this tree (the source that the cluster itself is bootstrapped from); 1 Kustomization builds from it",
        "GitRepository flux-system/typo is taken for this tree (nothing in the tree declares it, and apps/web exists here); 1 Kustomization builds from it",
    ]


def test_a_source_declared_only_below_its_own_user_does_not_end_the_user() -> None:
    source = "GitRepository flux-system/late"
    user = kustomization("apps", "apps/web", source=source)
    (target,) = follow(user).targets
    declares = state(target, git_repository("late", "https://git.example.com/a/b"))
    tree = replace(TREE, remotes=("https://git.example.com/c/d",))
    assert ids(flux_targets([state(ENTRY, user), declares], "clusters/prod", tree, Options()).targets) == [target.id]


def test_paths_and_urls_are_read_unmasked() -> None:
    (target,) = follow(kustomization("web", "apps/web")).targets
    assert target.path == "apps/web"


GENERATOR = """apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: split
  namespace: flux-system
spec:
  sources:
  - alias: repo
    kind: GitRepository
    name: flux-system
  artifacts:
  - name: apps
    copy:
    - from: "@repo/apps/**"
      to: "@artifact/"
  - name: nothing
    copy:
    - from: "@repo/gone/**"
      to: "@artifact/"
"""


def test_an_external_artifact_is_a_tree_of_its_own() -> None:
    followed = follow(GENERATOR, kustomization("web", "./web", source="ExternalArtifact flux-system/apps"))
    (target,) = followed.targets
    assert sorted(target.tree.paths) == ["db/a.yaml", "web/a.yaml"]
    assert notes(followed, "self-source") == [
        "ExternalArtifact flux-system/apps is taken for this tree (assembled from it by ArtifactGenerator flux-system/split); 1 Kustomization builds from it"
    ]


def test_an_artifact_that_cannot_be_assembled_fails_its_targets() -> None:
    followed = follow(GENERATOR, kustomization("web", "./web", source="ExternalArtifact flux-system/nothing"))
    assert followed.targets == ()
    (failure,) = followed.failures
    assert (failure.target, failure.class_, failure.scope) == ("Kustomization flux-system/web", "missing-source", "clusters/prod")
    assert "nothing matches" in failure.message


@pytest.mark.parametrize(
    "generator",
    [
        "",
        GENERATOR.replace("name: flux-system\n  artifacts", "name: elsewhere\n  artifacts"),
        GENERATOR.replace("kind: GitRepository\n    name: flux-system", "kind: ExternalArtifact\n    name: apps"),
    ],
    ids=["nobody makes it", "made from a foreign source", "made from itself"],
)
def test_artifacts_of_something_else_are_foreign(generator: str) -> None:
    texts = [text for text in (generator, kustomization("web", "./web", source="ExternalArtifact flux-system/apps")) if text]
    followed = follow(*texts)
    assert (followed.targets, followed.failures) == ((), ())
    assert len(notes(followed, "foreign-source")) == 1


INSTANCE = """apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata:
  name: flux
  namespace: flux-system
spec:
  sync:
    kind: GitRepository
    url: https://git.example.com/a/b
    ref: refs/heads/main
    path: clusters/prod
"""


def test_a_flux_instance_makes_the_root() -> None:
    followed = follow(INSTANCE)
    (target,) = followed.targets
    assert (target.id, target.path, target.prune, target.parent) == (
        "Kustomization flux-system/flux-system",
        "clusters/prod",
        True,
        "clusters/prod",
    )
    assert followed.superseded == ("clusters/prod",)
    assert target.owner is not None
    spec: Value = target.owner.value["spec"]
    assert isinstance(spec, dict)
    assert spec["path"] == "clusters/prod"
    assert load_document(target.owner.raw, canonical=True) == target.owner.value


def test_a_rendered_root_goes_before_the_one_a_flux_instance_makes() -> None:
    followed = follow(INSTANCE, kustomization("flux-system", "clusters/prod", "prune: false"))
    assert [(target.id, target.prune) for target in followed.targets] == [("Kustomization flux-system/flux-system", False)]
    assert notes(followed, "duplicate-target") == []


def test_what_is_not_rendered_is_counted() -> None:
    releases = [
        f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: r{index}\n  namespace: apps\n" for index in range(2)
    ]
    resource_set = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata:\n  name: s\n  namespace: apps\n"
    assert notes(follow(*releases, releases[0], resource_set), "not-rendered") == [
        "1 ResourceSet is compared as written; what it makes in the cluster is not rendered",
        "2 HelmReleases are compared as written; what they make in the cluster is not rendered",
    ]


def test_another_cluster_is_said() -> None:
    followed = follow(kustomization("web", "apps/web", "kubeConfig:", "  secretRef:", "    name: other"))
    assert [note.target for note in followed.notes if note.kind == "remote-cluster"] == ["Kustomization flux-system/web"]


def test_what_a_source_leaves_out_is_said_not_to_be_applied() -> None:
    source = git_repository("flux-system", "https://git.example.com/a/b", "ignore: /docs")
    assert notes(follow(kustomization("web", "./web"), source), "source-selection") == [
        "spec.ignore of GitRepository flux-system/flux-system is not applied: all of the tree counts"
    ]
    assert notes(follow(kustomization("web", "./web")), "source-selection") == []
