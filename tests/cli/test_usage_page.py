from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from kdiff.cli.arguments import diff_parser, parse_call, subcommand_parsers
from kdiff.compare.ignore import STRIP_DEFAULTS
from kdiff.config.read_settings import read_settings
from kdiff.config.settings import SETTINGS
from kdiff.reports.formats import FORMATS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = (Path(__file__).parents[2] / "docs" / "usage.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_every_setting_has_its_row(setting) -> None:
    option = ("--no-" + setting.option[2:]) if setting.default is True else setting.option
    rows = [row for row in PAGE.split("\n") if row.startswith("|") and f"`{setting.name}`" in row]
    assert len(rows) == 1
    assert f"`{option}" in rows[0]
    assert setting.help in rows[0]
    assert ("¹" in rows[0]) == setting.guarded


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_described(name) -> None:
    assert f"| `{name}` |" in PAGE


def test_what_strip_attrs_calls_the_defaults_is_said() -> None:
    assert "the word `defaults`, which stands for " + ", ".join(f"`{name}`" for name in STRIP_DEFAULTS[:-1]) in PAGE
    assert f" and `{STRIP_DEFAULTS[-1]}`" in PAGE


def test_no_option_is_named_that_does_not_exist() -> None:
    known = {s for p in (diff_parser(), *subcommand_parsers().values()) for s in p._option_string_actions}
    assert set(re.findall(r"(?<![\w=-])--[a-z][a-z-]*[a-z](?![\w-])", PAGE)) <= known


@pytest.mark.parametrize("line", [line.strip() for line in PAGE.split("\n") if re.match(r"    kdiff (?!completion|\[)", line)])
def test_every_example_can_be_parsed(line) -> None:
    import shlex

    parse_call(shlex.split(line, comments=True)[1:])


def test_the_example_file_is_valid(tmp_path) -> None:
    text = PAGE.split("```toml\n")[1].split("```")[0]
    (tmp_path / "kdiff.toml").write_text(text)
    options = read_settings({}, {}, tmp_path).settings.options
    assert set(tomllib.loads(text)) == {"ignore", "waivers", "list_keys", "reference_fields", "severity"}
    assert options.waivers[0].expires == "2027-01-31"


def test_help_shows_every_setting_and_an_example() -> None:
    text = diff_parser().format_help()
    for setting in SETTINGS:
        assert (("--no-" + setting.option[2:]) if setting.default is True else setting.option) in text
    assert "kdiff git:main ." in text
    for name in subcommand_parsers():
        assert f"kdiff {name}" in text
