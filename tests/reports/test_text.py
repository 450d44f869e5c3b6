from __future__ import annotations

import dataclasses
import re

import pytest

from kdiff.model.change import ChangeTargets, FieldChange, Group, GroupMember
from kdiff.model.impact import Dependents, Impact, Rollout
from kdiff.model.report import ObjectTotals, Summary, TargetTotals
from kdiff.model.tree import TreeOrigin
from kdiff.reports.style import Style
from kdiff.reports.text import cells, render_text

ANSI = re.compile("\x1b\\[[0-9;]*m")

AT_80 = """\
base -> head  kdiff 9.9.9, kustomize 5.8.1 (kubectl)

18 objects differ in 14 of 16 targets: 1 removed, 14 changed, 1 renamed, 1
moved, 1 added. 2 hazards: 1 blocking, 1 caution. Not compared: 1 target.

Hazards
  blocking  removed-namespace  v1/Namespace shop in clusters/prod
            Namespace shop leaves and Flux prunes it: 14 objects go with it.
            at apps/web/kustomization.yaml:12; kdiff explain removed-namespace
  caution   image-unpinned
            apps/v1/Deployment shop/web in apps/web/overlays/prod
            The image of web lost its tag.
            kdiff explain image-unpinned
  waived    scaled-to-zero  apps/v1/Deployment z  (waived by config: night
            shift)

Not compared
  missing-resource  apps/broken  (head)
      no such file: x.yaml

Impact
  pods        1 workload replaces its pods (3 pods)
              Deployment shop/web in apps/web/overlays/prod (3 pods) because of
              /spec/template/spec/containers/0/image, ConfigMap shop/cfg-b
  images      ghcr.io/acme/web  1.2.0 -> 1.3.0  (1 object)
  reach       ConfigMap shop/cfg-b: 1 depends on it: Deployment shop/web; 2 more
              through those
  kinds       Deployment ~13, Service -1 +1
  namespaces  shop -1 ~3 +1
  cluster     1 cluster-scoped object

The same edit of 12 objects, --stat lists them
  ~ apps/v1/Deployment api/api in 12 targets: apps/api/overlays/t00,
      apps/api/overlays/t01, apps/api/overlays/t02, apps/api/overlays/t03,
      apps/api/overlays/t04 and 7 more  (scales)
    ~ spec.replicas: 2 -> 3

apps/web/overlays/prod
  ~ apps/v1/Deployment shop/web  (replaces 3 pods)
      ~ spec.replicas: 2 -> 3
      ~ spec.template.spec.containers[name=web].image
        | - "ghcr.io/acme/web:1.2.0"
        | + "ghcr.io/acme/web:1.3.0"
      ~ spec.template.spec.containers[name=web].ports[0].containerPort
        | - 8080
        | + "8080"
      + spec.paused: false
      - spec.x: null
      = spec.args: ["a", "b"] -> ["b", "a"]  (only the order differs)
      ~ spec.memory: "1Gi" -> "1024Mi"  (same meaning, written differently)
      1 field follows the new name of v1/ConfigMap shop/cfg-b:
        spec.template.spec.volumes[name=cfg].configMap.name
  ~ v1/ConfigMap shop/cfg-b  (renamed from v1/ConfigMap shop/cfg-a)
      ~ data.motd  (final newline removed, only blanks at line ends differ)
        | @@ -1,2 +1,2 @@
        |   hello
        | - world··
        | + world  [no final newline]
      ~ data.app, inside its text
          ~ a.b: 1 -> 2
  ~ v1/Secret shop/db
      ~ data.password  (value masked)
  + v1/Service shop/new  (perhaps it was v1/Service shop/old (92% alike))
  - v1/Service shop/old  (2 lines of YAML, --full shows them)

clusters/prod
  Kustomization flux-system/b
    > v1/Namespace shop  (moved here from Kustomization flux-system/a)

Notes
  ignored: 3 fields were ignored
  equivalent: Deployment shop/web: 128Mi and 0.125Gi mean the same

1 removed, 14 changed, 1 renamed, 1 moved, 1 added, 106 unchanged (124 objects
  at base, 124 at head)
16 targets: 15 compared, 14 changed, 1 failed; 9 builds, 13 renderings reused
"""


