from __future__ import annotations

import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kdiff.errors import RendererError, SourceError
from kdiff.model.hazard import Waiver
from kdiff.model.report import Report

ROOT = Path(__file__).parents[2]


def test_a_comparison_prints_text_and_says_that_something_differs(kdiff) -> None:
    status, out, err = kdiff("base", "head")
    assert status == 1
    assert out.startswith("base -> head")
    assert "~ apps/v1/Deployment shop/web" in out
    assert err == ""
    assert (kdiff.seen["base"], kdiff.seen["head"]) == ("base", "head")


def test_flags_reach_the_options(kdiff) -> None:
    kdiff(
        "a",
        "b",
        "--entry",
        "x",
        "--entry",
        "y",
        "--all-targets",
        "--no-cache",
        "-j",
        "3",
        "--ignore",
        "kind=Job",
        "--kustomize-arg=--enable-alpha-plugins",
    )
    options = kdiff.seen["options"]
    assert (options.entry, options.all_targets, options.cache, options.jobs) == (("x", "y"), True, False, 3)
    assert options.kustomize_args == ("--enable-alpha-plugins",)
    assert options.ignore[0].kind == "Job"


@pytest.mark.parametrize(
    ("outcome", "flags", "hazard", "expected"),
    [
        ("unchanged", (), False, 0),
        ("changed", (), False, 1),
        ("incomplete", (), False, 2),
        ("changed", ("--exit-zero",), False, 0),
        ("incomplete", ("--exit-zero",), False, 2),
        ("changed", (), True, 1),
        ("changed", ("--fail-on", "blocking"), True, 3),
        ("changed", ("--fail-on", "caution"), True, 3),
        ("incomplete", ("--fail-on", "info", "--exit-zero"), True, 3),
        ("changed", ("--fail-on", "blocking"), False, 1),
    ],
)
def test_exit_status(kdiff, make, blocking, outcome, flags, hazard, expected) -> None:
    kdiff.answer = make(outcome=outcome, hazards=(blocking,) if hazard else ())
    assert kdiff("a", "b", *flags)[0] == expected


def test_a_waived_or_lesser_hazard_does_not_fail(kdiff, make, blocking) -> None:
    kdiff.answer = make(hazards=(dataclasses.replace(blocking, waived=Waiver("config", "fine")),))
    assert kdiff("a", "b", "--fail-on", "info")[0] == 1
    kdiff.answer = make(hazards=(dataclasses.replace(blocking, severity="caution"),))
    assert kdiff("a", "b", "--fail-on", "blocking")[0] == 1


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "give BASE and HEAD, such as: kdiff git:main . (0 given); see kdiff --help"),
        (("a",), "give BASE and HEAD, such as: kdiff git:main . (1 given); see kdiff --help"),
        (("a", "b", "c"), "give BASE and HEAD, such as: kdiff git:main . (3 given); see kdiff --help"),
        (("a", "b", "--tmeout", "3"), "unrecognized arguments: --tmeout 3; did you mean --timeout?"),
        (("a", "b", "--timeout", "x"), '--timeout: "x" is not a number'),
        (("a", "b", "-o", "markdwn"), '-o markdwn: unknown format "markdwn"; did you mean "markdown"?'),
        (("a", "b", "-o", "json="), "-o json=: names no file; write json=FILE, or json for standard output"),
        (("a", "b", "-o", "text", "-o", "json"), "-o text and -o json both go to standard output; send one to another file: -o json=FILE"),
        (("a", "b", "-o", "text=x", "-o", "json=./x"), "-o text and -o json both go to ./x; send one to another file: -o json=FILE"),
        (("a", "b", "-o", "text=no/x"), "-o: no/x cannot be written: there is no directory no"),
        (("a", "b", "-o", "text=."), "-o: . is a directory; name a file"),
        (("a", "b", "--config", "no.toml"), "no.toml: no such configuration file"),
        (("a", "b", "--fail-on", "no-such-rule"), 'there is no rule "no-such-rule"'),
        (("show", "no.json"), "no.json: cannot be read: No such file or directory; give a file that `kdiff -o json=FILE` wrote"),
        (("show",), "the following arguments are required: REPORT.json; see kdiff show --help"),
        (("completion", "tcsh"), "argument SHELL: invalid choice: 'tcsh'"),
        (("explain", "no-such-rule"), 'there is no rule "no-such-rule"'),
    ],
)
def test_a_wrong_call_is_one_line_and_nothing_runs(kdiff, argv, message) -> None:
    status, out, err = kdiff(*argv)
    assert status == 2
    assert out == ""
    assert err.startswith(f"kdiff: error: {message}")
    assert err.count("\n") == 1
    assert kdiff.seen == {}


