"""Finds the configuration file and joins it with variables and flags: flag over variable over file over default."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kdiff.config.convert import BadValueError, from_toml, from_words, nearest
from kdiff.config.settings import BY_NAME, SETTINGS, Setting, Settings
from kdiff.errors import ConfigError, UsageError
from kdiff.model.failure import Note
from kdiff.model.options import Options

MAX_FILE = 1 << 20  # bytes


# Variables that are no settings: ours, and what Kubernetes gives every pod beside a Service (docs, Service: Environment variables).
_OTHER_VARIABLES = re.compile(
    r"KDIFF_(?:CONFIG|DEBUG|RUN|(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?))"
)


@dataclass(frozen=True)
class ResolvedSettings:
    """The settings in force; `origins` says for each name where it came from: a flag, a variable, a file or `default`.

    `found` is True for a file that nobody named; `warnings` are sentences on what is set but does nothing.
    """

    settings: Settings
    origins: Mapping[str, str]
    file: str | None
    found: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def note(self) -> Note | None:
        """What a file that was merely found decides about the report, which its readers must know: it may be a stranger's."""
        names = [setting.name for setting in SETTINGS if setting.decides and self.origins[setting.name] == self.file]
        if not self.found or not names:
            return None
        where = f"{self.file}, found in the checkout and perhaps part of the change"
        return Note("config", f"{where}, decides {', '.join(names)} (--config names another file, --no-config none)")

    def value(self, setting: Setting) -> Any:
        """What is in force for `setting`."""
        return getattr(self.settings.options if setting.is_option else self.settings, setting.name)


@dataclass(frozen=True)
class ConfigFile:
    """A configuration file: its keys, and whether the user named it. `label` is how messages call it."""

    label: str
    keys: Mapping[str, Any]
    named: bool


def read_settings(
    flags: Mapping[str, Sequence[str] | bool], environ: Mapping[str, str], directory: Path, *, config: str | None = None
) -> ResolvedSettings:
    """Join all sources. `flags` holds the words of each flag given; `config` is a file's path, "" for none, None to look for one.

    A list that is given in two sources is taken from the stronger one as a whole.

    Raises:
        UsageError: a flag's value does not fit.
        ConfigError: a variable, or the file, holds what cannot be.
    """
    values: dict[str, Any] = {}
    origins = {setting.name: "default" for setting in SETTINGS}
    if config is None:
        config = environ.get("KDIFF_CONFIG") or None
    file = named_file(config, directory) if config else find_file(directory) if config is None else None
    if file is not None:
        for name, value in _file_values(file, directory).items():
            values[name], origins[name] = value, file.label
    for setting in SETTINGS:
        text = environ.get(setting.variable, "")
        if text:
            words = [line for line in text.split("\n") if line] if setting.kind in ("texts", "pairs", "records") else [text]
            try:
                values[setting.name] = from_words(setting, words, setting.variable)
            except BadValueError as error:
                raise ConfigError(f"{setting.variable}: {error}") from None
            origins[setting.name] = setting.variable
    variables = {setting.variable for setting in SETTINGS}
    unknown = sorted(
        name for name in environ if name.startswith("KDIFF_") and name not in variables and not _OTHER_VARIABLES.fullmatch(name)
    )
    for name, given in flags.items():
        setting = BY_NAME[name]
        try:
            values[name] = given if isinstance(given, bool) else from_words(setting, given, setting.option)
        except BadValueError as error:
            raise UsageError(f"{setting.option}: {error}") from None
        origins[name] = setting.option
    return ResolvedSettings(
        _settings(values),
        origins,
        file.label if file else None,
        found=file is not None and not file.named,
        warnings=tuple(f"the variable {name} is no setting of kdiff{_nearest_variable(name)}" for name in unknown),
    )


def _nearest_variable(name: str) -> str:
    """The prefix, which all share, makes nothing near."""
    found = nearest(name.removeprefix("KDIFF_"), [setting.name.upper() for setting in SETTINGS])
    return found.replace('"', '"KDIFF_', 1)


