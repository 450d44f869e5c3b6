"""The words of the command line into a Call; no file is read, nothing is printed."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from kdiff.config.settings import GROUPS, REPORT, SETTINGS, STATUS, Setting
from kdiff.errors import UsageError
from kdiff.reports.formats import FORMATS

Command = Literal["diff", "show", "merge", "config", "rules", "explain", "schema", "completion", "version", "help"]
SHELLS = ("bash", "zsh", "fish")

DESCRIPTION = """\
Shows what a change to a GitOps repository will really do to its clusters: renders BASE and HEAD with kustomize, follows Flux and
Argo CD objects, compares the rendered objects, and says what the cluster will do.

BASE and HEAD are each a directory, a file with rendered manifests, - for standard input, git:REV or git:REV:PATH.
"""

EXAMPLES = """\
examples:
  kdiff git:main .                               the working tree against main
  kdiff --merge-base git:main git:HEAD           what the pull request changes
  kdiff base/ head/ --entry clusters/prod        two checkouts, one cluster
  kdiff git:main . -o text -o markdown=note.md   text here, a comment in a file
  kustomize build . | kdiff live.yaml -          rendered manifests
  KUBECTL_EXTERNAL_DIFF=kdiff kubectl diff -k .  in place of diff

other commands (a directory of such a name is written ./show):
  kdiff show REPORT.json      print a saved report in any format
  kdiff merge A.json B.json   join the reports of shards of one repository
  kdiff config                the settings in force, and where each comes from
  kdiff rules                 the hazards that kdiff knows
  kdiff explain RULE          what a hazard means and what to do about it
  kdiff schema [config]       the JSON Schema of the report, or of kdiff.toml
  kdiff completion SHELL      completion for bash, zsh or fish

exit status: 0 nothing differs; 1 something differs; 2 something could not be compared, or the call was wrong;
3 a hazard that --fail-on names was raised.
Every option is also a key of kdiff.toml (or [tool.kdiff] in pyproject.toml) and a variable KDIFF_NAME: see docs/usage.md.
"""


@dataclass(frozen=True)
class Call:
    """What the user asks for. `words` are the positional arguments; `flags` the words of each setting given on the line."""

    command: Command
    words: tuple[str, ...] = ()
    flags: dict[str, list[str] | bool] = field(default_factory=dict)
    config: str | None = None  # --config FILE; "" for --no-config


class _HelpError(Exception):
    """Help was asked for; the text is the message."""


class Parser(argparse.ArgumentParser):
    """A parser that prints nothing: it raises UsageError, which names the nearest option for one that does not exist."""

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002 - argparse's signature
        """Leave with the help, which the command prints as it prints everything."""
        raise _HelpError(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Stop with one line."""
        unknown = message.removeprefix("unrecognized arguments: ") if message.startswith("unrecognized") else ""
        name = unknown.split("=")[0].split(" ")[0]
        near = difflib.get_close_matches(name, self._option_string_actions, n=1) if name.startswith("-") else []
        hint = f"; did you mean {near[0]}?" if near else f"; see {self.prog} --help"
        raise UsageError(message + hint)


def parse_call(argv: Sequence[str]) -> Call:
    """Read the command line. `--help` is a command whose only word is the text.

    Raises:
        UsageError: the line makes no sense.
    """
    name = argv[0] if argv and argv[0] in _SUBCOMMANDS else "diff"
    parser = _PARSERS[name]()
    try:
        given = vars(parser.parse_intermixed_args(argv[1:] if name != "diff" else argv))
    except _HelpError as text:
        return Call("help", (str(text),))
    if given.pop("version", False):
        return Call("version", flags=_flags(given))
    config = given.pop("config", None)
    words = given.pop("words", [])
    if name == "diff" and len(words) != 2:
        raise UsageError(f"give BASE and HEAD, such as: kdiff git:main . ({len(words)} given); see kdiff --help")
    return Call(name, tuple([words] if isinstance(words, str) else words), _flags(given), config)  # type: ignore[arg-type]


def _flags(given: dict[str, Any]) -> dict[str, list[str] | bool]:
    return {name: value if isinstance(value, (bool, list)) else [value] for name, value in given.items()}


def diff_parser() -> Parser:
    """The parser of `kdiff BASE HEAD`, with every setting."""
    parser = _parser("kdiff", DESCRIPTION, EXAMPLES)
    parser.usage = "kdiff [options] BASE HEAD"
    parser.add_argument("words", nargs="*", metavar="BASE HEAD", help="what to compare")
    _add_settings(parser, SETTINGS)
    return parser


