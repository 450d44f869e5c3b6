"""Which targets a run starts from."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

import pytest

from kdiff.errors import UnreadablePath, UsageError
from kdiff.model.options import Options
from kdiff.model.tree import Gap, TreeOrigin
from kdiff.targets.choose_entries import Entries, choose_entries


class MemoryTree:
    """Files in memory."""

    origin = TreeOrigin("tree", "directory")
    remotes: tuple[str, ...] = ()
    notes: tuple[Any, ...] = ()
    directory = None

    def __init__(self, files: Mapping[str, str], manifests: tuple[str, ...] = (), gaps: Mapping[str, Gap] | None = None) -> None:
        self.files = files
        self.gaps = gaps or {}
        self.paths = set(files)
        self.manifests = manifests

    def read(self, path: str) -> bytes:
        self.look(path)
        return self.files[path].encode()

    def look(self, path: str) -> None:
        for gap in self.gaps:
            if path == gap or path.startswith(f"{gap}/"):
                raise UnreadablePath(self.gaps[gap].reason)

    def is_file(self, path: str) -> bool:
        self.look(path)
        return posixpath.normpath(path) in self.files

    def is_dir(self, path: str) -> bool:
        self.look(path)
        return path == "." or any(file.startswith(f"{path}/") for file in self.files)

    def list_dir(self, path: str) -> tuple[str, ...]:
        above = "" if path == "." else f"{path}/"
        return tuple(sorted({file.removeprefix(above).split("/")[0] for file in self.files if file.startswith(above)}))

    def resolve(self, path: str) -> str:
        return posixpath.normpath(path)


K = "resources: []\n"
COMPONENT = "kind: Component\n"
RELEASE = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\n"


def flux(path: str, name: str = "x") -> str:
    return f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\nspec:\n  path: {path}\n"


def argo(path: str) -> str:
    return f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: x\nspec:\n  source:\n    path: {path}\n"


def choose(base: Mapping[str, str], head: Mapping[str, str] | None = None, **options: Any) -> Entries:
    return choose_entries(MemoryTree(base), MemoryTree(base if head is None else head), Options(**options))


def ids(entries: Entries) -> tuple[list[str], list[str]]:
    return [t.id for t in entries.base], [t.id for t in entries.head]


@pytest.mark.parametrize(
    ("files", "entries"),
    [
        ({"kustomization.yaml": K, "apps/web/kustomization.yaml": K}, ["."]),
        ({"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": K, "c/kustomization.yaml": K}, ["a", "c"]),
        ({"a/kustomization.yaml": "components: [../b]\n", "b/kustomization.yaml": COMPONENT, "c/kustomization.yaml": COMPONENT}, ["a"]),
        ({"a/Kustomization": "resources: [b]\n", "a/b/kustomization.yml": K}, ["a"]),
        ({"a/kustomization.yaml": "a: [\n", "b/kustomization.yaml": K}, ["a", "b"]),
        ({"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n", "c/kustomization.yaml": K}, ["a", "c"]),
        ({"a/kustomization.yaml": "resources: [.]\n"}, ["a"]),
        ({"a/kustomization.yaml": "transformers: [t]\n", "a/t/kustomization.yaml": K}, ["a"]),
        # Flux: a root that applies itself, with and without a kustomization of its own
        ({"clusters/prod/flux-system/gotk-sync.yaml": flux("./clusters/prod"), "clusters/prod/apps.yaml": flux("./apps"), "apps/kustomization.yaml": K}, ["clusters/prod"]),
        ({"clusters/prod/kustomization.yaml": "resources: [flux-system/gotk-sync.yaml]\n", "clusters/prod/flux-system/gotk-sync.yaml": flux("./clusters/prod")}, ["clusters/prod"]),
        # a root that nothing in the tree applies
        ({"flux/cluster/ks.yaml": flux("./apps"), "apps/web/ks.yaml": flux("./apps/web/app"), "apps/web/app/kustomization.yaml": K}, ["flux/cluster"]),
        ({"flux/kustomization.yaml": "resources: [cluster]\n", "flux/cluster/kustomization.yaml": "resources: [ks.yaml]\n", "flux/cluster/ks.yaml": flux("./apps"), "apps/a.yaml": ""}, ["flux"]),
        # what is applied through a kustomization that lies elsewhere is not outermost
        ({"root/ks.yaml": flux("./apps"), "apps/kustomization.yaml": "resources: [../lib/ks.yaml]\n", "lib/ks.yaml": flux("./lib/x"), "lib/x/kustomization.yaml": K}, ["root"]),
        # two clusters
        ({f"clusters/{c}/{f}.yaml": flux(p) for c in ("a", "b") for f, p in (("sync", f"clusters/{c}"), ("apps", "apps"))} | {"apps/x.yaml": ""}, ["clusters/a", "clusters/b"]),
        # a tenant's path is the root of another repository
        ({"clusters/a/t.yaml": flux("./tenants"), "tenants/kustomization.yaml": "resources: [sync.yaml]\n", "tenants/sync.yaml": flux("./")}, ["clusters/a"]),
        # only paths of other repositories
        ({"clusters/a/x.yaml": flux("./deploy"), "clusters/b/x.yaml": flux("./deploy")}, ["clusters/a", "clusters/b"]),
        ({"argocd/root.yaml": argo("argocd/apps"), "argocd/apps/web.yaml": argo("web"), "web/kustomization.yaml": K}, ["argocd"]),
        ({"a/kustomization.yaml": K, "docs/template.yaml": "{{ kustomize.toolkit.fluxcd.io/ Kustomization\n"}, ["a"]),
    ],
)  # fmt: skip
def test_what_a_tree_suggests(files: dict[str, str], entries: list[str]) -> None:
    chosen = choose(files)
    assert ids(chosen) == (entries, entries)
    assert all(target.scope == target.id == target.path for target in chosen.head)


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ({"a/kustomization.yaml": K}, {"a/kustomization.yaml": K, "b/kustomization.yaml": K}, (["a"], ["a", "b"])),
        ({"a/kustomization.yaml": K, "a/x.yaml": ""}, {"b/kustomization.yaml": K}, (["a"], ["b"])),
        # an overlay begins to include what stood alone: it is still built on both sides
        (
            {"a/kustomization.yaml": K, "b/kustomization.yaml": K},
            {"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": K},
            (["a", "b"], ["a", "b"]),
        ),
        # the root lost its kustomization: it stays a target, and will fail
        ({"kustomization.yaml": K}, {"x.yaml": ""}, (["."], ["."])),
        # the root got one: it is new, and what base starts from is still looked at
        ({"x.yaml": ""}, {"kustomization.yaml": K, "x.yaml": ""}, ([], ["."])),
        ({}, {"kustomization.yaml": K, "b/kustomization.yaml": K}, ([], ["."])),
        (
            {"a/kustomization.yaml": K, "gone/kustomization.yaml": K},
            {"kustomization.yaml": "resources: [a]\n", "a/kustomization.yaml": K, "new/kustomization.yaml": K},
            (["a", "gone"], [".", "a"]),
        ),
        (
            {"c/p/ks.yaml": flux("./apps"), "apps/a.yaml": ""},
            {"kustomization.yaml": "resources: [c/p/ks.yaml]\n", "c/p/ks.yaml": flux("./apps"), "apps/a.yaml": ""},
            (["c/p"], [".", "c/p"]),
        ),
        ({"Kustomization.yml": K}, {"kustomization.yaml": K, "Kustomization.yml": K}, (["."], ["."])),
    ],
)
def test_both_sides_are_looked_at_together(base: dict[str, str], head: dict[str, str], expected: Any) -> None:
    assert ids(choose(base, head)) == expected


@pytest.mark.parametrize(
    ("entry", "base", "head", "expected"),
    [
        ("app", {"app/kustomization.yaml": K}, {"app/kustomization.yaml": K}, ([("app", "kustomization")], [("app", "kustomization")])),
        ("./app/", {"app/kustomization.yaml": K}, {"x": ""}, ([("app", "kustomization")], [])),
        ("app/kustomization.yaml", {"app/kustomization.yaml": K}, {"app/kustomization.yaml": K}, ([("app", "kustomization")], [("app", "kustomization")])),
        # lost at head: it will fail; new at head: base has no such target, unless something there was meant as one
        ("app", {"app/kustomization.yaml": K}, {"app/a.yaml": ""}, ([("app", "kustomization")], [("app", "kustomization")])),
        ("app", {"app/a.yaml": ""}, {"app/kustomization.yaml": K}, ([], [("app", "kustomization")])),
        ("app", {"app/Kustomization.yaml": K}, {"app/kustomization.yaml": K}, ([("app", "kustomization")], [("app", "kustomization")])),
        ("app", {"app/kustomization.json": ""}, {"app/kustomization.yaml": K}, ([("app", "kustomization")], [("app", "kustomization")])),
        ("app", {"app/a.yaml": ""}, {"app/a.yaml": "x"}, ([("app", "kustomization")], [("app", "kustomization")])),
        ("r", {"r/a.yaml": RELEASE}, {"r/a.yaml": RELEASE}, ([("r", "flux")], [("r", "flux")])),
        ("r", {"r/a.yaml": "apiVersion: v1\nkind: Pod\n"}, {"r/a.yaml": ""}, ([("r", "kustomization")], [("r", "kustomization")])),
        ("c/p", {"c/p/a/ks.yaml": flux("./apps")}, {"c/p/kustomization.yaml": K}, ([("c/p", "flux")], [("c/p", "kustomization")])),
        (".", {"app/a.yaml": ""}, {"app/a.yaml": ""}, ([(".", "kustomization")], [(".", "kustomization")])),
        ("my apps/wéb $(x); 'q'", {"my apps/wéb $(x); 'q'/Kustomization": K}, {}, ([("my apps/wéb $(x); 'q'", "kustomization")], [])),
    ],
)  # fmt: skip
def test_a_named_entry_is_taken_where_it_exists(entry: str, base: dict[str, str], head: dict[str, str], expected: Any) -> None:
    chosen = choose(base, head, entry=(entry,))
    assert ([(t.id, t.kind) for t in chosen.base], [(t.id, t.kind) for t in chosen.head]) == expected


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("apps/wep", "neither side has that directory; it is relative to the root of BASE and HEAD; near it are: apps/web"),
        ("web", "near it are: apps/web"),
        ("nothing/like/this/at/all", "relative to the root of BASE and HEAD$"),
        ("apps/web/deploy.yaml", "that is a file; name the directory of a kustomization"),
    ],
)
def test_an_entry_that_is_nowhere_is_refused(entry: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        choose({"apps/web/kustomization.yaml": K, "apps/web/deploy.yaml": "", "zzz/kustomization.yaml": K}, entry=(entry,))


MANY = {"a/kustomization.yaml": "resources: [base]\n", "a/base/kustomization.yaml": K, "b/kustomization.yaml": COMPONENT, "c/kustomization.yaml": "{{ x", "kustomization.yaml": "kind:\n"}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [".", "a", "a/base", "c"]),
        ({"targets": ("a*",)}, ["a", "a/base"]),
        ({"targets": ("a", "c")}, ["a", "c"]),
        ({"exclude_targets": ("*/base", "c")}, [".", "a"]),
        ({"targets": ("a*",), "exclude_targets": ("a",)}, ["a/base"]),
    ],
)
def test_all_targets_are_all_but_components(options: dict[str, Any], expected: list[str]) -> None:
    chosen = choose(MANY, all_targets=True, **options)
    assert ids(chosen) == (expected, expected)
    assert [note.kind for note in chosen.notes] == (["entries", "targets"] if options else ["entries"])


@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        (MANY, {"all_targets": True, "targets": ("zzz",)}, r"leave out every target \(4\)"),
        ({"a.yaml": ""}, {}, "neither side holds a kustomization"),
        ({"a/kustomization.yaml": COMPONENT}, {"all_targets": True}, "neither side holds a kustomization"),
    ],
)
def test_nothing_to_start_from_is_an_error(files: dict[str, str], options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        choose(files, **options)


def test_rendered_manifests_are_one_target() -> None:
    chosen = choose_entries(MemoryTree({"x": ""}, ("x",)), MemoryTree({}), Options())
    assert [(t.id, t.scope, t.kind) for t in (*chosen.base, *chosen.head)] == [(".", ".", "manifests")] * 2


def test_what_was_chosen_is_said_and_counted() -> None:
    chosen = choose({f"a{n}/kustomization.yaml": K for n in range(9)})
    assert chosen.notes[0].message == "entries: a0, a1, a2, a3, a4, a5 and 3 more (kustomizations that no other one includes)"


HIDDEN = {"apps": Gap("directory", "apps cannot be read")}
CHANGED = {"lib": Gap("submodule", "lib differs")}
APPS = {"apps/x/kustomization.yaml": K, "apps/y/kustomization.yaml": K}


@pytest.mark.parametrize(
    ("base", "head", "gaps", "options", "expected"),
    [
        # what the other side has below a gap has not left
        (APPS, {}, HIDDEN, {}, (["apps/x", "apps/y"], ["apps/x", "apps/y"])),
        (APPS, {}, HIDDEN, {"entry": ("apps/x",)}, (["apps/x"], ["apps/x"])),
        (APPS, {}, HIDDEN, {"all_targets": True}, (["apps/x", "apps/y"], ["apps/x", "apps/y"])),
        ({"apps/ks.yaml": flux("./apps")}, {}, HIDDEN, {}, (["apps"], ["apps"])),
        # what it has not may all the same be there
        ({"z/kustomization.yaml": K}, {"z/kustomization.yaml": K}, HIDDEN, {}, (["z"], ["apps", "z"])),
        ({"z/kustomization.yaml": K}, {"z/kustomization.yaml": K}, HIDDEN, {"targets": ("z",)}, (["z"], ["z"])),
        ({"c/ks.yaml": flux("./c")}, {"c/ks.yaml": flux("./c")}, HIDDEN, {}, (["c"], ["apps", "c"])),
        # but nothing is searched for there
        ({"kustomization.yaml": K}, {"kustomization.yaml": K}, HIDDEN, {}, (["."], ["."])),
        ({"z/kustomization.yaml": K}, {"z/kustomization.yaml": K}, HIDDEN, {"entry": ("z",)}, (["z"], ["z"])),
        # a submodule that is known to differ
        ({"kustomization.yaml": K}, {"kustomization.yaml": K}, CHANGED, {}, (["."], ["."])),
        ({"z/kustomization.yaml": K}, {"z/kustomization.yaml": K}, CHANGED, {}, (["z"], ["lib", "z"])),
        ({"z/kustomization.yaml": K}, {"z/kustomization.yaml": K}, CHANGED, {"entry": ("z",)}, (["z"], ["z"])),
        # kustomizations that cannot be read
        (APPS, {"apps/x/a.yaml": ""}, {"apps/x/kustomization.yaml": Gap("file", "a FIFO")}, {}, (["apps/x", "apps/y"], ["apps/x"])),
    ],
)
def test_what_cannot_be_looked_into_stays_a_target(
    base: dict[str, str], head: dict[str, str], gaps: dict[str, Gap], options: dict[str, Any], expected: tuple[list[str], list[str]]
) -> None:
    hidden = MemoryTree(head, gaps=gaps)
    assert ids(choose_entries(MemoryTree(base), hidden, Options(**options))) == expected
    assert ids(choose_entries(hidden, MemoryTree(base), Options(**options))) == expected[::-1]


def test_a_lost_kustomization_fails_and_a_new_one_is_new() -> None:
    """The directory that stays tells the two from a directory that came or went."""
    left = {"apps/x/a.yaml": ""}
    assert ids(choose(APPS, left)) == (["apps/x", "apps/y"], ["apps/x"])
    assert ids(choose(left, APPS)) == ([], ["apps/x", "apps/y"])


def test_an_application_set_leads_to_the_directory_of_its_template() -> None:
    made = argo("apps").replace("kind: Application", "kind: ApplicationSet").replace("spec:\n", "spec:\n template:\n  spec:\n")
    assert ids(choose({"root/set.yaml": made.replace("  source:\n    path", "   source:\n    path"), "apps/a.yaml": ""}))[0] == ["root"]


def test_a_new_kustomization_is_said() -> None:
    messages = [note.message for note in choose({"app/a.yaml": ""}, {"app/kustomization.yaml": K}, entry=("app",)).notes]
    assert "app has no kustomization in base, so all that it builds in head is added" in messages
