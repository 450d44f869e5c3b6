"""What the user asked for, already checked. One frozen value that every stage reads; `config.py` and `cli/` build it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kdiff.model.hazard import Severity


@dataclass(frozen=True)
class IgnoreRule:
    """Differences to leave out. Empty criteria match everything; every given one must match. Globs are fnmatch patterns.

    `pointer` (RFC 6901, `*` for one segment), `label` and `annotation` (key globs) narrow the rule to fields; without
    any of them the whole object is ignored. `origin` says where the rule came from, for notes.
    """

    kind: str = ""  # `Kind` or `group/Kind`
    name: str = ""
    namespace: str = ""
    target: str = ""
    selector: str = ""  # label selector: `app=web,tier!=db,track in (a,b),!legacy`
    pointer: str = ""
    label: str = ""
    annotation: str = ""
    origin: str = "--ignore"


@dataclass(frozen=True)
class WaiverRule:
    """Accepts hazards of `rule` (glob) on `object` (glob over object ids) until `expires` (ISO date, inclusive)."""

    rule: str
    object: str
    reason: str
    expires: str | None = None


@dataclass(frozen=True)
class ListKey:
    """A user's merge key for a list of a custom resource: `kind` (`Kind` or `group/Kind`), dotted `path`, key fields."""

    kind: str
    path: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class ReferenceField:
    """A user's reference: in `kind`, the field at dotted `path` (`[]` for each item) names an object of `to` kind."""

    kind: str
    path: str
    to: str


@dataclass(frozen=True)
class Options:
    """All settings of a run. Times are seconds, sizes bytes."""

    # what to compare
    entry: tuple[str, ...] = ()
    all_targets: bool = False
    targets: tuple[str, ...] = ()  # globs over target ids to keep
    exclude_targets: tuple[str, ...] = ()
    merge_base: bool = False
    # the tree's own source
    self_source: tuple[str, ...] = ()  # `Kind namespace/name` or `namespace/name`
    # rendering
    kustomize: str | None = None  # command; None: search
    kustomize_args: tuple[str, ...] = ()
    enable_helm: bool = False
    helm_command: str | None = None
    load_restrictor: Literal["root-only", "none"] = "root-only"
    no_remote: bool = False
    timeout: float = 120.0  # of one build
    max_output: int = 256 * 1024 * 1024  # of one build
    jobs: int = 0  # builds at a time; 0: as many as cores
    cache: bool = True
    cache_dir: str | None = None
    cache_size: int = 512 * 1024 * 1024
    verify_cache: bool = False
    verbose: bool = False
    # substitution
    substitution: Literal["lenient", "strict"] = "lenient"
    substitute: Mapping[str, str] = field(default_factory=dict)
    substitute_from: tuple[str, ...] = ()  # files with ConfigMaps and Secrets
    # comparing
    list_keys: tuple[ListKey, ...] = ()
    show_format: bool = False  # report differences of class `format` too
    similarity: float = 0.6  # threshold for counterparts by content
    ignore: tuple[IgnoreRule, ...] = ()
    skip_kinds: tuple[str, ...] = ()
    strip_attrs: tuple[str, ...] = ()  # label and annotation keys; a final `/` means prefix
    # secrets
    show_secrets: bool = False
    mask_key: str | None = None
    # impact and hazards
    kubernetes_version: str | None = None  # `1.34`; None: the newest known
    reference_fields: tuple[ReferenceField, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    disable: tuple[str, ...] = ()  # rule ids
    waivers: tuple[WaiverRule, ...] = ()
    large_targets: int = 10
    large_objects: int = 60