def test_everything_at_80_columns(full_report) -> None:
    assert render_text(full_report, Style(width=80)) == AT_80


@pytest.mark.parametrize("width", [80, 200])
def test_no_prose_is_wider_than_the_terminal(full_report, width) -> None:
    lines = render_text(full_report, Style(width=width)).split("\n")
    assert max(cells(line) for line in lines) <= width


def test_many_objects_with_one_edit_take_one_row(build, full_report) -> None:
    jobs = [build.change(build.ref("Job", name), fields=(build.REPLICAS,)) for name in ("a", "b", "c")]
    other = build.change(build.ref("Cron", "d"), fields=(build.REPLICAS,), scope="other")
    members = tuple(GroupMember(c.scope, c.id) for c in (*jobs, other))
    text = render_text(build.report(*jobs, other, groups=(Group((build.REPLICAS,), members),)), Style())
    assert (
        "The same edit of 4 objects\n  ~ 3 v1/Job in apps/web/overlays/prod: shop/a, shop/b, shop/c\n  ~ v1/Cron shop/d in other\n" in text
    )


def test_a_hundred_objects_with_one_edit_take_a_few_lines(build) -> None:
    jobs = [build.change(build.ref("Job", f"job-{n:03}"), fields=(build.REPLICAS,)) for n in range(100)]
    groups = (Group((build.REPLICAS,), tuple(GroupMember(c.scope, c.id) for c in jobs)),)
    text = render_text(build.report(*jobs, groups=groups), Style(width=80)).split("\n\n")[2]
    assert text == (
        "The same edit of 100 objects, --stat lists them\n"
        "  ~ 100 v1/Job in apps/web/overlays/prod: shop/job-000, shop/job-001,\n"
        "      shop/job-002, shop/job-003, shop/job-004 and 95 more\n"
        "    ~ spec.replicas: 2 -> 3"
    )


def test_one_edit_in_two_clusters_names_the_clusters(build) -> None:
    apps = ChangeTargets(*[("Kustomization flux-system/apps",)] * 2)
    changes = [build.change(build.WEB, fields=(build.REPLICAS,), scope=f"clusters/{c}", targets=apps) for c in ("eu", "us")]
    groups = (Group((build.REPLICAS,), tuple(GroupMember(c.scope, c.id) for c in changes)),)
    text = render_text(build.report(*changes, groups=groups), Style(width=200))
    where = "Kustomization flux-system/apps of clusters/eu, Kustomization flux-system/apps of clusters/us"
    assert f"  ~ apps/v1/Deployment shop/web in 2 targets: {where}\n" in text


def test_pods_are_replaced_because_of_fields_and_contents(build) -> None:
    config = "v1/ConfigMap shop/cfg-b"
    image = build.replaced("spec.template.spec.image", "a:1", "a:2")
    name = build.replaced("spec.template.spec.from", "cfg-a", "cfg-b", follows=config)
    rollout = Rollout(build.WEB.id, 2, (name.pointer, image.pointer, config), scope="apps/web/overlays/prod")
    report = build.report(build.change(build.WEB, fields=(image, name)), impact=Impact(rollouts=(rollout,), pods=2))
    assert "Deployment shop/web (2 pods) because of image, ConfigMap shop/cfg-b\n" in render_text(report, Style())


def test_a_kind_is_said_once_for_all_that_depend(build) -> None:
    dependents = Dependents("v1/ConfigMap shop/c", ("apps/v1/Deployment shop/a", "apps/v1/Deployment shop/b", "v1/Pod shop/c"), 0)
    text = render_text(build.report(impact=Impact(dependents=(dependents,))), Style())
    assert "3 depend on it: Deployment shop/a, shop/b, Pod shop/c\n" in text


