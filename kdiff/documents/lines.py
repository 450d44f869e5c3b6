"""Finds the line of an item of a list in a YAML file."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def list_item_line(raw: bytes, key: str, index: int) -> int | None:
    """The line, from 1, of item `index` of the list that the top-level mapping of the first document holds under `key`.

    None when it has none, or when the file cannot be read.
    """
    depth, is_key, inside, seen = 0, True, False, -1
    try:
        for event in yaml.parse(raw, Loader=_Loader):
            starts = isinstance(event, (MappingStartEvent, SequenceStartEvent))
            if inside and depth == 2 and not isinstance(event, SequenceEndEvent):
                seen += 1
                if seen == index:
                    return event.start_mark.line + 1 if event.start_mark else None
            if depth == 1 and not isinstance(event, MappingEndEvent):
                if is_key:
                    inside = isinstance(event, ScalarEvent) and event.value == key
                elif not isinstance(event, SequenceStartEvent):
                    inside = False
                is_key = not is_key
            depth += starts - isinstance(event, (MappingEndEvent, SequenceEndEvent))
            if depth == 0 and isinstance(event, MappingEndEvent):
                return None
    except (yaml.YAMLError, UnicodeError):
        return None
    return None
