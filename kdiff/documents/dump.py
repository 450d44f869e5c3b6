"""A value as kdiff's own YAML: sorted keys, one spelling for each value, line by line comparable and safe to look at."""

from __future__ import annotations

import re
from typing import Any

from kdiff.model.mask import OPEN, TOKEN
from kdiff.model.value import Value


def dump_value(value: Value) -> str:
    """`value` as block YAML that ends in a newline; equal values give equal text and every YAML reader gets `value` back.

    Keys are sorted by code point. Text of several lines is a block scalar; text that a reader of YAML 1.1 or 1.2 could take for
    something else, and text with control, bidirectional or other invisible characters, is double quoted with those escaped.
    Masking tokens stay as they are, for the reports to show.
    """
    lines: list[str] = []
    # What is still to write, next one last: the text that begins its line, the value, the column of its key or dash.
    todo: list[tuple[str, Any, int]] = [("", value, 0)]
    while todo:
        lead, node, column = todo.pop()
        after_key = lead.endswith(":")
        if not node or not isinstance(node, (dict, list)):
            lines.append(f"{lead}{' ' if after_key else ''}{_leaf(node, column)}\n")
            continue
        if after_key:
            lines.append(f"{lead}\n")
            inner = column + 2 if isinstance(node, dict) else column
            first = " " * inner
        else:
            inner = column + 2 if lead else 0
            first = lead
        pad = " " * inner
        if isinstance(node, dict):
            children = [(f"{pad}{_key(key, pad)}:", node[key], inner) for key in sorted(node)]
        else:
            children = [(f"{pad}- ", item, inner) for item in node]
        children[0] = (first + children[0][0][inner:], *children[0][1:])
        todo.extend(reversed(children))
    return "".join(lines)


# PyYAML's and libyaml's limit for a key without `?` is 1024 characters (scanner.c, yaml_parser_stale_simple_keys).
_SIMPLE_KEY = 256


def _key(key: str, pad: str) -> str:
    text = _plain_or_quoted(key)
    return text if len(text) <= _SIMPLE_KEY else f"? {text}\n{pad}"


def _leaf(value: Any, column: int) -> str:
    if isinstance(value, str):
        return _block(value, column) if "\n" in value else _plain_or_quoted(value)
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    return repr(value)


_WORD = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.-]*")
_MISREAD = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"))
# Integers, floats and base 60 of YAML 1.1 and 1.2; other bases; dates with whatever follows them.
_NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?::[0-9]+)*)?\.?[0-9_]*(?:[eE][-+]?[0-9_]*)?"
    r"|[-+]?0[xXoObB][0-9a-fA-F_.pP+-]*"
    r"|[-+]?\.(?:inf|nan)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*",
    re.IGNORECASE,
)


def _plain_or_quoted(text: str) -> str:
    if _WORD.fullmatch(text):
        return text if text.lower() not in _MISREAD else f'"{text}"'
    seen = text
    if OPEN in text:
        if TOKEN.fullmatch(text):
            return text
        seen = TOKEN.sub("x", text)
    if (
        seen
        and (seen[0].isalnum() or seen[0] in "_/$(.")
        and seen.isprintable()
        and ": " not in seen
        and " #" not in seen
        and seen[-1] not in ": "
        and not seen.startswith("...")
        and not _NUMBER.fullmatch(seen)
    ):
        return text if seen.lower() not in _MISREAD else f'"{text}"'
    return f'"{_escaped(text)}"'


_TO_ESCAPE = re.compile(r'["\\]|[^ -~]')


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(_escape, text) if OPEN not in text else "".join(_escaped_but_tokens(text))


def _escaped_but_tokens(text: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for token in TOKEN.finditer(text):
        parts += [_TO_ESCAPE.sub(_escape, text[end : token.start()]), token.group()]
        end = token.end()
    return [*parts, _TO_ESCAPE.sub(_escape, text[end:])]


_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in _NAMED:
        return _NAMED[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _block(text: str, column: int) -> str:
    """Text of several lines, under a key or dash at `column`: literal where that is exact, else quoted line by line."""
    indent = " " * (column + 2)
    body = TOKEN.sub("x", text) if OPEN in text else text
    if text.strip("\n") and body.replace("\n", "").replace("\t", "").isprintable():
        head = "|2" if text[0] in " \n\t" else "|"
        head += "" if _ends_once(text) else "-" if text[-1] != "\n" else "+"
        lines = text.removesuffix("\n").split("\n")
        return "\n".join([head, *(indent + line if line else "" for line in lines)])
    lines = [_escaped(line) for line in text.split("\n")]
    # A line break after a backslash is nothing, and so are the blanks that begin the line after it.
    rest = [f"\\{line}" if line.startswith(" ") else line for line in lines[1:]]
    return '"' + f"\\n\\\n{indent}".join([lines[0], *rest]) + '"'


def _ends_once(text: str) -> bool:
    return text[-1] == "\n" and text[-2:] != "\n\n"