def test_long_labels_put_the_tool_on_a_line_of_its_own(build) -> None:
    report = dataclasses.replace(build.report(), base=TreeOrigin("b" * 60, "directory"))
    assert render_text(report, Style(width=80)).startswith(f"{'b' * 60} -> head\nkdiff 9.9.9, kustomize 5.8.1 (kubectl)\n\n")


def test_a_wide_terminal_holds_values_on_one_line(full_report) -> None:
    text = render_text(full_report, Style(width=200))
    assert '~ spec.template.spec.containers[name=web].image: "ghcr.io/acme/web:1.2.0" -> "ghcr.io/acme/web:1.3.0"\n' in text
    assert 'containerPort: 8080 -> "8080"\n' in text


@pytest.mark.parametrize("style", [Style(), Style(width=80), Style(stat=True), Style(full=True), Style(summary_only=True)])
def test_colour_changes_no_character(full_report, style) -> None:
    plain = render_text(full_report, style)
    colored = render_text(full_report, dataclasses.replace(style, color=True))
    assert "\x1b" not in plain
    assert "\x1b[1;97;41mblocking\x1b[0m" in colored
    assert ANSI.sub("", colored) == plain


def test_summary_leaves_the_changes_out_and_nothing_else(full_report) -> None:
    text = render_text(full_report, Style(summary_only=True))
    assert "spec.replicas" not in text
    for said in ("removed-namespace", "no such file", "ghcr.io/acme/web", "1 removed, 14 changed"):
        assert said in text


def test_stat_prints_one_line_for_each_object(full_report) -> None:
    text = render_text(full_report, Style(stat=True, width=200))
    lines = text.split("\nChanges\n")[1].split("\n\n")[0].split("\n")
    assert len(lines) == len(full_report.changes)
    assert "  ~ apps/v1/Deployment shop/web  apps/web/overlays/prod  (8 fields, replaces 3 pods)" in lines


def test_full_shows_whole_diffs_and_folds_nothing(full_report) -> None:
    text = render_text(full_report, Style(full=True))
    assert "        | -d: 4·\n        | +d: 5\n" not in text
    assert "      | -d: 4·\n      | +d: 5\n" in text
    assert "      | -a: 1\n      | -b: 2\n" in text
    assert "The same edit" not in text
    assert "nothing else declares it" in text


@pytest.mark.parametrize(
    ("outcome", "failed", "expected"),
    [
        ("unchanged", 0, "Nothing differs: 12 targets with 124 objects were compared.\n"),
        ("incomplete", 0, "Nothing differs in what was compared: 12 targets with 124 objects. Something was not compared"),
    ],
)
def test_nothing_different_says_how_much_was_compared(build, outcome, failed, expected) -> None:
    summary = Summary(ObjectTotals(124, 124, unchanged=124), TargetTotals(12, 12, 0, failed))
    assert expected in render_text(build.report(outcome=outcome, summary=summary), Style(width=200))


def test_one_target_was_compared(build) -> None:
    summary = Summary(ObjectTotals(1, 1, unchanged=1), TargetTotals(1, 1))
    assert "Nothing differs: 1 target with 1 object was compared.\n" in render_text(build.report(summary=summary), Style(width=200))


FIELDS = [
    (("a", True, 1), "~ a: true -> 1"),
    (("a", 1.5, "1.5"), '~ a: 1.5 -> "1.5"'),
    (("a", None, ""), '~ a: null -> ""'),
    (("a", "x\ty", "x y"), '~ a: "x\\ty" -> "x y"'),
    (("a", 'say "hi" \\', "漢字"), '~ a: "say \\"hi\\" \\\\" -> "漢字"'),
    (("a", {"b": [1, {"c": None}]}, []), '~ a: {"b": [1, {"c": null}]} -> []'),
    (("a", 2**63, 12345678901234567890123), f"~ a: {2**63} -> 12345678901234567890123"),
]


