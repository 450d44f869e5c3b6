"""What one side has and nobody can look into is never read as a removal or an addition, whoever asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import kdiff
from kdiff.errors import SourceError
from kdiff.inputs import directory_tree
from kdiff.model.report import Report
from tests.inputs.conftest import Git, write

FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec: {interval: 1m, path: ./web, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec: {source: {repoURL: https://example.org/o/r, path: web, directory: {recurse: true}}, destination: {namespace: web}}
"""

SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  generators: [{git: {repoURL: https://example.org/o/r, directories: [{path: apps/*}]}}]
  template:
    metadata: {name: '{{path.basename}}'}
    spec: {source: {repoURL: https://example.org/o/r, path: '{{path}}'}, destination: {namespace: web}}
"""


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def app(name: str) -> dict[str, str]:
    return {f"apps/{name}/kustomization.yaml": f"resources: [{name}.yaml]\n", f"apps/{name}/{name}.yaml": config_map(name)}


WEB = {"web/a.yaml": config_map("a"), "web/in/b.yaml": config_map("b"), "web/in/deep/c.yaml": config_map("c")}
PLAIN, FLUX_TREE, ARGO_TREE = {**app("x"), **app("y")}, {"root/web.yaml": FLUX, **WEB}, {"root/web.yaml": ARGO, **WEB}

SET_TREE = {"root/kustomization.yaml": "resources: [set.yaml]\n", "root/set.yaml": SET, **PLAIN}


def make_special(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_large(path: Path) -> None:
    path.write_text(path.read_text() + "#" * 1000)


def rename_oddly(path: Path) -> None:
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/\xe9" + os.fsencode(path.name)))


def lose(path: Path) -> None:
    """Marks the path; `refusing` makes the system refuse it, as it does for anybody but the root that tests may run as."""
    LOST.append(str(path))


LOST: list[str] = []


@pytest.fixture(autouse=True)
def _refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    LOST.clear()

    def refusing(system: Callable[..., object], *, only_below: bool) -> Callable[..., object]:
        def call(path: object, *arguments: object, **named: object) -> object:
            text = os.fspath(path).rstrip("/") if isinstance(path, (str, os.PathLike)) else ""
            if any(text.startswith(f"{lost}/") or (text == lost and not only_below) for lost in LOST):
                raise PermissionError(13, "Permission denied")
            return system(path, *arguments, **named)

        return call

    for name in ("open", "scandir", "listdir", "lstat"):
        monkeypatch.setattr(directory_tree.os, name, refusing(getattr(os, name), only_below=name == "lstat"))
    monkeypatch.setattr(directory_tree, "MAX_FILE", 900)


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("files", "entry", "spoil", "place"),
    [
        *((PLAIN, entry, lose, place) for entry in ("", "apps/x") for place in ("apps", "apps/x", "apps/x/kustomization.yaml", "apps/x/x.yaml")),
        *((PLAIN, entry, spoil, f"apps/x/{name}") for entry in ("", "apps/x") for spoil in (make_special, make_large) for name in ("kustomization.yaml", "x.yaml")),
        *((tree, "", spoil, place)
          for tree in (FLUX_TREE, ARGO_TREE)
          for spoil, place in ((lose, "web"), (lose, "web/in"), (lose, "web/in/deep"), (lose, "web/in/b.yaml"), (make_special, "web/in/b.yaml"),
                               (make_large, "web/in/b.yaml"), (rename_oddly, "web/in/b.yaml"), (rename_oddly, "web/in/deep"))),
    ],
)  # fmt: skip
def test_it_fails_and_the_rest_is_compared(
    tmp_path: Path, files: dict[str, str], entry: str, spoil: Callable[[Path], None], place: str, *, turned: bool
) -> None:
    write(tmp_path / "whole", files)
    write(tmp_path / "spoilt", files)
    spoil(tmp_path / "spoilt" / place)
    sides = ("spoilt", "whole") if turned else ("whole", "spoilt")
    report = kdiff.render_diff(*(tmp_path / side for side in sides), entry=[entry] if entry else [])
    assert (report.changes, report.outcome) == ((), "incomplete")
    assert {failure.side for failure in report.failures} == {"base" if turned else "head"}
    assert all("cannot be read" in f.message or "was not read" in f.message for f in report.failures), report.failures


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("place", "failing"),
    [("apps", ["Application argocd/x", "Application argocd/y", "ApplicationSet argocd/apps"]), ("apps/x", ["Application argocd/x"])],
)
def test_applications_that_a_directory_may_stand_for_are_not_removed(
    tmp_path: Path, place: str, failing: list[str], *, turned: bool
) -> None:
    for side in ("whole", "spoilt"):
        write(tmp_path / side, SET_TREE)
    lose(tmp_path / "spoilt" / place)
    sides = ("spoilt", "whole") if turned else ("whole", "spoilt")
    report = kdiff.render_diff(*(tmp_path / side for side in sides), entry=["root"])
    assert (report.changes, report.outcome) == ((), "incomplete")
    assert [failure.target for failure in report.failures] == failing


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize(
    ("path", "place", "changed", "failing"),
    [
        ("apps/*", "apps/x/in", ["v1/ConfigMap web/y2"], []),
        ("apps/*", "apps/x", ["v1/ConfigMap web/y2"], ["Application argocd/x"]),
        ("*/*", "apps", [], ["ApplicationSet argocd/apps"]),
    ],
)
def test_what_hides_applications_on_both_sides_fails(tmp_path: Path, path: str, place: str, changed: list[str], failing: list[str]) -> None:
    for side in ("base", "head"):
        write(tmp_path / side, {**SET_TREE, "root/set.yaml": SET.replace("apps/*", f"'{path}'"), "apps/x/in/a.yaml": config_map("a")})
        lose(tmp_path / side / place)
    write(tmp_path / "head", {"apps/y/y.yaml": config_map("y") + "---\n" + config_map("y2")})
    report = kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=["root"])
    assert [change.id for change in report.changes] == changed
    assert told(report) == ("incomplete" if failing else "changed", [("both", target) for target in failing])


@pytest.mark.usefixtures("kustomize")
def test_a_target_by_a_name_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    for side in ("whole", "spoilt"):
        write(tmp_path / side, PLAIN)
    write(tmp_path / "spoilt", app("z"))
    rename_oddly(tmp_path / "spoilt/apps/z")
    report = kdiff.render_diff(tmp_path / "whole", tmp_path / "spoilt")
    assert (report.changes, told(report)) == ((), ("incomplete", [("head", "apps/\\xe9z")]))


@pytest.mark.parametrize("spoil", [make_special, make_large, rename_oddly, lose])
def test_rendered_manifests_are_compared_whole(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    for side in ("whole", "spoilt"):
        write(tmp_path / side, {"a.yaml": config_map("a"), "in/b.yaml": config_map("b")})
    spoil(tmp_path / "spoilt" / "in/b.yaml")
    with pytest.raises(SourceError, match=r"was not read|cannot be read"):
        kdiff.render_diff(tmp_path / "whole", tmp_path / "spoilt")


PLUGIN = ARGO.replace("directory: {recurse: true}", "plugin: {name: p}")
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: flux-system}
spec: {interval: 1m, chartRef: {kind: OCIRepository, name: flux-system}}
"""
VALUES = ARGO.replace("path: web, directory: {recurse: true}", "path: chart, helm: {valueFiles: [../web/*.yaml]}")


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize(
    ("files", "place", "target"),
    [
        ({"root/a.yaml": PLUGIN, "web/kustomization.yaml": "resources: [../v/a.yaml]"}, "v/a.yaml", "Application argocd/web"),
        ({"root/a.yaml": PLUGIN, "web/kustomization.yaml": "resources: [../v]"}, "v/kustomization.yaml", "Application argocd/web"),
        ({"root/a.yaml": RELEASE, "Chart.yaml": "name: web"}, "Chart.yaml", "HelmRelease flux-system/web"),
        ({"root/a.yaml": VALUES, "chart/Chart.yaml": "name: c", "web/v.yaml": "a: b"}, "web/v.yaml", "Application argocd/web"),
    ],
)
def test_what_kdiff_does_not_render_differs_by_it(tmp_path: Path, files: dict[str, str], place: str, target: str) -> None:
    for side in ("base", "head"):
        write(tmp_path / side, {**files, "root/b.yaml": config_map("b"), place: files.get(place, "{}")})
        make_special(tmp_path / side / place)
    report = kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=["root"])
    assert (report.changes, told(report)) == ((), ("incomplete", [("both", target)]))
    assert place in report.failures[0].message


def told(report: Report) -> tuple[str, list[tuple[str, str]]]:
    return report.outcome, [(failure.side, failure.target) for failure in report.failures]


@pytest.mark.usefixtures("kustomize")
class TestSubmodules:
    """Two commits of this repository that differ in the commit of the submodule web/in alone."""

    @pytest.fixture(autouse=True)
    def _history(self, git: Git, commit: Callable[..., str]) -> None:
        first = commit({"web/a.yaml": config_map("a"), "root/web.yaml": FLUX, **app("x")})
        second = commit({"apps/z/kustomization.yaml": "resources: [../../web/in]\n"})
        for oid in (first, second):
            git("update-index", "--add", "--cacheinfo", f"160000,{oid},web/in")
            git("commit", "--quiet", "--message", "submodule")

    def test_whoever_reads_it_fails(self) -> None:
        report = kdiff.render_diff("git:HEAD~1", "git:HEAD", entry=["root", "apps/x", "apps/z"])
        assert told(report) == ("incomplete", [("both", "apps/z"), ("both", "Kustomization flux-system/web")])
        assert report.summary.targets.compared == 2

    def test_who_does_not_read_it_is_compared(self) -> None:
        report = kdiff.render_diff("git:HEAD~1", "git:HEAD", entry=["apps/x"])
        assert told(report) == ("unchanged", [])
        assert [note.kind for note in report.notes] == ["entries", "submodule"]

    @pytest.mark.parametrize(("included", "expected"), [("root/b.yaml", ("unchanged", [])), ("apps/z", ("incomplete", [("both", ".")]))])
    def test_beside_a_root_kustomization_only_who_reads_it_fails(
        self, git: Git, commit: Callable[..., str], included: str, expected: tuple[str, list[tuple[str, str]]]
    ) -> None:
        oid = commit({"kustomization.yaml": f"resources: [{included}]\n", "root/b.yaml": config_map("b")})
        for submodule in (oid, git("rev-parse", "HEAD~1")):
            git("update-index", "--add", "--cacheinfo", f"160000,{submodule},web/in")
            git("commit", "--quiet", "--message", "submodule")
        report = kdiff.render_diff("git:HEAD~1", "git:HEAD")
        assert told(report) == expected
        assert "submodule" in [note.kind for note in report.notes]

    def test_without_an_entry_the_run_is_incomplete(self) -> None:
        report = kdiff.render_diff("git:HEAD~1", "git:HEAD")
        assert ("both", "web/in") in told(report)[1]
        assert kdiff.render_diff("git:HEAD", "git:HEAD").outcome == "unchanged"


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("left", [["root", "web/in"], ["root", "web/in/deep"], ["root"], ["web"]])
def test_what_a_sparse_checkout_leaves_out_is_not_removed(git: Git, commit: Callable[..., str], left: list[str], *, turned: bool) -> None:
    commit({"root/web.yaml": FLUX, "docs/readme.md": "x", **WEB})
    git("sparse-checkout", "set", "--no-cone", *(f"/{path}/" for path in left))
    report = kdiff.render_diff(*((".", "git:HEAD") if turned else ("git:HEAD", ".")), entry=["root"])
    assert (report.changes, report.outcome) == ((), "incomplete")
    assert {failure.side for failure in report.failures} == {"base" if turned else "head"}
    assert all("left out by a sparse checkout" in failure.message for failure in report.failures)


@pytest.mark.usefixtures("kustomize")
def test_what_nobody_asks_a_sparse_checkout_for_is_compared(git: Git, commit: Callable[..., str]) -> None:
    commit({"root/web.yaml": FLUX, "docs/readme.md": "x", **WEB, **app("x")})
    git("sparse-checkout", "set", "root", "web")
    report = kdiff.render_diff("git:HEAD", ".", entry=["root"])
    assert (told(report), [note.message for note in report.notes if note.kind == "sparse"]) == (
        ("unchanged", []),
        ["head: apps is left out by a sparse checkout; `git sparse-checkout disable` brings it here"],
    )


@pytest.mark.usefixtures("kustomize")
def test_what_git_leaves_out_of_a_clone_adds_nothing(git: Git, commit: Callable[..., str]) -> None:
    commit({".gitignore": "node_modules\n*.env\n", "root/web.yaml": FLUX, **WEB, **app("x")})
    write(Path.cwd(), {f"web/node_modules/{path}": text for path, text in app("spare").items()})
    git("worktree", "add", "--quiet", "web/tree", "HEAD")
    report = kdiff.render_diff("git:HEAD", ".")
    assert report.outcome == "unchanged"
    (left_out,) = (note.message for note in report.notes if note.kind == "left-out")
    assert left_out.startswith("head: 2 files and directories that git ignores")
    assert left_out.endswith(": web/node_modules, web/tree")
    write(Path.cwd(), {"apps/x/x.env": "a=b", "apps/x/kustomization.yaml": "configMapGenerator: [{name: g, envs: [x.env]}]\n"})
    added = kdiff.render_diff("git:HEAD", ".", entry=["apps/x"]).added
    assert [change.id.partition("-")[0] for change in added] == ["v1/ConfigMap g"]
