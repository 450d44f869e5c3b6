"""Which files of a source never reach Flux: source-controller's default excludes and `.sourceignore` files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kdiff.kube.globs import match_name

IGNORE_FILE = ".sourceignore"

# fluxcd/pkg/sourceignore/sourceignore.go: ExcludeVCS, ExcludeExt, ExcludeCI, ExcludeExtra.
DEFAULT_PATTERNS = (
    ".git/", ".gitignore", ".gitmodules", ".gitattributes",
    "*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip",
    ".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml",
    "codeship-services.yml", "codeship-steps.yml",
    "**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml",
)  # fmt: skip


@dataclass(frozen=True)
class SourceIgnoreRule:
    """One line of an ignore file. `domain` is the directory of that file as segments; the rule holds only below it.

    The matching is that of go-git's gitignore package, which Flux keeps a copy of (fluxcd/pkg/sourceignore/gitignore): a pattern
    without an inner slash matches any segment of the path, so a directory takes along all that is in it.
    """

    domain: tuple[str, ...]
    parts: tuple[str, ...]
    includes: bool
    directory_only: bool

    def matches(self, segments: Sequence[str]) -> bool:
        """True when this rule speaks of the file with these path segments from the source's root."""
        if len(segments) <= len(self.domain) or tuple(segments[: len(self.domain)]) != self.domain:
            return False
        below = segments[len(self.domain) :]
        if len(self.parts) == 1:
            hits = (index for index, name in enumerate(below) if match_name(self.parts[0], name))
            first = next(hits, None)
            return first is not None and not (self.directory_only and first == len(below) - 1)
        return self._matches_path(below)

    def _matches_path(self, below: Sequence[str]) -> bool:
        rest = list(below)
        matched = anywhere = False
        for index, part in enumerate(self.parts):
            if not part:
                anywhere = False
            elif part == "**":
                if index == len(self.parts) - 1:
                    break
                anywhere = True
            elif "**" in part or not rest:
                return False
            else:
                reach = len(rest) if anywhere else 1
                hit = next((at for at in range(reach) if match_name(part, rest[at])), None)
                if hit is None:
                    return False
                rest = rest[hit + 1 :]
                matched, anywhere = True, False
        return matched and not (self.directory_only and not rest)


def parse_ignore_rules(content: str, directory: str) -> tuple[SourceIgnoreRule, ...]:
    """The rules of an ignore file that lies in `directory` (a tree path, `.` for the root)."""
    domain = () if directory == "." else tuple(directory.split("/"))
    lines = (line.removesuffix("\r") for line in content.split("\n"))
    return tuple(_rule(line, domain) for line in lines if line.strip() and not line.startswith("#"))


def default_ignore_rules() -> tuple[SourceIgnoreRule, ...]:
    """What source-controller leaves out of every artifact unless a `.sourceignore` brings it back."""
    return tuple(_rule(pattern, ()) for pattern in DEFAULT_PATTERNS)


def is_ignored(rules: Iterable[SourceIgnoreRule], path: str) -> bool:
    """True when the last rule that speaks of the file at the tree path `path` leaves it out. `rules` are in rising priority."""
    segments = path.split("/")
    return next((not rule.includes for rule in reversed(tuple(rules)) if rule.matches(segments)), False)


def _rule(line: str, domain: tuple[str, ...]) -> SourceIgnoreRule:
    includes = line.startswith("!")
    pattern = line.removeprefix("!")
    if not pattern.endswith("\\ "):
        pattern = pattern.rstrip(" ")
    directory_only = pattern.endswith("/")
    return SourceIgnoreRule(domain, tuple(pattern.removesuffix("/").split("/")), includes, directory_only)
