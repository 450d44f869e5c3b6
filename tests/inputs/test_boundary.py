"""Boundary: where a path really lies, and that nothing leads out."""

from __future__ import annotations

import os
import posixpath
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdiff.inputs.boundary import Boundary
from kdiff.inputs.directory_tree import DirectoryTree
from kdiff.model.tree import LinkRing, OutsideTree, TreeOrigin

LINKS = {
    "current": "apps/v2",
    "apps/v2/up": "..",
    "apps/escape": "../../etc",
    "apps/ring": "ring",
    "absolute": "/apps/v1",
    "elsewhere": "/..",
    "chain": "current/up/v2",
}


@pytest.mark.parametrize(
    ("prefix", "path", "inner", "outward"),
    [
        ("", ".", "", "."),
        ("", "apps/./v1//x/../y", "apps/v1/y", "apps/v1/y"),
        ("", "current/app.yaml", "apps/v2/app.yaml", "apps/v2/app.yaml"),
        ("", "current/../other", "other", "other"),  # `..` first, as text
        ("", "current/up/v1", "apps/v1", "apps/v1"),  # within a link, where it lies
        ("", "chain", "apps/v2", "apps/v2"),
        ("", "absolute/a", "apps/v1/a", "apps/v1/a"),
        ("apps", ".", "apps", "."),
        ("apps", "v1", "apps/v1", "v1"),
        ("apps", "../other", "other", "../other"),
        ("apps/v1", "../../current", "apps/v2", "../v2"),
        ("apps", "..", "", ".."),
        ("", "missing/deep", "missing/deep", "missing/deep"),
    ],
)
def test_where_a_path_lies(prefix: str, path: str, inner: str, outward: str) -> None:
    boundary = Boundary(prefix, LINKS.get)
    assert boundary.locate(path) == inner
    assert boundary.outward(inner) == outward


@pytest.mark.parametrize(
    ("prefix", "path"),
    [
        ("", ".."),
        ("", "a/../../b"),
        ("apps", "../../b"),
        ("", "/etc/passwd"),
        ("", "apps/escape/passwd"),
        ("", "elsewhere"),
        ("", "apps/ring"),
        ("", "a\0b"),
    ],
)
def test_what_leads_out_is_refused_by_the_name_it_was_given(prefix: str, path: str) -> None:
    with pytest.raises(OutsideTree) as refused:
        Boundary(prefix, LINKS.get).locate(path)
    assert refused.value.args[0] == path
    assert isinstance(refused.value, LinkRing) == path.endswith("ring")


NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(st.sampled_from(["a", "b", "c", "..", "."]), min_size=1, max_size=4).map("/".join)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=4),
    st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3).map("/".join), STEPS, st.booleans()), max_size=4),
    STEPS,
)
def test_links_are_followed_as_the_system_follows_them(directories: list[str], links: list[tuple[str, str, bool]], asked: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "tree"
        top = str(root)
        root.mkdir()
        for path in directories:
            (root / path).mkdir(parents=True, exist_ok=True)
        for path, target, absolute in links:
            parent = Path(os.path.realpath((root / path).parent))
            if parent == root or root in parent.parents:
                with suppress(OSError):  # taken, or below a ring
                    (root / path).symlink_to(f"{top}/{target}" if absolute else target)
        tree = DirectoryTree(top, TreeOrigin("x", "directory"))
        plain = posixpath.normpath(asked)
        try:
            expected: str | None = os.path.relpath(os.path.realpath(f"{top}/{plain}", strict=True), top)
        except OSError:
            expected = None  # absent, or a ring
        outside = expected is not None and (expected == ".." or expected.startswith("../"))
        try:
            found = tree.resolve(asked)
        except OutsideTree:
            # stricter than the system only where a link leaves on its way and comes back
            assert outside or expected is None or any(".." in target for _, target, _ in links)
        else:
            assert not outside
            if expected is not None:
                assert found == expected
                assert tree.is_dir(asked) == (root / plain).is_dir()
            else:  # absent: a link may name it through `..` below what does not exist
                assert not tree.is_dir(asked) or any(".." in target for _, target, _ in links)
