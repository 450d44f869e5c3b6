"""Every setting of kdiff, said once: its flag, configuration key, KDIFF_ variable, help and schema all come from this table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from kdiff.model.checked import limited
from kdiff.model.hazard import SEVERITIES
from kdiff.model.options import IgnoreRule, ListKey, Options, ReferenceField, WaiverRule
from kdiff.reports.style import COMMENT_KEY, MAX_CHARS

Kind = Literal["flag", "text", "integer", "number", "size", "choice", "texts", "pairs", "records"]
Color = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class Settings:
    """All that a call of the command is told: `options` go to `render_diff`, the rest shapes reports and the exit status."""

    options: Options = field(default_factory=Options)
    output: tuple[str, ...] = ("text",)
    color: Color = "auto"
    context: int = limited(3, minimum=0)
    full: bool = False
    summary: bool = False
    stat: bool = False
    max_chars: int = limited(MAX_CHARS, minimum=2000)
    comment_key: str = COMMENT_KEY
    quiet: bool = False
    exit_zero: bool = False
    fail_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setting:
    """One setting. `name` is the configuration key and a field of Options or Settings; the variable is `KDIFF_` + NAME.

    `guarded` settings start programs, reveal secrets, write files, or hide the report or its verdict: they are refused in a
    configuration file that was merely found in the tree, since that file may come from the pull request under review.
    """

    name: str
    kind: Kind
    group: str
    help: str
    flag: str = ""  # long option without dashes, where it is not the name
    short: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    record: type[Any] | None = None
    commas: bool = False  # a word may hold several values separated by commas
    guarded: bool = False

    @property
    def option(self) -> str:
        """The long option: `--exit-zero`."""
        return "--" + (self.flag or self.name.replace("_", "-"))

    @property
    def variable(self) -> str:
        """The environment variable: `KDIFF_EXIT_ZERO`."""
        return "KDIFF_" + self.name.upper()

    @property
    def default(self) -> Any:
        """What is in force when nobody says otherwise."""
        return getattr(_DEFAULTS if self.name in _OWN else _DEFAULTS.options, self.name)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest number."""
        limits = _FIELDS[self.name].metadata
        return limits["minimum"], limits["maximum"]

    @property
    def decides(self) -> bool:
        """True when it bears on what is compared, left out or judged, and not only on how that is done and shown."""
        return self.group in (WHAT, COMPARE, HAZARDS, STATUS) or self.name.startswith("substitut")

    @property
    def is_option(self) -> bool:
        """True for a field of Options, False for one of Settings."""
        return self.name not in _OWN


_DEFAULTS = Settings()
_OWN = frozenset(f.name for f in fields(Settings)) - {"options"}
_FIELDS = {f.name: f for f in (*fields(Options), *fields(Settings))}

WHAT, RENDER, COMPARE, SECRETS, HAZARDS, REPORT, STATUS = (
    "what to compare",
    "rendering",
    "comparing",
    "secrets",
    "impact and hazards",
    "reports",
    "exit status",
)
GROUPS = (WHAT, RENDER, COMPARE, SECRETS, HAZARDS, REPORT, STATUS)

