"""The files of docs/ci, the action and the hooks: they parse, their scripts are shell, their kdiff commands are ones that kdiff takes."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from kdiff.cli.arguments import parse_call
from kdiff.cli.destinations import read_destinations
from kdiff.config.read_settings import read_settings

ROOT = Path(__file__).resolve().parent.parent
CI = ROOT / "docs" / "ci"
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


def loaded(path: Path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def scripts() -> dict[str, tuple[str, str]]:
    """Name to (shell, script) of every script."""
    found = {"check.sh": ("sh", (CI / "check.sh").read_text(encoding="utf-8"))}
    for name, path in {"action": ROOT / "action.yml", "github": CI / "github-actions.yml", "forgejo": CI / "forgejo.yml"}.items():
        data = loaded(path)
        steps = data["runs"]["steps"] if name == "action" else [step for job in data["jobs"].values() for step in job["steps"]]
        found |= {f"{name}: {step['name']}": ("bash", step["run"]) for step in steps if "run" in step}
    for job in (job for job in loaded(CI / "gitlab-ci.yml").values() if isinstance(job, dict)):
        for part in ("before_script", "script", "after_script"):
            found[f"gitlab: {part}"] = ("sh", "\n".join(job[part]))
    return found


SCRIPTS = scripts()


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_shell(name) -> None:
    shell, script = SCRIPTS[name]
    done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in SCRIPTS if not name.startswith("action")])
def test_no_expression_is_pasted_into_a_script(name) -> None:
    assert not EXPRESSION.search(SCRIPTS[name][1]), "a branch name could run commands: pass it as a variable"


def commands() -> list[str]:
    """Every call of kdiff in a script, a hook or the page, on one line."""
    found = []
    for _, script in SCRIPTS.values():
        found += re.findall(r"^\s*(kdiff .*)$", script.replace("\\\n", " "), re.MULTILINE)
    for hook in loaded(ROOT / ".pre-commit-hooks.yaml"):
        found.append(f"{hook['entry']} {shlex.join(hook['args'])}")
    found += re.findall(r"^    (kdiff .*)$", (CI / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return found


@pytest.mark.parametrize("command", commands())
def test_commands_are_ones_that_kdiff_takes(command, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(
        command.split("||")[0]
        .replace('"${arguments[@]}"', "")
        .replace("$INPUT_OUTPUT/", "")
        .replace("$INPUT_COMMENT_KEY", "key")
        .replace("$reports/", "")
    )
    assert words.pop(0) == "kdiff"
    call = parse_call(words)
    assert call.command == "diff"
    settings = read_settings(call.flags, {}, tmp_path, config="").settings
    read_destinations(settings.output)


def test_there_are_commands() -> None:
    assert len(commands()) >= 6


@pytest.mark.parametrize("path", sorted(p for p in CI.iterdir() if p.suffix == ".yml"), ids=lambda p: p.name)
def test_files_parse_and_the_page_lists_them(path) -> None:
    assert isinstance(loaded(path), dict)
    assert f"({path.name})" in (CI / "README.md").read_text(encoding="utf-8")


def test_examples_in_the_page_parse() -> None:
    page = (CI / "README.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(block) for block in BLOCK.findall(page)]
    (steps, hooks) = blocks
    action = loaded(ROOT / "action.yml")
    used = next(step for step in steps if step.get("id") == "kdiff")
    assert set(used["with"]) <= set(action["inputs"])
    assert set(re.findall(r"steps\.kdiff\.outputs\.([a-z-]+)", page)) <= set(action["outputs"])
    assert hooks["repos"][0]["hooks"][0]["id"] in {hook["id"] for hook in loaded(ROOT / ".pre-commit-hooks.yaml")}
    for name in (*action["inputs"], *action["outputs"]):
        assert f"`{name}`" in page, "the page names every input and output"


def test_workflows_read_outputs_that_the_format_sets() -> None:
    known = {"outcome", "changed", "incomplete", "hazards", "report"}
    for name in ("github-actions.yml", "forgejo.yml"):
        found = re.findall(r"steps\.kdiff\.outputs\.([a-z-]+)", (CI / name).read_text(encoding="utf-8"))
        assert found
        assert set(found) <= known


# --- the action, run with a kdiff that is made up


class Action:
    def __init__(self, folder: Path) -> None:
        self.action = loaded(ROOT / "action.yml")
        self.folder = folder
        bin_ = folder / "runner" / "kdiff-venv" / "bin"
        bin_.mkdir(parents=True)
        self.program = bin_ / "kdiff"

    def run(self, status: int, **inputs: str) -> tuple[int, list[str], dict[str, str]]:
        self.program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" > "$ARGUMENTS"\necho "{{}}" > out/kdiff.json\nexit {status}\n', encoding="utf-8"
        )
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        step = next(step for step in self.action["runs"]["steps"] if step.get("id") == "compare")
        environ = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(self.folder / "runner")}
        environ |= {"GITHUB_OUTPUT": str(self.folder / "outputs"), "ARGUMENTS": str(self.folder / "arguments")}
        for name, expression in step["env"].items():
            key = EXPRESSION.fullmatch(expression)[1].strip().removeprefix("inputs.")
            environ[name] = {"output": "out", **inputs}.get(key, self.action["inputs"][key]["default"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=environ,
            capture_output=True,
            check=False,
        )
        assert done.stderr == b""
        outputs = dict(line.split("=", 1) for line in (self.folder / "outputs").read_text(encoding="utf-8").splitlines())
        return done.returncode, (self.folder / "arguments").read_text(encoding="utf-8").splitlines(), outputs


@pytest.fixture
def action(tmp_path) -> Action:
    return Action(tmp_path)


@pytest.mark.parametrize(
    ("status", "inputs", "fails"),
    [
        (0, {}, False),
        (1, {}, False),
        (1, {"fail-on-diff": "true"}, True),
        (2, {}, True),
        (2, {"fail-on-incomplete": "false"}, False),
        (3, {}, True),
        (130, {}, True),
    ],
)
def test_the_action_fails_when_it_was_asked_to(action, status, inputs, fails) -> None:
    code, _, outputs = action.run(status, **inputs)
    assert (code != 0) == fails
    assert outputs["exit-code"] == str(status)


def test_inputs_of_the_action_become_arguments(action) -> None:
    hostile = "$(touch pwned); `touch pwned`"
    _, arguments, _ = action.run(
        0, entry="clusters/prod\n\nclusters/with blank\n", base=hostile, args="--no-remote\n--targets=a b", config="none"
    )
    assert arguments[:2] == [hostile, "."]
    for words in (
        ["--entry", "clusters/prod", "--entry", "clusters/with blank", "--no-remote", "--targets=a b"],
        ["--fail-on", "blocking", "--no-config"],
    ):
        at = arguments.index(words[0])
        assert arguments[at : at + len(words)] == words
    assert not (action.folder / "pwned").exists()
    call = parse_call(arguments)
    assert call.words == (hostile, ".")
    assert call.config == ""


def test_outputs_of_the_action_come_from_its_step(action) -> None:
    _, _, outputs = action.run(0)
    told = {
        EXPRESSION.fullmatch(output["value"])[1].strip().removeprefix("steps.compare.outputs.")
        for output in action.action["outputs"].values()
    }
    assert told == set(action.action["outputs"])
    assert set(outputs) | {"outcome", "changed", "incomplete", "hazards", "report"} == told
