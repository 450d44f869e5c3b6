"""The spellings in which a secret text or value turns up outside its Secret, with how to look for each."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator

from kdiff.objects.secret_index import Role

_SAME_EVERYWHERE = re.compile(r"[A-Za-z0-9_.~-]*")

# What encoders of addresses leave as it is beside letters, digits and `-_.~`: RFC 3986 asks for no more; Python's quote; Go's
# url.UserPassword (net/url, shouldEscape, encodeUserPassword); encodeURIComponent of ECMAScript.
_LEFT_IN_ADDRESSES = ("", "/", "$&+,;=", "!*'()")

_KEPT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
_PERCENT = [
    tuple({byte: form.format(byte) for byte in range(256) if chr(byte) not in _KEPT + left} for form in ("%{:02X}", "%{:02x}"))
    for left in _LEFT_IN_ADDRESSES
]

# Larger values are files, which are looked for neither in addresses nor in hex, nor in base64 of base64.
_LARGEST_KEY = 4096

# Fewer bytes that are no text could stand in a digest or an id by chance.
_SHORTEST_HEX = 16

# Below this a stretch of base64 could be chance.
_SHORTEST_BASE64 = 7


def spell_text(text: str) -> Iterator[tuple[str, Role]]:
    """Every spelling of `text` but the plain one."""
    if not _SAME_EVERYWHERE.fullmatch(text):
        escaped = {*_json(text), *_addresses(text), *_shell(text), *_markup(text)}
        yield from ((each, "text") for each in escaped - {text})
    yield from _base64(text.encode())
    yield from _hex(text.encode())


def spell_bytes(raw: bytes) -> Iterator[tuple[str, Role]]:
    """Every spelling of bytes that are no text."""
    yield from _base64(raw)
    if len(raw) >= _SHORTEST_HEX:
        yield from _hex(raw)


def _json(text: str) -> Iterator[str]:
    """Inside a JSON string, inside JSON within JSON, and as Go's %q quotes it."""
    plain, in_ascii = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    yield from (plain, in_ascii, plain.replace("/", "\\/"), json.dumps(plain, ensure_ascii=False)[1:-1])
    # encoding/json escapes what HTML minds
    yield plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    # strconv.Quote has its own names for what cannot be printed
    yield _CONTROL.sub(lambda match: _GO_CONTROL.get(match[1]) or f"\\x{match[1]}", plain).replace("\x7f", "\\x7f")


_CONTROL = re.compile(r"\\u00([01][0-9a-f])")
_GO_CONTROL = {"07": "\\a", "0b": "\\v"}


def _addresses(text: str) -> Iterator[str]:
    octets = text.encode().decode("latin-1")
    for upper, lower in _PERCENT if len(text) <= _LARGEST_KEY else ():
        coded = octets.translate(upper)
        yield from (coded, coded.replace("%20", "+"), octets.translate(lower))


def _shell(text: str) -> Iterator[str]:
    """Within quotes of a shell, and within single quotes of YAML and SQL."""
    yield from (text.replace("'", quoted) for quoted in ("'\\''", "'\"'\"'", "''"))
    yield re.sub(r'(["$`\\])', r"\\\1", text)


def _markup(text: str) -> Iterator[str]:
    """In XML and HTML: the least that must be escaped, and with quotes as XML, Python and Go write them."""
    least = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    yield least
    for double, single in (("&quot;", "&apos;"), ("&quot;", "&#x27;"), ("&#34;", "&#39;")):
        yield least.replace('"', double).replace("'", single)


def _hex(raw: bytes) -> Iterator[tuple[str, Role]]:
    if len(raw) <= _LARGEST_KEY:
        yield from ((raw.hex(), "text"), (raw.hex().upper(), "text"))


def _base64(raw: bytes) -> Iterator[tuple[str, Role]]:
    stretches = list(_stretches(raw))
    if stretches and len(raw) <= _LARGEST_KEY:  # coded twice: what codes the value from its beginning
        stretches += _stretches(stretches[0].encode())
    for stretch in stretches:
        yield stretch, "base64"
        if "+" in stretch or "/" in stretch:
            yield stretch.replace("+", "-").replace("/", "_"), "base64"


def _stretches(raw: bytes) -> Iterator[str]:
    """What base64 of anything that holds `raw` must hold: one stretch for each way that three bytes can fall."""
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        sure = coded[math.ceil(shift * 8 / 6) : (shift + len(raw)) * 8 // 6]
        if len(sure) >= _SHORTEST_BASE64:
            yield sure
