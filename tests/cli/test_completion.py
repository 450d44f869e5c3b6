from __future__ import annotations

import shutil
import subprocess

import pytest

from kdiff.cli.completion import completion_script
from kdiff.config.settings import SETTINGS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_setting_is_offered(shell) -> None:
    script = completion_script(shell)
    for setting in SETTINGS:
        option = ("--no-" + setting.option[2:]) if setting.default is True else setting.option
        assert (f"-l {option[2:]} " if shell == "fish" else option) in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_it(shell, tmp_path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    (tmp_path / "script").write_text(completion_script(shell))
    done = subprocess.run([shell, "-n", "script"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("kdiff --exclude-t", "--exclude-targets"),
        ("kdiff sch", "schema"),
        ("kdiff a b --color al", "always"),
        ("kdiff a b -o mark", "markdown"),
        ("kdiff completion fi", "fish"),
        ("kdiff show r.json --st", "--stat"),
    ],
)
def test_bash_completes(words, expected, tmp_path) -> None:
    code = f'{completion_script("bash")}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _kdiff; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [expected]
