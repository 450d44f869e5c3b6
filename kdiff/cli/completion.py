"""Completion scripts for bash, zsh and fish, made from the parsers so that they never lag behind."""

from __future__ import annotations

import argparse

from kdiff.cli.arguments import SHELLS, diff_parser, subcommand_parsers
from kdiff.reports.formats import FORMATS

_FILES = ("FILE", "PATH", "DIR")


def completion_script(shell: str) -> str:
    """The script for `shell`, one of SHELLS."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [a for a in parser._actions if a.option_strings and a.help != argparse.SUPPRESS]  # noqa: SLF001 - argparse tells nobody else


def _values(action: argparse.Action) -> list[str]:
    """Words that may follow the option."""
    metavar = str(action.metavar or "")
    if action.dest == "output":
        return list(FORMATS)
    return metavar[1:-1].split(",") if metavar.startswith("{") else []


def _bash() -> str:
    commands = subcommand_parsers()
    cases, by_command = [], []
    for action in _options(diff_parser()):
        values = _values(action)
        if values:
            cases.append(f'    {"|".join(action.option_strings)}) COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$cur")); return ;;')
    for name, parser in {"diff": diff_parser(), **commands}.items():
        words = " ".join(s for a in _options(parser) for s in a.option_strings)
        by_command.append(f'    {"*" if name == "diff" else name}) words="{words}" ;;')
    by_command = [*by_command[1:], by_command[0]]
    return "\n".join(
        [
            "# completion of kdiff for bash",
            "_kdiff() {",
            '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words',
            '  case "$prev" in',
            *cases,
            f'    completion) COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$cur")); return ;;',
            "  esac",
            '  case "${COMP_WORDS[1]}" in',
            *by_command,
            "  esac",
            f'  [[ $COMP_CWORD == 1 ]] && words="{" ".join(commands)} $words"',
            '  COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))',
            "}",
            "complete -o filenames -F _kdiff kdiff",
            "",
        ]
    )


def _zsh() -> str:
    lines = ["#compdef kdiff", "# completion of kdiff for zsh", "_kdiff() {"]
    lines += ["  if (( CURRENT == 2 )); then", f"    compadd -- {' '.join(subcommand_parsers())}", "  fi"]
    lines += ["  _arguments -s -S \\"]
    for action in _options(diff_parser()):
        text = (action.help or "").replace("'", "").replace("[", "(").replace("]", ")").replace(":", ",").replace("%%", "%")
        values = _values(action)
        for option in action.option_strings:
            argument = ""
            if action.nargs != 0:
                name = str(action.metavar or "value").replace(":", ",").replace("'", "")
                what = f"({' '.join(values)})" if values else "_files" if name in _FILES else " "
                argument = f":{name.strip('{}')}:{what}"
            lines.append(f"    '*{option}[{text}]{argument}' \\")
    return "\n".join([*lines, "    '*:file:_files'", "}", '_kdiff "$@"', ""])


def _fish() -> str:
    commands = " ".join(subcommand_parsers())
    lines = ["# completion of kdiff for fish", f"complete -c kdiff -n __fish_is_first_arg -a '{commands}'"]
    lines.append(f"complete -c kdiff -f -n '__fish_seen_subcommand_from completion' -a '{' '.join(SHELLS)}'")
    for action in _options(diff_parser()):
        text = (action.help or "").replace("\\", "").replace("'", "").replace("%%", "%")
        names = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in action.option_strings)
        values = _values(action)
        needs = "" if action.nargs == 0 else f" -x -a '{' '.join(values)}'" if values else " -r"
        lines.append(f"complete -c kdiff {names} -d '{text}'{needs}")
    return "\n".join([*lines, ""])
