from __future__ import annotations

import pytest

from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard, SourceLocation, Waiver
from kdiff.reports.findings import NOT_COMPARED, findings


def hazard(**more) -> Hazard:
    return Hazard("removed-pvc", "blocking", "It goes.", "why", "help", **{"object": "v1/PersistentVolumeClaim a/b", **more})


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"source": SourceLocation("apps/web/pvc.yaml", 12), "scope": "clusters/prod"}, ("apps/web/pvc.yaml", 12)),
        ({"source": SourceLocation("apps/web/pvc.yaml")}, ("apps/web/pvc.yaml", None)),
        ({"where": "apps/web/kustomization.yaml patches[3]"}, ("apps/web/kustomization.yaml", None)),
        ({"where": "FluxInstance flux-system/flux", "scope": "clusters/prod"}, ("clusters/prod", None)),
        ({"target": "Kustomization flux-system/web", "scope": "clusters/prod"}, ("clusters/prod", None)),
        ({"target": "apps/with blank/web"}, ("apps/with blank/web", None)),
        ({"target": "Application argocd/web"}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_the_place_is_the_nearest_one_known(build, given, place) -> None:
    (found,) = findings(build.report(hazards=(hazard(**given),)))
    assert (found.file, found.line) == place


def test_a_fingerprint_stays_while_words_and_lines_change(build) -> None:
    before, after = (
        findings(build.report(hazards=(hazard(source=SourceLocation("a.yaml", line), scope="x"),)))[0].fingerprint for line in (1, 99)
    )
    other = findings(build.report(hazards=(hazard(object="v1/PersistentVolumeClaim a/c", scope="x"),)))[0].fingerprint
    assert before == after != other


def test_fingerprints_are_unique_in_a_report(build) -> None:
    found = findings(build.report(hazards=(hazard(), hazard(), hazard(scope="other"))))
    assert len({f.fingerprint for f in found}) == 3


def test_failures_come_first_and_waived_hazards_last(build) -> None:
    report = build.report(
        outcome="incomplete",
        hazards=(hazard(waived=Waiver("config", "agreed")), hazard(object="v1/PersistentVolumeClaim z/z")),
        failures=(Failure("both", ".", "timeout", "too slow\nthen killed"),),
    )
    found = findings(report)
    assert [f.rule for f in found] == [NOT_COMPARED, "removed-pvc", "removed-pvc"]
    assert [f.waived is not None for f in found] == [False, False, True]
    assert (found[0].subject, found[0].message, found[0].why) == ("the root", "too slow\nthen killed", "timeout on both sides")
