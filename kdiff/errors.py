"""What stops a whole run. What concerns one target or one object is a value in the report instead."""

from __future__ import annotations


class KdiffError(Exception):
    """The run cannot go on. The message is one line: what is wrong, where, and what to do about it."""


class UsageError(KdiffError):
    """The call itself is wrong: an unknown option, a value that cannot be read."""


class SourceError(KdiffError):
    """BASE or HEAD cannot be read: a missing path, an unknown revision, a malformed file."""


class RendererError(KdiffError):
    """No kustomize was found, or the one that was named does not answer."""


class ConfigError(KdiffError):
    """The configuration file cannot be read or holds an unknown key."""
