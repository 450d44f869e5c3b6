from __future__ import annotations

import pytest

from kdiff.model.failure import Failure
from kdiff.model.hazard import Hazard, SourceLocation
from kdiff.reports.github import LIMIT, render_github
from kdiff.reports.style import Style


def lines(report) -> list[str]:
    return render_github(report, Style()).split("\n")[:-1]


def test_verdict_then_failures_then_hazards_that_nobody_waived(full_report) -> None:
    verdict, failure, blocking, caution = lines(full_report)
    assert verdict.startswith("::notice title=kdiff::18 objects differ in 14 of 16 targets: ")
    assert failure == "::error title=not-compared%3A apps/broken,file=apps/broken::missing-resource on head: no such file: x.yaml"
    assert blocking == (
        "::error title=removed-namespace%3A v1/Namespace shop in clusters/prod,file=apps/web/kustomization.yaml,line=12"
        "::Namespace shop leaves and Flux prunes it: 14 objects go with it."
    )
    assert caution.startswith(
        "::warning title=image-unpinned%3A apps/v1/Deployment shop/web in apps/web/overlays/prod,file=apps/web/overlays/prod::"
    )


@pytest.mark.parametrize(
    "hostile",
    ["x\n::error::boo", "x\r\n::set-output name=a::b", "a,line=9::b", "##[error]boo", "100%0A::debug::x", "\u2028::error::x"],
)
def test_hostile_text_stays_data_of_its_command(build, hostile) -> None:
    hazard = Hazard("removed-pvc", "info", hostile, "w", "h", object=hostile, source=SourceLocation(hostile, 1))
    failure = Failure("head", hostile, "timeout", hostile)
    for line in lines(build.report(outcome="incomplete", hazards=(hazard,), failures=(failure,))):
        level, _, rest = line.removeprefix("::").partition(" ")
        properties, _, data = rest.partition("::")
        assert level in ("notice", "error")
        assert {p.partition("=")[0] for p in properties.split(",")} <= {"title", "file", "line"}
        assert properties.count("title=") == 1
        assert "##[" not in line
        assert "%0A" not in data or hostile.startswith(("x\n", "x\r")), "only a failure of several lines has them"


@pytest.mark.parametrize(
    ("severity", "level", "count", "shown"), [("caution", "warning", LIMIT, LIMIT), ("caution", "warning", 40, LIMIT - 1)]
)
def test_what_a_step_cannot_show_is_counted(build, severity, level, count, shown) -> None:
    hazards = tuple(Hazard("recreated", severity, f"m{n}", "w", "h", object=f"v1/Service a/{n}") for n in range(count))
    found = [line for line in lines(build.report(hazards=hazards)) if line.startswith(f"::{level} ")]
    assert len(found) == LIMIT
    assert sum("recreated" in line for line in found) == shown
    assert shown == count or found[-1] == f"::{level} title=kdiff::{count - shown} more: see the report"
