"""prune-optout-ineffective: a label or annotation is meant to keep Flux from pruning an object and does not."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import escape_token, values_at
from kdiff.kube.reconciliation import FLUX_PRUNE
from kdiff.model.change import Change
from kdiff.model.hazard import Severity
from kdiff.model.value import Value

_MEANT_TO_PRUNE = ("enabled", "true", "")


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        if change.head_value is None:
            continue
        known = set(_marks(change.base_value or {}))
        marks = [mark for mark in _marks(change.head_value) if mark not in known]
        protected = any(key == FLUX_PRUNE and value.lower() == "disabled" for _, key, value in _marks(change.head_value))
        for pointer, key, value in marks:
            finding = _judge(change, pointer, key, value, protected=protected)
            if finding is not None:
                yield finding


def _judge(change: Change, pointer: str, key: str, value: str, *, protected: bool) -> Finding | None:
    severity: Severity | None = None
    if key == FLUX_PRUNE and value.lower() == "disabled":
        if value == "disabled":
            return None
        severity = "info"
        message = (
            f"{change.id} is protected from pruning by {key}: {value} on current Flux, but not on releases that compare the exact value"
        )
    elif protected or value.lower() in _MEANT_TO_PRUNE:
        return None
    elif key == FLUX_PRUNE:
        message = f"{change.id} is not protected from pruning: {key} is {value!r}, and only disabled protects"
    else:
        message = f"{change.id} is not protected from pruning: {key} is not the key that Flux looks for, {FLUX_PRUNE}"
    return Finding(
        message=message,
        why="Flux passes an object over when a label or annotation of exactly this key has the value disabled; anything else is ignored.",
        scope=change.scope,
        object=change.id,
        pointer=pointer,
        severity=severity,
    )


def _marks(value: dict[str, Value]) -> Iterator[tuple[str, str, str]]:
    """(pointer, key, value) of every label and annotation whose key is Flux's, compared ignoring case."""
    for path in ("metadata.annotations", "metadata.labels"):
        for pointer, entries in values_at(value, path):
            for key, text in entries.items() if isinstance(entries, dict) else ():
                if key.lower() == FLUX_PRUNE:
                    yield f"{pointer}/{escape_token(key)}", key, str(text)


RULE = Rule("prune-optout-ineffective", "caution", "A mark against pruning does not protect", _check)
