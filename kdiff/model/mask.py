"""Masking tokens: what stands in a masked value where a secret stood.

A token is `OPEN` + hex digest + `CLOSE`: equal for equal secrets within a run, of fixed length, made with a keyed hash. Both
marks are Unicode noncharacters, which the loader replaces when an input holds them, so no input can forge a token.
"""

from __future__ import annotations

import re

OPEN = "\ufdd0"
CLOSE = "\ufdd1"
TOKEN = re.compile(f"{OPEN}([0-9a-f]+){CLOSE}")
MASKED = "<masked>"
"""What a reader sees of a token that need not be told from others."""


def has_token(text: str) -> bool:
    """True when some of `text` is masked."""
    return OPEN in text
