"""The line of an item of a list."""

from __future__ import annotations

import pytest

from kdiff.documents.lines import list_item_line

TEXT = b"""kind: Kustomization
patches:
  # about a
  - path: a.yaml
    target:
      patches: [x, y]

  - {path: b.yaml}
other:
- - nested
- last
"""


@pytest.mark.parametrize(
    ("raw", "key", "index", "line"),
    [
        (TEXT, "patches", 0, 4),
        (TEXT, "patches", 1, 8),
        (TEXT, "patches", 2, None),
        (TEXT, "other", 0, 10),
        (TEXT, "other", 1, 11),
        (TEXT, "target", 0, None),
        (TEXT, "kind", 0, None),
        (b'{"patches": [\n1,\n2]}', "patches", 1, 3),
        (b"a: {patches: [1]}\npatches: [2]\n", "patches", 0, 2),
        (b"[patches, x]", "patches", 0, None),
        (b"patches: [", "patches", 0, None),
        (b"", "patches", 0, None),
        (b"\xff\xfe\xff", "patches", 0, None),
    ],
)
def test_list_item_line(raw, key, index, line):
    assert list_item_line(raw, key, index) == line
