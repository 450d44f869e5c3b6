"""Quantities, times and durations are read as Kubernetes reads them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kdiff.kube.quantity import parse_duration, parse_quantity, parse_time


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), (1, 1), (0.5, Fraction(1, 2)), ("500m", Fraction(1, 2)), ("1k", 1000), ("1Ki", 1024), ("1Gi", 2**30), ("1E", 10**18),
        ("1E3", 1000), ("1e-3", Fraction(1, 1000)), ("+1", 1), ("-.5", Fraction(-1, 2)), ("1.", 1), ("100n", Fraction(1, 10**7)),
        ("", None), ("1K", None), ("1mi", None), ("1 Gi", None), ("e3", None), (True, None), (None, None), ("1e9999", None), ("0x1", None),
    ],
)  # fmt: skip
def test_quantities(text, value):
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", True),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", True),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000001Z", False),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00-01:00", False),
    ],
)
def test_times(one, other, same):
    assert (parse_time(one) == parse_time(other)) == same
    assert parse_time(one) is not None


@pytest.mark.parametrize("text", ["2024-13-01T00:00:00Z", "2024-01-01", "0001-01-01T00:00:00+23:00", 5, "2024-01-01T00:00:00"])
def test_no_times(text):
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("1m30s", 90), ("1.5m", 90), ("0", 0), ("-1h", -3600), ("1h0m0s", 3600), ("250ms", Fraction(1, 4))]
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds * 10**9


@pytest.mark.parametrize("text", ["", "1", "1d", "s", "1 s", 90, None])
def test_no_durations(text):
    assert parse_duration(text) is None
