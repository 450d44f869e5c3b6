from __future__ import annotations

import dataclasses

import pytest

from kdiff.cli.merge_reports import merge_reports
from kdiff.errors import UsageError
from kdiff.model.change import FieldChange, Group, GroupMember
from kdiff.model.failure import Failure, Note
from kdiff.model.impact import Counts, ImageChange, Impact
from kdiff.model.report import Tool
from kdiff.model.tree import TreeOrigin


def test_numbers_add_up_and_lists_join(make, blocking) -> None:
    image = ImageChange("nginx", "1", "2", ("x",))
    one = make("web", impact=Impact(by_kind={"Deployment": Counts(changed=1)}, pods=2, images=(image,)), notes=(Note("ignored", "a"),))
    two = make(
        "api",
        outcome="incomplete",
        impact=Impact(
            by_kind={"Deployment": Counts(changed=1), "Job": Counts(added=1)}, pods=3, images=(dataclasses.replace(image, objects=("y",)),)
        ),
        hazards=(blocking,),
        failures=(Failure("head", "apps/x", "timeout", "slow"),),
        notes=(Note("ignored", "a"),),
    )
    merged = merge_reports([("one", one), ("two", two)])
    assert merged.outcome == "incomplete"
    assert (merged.summary.objects.changed, merged.summary.objects.base, merged.summary.targets.total) == (2, 6, 4)
    assert [c.scope for c in merged] == ["apps/api", "apps/web"]
    assert merged.impact.by_kind == {"Deployment": Counts(changed=2), "Job": Counts(added=1)}
    assert merged.impact.pods == 5
    assert merged.impact.images == (ImageChange("nginx", "1", "2", ("x", "y")),)
    assert (merged.hazards, len(merged.failures), merged.notes) == ((blocking,), 1, (Note("ignored", "a"),))


def test_order_does_not_matter(make) -> None:
    one, two = make("web"), make("api")
    assert merge_reports([("a", one), ("b", two)]) == merge_reports([("b", two), ("a", one)])


def test_the_same_edit_in_two_shards_becomes_one_group(make) -> None:
    field = FieldChange("/a", "/a", "a", "replace", 1, True)
    other = dataclasses.replace(field, after=1.5)
    shards = []
    for name, edit in (("a", field), ("b", field), ("c", other)):
        report = make(name)
        shards.append((name, dataclasses.replace(report, changes=(dataclasses.replace(report.changes[0], fields=(edit,)),))))
    members = tuple(GroupMember(f"apps/{n}", f"apps/v1/Deployment shop/{n}") for n in "ab")
    assert merge_reports(shards).groups == (Group((field,), members),)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"head": TreeOrigin("else", "directory")}, "two compares other trees than one"),
        ({"tool": Tool("kdiff", "1")}, r"two was made with kdiff 1, .* make all shards with one version"),
        ({}, "apps/web is in one and in two; shards must not share a target"),
    ],
)
def test_what_does_not_belong_together_is_refused(make, other, message) -> None:
    with pytest.raises(UsageError, match=message):
        merge_reports([("one", make("web")), ("two", dataclasses.replace(make("web"), **other))])