def _show_parser() -> Parser:
    parser = _parser("kdiff show", "Prints a report that was saved with -o json=FILE. The exit status is that of the comparison.")
    parser.add_argument("words", metavar="REPORT.json", help="a saved report, or - for standard input")
    _add_settings(parser, _REPORT_SETTINGS)
    return parser


def _merge_parser() -> Parser:
    parser = _parser(
        "kdiff merge",
        "Joins the saved reports of shards of one repository: the same BASE and HEAD, different targets (--targets).",
        "example:\n  kdiff merge a.json b.json -o json=all.json -o text\n",
    )
    parser.add_argument("words", nargs="+", metavar="REPORT.json", help="saved reports")
    _add_settings(parser, _REPORT_SETTINGS)
    return parser


def _config_parser() -> Parser:
    parser = _parser("kdiff config", "Prints every setting in force as TOML, and where it comes from.")
    _add_settings(parser, SETTINGS)
    return parser


def _explain_parser() -> Parser:
    parser = _parser("kdiff explain", "Prints what a hazard means, when it is wrong, and what to do about it.")
    parser.add_argument("words", metavar="RULE", help="the rule's id, as kdiff rules lists it")
    return parser


def _schema_parser() -> Parser:
    parser = _parser("kdiff schema", "Prints the JSON Schema of the report, or of kdiff.toml.")
    parser.add_argument("words", nargs="?", default="report", metavar="WHAT", choices=("report", "config"), help="report or config")
    return parser


def _completion_parser() -> Parser:
    parser = _parser(
        "kdiff completion",
        "Prints a completion script for a shell.",
        "examples:\n  source <(kdiff completion bash)\n  kdiff completion zsh > ~/.zfunc/_kdiff\n"
        "  kdiff completion fish > ~/.config/fish/completions/kdiff.fish\n",
    )
    parser.add_argument("words", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")
    return parser


def _parser(prog: str, description: str, epilog: str = "") -> Parser:
    parser = Parser(
        prog=prog,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    if prog == "kdiff":
        parser.add_argument("--version", action="store_true", help="print the versions of kdiff and of the kustomize it found")
    return parser


def _add_settings(parser: Parser, settings: Iterable[Setting]) -> None:
    chosen = list(settings)
    for title in GROUPS:
        group = parser.add_argument_group(title)
        for setting in chosen:
            if setting.group == title:
                _add(group, setting)
    files = parser.add_argument_group("settings")
    files.add_argument("--config", metavar="FILE", help="read settings from this file (default: kdiff.toml, found in the checkout)")
    files.add_argument("--no-config", action="store_const", const="", dest="config", help="read no configuration file")


def _add(group: argparse._ArgumentGroup, setting: Setting) -> None:
    names = [setting.short, setting.option] if setting.short else [setting.option]
    about = setting.help.replace("%", "%%")
    if setting.kind == "flag":
        opposite = "--" + (setting.option[5:] if setting.option.startswith("--no-") else f"no-{setting.option[2:]}")
        shown, hidden = ([opposite], names) if setting.default else (names, [opposite])
        on = {"action": "store_const", "dest": setting.name, "const": not setting.default}
        group.add_argument(*shown, **on, help=f"do not {about}" if setting.default else about)  # type: ignore[arg-type]
        off = {"action": "store_const", "dest": setting.name, "const": setting.default, "help": argparse.SUPPRESS}
        group.add_argument(*hidden, **off)
        return
    action = "append" if setting.kind in ("texts", "pairs", "records") else "store"
    metavar = "{" + ",".join(setting.choices) + "}" if setting.kind == "choice" else setting.metavar
    if setting.name == "output":
        about += f"; formats: {', '.join(FORMATS)}"
    elif isinstance(setting.default, (int, float, str)):
        about += f" (default: {setting.default})"
    group.add_argument(*names, action=action, dest=setting.name, metavar=metavar, help=about)


# A saved report can still be shown, judged and hidden in these ways.
_REPORT_SETTINGS = tuple(s for s in SETTINGS if s.group in (REPORT, STATUS))
_PARSERS = {
    "diff": diff_parser,
    "show": _show_parser,
    "merge": _merge_parser,
    "config": _config_parser,
    "rules": lambda: _parser("kdiff rules", "Lists the hazards that kdiff knows, with their severities."),
    "explain": _explain_parser,
    "schema": _schema_parser,
    "completion": _completion_parser,
}
_SUBCOMMANDS = frozenset(_PARSERS) - {"diff"}


def subcommand_parsers() -> dict[str, Parser]:
    """Every sub-command's parser by name, for completion and documents."""
    return {name: _PARSERS[name]() for name in sorted(_SUBCOMMANDS)}
