"""The exact set of files that a build reads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdiff.errors import UnreadablePath
from kdiff.model.tree import Gap, OutsideTree
from kdiff.render.read_set import read_set

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
NS = "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata:\n  name: n\n  namespace: x\n"


@pytest.mark.parametrize(
    ("files", "reads"),
    [
        ({"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": CM, "b.yaml": CM}, {"kustomization.yaml", "a.yaml"}),
        ({"kustomization.yml": "resources: [a.yaml]\n", "a.yaml": CM}, {"kustomization.yml", "a.yaml"}),
        ({"Kustomization": "resources: [a.yaml]\n", "a.yaml": CM}, {"Kustomization", "a.yaml"}),
        ({"kustomization.yaml": "{}\n", "kustomization.yml": "{}\n"}, {"kustomization.yaml", "kustomization.yml"}),
        (
            {"kustomization.yaml": "resources: [b]\n", "b/kustomization.yaml": "components: [../c]\n", "c/kustomization.yaml": "patches: [{path: p.yaml}]\n", "c/p.yaml": CM},
            {"kustomization.yaml", "b/kustomization.yaml", "c/kustomization.yaml", "c/p.yaml"},
        ),
        (
            {"kustomization.yaml": "configMapGenerator: [{name: a, files: [k=a.txt, b.txt], envs: [c.env]}]\n", "a.txt": "", "b.txt": "", "c.env": ""},
            {"kustomization.yaml", "a.txt", "b.txt", "c.env"},
        ),
        ({"kustomization.yaml": "patchesStrategicMerge:\n- p.yaml\n- |\n  kind: p.yaml\n", "p.yaml": CM}, {"kustomization.yaml", "p.yaml"}),
        ({"kustomization.yaml": "transformers: [t.yaml]\n", "t.yaml": NS}, {"kustomization.yaml", "t.yaml"}),
        (
            {"kustomization.yaml": "transformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n  path: p.yaml\n", "p.yaml": CM},
            {"kustomization.yaml", "p.yaml"},
        ),
        (
            {"kustomization.yaml": "transformers: [t]\n", "t/kustomization.yaml": "namespace: x\nresources: [n.yaml]\n", "t/n.yaml": NS},
            {"kustomization.yaml", "t/kustomization.yaml", "t/n.yaml"},
        ),
        ({"kustomization.yaml": "resources: [a, b]\n", "a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"},
         {"kustomization.yaml", "a/kustomization.yaml", "b/kustomization.yaml"}),
        ({"kustomization.yaml": "resources: [gone.yaml, gone]\n"}, {"kustomization.yaml"}),
        ({"kustomization.yaml": "resources: [a.yaml]\n---\nresources: [b.yaml]\n", "a.yaml": CM, "b.yaml": CM}, {"kustomization.yaml", "a.yaml"}),
    ],
)  # fmt: skip
def test_every_file_that_is_read_and_no_other(make_tree: Callable[..., Any], files: dict[str, str], reads: set[str]) -> None:
    found = read_set(make_tree(files), ".", {})
    assert {path for path, _ in found.files} == reads
    assert found.proven, found
    assert dict(found.files) == {path: hashlib.sha256(files[path].encode()).hexdigest() for path in reads}


@pytest.mark.parametrize(
    ("files", "why", "reads"),
    [
        ({"kustomization.yaml": "novel: [a.yaml, k=b.yaml, dir]\n", "a.yaml": CM, "b.yaml": CM, "dir/kustomization.yaml": "{}\n"},
         "unknown field novel", {"kustomization.yaml", "a.yaml", "b.yaml", "dir/kustomization.yaml"}),
        ({"kustomization.yaml": "a: [\n"}, "cannot be read as a kustomization", {"kustomization.yaml"}),
        ({"kustomization.yaml": "helmCharts: [{name: x}]\n", "charts/x/Chart.yaml": ""}, "helm", {"kustomization.yaml", "charts/x/Chart.yaml"}),
        ({"kustomization.yaml": "generators: [g.yaml]\n", "g.yaml": CM}, "may read anything", {"kustomization.yaml", "g.yaml"}),
        ({"kustomization.yaml": "transformers: [t]\n", "t/kustomization.yaml": "resources: [n.yaml]\npatches: [{path: p.yaml}]\n", "t/n.yaml": NS, "t/p.yaml": NS},
         "may read anything", {"kustomization.yaml", "t/kustomization.yaml", "t/n.yaml", "t/p.yaml"}),
        ({"kustomization.yaml": "transformers: [t]\n", "t/kustomization.yaml": "resources: [g.yaml]\n", "t/g.yaml": "apiVersion: builtin\nkind: PatchTransformer\npath: x\n"},
         "may read anything", {"kustomization.yaml", "t/kustomization.yaml", "t/g.yaml"}),
        ({"kustomization.yaml": "transformers: ['https://git.example.com/t.yaml']\n"}, "come from https://git.example.com/t.yaml", {"kustomization.yaml"}),
    ],
)  # fmt: skip
def test_what_cannot_be_foreseen_is_said(make_tree: Callable[..., Any], files: dict[str, str], why: str, reads: set[str]) -> None:
    found = read_set(make_tree(files), ".", {})
    assert why in found.unforeseen + found.foreign
    assert not found.proven
    assert {path for path, _ in found.files} == reads


@pytest.mark.parametrize(
    ("kustomization", "remote", "escapes"),
    [
        ("resources: ['https://u:p@git.example.com/org/repo?ref=v1']\n", ("https://git.example.com/org/repo?ref=v1",), ()),
        ("components: ['github.com/org/repo//x']\n", ("github.com/org/repo//x",), ()),
        ("configMapGenerator: [{name: a, files: ['k=https://git.example.com/x']}]\n", ("https://git.example.com/x",), ()),
        ("resources: [../../out.yaml]\n", (), ("../out.yaml",)),
        ("configMapGenerator: [{name: a, files: [/etc/hostname]}]\n", (), ("/etc/hostname",)),
        ("resources: ['file:///srv/repo']\n", (), ("file:///srv/repo",)),
        ("transformers:\n- |\n  apiVersion: builtin\n  kind: SecretGenerator\n  files: [/etc/hostname]\n", (), ("/etc/hostname",)),
        ("openapi: {path: ../../../x.json}\n", (), ("../../x.json",)),
    ],
)
def test_what_lies_outside_is_named(
    make_tree: Callable[..., Any], kustomization: str, remote: tuple[str, ...], escapes: tuple[str, ...]
) -> None:
    found = read_set(make_tree({"app/kustomization.yaml": kustomization}), "app", {})
    assert (found.remote, found.escapes) == (remote, escapes)
    assert found.proven == (not remote)


def test_a_chart_is_read_whole_or_not_at_all(make_tree: Callable[..., Any]) -> None:
    tree = make_tree({"kustomization.yaml": "helmCharts: [{name: x}]\n", "charts/x/Chart.yaml": "", "charts/x/templates/a.yaml": CM})
    tree.gaps = {"charts/x/templates": Gap("directory", "charts/x/templates cannot be read")}
    with pytest.raises(UnreadablePath, match="charts/x/templates cannot be read"):
        read_set(tree, ".", {})


def test_a_local_file_or_directory_is_no_url(make_tree: Callable[..., Any]) -> None:
    tree = make_tree({"kustomization.yaml": "resources: [github.com/org/repo]\n", "github.com/org/repo": CM})
    found = read_set(tree, ".", {})
    assert found.proven
    assert "github.com/org/repo" in dict(found.files)


def test_links_are_followed_from_where_they_lead(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(
        {
            "app/kustomization.yaml": "resources: [link, file.yaml]\n",
            "app/link": Path("../real/base"),
            "app/file.yaml": Path("../real/x.yaml"),
            "real/base/kustomization.yaml": "resources: [../x.yaml]\n",
            "real/x.yaml": CM,
            "app/x.yaml": CM,
        }
    )
    found = read_set(tree, "app", {})
    assert [path for path, _ in found.files] == ["app/kustomization.yaml", "real/base/kustomization.yaml", "real/x.yaml"]
    assert found.links == (("app/file.yaml", "real/x.yaml"), ("app/link", "real/base"))


def test_a_link_out_of_the_tree_escapes(make_tree: Callable[..., Any]) -> None:
    tree = make_tree({"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": Path("/etc/hostname"), "out": Path("/")})
    assert read_set(tree, ".", {}).escapes == ("a.yaml",)
    with pytest.raises(OutsideTree):
        read_set(tree, "out", {})


def test_overlay_files_replace_and_join_those_of_the_tree(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(
        {
            "kustomization.yaml": "resources: [app]\n",
            "app/kustomization.yaml": "resources: [a.yaml]\n",
            "app/a.yaml": CM,
            "app/b.yaml": CM,
            "plain/c.yaml": CM,
        }
    )
    plain = read_set(tree, ".", {})
    over = read_set(tree, ".", {"app/kustomization.yaml": b"resources: [b.yaml]\n"})
    assert [path for path, _ in plain.files] == ["app/a.yaml", "app/kustomization.yaml", "kustomization.yaml"]
    assert [path for path, _ in over.files] == ["app/b.yaml", "kustomization.yaml"]
    assert [path for path, _ in read_set(tree, ".", {}).files] == [path for path, _ in plain.files]
    generated = read_set(
        tree, "plain", {"plain/kustomization.yaml": b"resources: [c.yaml, new]\n", "plain/new/kustomization.yaml": b"resources: []\n"}
    )
    assert generated.buildable
    assert generated.directories == ("plain", "plain/new")
    assert not read_set(tree, "plain", {}).buildable


def test_a_base_shared_by_many_is_read_once(make_tree: Callable[..., Any]) -> None:
    files = {f"o{n}/kustomization.yaml": "resources: [../base]\n" for n in range(20)}
    tree = make_tree({**files, "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": CM})
    asked: list[str] = []
    read = tree.read
    tree.read = lambda path: asked.append(path) or read(path)
    for n in range(20):
        read_set(tree, f"o{n}", {})
    assert asked.count("base/a.yaml") == 1
    assert asked.count("base/kustomization.yaml") == 2  # once for its text, once for its hash


@pytest.mark.parametrize(
    ("directory", "resource", "out"),
    [
        (".", "a.yaml", False),
        (".", "../a.yaml", True),
        ("..", "a.yaml", False),
        ("..", "root/a.yaml", False),
        ("..", "../a.yaml", True),
        ("app", "a.yaml", False),
        ("app", "../a.yaml", True),
        ("app", "../app2/a.yaml", True),
        ("../side", "a.yaml", False),
        ("../side", "../a.yaml", True),
        ("../side", "../root/a.yaml", True),
    ],
)
def test_a_file_beside_the_kustomization_is_told(
    make_tree: Callable[..., Any], tmp_path: Path, directory: str, resource: str, out: bool
) -> None:
    """Also where the tree's root lies below the boundary."""
    (tmp_path / "above").mkdir()
    files = {f"{directory}/kustomization.yaml": f"resources: [{resource}]\n", f"{directory}/{resource}": CM}
    found = read_set(make_tree({os.path.normpath(path): text for path, text in files.items()}, "above/root", tmp_path), directory, {})
    assert len(found.files) == 2
    assert found.reaches_out is out


