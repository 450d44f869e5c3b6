"""What the user asked for, checked as it is made. One frozen value that every stage reads; `config/` and `cli/` build it.

Making one raises `UsageError` for a value that cannot be meant; a list will do where the type is a tuple.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Literal

from kdiff.errors import UsageError
from kdiff.model.checked import check_fields, limited
from kdiff.model.hazard import Severity

RELEASE = re.compile(r"v?1\.\d{1,3}(\.\d+)?")  # of Kubernetes


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

    def __post_init__(self) -> None:
        check_fields(self)
        criteria = (self.kind, self.name, self.namespace, self.target, self.selector, self.pointer, self.label, self.annotation)
        if not any(criteria):
            raise UsageError("an empty rule would match everything; name at least one key")
        if self.pointer and not self.pointer.startswith("/"):
            raise UsageError(f'pointer "{self.pointer}" must begin with /, such as /spec/replicas')


@dataclass(frozen=True)
class WaiverRule:
    """Accepts hazards of `rule` (glob) on `object` (glob over object ids) until `expires` (ISO date, inclusive)."""

    rule: str
    object: str
    reason: str
    expires: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        _check_given(self, "rule", "object", "reason")
        if self.expires is not None and not _is_date(self.expires):
            raise UsageError(f'expires "{self.expires}" is not a date such as 2027-01-31')


@dataclass(frozen=True)
class ListKey:
    """A user's merge key for a list of a custom resource: `kind` (`Kind` or `group/Kind`), dotted `path`, key fields."""

    kind: str
    path: str
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        check_fields(self)
        _check_given(self, "kind", "path", "keys")


@dataclass(frozen=True)
class ReferenceField:
    """A user's reference: in `kind`, the field at dotted `path` (`[]` for each item) names an object of `to` kind."""

    kind: str
    path: str
    to: str

    def __post_init__(self) -> None:
        check_fields(self)
        _check_given(self, "kind", "path", "to")


def _check_given(record: object, *names: str) -> None:
    for name in names:
        if not getattr(record, name):
            raise UsageError(f"{name} is empty")


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


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
    timeout: float = limited(120.0, minimum=0.1)  # of one build
    max_output: int = limited(256 * 1024 * 1024, minimum=1)  # of one build
    jobs: int = limited(0, minimum=0)  # builds at a time; 0: as many as cores
    cache: bool = True
    cache_dir: str | None = None
    cache_size: int = limited(512 * 1024 * 1024, minimum=0)
    verify_cache: bool = False
    verbose: bool = False
    # substitution
    substitution: Literal["lenient", "strict"] = "lenient"
    substitute: Mapping[str, str] = field(default_factory=dict)
    substitute_from: tuple[str, ...] = ()  # files with ConfigMaps and Secrets
    # comparing
    list_keys: tuple[ListKey, ...] = ()
    show_format: bool = False  # report differences of class `format` too
    similarity: float = limited(0.6, minimum=0, maximum=1)  # threshold for counterparts by content
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
    large_targets: int = limited(10, minimum=1)
    large_objects: int = limited(60, minimum=1)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.kubernetes_version is not None and not RELEASE.fullmatch(self.kubernetes_version):
            raise UsageError(f'kubernetes_version: "{self.kubernetes_version}" is not a Kubernetes release such as 1.34')

    def wants_target(self, target: str) -> bool:
        """Whether `targets` and `exclude_targets` leave a target id in."""
        named = not self.targets or any(fnmatchcase(target, glob) for glob in self.targets)
        return named and not any(fnmatchcase(target, glob) for glob in self.exclude_targets)
