"""Tells whether changes have the shape of a routine update: nothing but image tags and chart versions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kdiff.kube.images import parse_image
from kdiff.model.change import Change, FieldChange

_VERSION_LABEL = re.compile(r"/metadata/labels/(helm\.sh~1chart|app\.kubernetes\.io~1version|chart)$")
_SOURCE_VERSION = re.compile(r"/spec/ref/(tag|digest|semver)$")
_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("source.toolkit.fluxcd.io", _SOURCE_VERSION),
    ("source.toolkit.fluxcd.io", re.compile(r"/spec/version$")),  # HelmChart
    ("helm.toolkit.fluxcd.io", re.compile(r"/spec/chart/spec/version$")),
    ("argoproj.io", re.compile(r"/spec/(source|sources/\d+)/targetRevision$")),
    ("argoproj.io", re.compile(r"/spec/template/spec/(source|sources/\d+)/targetRevision$")),
)
_IMAGE_FIELD = re.compile(r"/(image|\w+Image)$")
_IMAGE_PART = re.compile(r"/(image|\w+Image)/(tag|digest)$", re.IGNORECASE)


def has_routine_shape(changes: Iterable[Change]) -> bool:
    """True when there are changes and each only replaces image versions or chart versions; nothing is added, removed or moved.

    Whether the update really is routine also hangs on hazards and failures, which are known later.
    """
    changes = tuple(changes)
    return bool(changes) and all(
        c.status == "changed" and c.moved is None and c.fields and all(_is_version(c, field) for field in c.fields) for c in changes
    )


def _is_version(change: Change, field: FieldChange) -> bool:
    if field.op != "replace" or field.redacted:
        return False
    if _VERSION_LABEL.search(field.pointer) or _IMAGE_PART.search(field.pointer):
        return True
    if any(change.object.group == group and pattern.fullmatch(field.pointer) for group, pattern in _FIELDS):
        return True
    if not _IMAGE_FIELD.search(field.pointer) or not isinstance(field.before, str) or not isinstance(field.after, str):
        return False
    before, after = parse_image(field.before), parse_image(field.after)
    return before is not None and after is not None and before.repository == after.repository
