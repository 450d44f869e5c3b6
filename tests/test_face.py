"""What `import kdiff` offers, what it costs, and that every public name is what it says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import kdiff
from kdiff.model.change import Change, ChangeTargets, FieldChange, ObjectRef
from kdiff.model.report import Report, Tool
from kdiff.model.tree import TreeOrigin

HEAVY = {"asyncio", "deepdiff", "difflib", "jinja2", "jsonpatch", "networkx", "rich", "subprocess", "subprocess_tee", "tomllib", "yaml"}


def modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        check=True,
        text=True,
    )
    return set(json.loads(done.stdout))


def test_the_import_loads_nothing_else() -> None:
    bare = modules_after("import typing")
    assert {name for name in modules_after("import kdiff") - bare if name.partition(".")[0] != "__future__"} == {"kdiff"}


@pytest.mark.parametrize(
    "code",
    ["import kdiff; kdiff.Report, kdiff.Options, kdiff.KdiffError", "from kdiff.cli.arguments import parse_call; parse_call(['a', 'b'])"],
)
def test_types_and_the_command_line_load_nothing_heavy(code: str) -> None:
    assert not HEAVY & modules_after(code) - {"difflib"}


def test_every_public_name_exists() -> None:
    assert set(kdiff.__all__) <= set(dir(kdiff))
    for name in kdiff.__all__:
        assert getattr(kdiff, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        kdiff.nothing_of_the_kind  # noqa: B018


def test_no_public_name_is_a_module() -> None:
    """A submodule of the same name would take its place as soon as anything imports it."""
    code = "import kdiff, kdiff.pipeline, kdiff.cli.main, kdiff.narrow_report, types\nassert not [n for n in kdiff.__all__ if isinstance(getattr(kdiff, n), types.ModuleType)]"
    modules_after(code)


def a_change() -> Change:
    ref = ObjectRef("", "v1", "ConfigMap", "shop", "a")
    field = FieldChange("/data/k", "/data/k", "data.k", "replace", "1", "2")
    base, head = ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": k}} for k in "12")
    return Change(
        ref.id, ref.id, "changed", ".", ref, ref, ChangeTargets((".",), (".",)), fields=(field,), base_value=base, head_value=head
    )


def test_views_of_a_change() -> None:
    assert kdiff.unified_view(a_change(), context=0).endswith('@@ -3 +3 @@\n-  k: "1"\n+  k: "2"\n')
    assert kdiff.deepdiff_view(a_change()).affected_paths == ["root['data']['k']"]


def test_a_report_renders_itself() -> None:
    report = Report(Tool("kdiff", "0"), TreeOrigin("a", "directory"), TreeOrigin("b", "directory"), "changed", changes=(a_change(),))
    assert report.render("json") == report.to_json()
    assert "\x1b" in report.render(color=True)
    assert "ConfigMap shop/a" in report.render("markdown")
    with pytest.raises(kdiff.UsageError, match='no format "pdf"; known are text, json'):
        report.render("pdf")


def test_a_report_counts_its_changes_and_is_never_false() -> None:
    report = Report(Tool("kdiff", "0"), TreeOrigin("a", "directory"), TreeOrigin("b", "directory"), "incomplete")
    assert (len(report), bool(report)) == (0, True)
    assert len(Report(report.tool, report.base, report.head, "changed", changes=(a_change(),) * 2)) == 2
