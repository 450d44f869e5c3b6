"""Whether one label selector lets in more than another."""

from __future__ import annotations

import pytest

from kdiff.kube.selection import is_wider

EXISTS = {"key": "a", "operator": "Exists"}


@pytest.mark.parametrize(
    ("after", "before", "expected"),
    [
        ({}, {}, False),
        ({"matchLabels": {"a": "b"}}, {}, False),
        ({}, {"matchLabels": {"a": "b"}}, True),
        ({"matchLabels": {"a": "b", "c": "d"}}, {"matchLabels": {"a": "b"}}, False),
        ({"matchLabels": {"a": "x"}}, {"matchLabels": {"a": "b"}}, True),
        ({"matchExpressions": [EXISTS]}, {}, False),
        ({}, {"matchExpressions": [EXISTS]}, True),
        ({"matchLabels": None}, {"matchLabels": {}}, False),
    ],
)
def test_is_wider(after, before, expected):
    assert is_wider(after, before) is expected
