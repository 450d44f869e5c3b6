from __future__ import annotations

import dataclasses

from kdiff.model.change import Move
from kdiff.reports.outline import outline


def test_every_change_is_told_exactly_once(full_report) -> None:
    for fold in (True, False):
        plan = outline(full_report, fold=fold)
        listed = [c for e in plan.shared for c in e.changes]
        listed += [c for s in plan.scopes for t in s.sections for e in t.entries for c in e.changes]
        everything = [c for e in plan.worst_first for c in e.changes]
        assert sorted(map(id, listed)) == sorted(map(id, full_report.changes)) == sorted(map(id, everything))


def test_worst_first(build, full_report) -> None:
    changes = (
        build.change(build.ref("A", "added"), "added", effects=("create",)),
        build.change(build.ref("B", "labels"), effects=("metadata-only",)),
        build.change(build.ref("C", "plain")),
        build.change(build.ref("D", "rolls"), effects=("rollout",)),
        build.change(build.ref("E", "gone"), "removed", effects=("delete",)),
        build.change(build.ref("F", "hazard")),
    )
    hazard = dataclasses.replace(full_report.hazards[1], object="v1/F shop/hazard")
    plan = outline(build.report(*changes, hazards=(hazard,)))
    assert [e.lead.object.name for e in plan.worst_first] == ["hazard", "gone", "rolls", "plain", "added", "labels"]


def test_a_waived_hazard_is_apart_and_lifts_nothing(full_report) -> None:
    plan = outline(full_report)
    assert [h.rule for h in plan.waived] == ["scaled-to-zero"]
    assert all(h.waived is None for h in plan.hazards)


def test_a_member_to_which_more_happens_is_told_alone(full_report) -> None:
    first = dataclasses.replace(full_report.changes[0], moved=Move(("a",), ("b",)))
    plan = outline(dataclasses.replace(full_report, changes=(first, *full_report.changes[1:])))
    assert [len(e.changes) for e in plan.shared] == [11]
    assert first in [e.lead for s in plan.scopes for t in s.sections for e in t.entries]
