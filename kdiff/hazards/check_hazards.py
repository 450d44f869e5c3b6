"""Runs the rules, then applies the user's severities and waivers. A waived hazard is reported as waived, never dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase

from kdiff.errors import KdiffError, UsageError
from kdiff.hazards.locate import Locator
from kdiff.hazards.registry import all_rules
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.change import Change
from kdiff.model.failure import Note
from kdiff.model.hazard import SEVERITIES, Hazard, Waiver
from kdiff.model.impact import Impact
from kdiff.model.options import Options, WaiverRule
from kdiff.model.side import Side
from kdiff.model.value import Value

WAIVE_ANNOTATION = "kdiff.dev/waive"
# A kustomization that Flux substitutes, built by itself: which objects it means is known only to the Kustomization above it.
_FROM_THE_ROOT = "name the directory of the Flux root with --entry to see what they are"


@dataclass(frozen=True)
class CheckedHazards:
    """Hazards, worst first, then by rule, scope and object; notes on waivers that matched nothing or have expired."""

    hazards: tuple[Hazard, ...]
    notes: tuple[Note, ...]


def check_hazards(
    changes: tuple[Change, ...],
    impact: Impact,
    base: Side,
    head: Side,
    options: Options,
    base_graphs: Mapping[str, ReferenceGraph],
    head_graphs: Mapping[str, ReferenceGraph],
    *,
    today: date,
    rules: Iterable[Rule] | None = None,
) -> CheckedHazards:
    """All hazards that the change from `base` to `head` brings, by `rules` or else by all that are installed.

    `today` decides which waivers have expired. Raises `KdiffError` when a rule fails, or `options` name one that does not exist.
    """
    context = Context(changes, impact, base, head, base_graphs, head_graphs, options)
    locator = Locator(context)
    hazards: set[Hazard] = set()
    used: set[WaiverRule] = set()
    unnamed = 0
    for rule in _installed_rules(options) if rules is None else rules:
        if rule.id in options.disable:
            continue
        for finding in _findings(rule, context):
            if "${" in (finding.object or ""):
                unnamed += 1
                continue
            waived = _annotated(rule, finding, context)
            for waiver in options.waivers:
                if not _expired(waiver, today) and _covers(waiver, rule, finding):
                    used.add(waiver)
                    waived = waived or Waiver("config", waiver.reason)
            hazards.add(_hazard(rule, replace(finding, source=locator.locate(finding)), options, waived))
    order = sorted(hazards, key=_worst_first)
    notes = list(_waiver_notes(options.waivers, used, today))
    if options.disable:
        notes.append(Note("disabled", f"these rules were not asked: {', '.join(sorted(set(options.disable)))}"))
    if unnamed:
        objects = "1 object is" if unnamed == 1 else f"{unnamed} objects are"
        notes.append(Note("unsubstituted", f"hazards of {objects} left out: variables stand in their names; {_FROM_THE_ROOT}"))
    return CheckedHazards(tuple(order), tuple(notes))


def _installed_rules(options: Options) -> tuple[Rule, ...]:
    """All rules; a misspelt name in `options` would silently change nothing."""
    rules = all_rules()
    unknown = sorted({*options.disable, *options.severity} - {rule.id for rule in rules})
    if unknown:
        raise UsageError(f'there is no rule "{unknown[0]}"; see kdiff rules')
    return rules


def _findings(rule: Rule, context: Context) -> tuple[Finding, ...]:
    try:
        return tuple(rule.check(context))
    except Exception as error:
        message = f"the rule {rule.id} failed: {type(error).__name__}; --disable {rule.id} leaves it out, and please report it"
        raise KdiffError(message) from error


def _hazard(rule: Rule, finding: Finding, options: Options, waived: Waiver | None) -> Hazard:
    return Hazard(
        rule=rule.id,
        severity=options.severity.get(rule.id) or finding.severity or rule.severity,
        message=finding.message,
        why=finding.why,
        help=rule.help,
        object=finding.object,
        objects=finding.objects,
        target=finding.target,
        pointer=finding.pointer,
        where=finding.where,
        variable=finding.variable,
        source=finding.source,
        waived=waived,
        scope=finding.scope,
    )


def _worst_first(hazard: Hazard) -> tuple[int, str, str, str, str, str, str, str]:
    return (
        SEVERITIES.index(hazard.severity),
        hazard.rule,
        hazard.scope,
        hazard.object or "",
        hazard.target or "",
        hazard.pointer or "",
        hazard.where or "",
        hazard.message,
    )


def _covers(waiver: WaiverRule, rule: Rule, finding: Finding) -> bool:
    subject = finding.object or finding.target or finding.where or ""
    return fnmatchcase(rule.id, waiver.rule) and fnmatchcase(subject, waiver.object)


def _expired(waiver: WaiverRule, today: date) -> bool:
    return waiver.expires is not None and date.fromisoformat(waiver.expires) < today


def _annotated(rule: Rule, finding: Finding, context: Context) -> Waiver | None:
    """The waiver that the object itself carries at base or head: `kdiff.dev/waive: RULE[,RULE...]`."""
    for objects in (context.head_by_id, context.base_by_id):
        for obj in objects.get((finding.scope, finding.object or ""), ()):
            if rule.id in _waived_rules(obj.value):
                return Waiver("annotation", f"{WAIVE_ANNOTATION} on {obj.id}")
    return None


def _waived_rules(value: Mapping[str, Value]) -> set[str]:
    metadata = value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = annotations.get(WAIVE_ANNOTATION) if isinstance(annotations, dict) else None
    return {rule.strip() for rule in text.split(",")} if isinstance(text, str) else set()


def _waiver_notes(waivers: Iterable[WaiverRule], used: set[WaiverRule], today: date) -> Iterable[Note]:
    for waiver in waivers:
        if _expired(waiver, today):
            yield Note("waiver-expired", f"the waiver of {waiver.rule} on {waiver.object} expired on {waiver.expires}")
        elif waiver not in used:
            yield Note("waiver-unused", f"the waiver of {waiver.rule} on {waiver.object} matched no hazard")
