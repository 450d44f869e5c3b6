"""How a report is to be laid out: what the user chose and what the destination can show."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CHARS = 65_536  # the longest body of a GitHub or Forgejo comment
COMMENT_KEY = "kdiff"


@dataclass(frozen=True)
class Style:
    """Layout of one report. `width` is terminal columns, `context` lines around a change, `max_chars` UTF-16 units of Markdown."""

    color: bool = False
    width: int = 100
    context: int = 3
    full: bool = False  # nothing folded: whole objects, every line
    summary_only: bool = False  # all but the changes themselves
    stat: bool = False  # one line an object
    max_chars: int = MAX_CHARS
    comment_key: str = COMMENT_KEY