@pytest.mark.parametrize("error", [SourceError("nope: no such directory"), RendererError("no kustomize found")])
def test_what_stops_the_run_is_one_line(kdiff, tmp_path, error) -> None:
    kdiff.answer = error
    assert kdiff("a", "b", "-o", "text=out") == (2, "", f"kdiff: error: {error}\n")
    assert list(tmp_path.iterdir()) == []


def test_foreign_text_in_an_error_is_inert(kdiff) -> None:
    kdiff.answer = SourceError("\x1b[2J\n::error::x")
    assert kdiff("a", "b")[2] == "kdiff: error: \\x1b[2J\\n::error::x\n"


def test_an_unexpected_error_asks_to_be_reported_without_its_text(kdiff, monkeypatch) -> None:
    kdiff.answer = ValueError("a secret value")
    status, out, err = kdiff("a", "b")
    assert (status, out) == (2, "")
    assert err == "kdiff: error: unexpected ValueError; please report it, with what KDIFF_DEBUG=1 prints\n"
    monkeypatch.setenv("KDIFF_DEBUG", "1")
    assert "Traceback" in kdiff("a", "b")[2]


def test_interrupted(kdiff) -> None:
    kdiff.answer = KeyboardInterrupt()
    assert kdiff("a", "b") == (130, "", "")


def test_quiet_prints_nothing_but_writes_files(kdiff, tmp_path) -> None:
    assert kdiff("a", "b", "-q", "-o", "text", "-o", "json=r.json") == (1, "", "")
    assert Report.from_json((tmp_path / "r.json").read_text()) == kdiff.answer


def test_several_formats_in_one_run(kdiff, tmp_path) -> None:
    status, out, _ = kdiff("a", "b", "-o", "json", "-o", "markdown=note.md", "-o", "diff=d")
    assert status == 1
    assert json.loads(out)["schema"] == "kdiff.report/v1"
    assert (tmp_path / "note.md").read_text().startswith("<!-- kdiff:kdiff -->")
    assert {p.name for p in tmp_path.iterdir()} == {"note.md", "d"}


def test_a_saved_report_is_shown_as_the_comparison_itself(kdiff, tmp_path) -> None:
    direct = kdiff("a", "b")
    (tmp_path / "r.json").write_text(kdiff.answer.to_json())
    assert kdiff("show", "r.json") == direct
    assert kdiff("show", "r.json", "-o", "json")[1] == kdiff.answer.to_json()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"schema": "other"}', '{"schema": "kdiff.report/v1"}', '{"schema": "kdiff.report/v1", "tool": 3}']
)
def test_what_is_no_report_is_refused(kdiff, tmp_path, content) -> None:
    (tmp_path / "r.json").write_text(content)
    status, out, err = kdiff("show", "r.json")
    assert (status, out) == (2, "")
    assert err.startswith("kdiff: error: r.json: not a kdiff report")


