"""What is made of findings: severities, waivers from the config and on the object, rules of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from kdiff.errors import ConfigError, KdiffError
from kdiff.hazards import registry, removed_pvc
from kdiff.hazards.rule import Finding, Rule
from kdiff.model.hazard import Waiver
from kdiff.model.options import Options, WaiverRule

CLAIM = "v1/PersistentVolumeClaim shop/data {spec: {resources: {requests: {storage: 1Gi}}}}"
WAIVED = (
    "v1/PersistentVolumeClaim shop/data "
    "{metadata: {annotations: {kdiff.dev/waive: 'scaled-to-zero, removed-pvc'}}, spec: {resources: {requests: {storage: 1Gi}}}}"
)


def waive(**given):
    return Options(waivers=(WaiverRule(**{"rule": "removed-pvc", "object": "*shop/data", "reason": "moved to S3"} | given),))


def test_a_hazard_has_its_default_severity_and_a_page(hazards_of):
    (hazard,) = hazards_of(CLAIM, "", rule=removed_pvc.RULE)
    assert (hazard.rule, hazard.severity, hazard.waived) == ("removed-pvc", "blocking", None)
    assert hazard.help == "https://kdiff.dev/rules/removed-pvc"


def test_the_config_sets_severities_and_disables_rules(hazards_of):
    (hazard,) = hazards_of(CLAIM, "", rule=removed_pvc.RULE, options=Options(severity={"removed-pvc": "info"}))
    assert hazard.severity == "info"
    assert hazards_of(CLAIM, "", rule=removed_pvc.RULE, options=Options(disable=("removed-pvc",))) == ()


def test_disabled_rules_are_noted_and_unknown_ones_refused(checked_of):
    checked = checked_of(CLAIM, "", options=Options(disable=("removed-pvc", "removed-pv")))
    assert [(note.kind, note.message) for note in checked.notes] == [("disabled", "these rules were not asked: removed-pv, removed-pvc")]
    for options in (Options(disable=("removed-pvx",)), Options(severity={"removed-pvx": "info"})):
        with pytest.raises(KdiffError, match='there is no rule "removed-pvx"; see kdiff rules'):
            checked_of(CLAIM, "", options=options)


@pytest.mark.parametrize(
    ("given", "waived", "notes"),
    [
        ({}, True, []),
        ({"rule": "removed-*"}, True, []),
        ({"expires": "2026-01-01"}, True, []),
        ({"expires": "2025-12-31"}, False, ["waiver-expired"]),
        ({"object": "*other"}, False, ["waiver-unused"]),
        ({"rule": "removed-pv"}, False, ["waiver-unused"]),
    ],
)
def test_waivers_of_the_config(checked_of, given, waived, notes):
    checked = checked_of(CLAIM, "", rule=removed_pvc.RULE, options=waive(**given))
    assert [hazard.waived for hazard in checked.hazards] == [Waiver("config", "moved to S3") if waived else None]
    assert [note.kind for note in checked.notes] == notes


def test_an_object_waives_for_itself(hazards_of):
    (hazard,) = hazards_of(WAIVED, "", rule=removed_pvc.RULE)
    assert hazard.waived == Waiver("annotation", "kdiff.dev/waive on v1/PersistentVolumeClaim shop/data")


def test_names_that_hold_variables_are_counted_not_judged(checked_of):
    base = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: '${APP}', namespace: shop}\n"
    checked = checked_of(base, "", rule=removed_pvc.RULE)
    assert checked.hazards == ()
    assert [(note.kind, "1 object is left out" in note.message) for note in checked.notes] == [("unsubstituted", True)]


def test_a_rule_that_fails_is_named(hazards_of):
    def check(_context):
        raise ZeroDivisionError

    with pytest.raises(KdiffError, match="the rule mine failed: ZeroDivisionError; --disable mine"):
        hazards_of(CLAIM, "", rule=Rule("mine", "info", "", check))


def always(context):
    for change in context.changes:
        yield Finding(message=f"{change.id} changes", why="it does", scope=change.scope, object=change.id)


MINE = Rule("mine", "caution", "Everything is a hazard", always)
TAKEN = Rule("removed-pvc", "caution", "An id that is taken", always)


@pytest.fixture
def offered(monkeypatch):
    """Entry points of the group kdiff.rules, by what this module calls them."""

    def offer(*names):
        points = [EntryPoint(name, f"{__name__}:{name}", "kdiff.rules") for name in names]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "kdiff.rules" else [])
        monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.name])
        registry.all_rules.cache_clear()
        return registry.all_rules()

    yield offer
    registry.all_rules.cache_clear()


def test_rules_of_other_packages_join(offered, hazards_of):
    assert offered("MINE")[-1] is MINE
    assert "mine" in {hazard.rule for hazard in hazards_of(CLAIM, "")}


@pytest.mark.parametrize(("name", "why"), [("TAKEN", "takes the id removed-pvc"), ("always", "is no kdiff"), ("LOST", "cannot be loaded")])
def test_rules_of_other_packages_that_are_none(offered, name, why):
    with pytest.raises(ConfigError, match=why):
        offered(name)
