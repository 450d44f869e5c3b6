from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdiff.reports.word_diff import mark_words


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["-replicas: 2", "+replicas: 3"], [["-replicas: ", "2"], ["+replicas: ", "3"]]),
        (["-image: web:1.2.0", "+image: web:1.3.0"], [["-image: web:1.", "2", ".0"], ["+image: web:1.", "3", ".0"]]),
        (["-kind: GitRepository", "+kind: OCIRepository"], [["-kind: ", "GitRepository"], ["+kind: ", "OCIRepository"]]),
        (["-a: b", "+c"], ["-a: b", "+c"]),
        (["-one: 1", "-two: 2", "+one: 3"], [["-one: ", "1"], "-two: 2", ["+one: ", "3"]]),
        ([" same", "-gone"], [" same", "-gone"]),
        (["+x: 1", "-x: 2"], ["+x: 1", "-x: 2"]),
        (["-x: a", "+x: a b"], ["-x: a", ["+x: a", " b"]]),
        (["-", "+"], ["-", "+"]),
        (["-" + "x " * 500, "+" + "x " * 499], ["-" + "x " * 500, "+" + "x " * 499]),
    ],
)
def test_words_that_differ(lines, expected) -> None:
    assert mark_words(lines) == expected


@given(st.lists(st.text(alphabet="-+ ab:.1", max_size=12).map(lambda text: text or " "), max_size=8))
def test_marking_loses_nothing(lines) -> None:
    assert ["".join(marked) for marked in mark_words(lines)] == lines
