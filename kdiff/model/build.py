"""One run of kustomize as a value: what it reads, what it is told, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kdiff.model.failure import Failure, FailureClass
from kdiff.model.target import Target


@dataclass(frozen=True)
class Build:
    """A planned run of kustomize on `target.path` of `target.tree`.

    `reads` is the read set: (tree path, SHA-256 hex of the content), sorted. `overlay` holds files, by tree path, that replace
    or join those of the tree: the kustomization that Flux or Argo CD would generate. `proven` says that the read set is known
    to be all that kustomize reads, `unforeseen` why kustomize itself may read more. Two builds with equal `digest` are one build: an
    unproven one shares it with no other target.
    """

    target: Target
    reads: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...] = ()  # symbolic links on the way to them: (tree path, the tree path it leads to)
    directories: tuple[str, ...] = ()  # directories named as bases, so that an empty one is missed the way kustomize misses it
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  # kustomize flags, as given on its command line
    proven: bool = True
    digest: str = ""
    unforeseen: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why a target is not built at all, and the tree paths that it would have read, as far as they are known."""

    failure: Failure
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildOutput:
    """What one build gave: `output` is kustomize's YAML, or None with the class and message of the failure.

    `rendered` is True when kustomize really ran, False when the output came from the cache on disk.
    """

    output: bytes | None
    failure_class: FailureClass | None = None
    message: str = ""
    rendered: bool = True
