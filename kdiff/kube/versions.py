"""Reads the major number of the versions that images and charts carry."""

from __future__ import annotations

import re

# Three digits at most: a year, a date or a build number says nothing about compatibility.
_IMAGE = re.compile(r"(?:v|version-|release-)?(\d{1,3})(?:[.\-_+].*)?", re.DOTALL)
_CHART = re.compile(r"[\^~=<>!v\s]*(\d{1,3})(?!\d)")


def image_major(tag: str) -> int | None:
    """17 of `17.2-alpine`, `v17`; None of `latest`, `2024.12`, `sha-1f3c`."""
    found = _IMAGE.fullmatch(tag)
    return int(found[1]) if found else None


def chart_major(version: str) -> int | None:
    """4 of `4.10.1`, `v4`, and of the ranges `^4.1`, `4.x`, `>=4.0.0 <5`; None of `*`."""
    found = _CHART.match(version)
    return int(found[1]) if found else None