def _settings(values: Mapping[str, Any]) -> Settings:
    options = {name: value for name, value in values.items() if BY_NAME[name].is_option}
    own = {name: value for name, value in values.items() if not BY_NAME[name].is_option}
    return dataclasses.replace(Settings(options=dataclasses.replace(Options(), **options)), **own)


def find_file(directory: Path) -> ConfigFile | None:
    """`kdiff.toml`, else `[tool.kdiff]` of pyproject.toml, in `directory` or above it up to the top of its git checkout.

    Outside a checkout only `directory` itself is looked at: no file of a shared parent directory is ever obeyed.
    """
    above = [directory, *directory.parents]
    top = next((i for i, place in enumerate(above) if (place / ".git").exists()), 0)
    for place in above[: top + 1]:
        path = place / "kdiff.toml"
        if path.is_file():
            return ConfigFile(_label(path, directory), _load(path, directory), named=False)
        path = place / "pyproject.toml"
        if path.is_file():
            keys = _tool_table(_load(path, directory, needed="tool.kdiff"), path, directory)
            if keys is not None:
                return ConfigFile(f"{_label(path, directory)} [tool.kdiff]", keys, named=False)
    return None


def named_file(name: str, directory: Path) -> ConfigFile:
    """The file that `--config` names; of a pyproject.toml its table `[tool.kdiff]`."""
    path = directory / name
    if not path.is_file():
        raise ConfigError(f"{name}: no such configuration file")
    keys: Mapping[str, Any] | None = _load(path, directory)
    if path.name == "pyproject.toml" and keys is not None:
        keys = _tool_table(keys, path, directory)
        if keys is None:
            raise ConfigError(f"{name}: has no table [tool.kdiff]")
    return ConfigFile(name, keys or {}, named=True)


def _load(path: Path, directory: Path, needed: str = "") -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415
    label = _label(path, directory)
    try:
        if path.stat().st_size > MAX_FILE:
            raise ConfigError(f"{label}: larger than {MAX_FILE} bytes")
        data = path.read_bytes()
        if needed and needed.encode() not in data:  # spares parsing and judging a file that is not ours
            return {}
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{label}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{label}: is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise ConfigError(f"{label}: not valid TOML: {reason}") from None


def _tool_table(data: Mapping[str, Any], path: Path, directory: Path) -> Mapping[str, Any] | None:
    tool = data.get("tool")
    keys = tool.get("kdiff") if isinstance(tool, dict) else None
    if keys is not None and not isinstance(keys, dict):
        raise ConfigError(f"{_label(path, directory)}: tool.kdiff must be a table")
    return keys


def _label(path: Path, directory: Path) -> str:
    return os.path.relpath(path, directory)


def _check_inside(paths: Iterable[str], file: ConfigFile, directory: Path) -> None:
    """A pull request reads no file of the machine it is checked on."""
    top = (directory / file.label.removesuffix(" [tool.kdiff]")).resolve().parent
    for path in paths:
        if not (directory / path).resolve().is_relative_to(top):
            raise ConfigError(f"{file.label}: substitute_from: {path} lies outside of the file's directory; give --substitute-from")


def _file_values(file: ConfigFile, directory: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in file.keys.items():
        setting = BY_NAME.get(name)
        if setting is None:
            raise ConfigError(f'{file.label}: unknown key "{name}"{nearest(name.replace("-", "_"), BY_NAME)}')
        if setting.guarded and not file.named:
            path = file.label.removesuffix(" [tool.kdiff]")
            raise ConfigError(
                f"{file.label}: {name} is not taken from a file that was merely found, since a pull request could set it; "
                f"give {setting.option}, {setting.variable} or --config {path}"
            )
        try:
            values[name] = from_toml(setting, value, f"{file.label} {name}")
        except BadValueError as error:
            raise ConfigError(f"{file.label}: {name}: {error}") from None
        if name == "substitute_from" and not file.named:
            _check_inside(values[name], file, directory)
    return values