QUOTED = {
    "kustomization.yaml": """\
"resources": ["a.yaml", './dir']
configMapGenerator:
- "name": a
  "files": ['"k.x"=a.txt', "'k'=b.txt", 'c d=c.txt', '"k=z"=d.txt', '"e.txt"', "k=f.txt"]
novel: ["k=a.txt", 'k=dir', "'q'=b.txt", '"dir"']
transformers: [t.yaml, "u", 'apiVersion: builtin']
""",
    "t.yaml": "apiVersion: example.com/v1\nkind: Novel\n",
    "u/kustomization.yaml": "'resources': [\"../t.yaml\", v.yaml]\n",
    "u/v.yaml": NS,
    "dir/kustomization.yaml": "'resources': [\"../a.yaml\"]\nother: ['x=../b.txt']\n",
    "a.yaml": CM,
    **{f"{name}.txt": name for name in "abcdef"},
    '"e.txt"': "e",
}  # fmt: skip


def test_the_read_set_is_the_same_in_every_run(make_tree: Callable[..., Any]) -> None:
    """Whatever the seed of Python's hashes, and whichever of several reasons there are to doubt it."""
    tree = make_tree(QUOTED)
    asked = f"""\
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.model.tree import TreeOrigin
from kdiff.render.read_set import read_set
print(read_set(DirectoryTree({tree.directory!r}, TreeOrigin("tree", "directory")), ".", {{}}))
"""
    runs = {
        subprocess.run([sys.executable, "-c", asked], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(runs) == 1
    assert {path for path, _ in read_set(tree, ".", {}).files} == QUOTED.keys() - {"d.txt", "e.txt"}


def test_long_chains_need_no_stack(make_tree: Callable[..., Any]) -> None:
    files = {f"d{n}/kustomization.yaml": f"resources: [../d{n + 1}]\n" for n in range(1200)}
    assert len(read_set(make_tree(files), "d0", {}).files) == 1200
