from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdiff.errors import KdiffError
from kdiff.model.json_text import _unrolled, json_text
from kdiff.model.report import SCHEMA, Report

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=12)


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_it_writes_what_json_writes(value, indent, sort_keys) -> None:
    expected = json.dumps(value, indent=indent, ensure_ascii=False, sort_keys=sort_keys)
    assert _unrolled(value, indent, sort_keys=sort_keys) == expected
    assert json_text(value, indent, sort_keys=sort_keys) == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_depth_is_no_limit(indent) -> None:
    deep: object = "x"
    for _ in range(3_000):
        deep = {"a": deep}
    text = json_text(deep, indent)
    assert text.count("{") == text.count("}") == 3_000


def test_a_saved_report_that_is_too_deep_to_read_is_refused_in_one_line() -> None:
    with pytest.raises(KdiffError, match="not a kdiff report"):
        Report.from_json(f'{{"schema": "{SCHEMA}", "changes": ' + "[" * 200_000 + "]" * 200_000 + "}")
