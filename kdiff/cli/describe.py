"""What the sub-commands that only tell something print: settings in force, rules, a rule's page, versions."""

from __future__ import annotations

import json
from typing import Any

from kdiff.config.convert import nearest
from kdiff.config.read_settings import ResolvedSettings
from kdiff.config.settings import GROUPS, SETTINGS
from kdiff.errors import RendererError, UsageError
from kdiff.model.options import Options


def config_text(resolved: ResolvedSettings) -> str:
    """Every setting as TOML that `kdiff.toml` could hold, each with where it comes from; the mask's key is not told."""
    lines = [f"# file: {resolved.file or 'none found'}"]
    for group in GROUPS:
        lines += ["", f"# {group}"]
        for setting in SETTINGS:
            if setting.group == group:
                value = resolved.value(setting)
                text = '"(not shown)"' if setting.name == "mask_key" and value is not None else _toml(value)
                origin = resolved.origins[setting.name]
                line = f"{setting.name} = {text}" if text else f"# {setting.name} is not set"
                lines.append(line if origin == "default" else f"{line}  # {origin}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A TOML value; "" for None. JSON's strings are TOML's basic strings."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(item)}" for name, item in sorted(value.items())) + "}"
    if isinstance(value, (bool, int, float, str)):
        return json.dumps(value)
    given = {name: item for name, item in vars(value).items() if item and name != "origin"}
    return "{" + ", ".join(f"{name} = {_toml(item)}" for name, item in given.items()) + "}"


def rules_text() -> str:
    """One line for each rule: severity, id, title."""
    from kdiff.hazards.registry import all_rules  # noqa: PLC0415 - the rules are many modules

    width = max((len(rule.id) for rule in all_rules()), default=0)
    return "".join(f"{rule.severity:<9} {rule.id:<{width}}  {rule.title}\n" for rule in all_rules())


def rule_page(name: str) -> str:
    """The page of a rule, as docs/rules has it.

    Raises:
        UsageError: there is no such rule.
    """
    from kdiff.hazards.registry import all_rules  # noqa: PLC0415
    from kdiff.reports import rule_pages  # noqa: PLC0415

    check_rules([name])
    page = rule_pages.rule_page(name)
    if page is not None:
        return page
    rule = next(rule for rule in all_rules() if rule.id == name)
    return f"# {rule.id}\n\n{rule.title}\n\nDefault severity: {rule.severity}. More: {rule.help}\n"


def check_rules(names: list[str]) -> None:
    """Refuse the id of a rule that does not exist.

    Raises:
        UsageError: names the nearest rule.
    """
    from kdiff.hazards.registry import all_rules  # noqa: PLC0415

    known = [rule.id for rule in all_rules()]
    for name in names:
        if name not in known:
            raise UsageError(f'there is no rule "{name}"{nearest(name, known) or "; see kdiff rules"}')


def version_text(options: Options) -> str:
    """`kdiff 0.1.0 (kustomize 5.8.1 in kubectl)`; without a renderer it says what to install."""
    import kdiff  # noqa: PLC0415 - its version is read from package metadata
    from kdiff.process import run  # noqa: PLC0415
    from kdiff.render.find_renderer import find_renderer  # noqa: PLC0415

    try:
        found = find_renderer(options, run)
    except RendererError as error:
        return f"kdiff {kdiff.__version__} (no renderer: {error})\n"
    inside = "" if found.name == "kustomize" else f" in {found.name}"
    return f"kdiff {kdiff.__version__} (kustomize {found.kustomize_version}{inside})\n"
