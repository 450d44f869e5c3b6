"""Reads Kubernetes quantities, times and durations, so that two spellings of one value can be told from two values."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from fractions import Fraction

# k8s.io/apimachinery/pkg/api/resource: <signedNumber><suffix>, suffix is binary SI, decimal SI or a decimal exponent
_QUANTITY = re.compile(r"([+-]?)(\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?|[eE][+-]?\d{1,3})")
_SCALE = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    **{suffix: Fraction(1000) ** (power + 1) for power, suffix in enumerate("kMGTPE")},
    **{suffix + "i": Fraction(1024) ** (power + 1) for power, suffix in enumerate("KMGTPE")},
}

# RFC 3339, which metav1.Time reads
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))")

# Go's time.ParseDuration
_DURATION = re.compile(r"([+-]?)((?:(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:ns|us|µs|ms|s|m|h))+)")
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_NANOSECONDS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


def _number(text: str) -> Fraction:
    whole, _, part = text.partition(".")
    return Fraction(int((whole + part) or "0"), 10 ** len(part))


def parse_quantity(value: object) -> Fraction | None:
    """The exact number that a quantity stands for (`500m`, `1Gi`, `0.5`, 2), or None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        value = repr(value)
    if not isinstance(value, str) or not (match := _QUANTITY.fullmatch(value)):
        return None
    sign, digits, suffix = match.groups()
    number = _number(digits)
    scale = _SCALE.get(suffix)
    number *= Fraction(10) ** int(suffix[1:]) if scale is None else scale
    return -number if sign == "-" else number


def parse_time(value: object) -> tuple[datetime, int] | None:
    """The instant of an RFC 3339 time as (UTC to the second, nanoseconds), or None when it is none."""
    if not isinstance(value, str) or not (match := _TIME.fullmatch(value)):
        return None
    year, month, day, hour, minute, second, fraction, sign, zone_hours, zone_minutes = match.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=timezone.utc)
        if sign:
            offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
            moment = moment - offset if sign == "+" else moment + offset
    except (ValueError, OverflowError):
        return None
    return moment, int((fraction or "0").ljust(9, "0"))


def parse_duration(value: object) -> Fraction | None:
    """Nanoseconds of a Go duration (`90s`, `1m30s`, `0`), or None when it is none."""
    if value == "0":
        return Fraction(0)
    if not isinstance(value, str) or not (match := _DURATION.fullmatch(value)):
        return None
    total = sum((_number(n) * _NANOSECONDS[unit] for n, unit in _DURATION_PART.findall(match.group(2))), Fraction(0))
    return -total if match.group(1) == "-" else total
