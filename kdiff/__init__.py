"""kdiff shows what a change to a GitOps repository will really do to its clusters.

    import kdiff

    report = kdiff.render_diff("base", "head")
    for change in report.removed:
        print(change.id)
    for hazard in report.hazards:
        print(hazard.severity, hazard.message)

Names are loaded when first used, so that the import itself costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdiff.compare.views import deepdiff_view, unified_view
    from kdiff.errors import ConfigError, KdiffError, RendererError, SourceError, UsageError
    from kdiff.model.change import Change, FieldChange, Group
    from kdiff.model.codec import ABSENT
    from kdiff.model.failure import Failure, Note
    from kdiff.model.hazard import Hazard
    from kdiff.model.impact import Impact
    from kdiff.model.options import IgnoreRule, ListKey, Options, ReferenceField, WaiverRule
    from kdiff.model.progress import Progress
    from kdiff.model.report import Report, Summary
    from kdiff.pipeline import render_diff

    __version__: str

_HOME = {
    "render_diff": "kdiff.pipeline",
    "deepdiff_view": "kdiff.compare.views",
    "unified_view": "kdiff.compare.views",
    "Report": "kdiff.model.report",
    "Summary": "kdiff.model.report",
    "Change": "kdiff.model.change",
    "FieldChange": "kdiff.model.change",
    "Group": "kdiff.model.change",
    "ABSENT": "kdiff.model.codec",
    "Failure": "kdiff.model.failure",
    "Note": "kdiff.model.failure",
    "Hazard": "kdiff.model.hazard",
    "Impact": "kdiff.model.impact",
    "Options": "kdiff.model.options",
    "IgnoreRule": "kdiff.model.options",
    "WaiverRule": "kdiff.model.options",
    "ListKey": "kdiff.model.options",
    "ReferenceField": "kdiff.model.options",
    "Progress": "kdiff.model.progress",
    "KdiffError": "kdiff.errors",
    "UsageError": "kdiff.errors",
    "SourceError": "kdiff.errors",
    "RendererError": "kdiff.errors",
    "ConfigError": "kdiff.errors",
}

__all__ = [
    "ABSENT",
    "Change",
    "ConfigError",
    "Failure",
    "FieldChange",
    "Group",
    "Hazard",
    "IgnoreRule",
    "Impact",
    "KdiffError",
    "ListKey",
    "Note",
    "Options",
    "Progress",
    "ReferenceField",
    "RendererError",
    "Report",
    "SourceError",
    "Summary",
    "UsageError",
    "WaiverRule",
    "__version__",
    "deepdiff_view",
    "render_diff",
    "unified_view",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - 20 ms

        value: Any = version("kdiff")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'kdiff' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
