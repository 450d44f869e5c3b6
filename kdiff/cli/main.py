"""The command: reads the call, runs the comparison, writes the reports, and answers with the exit status."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from kdiff.cli import exit_codes
from kdiff.cli.arguments import Call, parse_call
from kdiff.cli.destinations import check_stdout, read_destinations, write_reports
from kdiff.cli.progress import progress_line
from kdiff.cli.streams import complain, print_text, settle_process
from kdiff.config.read_settings import ResolvedSettings, read_settings
from kdiff.config.settings import Settings
from kdiff.errors import KdiffError, SourceError
from kdiff.model.failure import Note
from kdiff.model.hazard import SEVERITIES
from kdiff.model.report import Report

MAX_REPORT = 1 << 30  # bytes of a saved report


def run() -> None:
    """Entry point of the console script: ends the process with the exit status.

    Closed standard streams and foreign charsets are settled first. A request to end (SIGTERM, a closed terminal, SIGQUIT) is
    taken like Ctrl-C, so that children and scratch folders go too: children lead sessions of their own, where no signal of a terminal
    reaches them. What the caller has ignored (nohup) stays ignored.
    """
    settle_process()
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP and no SIGQUIT
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.exit(main())


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on `argv` (default: the process's arguments) and give its exit status. Never raises, never exits."""
    try:
        return _run(parse_call(sys.argv[1:] if argv is None else argv))
    except KdiffError as error:
        complain(f"kdiff: error: {error}")
        return exit_codes.TROUBLE
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        return exit_codes.BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback reaches a user
        if os.environ.get("KDIFF_DEBUG"):
            import traceback  # noqa: PLC0415

            traceback.print_exc()
        complain(f"kdiff: error: unexpected {type(error).__name__}; please report it, with what KDIFF_DEBUG=1 prints")
        return exit_codes.TROUBLE


def _run(call: Call) -> int:
    telling = _TELL.get(call.command)
    if telling is not None:
        print_text(telling(call), sys.stdout)
        return exit_codes.SAME
    resolved = _settings(call)
    settings = resolved.settings
    destinations = read_destinations(settings.output)
    check_stdout(destinations, settings, sys.stdout)
    _check_rules(settings)
    if call.command == "diff":
        report = _with_note(_compare(call.words[0], call.words[1], settings), resolved.note)
    elif call.command == "show":
        report = _saved(call.words[0])
    else:
        from kdiff.cli.merge_reports import merge_reports  # noqa: PLC0415

        report = merge_reports([(name, _saved(name)) for name in call.words])
    write_reports(report, destinations, settings, sys.stdout, os.environ)
    return exit_codes.exit_status(report, exit_zero=settings.exit_zero, fail_on=settings.fail_on)


def _settings(call: Call) -> ResolvedSettings:
    resolved = read_settings(call.flags, os.environ, Path.cwd(), config=call.config)
    for warning in resolved.warnings:
        complain(f"kdiff: warning: {warning}")
    return resolved


def _check_rules(settings: Settings) -> None:
    """A misspelt rule would silently guard nothing."""
    named = [name for name in settings.fail_on if name not in SEVERITIES] + [*settings.options.severity, *settings.options.disable]
    if named:
        from kdiff.cli.describe import check_rules  # noqa: PLC0415 - loads every rule

        check_rules(named)


def _compare(base: str, head: str, settings: Settings) -> Report:
    from kdiff.pipeline import render_diff  # noqa: PLC0415 - other commands need none of the stages

    verbose = settings.options.verbose
    with progress_line(sys.stderr, os.environ, wanted=not (settings.quiet or verbose)) as progress:
        return render_diff(base, head, options=settings.options, progress=progress, log=complain if verbose else None)


def _with_note(report: Report, note: Note | None) -> Report:
    if note is None:
        return report
    return replace(report, notes=tuple(sorted((*report.notes, note), key=lambda n: n.order)))


def _saved(source: str) -> Report:
    name = "standard input" if source == "-" else source
    try:
        if source != "-":
            with Path(source).open("rb") as file:
                data = file.read(MAX_REPORT + 1)
        elif sys.stdin is not None:
            data = sys.stdin.buffer.read(MAX_REPORT + 1)
        else:
            raise SourceError("standard input is closed; name a file instead of -")
        text = data.decode("utf-8")
    except OSError as error:
        raise SourceError(f"{name}: cannot be read: {error.strerror}; give a file that `kdiff -o json=FILE` wrote") from None
    except UnicodeDecodeError:
        raise SourceError(f"{name}: is not UTF-8; give a file that `kdiff -o json=FILE` wrote") from None
    if len(data) > MAX_REPORT:
        raise SourceError(f"{name}: larger than {MAX_REPORT >> 20} MiB; that is no report")
    try:
        return Report.from_json(text)
    except KdiffError as error:
        raise SourceError(f"{name}: {error}") from None


def _schema(call: Call) -> str:
    import json  # noqa: PLC0415

    from kdiff.config.schema import config_schema  # noqa: PLC0415
    from kdiff.reports.schema import report_schema  # noqa: PLC0415

    return json.dumps(config_schema() if call.words == ("config",) else report_schema(), indent=2, ensure_ascii=False) + "\n"


def _completion(call: Call) -> str:
    from kdiff.cli.completion import completion_script  # noqa: PLC0415

    return completion_script(call.words[0])


def _config(call: Call) -> str:
    from kdiff.cli.describe import config_text  # noqa: PLC0415

    return config_text(_settings(call))


def _rules(_call: Call) -> str:
    from kdiff.cli.describe import rules_text  # noqa: PLC0415

    return rules_text()


def _explain(call: Call) -> str:
    from kdiff.cli.describe import rule_page  # noqa: PLC0415

    return rule_page(call.words[0])


def _version(call: Call) -> str:
    from kdiff.cli.describe import version_text  # noqa: PLC0415

    return version_text(_settings(call).settings.options)


# Commands that compare nothing and only print.
_TELL: dict[str, Callable[[Call], str]] = {
    "help": lambda call: call.words[0],
    "schema": _schema,
    "completion": _completion,
    "config": _config,
    "rules": _rules,
    "explain": _explain,
    "version": _version,
}