SETTINGS: tuple[Setting, ...] = (
    Setting("entry", "texts", WHAT, "build this directory and what it leads to (repeatable; default: found)", metavar="PATH"),
    Setting("all_targets", "flag", WHAT, "every kustomization that is not a component, bases too"),
    Setting("targets", "texts", WHAT, "only targets whose id matches (repeatable)", metavar="GLOB"),
    Setting("exclude_targets", "texts", WHAT, "no target whose id matches (repeatable)", metavar="GLOB"),
    Setting("merge_base", "flag", WHAT, "BASE becomes the merge base of both revisions, as a pull request compares"),
    Setting("self_source", "texts", WHAT, "a Flux or Argo CD source that is this very tree (repeatable)", metavar="[KIND ]NAMESPACE/NAME"),
    Setting("kustomize", "text", RENDER, "the renderer (default: kustomize, else kubectl, on PATH)", metavar="COMMAND", guarded=True),
    Setting(
        "kustomize_args",
        "texts",
        RENDER,
        "pass this to kustomize build, written --kustomize-arg=--flag (repeatable)",
        flag="kustomize-arg",
        metavar="ARG",
        guarded=True,
    ),
    Setting("enable_helm", "flag", RENDER, "let kustomize inflate Helm charts", guarded=True),
    Setting("helm_command", "text", RENDER, "the helm that kustomize calls", metavar="COMMAND", guarded=True),
    Setting(
        "load_restrictor",
        "choice",
        RENDER,
        "where a kustomization may read files from: below itself, or anywhere in the tree",
        choices=("root-only", "none"),
        guarded=True,
    ),
    Setting("no_remote", "flag", RENDER, "refuse targets with remote bases before anything runs"),
    Setting("timeout", "number", RENDER, "seconds that one build may take", metavar="SECONDS"),
    Setting("max_output", "size", RENDER, "how much one build may print, such as 256Mi", metavar="SIZE"),
    Setting("jobs", "integer", RENDER, "builds at a time; 0: as many as cores", short="-j", metavar="N"),
    Setting("cache", "flag", RENDER, "reuse what earlier runs rendered"),
    Setting("cache_dir", "text", RENDER, "where renderings are kept (default: kdiff in XDG_CACHE_HOME)", metavar="DIR", guarded=True),
    Setting("cache_size", "size", RENDER, "how large the cache may grow", metavar="SIZE", guarded=True),
    Setting("verify_cache", "flag", RENDER, "render all and fail where the cache differs"),
    Setting("verbose", "flag", RENDER, "show what the renderer prints while it runs", short="-v"),
    Setting(
        "substitution",
        "choice",
        RENDER,
        "a Flux variable without a value is empty and a hazard, or fails its target",
        choices=("lenient", "strict"),
    ),
    Setting("substitute", "pairs", RENDER, "a value for Flux post-build substitution (repeatable)", metavar="NAME=VALUE"),
    Setting("substitute_from", "texts", RENDER, "a file with ConfigMaps and Secrets to substitute from (repeatable)", metavar="FILE"),
    Setting(
        "ignore",
        "records",
        COMPARE,
        "leave differences out; keys: kind, name, namespace, target, selector, pointer, label, annotation (repeatable)",
        metavar="KEY=VALUE,...",
        record=IgnoreRule,
    ),
    Setting("skip_kinds", "texts", COMPARE, "leave these kinds out", metavar="KIND,...", commas=True),
    Setting(
        "strip_attrs",
        "texts",
        COMPARE,
        "leave these labels and annotations out, none by default; a final / means a prefix, the word defaults the usual four (repeatable)",
        metavar="KEY,...",
        commas=True,
    ),
    Setting(
        "list_keys",
        "records",
        COMPARE,
        "merge keys of a custom resource's list; keys: kind, path, keys (a+b) (repeatable)",
        flag="list-key",
        metavar="KEY=VALUE,...",
        record=ListKey,
    ),
    Setting("show_format", "flag", COMPARE, "report differences that mean the same, such as 1000m and 1"),
    Setting("similarity", "number", COMPARE, "how alike an added and a removed object are named together, 0 to 1", metavar="SHARE"),
    Setting("show_secrets", "flag", SECRETS, "print the values of Secrets", guarded=True),
    Setting("mask_key", "text", SECRETS, "key of the masks: equal keys give equal masks in other runs", metavar="KEY", guarded=True),
    Setting("kubernetes_version", "text", HAZARDS, "release of the cluster, for removed APIs (default: newest known)", metavar="X.Y"),
    Setting(
        "reference_fields",
        "records",
        HAZARDS,
        "a field of a custom resource that names an object; keys: kind, path, to (repeatable)",
        flag="reference-field",
        metavar="KEY=VALUE,...",
        record=ReferenceField,
    ),
    Setting("severity", "pairs", HAZARDS, "give a rule another severity (repeatable)", metavar="RULE=LEVEL", choices=SEVERITIES),
    Setting("disable", "texts", HAZARDS, "rules that shall not speak", metavar="RULE,...", commas=True),
    Setting(
        "waivers",
        "records",
        HAZARDS,
        "accept hazards; keys: rule, object, reason, expires (repeatable)",
        flag="waive",
        metavar="KEY=VALUE,...",
        record=WaiverRule,
    ),
    Setting("large_targets", "integer", HAZARDS, "so many changed targets are a large change", metavar="N"),
    Setting("large_objects", "integer", HAZARDS, "so many changed objects are a large change", metavar="N"),
    Setting(
        "output", "texts", REPORT, "what to print or write (repeatable; default: text)", short="-o", metavar="FORMAT[=FILE]", guarded=True
    ),
    Setting("color", "choice", REPORT, "colours; auto: on a terminal", choices=("auto", "always", "never")),
    Setting("context", "integer", REPORT, "equal lines around a difference", flag="unified", short="-U", metavar="N"),
    Setting("full", "flag", REPORT, "fold nothing: whole objects, every line"),
    Setting("summary", "flag", REPORT, "all but the changes themselves"),
    Setting("stat", "flag", REPORT, "one line for each object"),
    Setting("max_chars", "integer", REPORT, "longest Markdown report", metavar="N"),
    Setting("comment_key", "text", REPORT, "key of the hidden marker in Markdown", metavar="KEY"),
    Setting("quiet", "flag", REPORT, "print nothing but errors; files are written", short="-q", guarded=True),
    Setting("exit_zero", "flag", STATUS, "exit 0 although something differs", guarded=True),
    Setting(
        "fail_on",
        "texts",
        STATUS,
        "exit 3 when such a hazard is raised: caution, blocking or a rule",
        metavar="LEVEL|RULE,...",
        commas=True,
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
