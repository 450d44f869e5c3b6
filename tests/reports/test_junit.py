from __future__ import annotations

import xml.etree.ElementTree as ET

from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard
from kdiff.model.impact import Counts, Impact
from kdiff.reports.junit import render_junit
from kdiff.reports.style import Style


def parsed(report) -> ET.Element:
    return ET.fromstring(render_junit(report, Style()))


def test_hazards_fail_what_was_not_compared_errs_waived_is_skipped(full_report) -> None:
    root = parsed(full_report)
    targets, hazards = root
    assert [(c.get("name"), [o.tag for o in c]) for c in hazards] == [
        ("v1/Namespace shop in clusters/prod", ["failure"]),
        ("apps/v1/Deployment shop/web in apps/web/overlays/prod", ["failure"]),
        ("apps/v1/Deployment z", ["skipped"]),
    ]
    assert [(c.get("name"), [o.tag for o in c]) for c in targets] == [("verdict", ["system-out"]), ("apps/broken", ["error"])]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "2", "1")
    assert (hazards.get("tests"), hazards.get("failures"), hazards.get("skipped")) == ("3", "2", "1")


def test_info_passes_and_changed_targets_say_their_counts(build) -> None:
    hazard = Hazard("large-changeset", "info", "many", "w", "h")
    root = parsed(build.report(hazards=(hazard,), impact=Impact(by_target={"apps/web": Counts(removed=1, changed=2)})))
    assert [o.tag for case in root.iter("testcase") for o in case] == ["system-out"] * 3
    assert root.find(".//testcase[@name='apps/web']/system-out").text == "-1 ~2"
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_hostile_text_is_well_formed(build) -> None:
    bad = "]]>\x00\x1b<!-- \ud800 & \" '"
    report = build.report(
        outcome="incomplete",
        failures=(Failure("head", bad, "timeout", bad),),
        hazards=(Hazard(bad, "caution", bad, bad, bad, object=bad),),
    )
    assert parsed(report).find(".//failure").get("message").startswith("]]>\\x00\\x1b<!-- \\ud800")
