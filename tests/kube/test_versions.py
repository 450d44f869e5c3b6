"""Major numbers of images and charts."""

from __future__ import annotations

import pytest

from kdiff.kube.versions import chart_major, image_major


@pytest.mark.parametrize(
    ("tag", "major"),
    [
        ("1.2.3", 1),
        ("v12", 12),
        ("17-alpine", 17),
        ("version-v2.0", None),
        ("version-2.0", 2),
        ("0.9", 0),
        ("2024.12.1", None),
        ("20240131", None),
        ("latest", None),
        ("", None),
        ("sha-12ab", None),
        ("1a2b3c4", None),
        ("RELEASE.2024-01-01", None),
    ],
)
def test_image_major(tag, major):
    assert image_major(tag) == major


@pytest.mark.parametrize(
    ("version", "major"),
    [("4.10.1", 4), ("v4", 4), ("^4.1", 4), ("~> 4", 4), (">=4.0.0 <5.0.0", 4), ("4.x", 4), ("*", None), ("", None), ("2024.1", None)],
)
def test_chart_major(version, major):
    assert chart_major(version) == major
