"""Image references: their parts, and what is none."""

from __future__ import annotations

import pytest

from kdiff.kube.images import Image, images_in, parse_image
from kdiff.model.mask import CLOSE, OPEN
from kdiff.model.object import ObjectKey

DIGEST = "sha256:" + "ab" * 32


@pytest.mark.parametrize(
    ("text", "image", "version"),
    [
        ("nginx", Image("nginx"), "latest"),
        ("nginx:1.25", Image("nginx", "1.25"), "1.25"),
        ("library/nginx:1.25-alpine", Image("library/nginx", "1.25-alpine"), "1.25-alpine"),
        ("ghcr.io/a/b:v1", Image("ghcr.io/a/b", "v1"), "v1"),
        ("localhost:5000/a", Image("localhost:5000/a"), "latest"),
        ("host.example:5000/a/b:2", Image("host.example:5000/a/b", "2"), "2"),
        (f"a/b@{DIGEST}", Image("a/b", "", DIGEST), DIGEST),
        (f"a/b:1@{DIGEST}", Image("a/b", "1", DIGEST), f"1@{DIGEST}"),
        ("gcr.io/a_b/c__d-e:x", Image("gcr.io/a_b/c__d-e", "x"), "x"),
        ("", None, None),
        ("https://example.com/a:1", None, None),
        ("a b:1", None, None),
        ("$(IMAGE)", None, None),
        ("${IMAGE}:1", None, None),
        ("A/b:1", Image("A/b", "1"), "1"),
        ("a/B:1", None, None),
        ("/a:1", None, None),
        ("a:", None, None),
        ("a:1:2", None, None),
        ("a\n:1", None, None),
    ],
)
def test_parse_image(text, image, version):
    assert parse_image(text) == image
    assert image is None or image.version == version


def test_long_hostile_text_is_refused_quickly():
    assert parse_image("a-" * 50_000 + "!") is None


def test_masked_text_is_no_image():
    token = f"{OPEN}abcdef{CLOSE}"
    for value in ({"image": f"a/b:{token}"}, {"repository": f"a/{token}", "tag": "1"}, {"repository": "a/b", "tag": token}):
        assert images_in(ObjectKey("x.io", "Odd", "", "x"), {"spec": value}) == {}


@pytest.mark.parametrize(
    ("parts", "image"),
    [
        ({"repository": "a/b", "tag": "1"}, Image("a/b", "1")),
        ({"registry": "ghcr.io", "repository": "a/b", "tag": 1.5}, Image("ghcr.io/a/b", "1.5")),
        ({"repository": "a/b", "tag": 0}, Image("a/b", "0")),
        ({"repository": "a/b", "tag": f"1@{DIGEST}"}, Image("a/b", "1", DIGEST)),
        ({"repository": "a/b", "tag": "", "digest": DIGEST}, Image("a/b", "", DIGEST)),
        ({"repository": "a/b", "digest": DIGEST}, Image("a/b", "", DIGEST)),
        ({"repository": "a/b", "tag": "", "digest": ""}, None),
        ({"repository": "a/b", "tag": None}, None),
        ({"repository": "a/b", "tag": True}, None),
        ({"repository": "https://example.com/charts", "tag": "1"}, None),
    ],
)
def test_images_in_parts_as_charts_write_them(parts, image):
    found = images_in(ObjectKey("x.io", "Odd", "", "x"), {"spec": {"image": parts}})
    assert found == ({"/spec/image": image} if image else {})


def test_config_maps_and_definitions_are_not_searched():
    value = {"data": {"image": "a/b:1"}}
    for key in (ObjectKey("", "ConfigMap", "", "x"), ObjectKey("apiextensions.k8s.io", "CustomResourceDefinition", "", "x")):
        assert images_in(key, value) == {}
    assert list(images_in(ObjectKey("x.io", "Odd", "", "x"), value)) == ["/data/image"]
