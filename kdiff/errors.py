"""What stops a whole run. What concerns one target or one object is a value in the report instead."""

from __future__ import annotations


class KdiffError(Exception):
    """The run cannot go on. The message is one line: what is wrong, where, and what to do about it."""


class UsageError(KdiffError):
    """The call itself is wrong: an unknown option, a value that cannot be read."""


class SourceError(KdiffError):
    """BASE or HEAD cannot be read: a missing path, an unknown revision, a malformed file."""


class UnreadablePath(SourceError):  # noqa: N818 - a fact about a path, which a target that asks for it turns into its failure
    """What lies at a path of BASE or HEAD cannot be known, so it is not absent either. Where nobody catches it, the run stops."""


class RendererError(KdiffError):
    """No kustomize was found, or the one that was named does not answer."""


class ConfigError(KdiffError):
    """The configuration file cannot be read or holds an unknown key."""
