"""Which kustomize renders."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdiff.errors import RendererError
from kdiff.model.options import Options
from kdiff.process import Command, Outcome
from kdiff.render.find_renderer import find_renderer

KUBECTL = b"Client Version: v1.36.2\nKustomize Version: v5.7.1\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put programs on PATH, and nothing beside Python."""
    monkeypatch.delenv("KDIFF_KUSTOMIZE", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "beside"))
    monkeypatch.setattr("kdiff.render.find_renderer._kubectl_of_extra", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def put(*names: str) -> None:
        for name in names:
            file = tmp_path / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("")
            file.chmod(0o755)

    return put


def answering(**answers: Any) -> Callable[[Command], Outcome]:
    """A runner under which each program says its answer, bytes for success."""

    def run(command: Command) -> Outcome:
        assert command.env["KUBECONFIG"] == "/dev/null"
        answer = answers.get(Path(command.argv[0]).name, Outcome(127, missing=True))
        return answer if isinstance(answer, Outcome) else Outcome(0, answer)

    return run


@pytest.mark.parametrize(
    ("programs", "answers", "prefix", "version", "kustomize"),
    [
        (["bin/kustomize", "bin/kubectl"], {"kustomize": b"v5.4.2\n", "kubectl": KUBECTL}, ("bin/kustomize", "build"), "5.4.2", "5.4.2"),
        (["bin/kubectl"], {"kubectl": KUBECTL}, ("bin/kubectl", "kustomize"), "1.36.2", "5.7.1"),
        (["beside/kubectl"], {"kubectl": KUBECTL}, ("beside/kubectl", "kustomize"), "1.36.2", "5.7.1"),
        (["bin/kustomize", "bin/kubectl"], {"kustomize": b"v4.5.7\n", "kubectl": KUBECTL}, ("bin/kubectl", "kustomize"), "1.36.2", "5.7.1"),
        (["bin/kustomize", "bin/kubectl"], {"kustomize": b"{Version:kustomize/v4.5.4 GitCommit:x}\n", "kubectl": KUBECTL},
         ("bin/kubectl", "kustomize"), "1.36.2", "5.7.1"),
        (["bin/kustomize", "bin/kubectl"], {"kustomize": Outcome(1), "kubectl": KUBECTL}, ("bin/kubectl", "kustomize"), "1.36.2", "5.7.1"),
        (["bin/kustomize"], {"kustomize": b"5.6.0-rc.1\n"}, ("bin/kustomize", "build"), "5.6.0-rc.1", "5.6.0-rc.1"),
        (["bin/kubectl"], {"kubectl": b"Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0\n"},
         ("bin/kubectl", "kustomize"), "1.32.4-dispatcher", "5.5.0"),
    ],
)  # fmt: skip
def test_the_first_that_works_is_taken(
    tmp_path: Path, place: Callable[..., None], programs: list[str], answers: Any, prefix: tuple[str, str], version: str, kustomize: str
) -> None:
    place(*programs)
    found = find_renderer(Options(), answering(**answers))
    assert found.argv_prefix == (str(tmp_path / prefix[0]), prefix[1])
    assert (found.name, found.version, found.kustomize_version) == (Path(prefix[0]).name, version, kustomize)


@pytest.mark.parametrize(
    ("named", "prefix"),
    [
        ("kustomize", ("kustomize", "build")),
        ("/opt/my tools/kubectl", None),
        ("'/opt/my tools/kubectl'", ("/opt/my tools/kubectl", "kustomize")),
        ("kubectl-1.36 kustomize", ("kubectl-1.36", "kustomize")),
        ("oc", ("oc", "kustomize")),
        ("env -i kustomize", ("env", "-i", "kustomize")),
        ("wrapper --flag kustomize build", ("wrapper", "--flag", "kustomize", "build")),
    ],
)
def test_a_named_command_is_used_as_it_is_meant(place: Callable[..., None], named: str, prefix: Any) -> None:
    def run(command: Command) -> Outcome:
        if command.argv[0].endswith("/my"):
            return Outcome(127, missing=True)
        return Outcome(0, KUBECTL if "--client" in command.argv else b"v5.4.0\n")

    if prefix is None:
        with pytest.raises(RendererError, match="cannot be used: no such program"):
            find_renderer(Options(kustomize=named), run)
    else:
        assert find_renderer(Options(kustomize=named), run).argv_prefix == prefix


def test_the_environment_names_one_unless_the_options_do(place: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KDIFF_KUSTOMIZE", "from-environment")
    run = answering(**{"from-environment": b"v5.1.0", "from-options": b"v5.2.0"})
    assert find_renderer(Options(), run).name == "from-environment"
    assert find_renderer(Options(kustomize="from-options"), run).name == "from-options"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Outcome(127, missing=True), "no such program"),
        (Outcome(-9, timed_out=True), "did not tell its version within"),
        (Outcome(1, b""), "does not tell its version"),
        (Outcome(0, b"hello\n"), "does not tell its version"),
        (b"v4.5.7\n", "its kustomize is 4.5.7, older than 5.0"),
    ],
)
def test_a_named_command_that_does_not_work_is_refused(place: Callable[..., None], answer: Any, why: str) -> None:
    place("bin/kubectl")
    with pytest.raises(RendererError, match=why) as refusal:
        find_renderer(Options(kustomize="mine"), answering(mine=answer, kubectl=KUBECTL))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("programs", "answers", "names"),
    [
        ([], {}, "no usable kustomize found: install"),
        (["bin/kubectl"], {"kubectl": b"Client Version: v1.21.0\n"}, "kubectl 1.21.0 does not tell which kustomize is in it"),
    ],
)
def test_without_any_the_error_says_what_to_do(place: Callable[..., None], programs: list[str], answers: Any, names: str) -> None:
    place(*programs)
    with pytest.raises(RendererError, match=names) as refusal:
        find_renderer(Options(), answering(**answers))
    assert "pip install 'kdiff[kubectl]'" in str(refusal.value)