@pytest.mark.parametrize(("given", "expected"), FIELDS)
def test_a_value_shows_its_type(build, given, expected) -> None:
    text = render_text(build.report(build.change(build.WEB, fields=(build.replaced(*given),))), Style())
    assert f"      {expected}\n" in text


def test_depth_is_no_limit(build) -> None:
    deep: object = "x"
    for _ in range(1500):
        deep = {"a": deep}
    field = build.replaced("spec.deep", 1, deep)
    deep_report = build.report(build.change(build.WEB, fields=(field,)), groups=(Group((field,), ()),))
    assert "| + a:\n" in render_text(deep_report, Style())
    assert '"a": ' in deep_report.to_json()


def test_a_large_subtree_is_printed_as_lines(build) -> None:
    field = FieldChange("/spec/s", "/spec/s", "spec.s", "add", after={"key": "v" * 60, "list": ["w" * 60]})
    text = render_text(build.report(build.change(build.WEB, fields=(field,))), Style(width=80))
    assert "      + spec.s\n        | + key: vvv" in text


def test_a_long_text_is_folded_with_a_count(build) -> None:
    field = build.replaced("data.x", "a\n", "".join(f"{i}\n" for i in range(100)))
    changed = build.report(build.change(build.WEB, fields=(field,)))
    assert "| ... 62 more lines, --full shows them\n" in render_text(changed, Style())


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a\tb\nc\t\n", "a\tb\nc\n", ("| - c\\t\n", "| + c\n", "only blanks at line ends")),
        ("a\nb\r\n", "a\nb\n", ("| - b\\r\n", "line ends: CRLF to LF")),
        ("a\n\\x1b\n", "a\n\x1b\n", ("| - \\\\x1b\n", "| + \\x1b\n")),
        ("a\nx\n", "a\nx\n\n", ("| + \n".replace("+ ", "+"),)),
        ("a\nb", "a\nb\n", ("[no final newline]", "final newline added")),
    ],
)
def test_what_is_hard_to_see_is_shown(build, before, after, said) -> None:
    text = render_text(build.report(build.change(build.WEB, fields=(build.replaced("data.x", before, after),))), Style())
    for part in said:
        assert part in text


def test_context_is_what_was_asked_for(build) -> None:
    lines = [f"{i}\n" for i in range(20)]
    field = build.replaced("data.x", "".join(lines), "".join(lines).replace("10\n", "ten\n"))
    changed = build.report(build.change(build.WEB, fields=(field,)))
    assert "|   9\n" in render_text(changed, Style(context=1))
    assert "|   8\n" not in render_text(changed, Style(context=1))
    assert "|   5\n" in render_text(changed, Style(context=5))


HOSTILE = "x\x1b]8;;http://evil\x07\n::error file=a::b\r\u202eok ##[add-mask]y"


def test_hostile_text_is_inert_everywhere(build, full_report) -> None:
    obj = build.ref("Widget", HOSTILE, HOSTILE)
    field = build.replaced(HOSTILE, f"::error::a\n{HOSTILE}\nz", f"::error::a\n{HOSTILE}\ny")
    note = dataclasses.replace(full_report.notes[0], message=HOSTILE)
    hazard = dataclasses.replace(full_report.hazards[0], message=f"word {HOSTILE} " * 20, object=obj.id)
    failure = dataclasses.replace(full_report.failures[0], message=f"one\n{HOSTILE}", target=HOSTILE)
    report = dataclasses.replace(
        full_report, changes=(build.change(obj, fields=(field,), scope=HOSTILE),), notes=(note,), hazards=(hazard,), failures=(failure,)
    )
    for style in (Style(), Style(width=20), Style(full=True), Style(stat=True)):
        text = render_text(report, style)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
        assert "##[" not in text
        assert not [line for line in text.split("\n") if line.lstrip().startswith(("::", "##["))]


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("😀", 2)])
def test_cells(text, width) -> None:
    assert cells(text) == width