def test_a_report_from_standard_input_is_called_so(kdiff, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    assert kdiff("show", "-")[2].startswith("kdiff: error: standard input: not a kdiff report")


def test_a_directory_named_like_a_command_is_written_with_its_path(kdiff) -> None:
    assert kdiff("./show", "head")[0] == 1
    assert kdiff.seen["base"] == "./show"


def test_merging_shards(kdiff, make, tmp_path) -> None:
    for name in ("api", "web"):
        (tmp_path / f"{name}.json").write_text(make(name).to_json())
    status, out, _ = kdiff("merge", "api.json", "web.json", "-o", "json")
    assert status == 1
    assert [c["scope"] for c in json.loads(out)["changes"]] == ["apps/api", "apps/web"]
    status, out, err = kdiff("merge", "api.json", "api.json")
    assert (status, out) == (2, "")
    assert "shards must not share a target" in err


def test_config_says_what_is_in_force_and_from_where(kdiff, tmp_path, monkeypatch) -> None:
    (tmp_path / "kdiff.toml").write_text("jobs = 2\n")
    monkeypatch.setenv("KDIFF_MASK_KEY", "hush-hush")
    status, out, _ = kdiff("config", "--timeout", "9", "--ignore", 'name=a"b')
    assert status == 0
    assert "jobs = 2  # kdiff.toml\n" in out
    assert "timeout = 9.0  # --timeout\n" in out
    assert 'mask_key = "(not shown)"  # KDIFF_MASK_KEY\n' in out
    assert 'ignore = [{name = "a\\"b"}]  # --ignore\n' in out
    assert "cache = true\n" in out
    assert "hush" not in out


def test_a_variable_that_is_no_setting_is_one_line_beside_the_report(kdiff, monkeypatch) -> None:
    usual = kdiff("a", "b")
    monkeypatch.setenv("KDIFF_FAILON", "hush")
    status, out, err = kdiff("a", "b")
    assert (status, out) == usual[:2]
    assert err == 'kdiff: warning: the variable KDIFF_FAILON is no setting of kdiff; did you mean "KDIFF_FAIL_ON"?\n'


def test_the_report_says_what_a_found_file_decides(kdiff, tmp_path) -> None:
    (tmp_path / "kdiff.toml").write_text('skip_kinds = ["Secret"]\n')
    found = json.loads(kdiff("a", "b", "-o", "json")[1])["notes"]
    said = "kdiff.toml, found in the checkout and perhaps part of the change, decides skip_kinds"
    assert [(note["kind"], note["message"].partition(" (")[0]) for note in found] == [("config", said)]
    for flags in (("--no-config",), ("--config", "kdiff.toml"), ("--skip-kinds", "Job")):
        assert json.loads(kdiff("a", "b", "-o", "json", *flags)[1])["notes"] == []


def test_what_config_prints_can_be_read_back(kdiff, tmp_path) -> None:
    _, first, _ = kdiff("config", "--ignore", "kind=Job", "--severity", "a=info", "--list-key", "kind=A,path=b,keys=c+d", "-o", "json=x")
    (tmp_path / "saved.toml").write_text(first)
    _, second, _ = kdiff("config", "--config", "saved.toml")
    strip = [line.split("  # ")[0] for line in first.split("\n")[1:]]
    assert [line.split("  # ")[0] for line in second.split("\n")[1:]] == strip


def test_schemas_are_printed(kdiff) -> None:
    assert json.loads(kdiff("schema")[1])["properties"]["schema"] == {"const": "kdiff.report/v1"}
    assert "jobs" in json.loads(kdiff("schema", "config")[1])["properties"]


@pytest.mark.parametrize("argv", [("--help",), ("show", "--help"), ("merge", "-h"), ("config", "-h"), ("completion", "-h")])
def test_help_exits_zero(kdiff, argv) -> None:
    status, out, err = kdiff(*argv)
    assert (status, err) == (0, "")
    assert out.startswith("usage: kdiff")


def test_version_without_a_renderer_says_what_to_install(kdiff, monkeypatch) -> None:
    monkeypatch.setenv("KDIFF_KUSTOMIZE", "/no/such/program")
    status, out, _ = kdiff("--version")
    assert status == 0
    assert out.startswith("kdiff ")
    assert "no renderer" in out


def test_import_of_the_face_is_light() -> None:
    heavy = "rich deepdiff jsonpatch yaml subprocess_tee jinja2 argparse importlib.metadata subprocess tomllib kdiff.pipeline"
    code = f"import sys, kdiff; sys.exit(' '.join(m for m in '{heavy}'.split() if m in sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_name_of_the_face_can_be_loaded() -> None:
    import kdiff

    for name in set(kdiff.__all__) - {"render_diff"}:
        assert getattr(kdiff, name) is not None
    assert set(kdiff._HOME) | {"__version__"} == set(kdiff.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        kdiff.nope  # noqa: B018


def test_a_reader_that_goes_away_is_no_error(tmp_path, make) -> None:
    (tmp_path / "r.json").write_text(make().to_json())
    command = f"{sys.executable} -m kdiff show r.json -o json | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() in {"141", "1"}
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"])
def test_asked_to_end_it_takes_its_children_and_scratch_folders_along(name, tmp_path):
    marker = tmp_path / "pid"
    renderer = tmp_path / "kustomize"
    renderer.write_text(
        f'#!/bin/sh\nif [ "$1" = version ]; then echo v5.8.1; exit; fi\necho $$ > {marker}.new; mv {marker}.new {marker}\nexec sleep 60\n'
    )
    renderer.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "kustomization.yaml").write_text("resources: []\n")
    environment = {**os.environ, "TMPDIR": str(scratch), "KDIFF_KUSTOMIZE": str(renderer)}
    child = subprocess.Popen(
        [sys.executable, "-m", "kdiff", "base", "head", "--no-cache"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(300):
        if marker.exists():
            break
        time.sleep(0.05)
    child.send_signal(getattr(signal, name))
    child.communicate(timeout=20)
    assert child.returncode == 130
    assert list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


@pytest.mark.parametrize("name", ["HUP", "QUIT"])
def test_what_the_caller_ignores_stays_ignored(name, tmp_path):
    renderer = tmp_path / "kustomize"
    renderer.write_text(
        f"""#!/bin/sh
if [ "$1" = version ]; then echo v5.8.1; exit; fi
while [ "$1" != -o ]; do shift; done
printf 'apiVersion: v1\\nkind: Namespace\\nmetadata:\\n  name: a\\n' > "$2"
kill -{name} "$(cat {tmp_path}/caller)"
"""
    )
    renderer.chmod(0o755)
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "kustomization.yaml").write_text("resources: []\n")
    command = f"trap '' {name}; echo $$ > caller; exec {sys.executable} -m kdiff base head --kustomize {renderer} --no-cache"
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False).returncode == 0
