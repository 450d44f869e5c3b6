"""A secret is found in the spellings that tools give it, as other implementations of these spellings write them."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
import textwrap
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest

from kdiff.documents.dump import dump_value
from kdiff.model.mask import has_token
from kdiff.objects.masking import Masker
from kdiff.objects.spellings import spell_bytes, spell_text

HELD = "cAn4ry q/7&<x>=\"'$é\\%+!(;:@~"
BINARY = bytes(range(128, 160))
FILE = "".join(f"line {n} of a file that is secret as a whole: {n * 7919}\n" for n in range(40))
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "qwertyuiopasdfgh" * 30 + "\n-----END OPENSSH PRIVATE KEY-----\n"


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def lower(text):
    """%2F as %2f."""
    return re.sub(r"%[0-9A-F]{2}", lambda match: match.group().lower(), text)


def wrapped(coded, width=76, indent=""):
    return textwrap.indent("\n".join(textwrap.wrap(coded, width)), indent)


SPELLINGS = {
    "percent, RFC 3986": quote(HELD, safe=""),
    "percent, lower": lower(quote(HELD, safe="")),
    "percent, Python": quote(HELD),
    "percent, Go's userinfo": quote(HELD, safe="$&+,;="),
    "percent, ECMAScript": quote(HELD, safe="!*'()"),
    "form": quote_plus(HELD),
    "JSON": json.dumps(HELD),
    "JSON, slashes escaped": json.dumps(HELD, ensure_ascii=False).replace("/", "\\/"),
    "JSON in JSON": json.dumps({"a": json.dumps({"b": HELD}, ensure_ascii=False)}, ensure_ascii=False),
    "shell, single quotes": "'" + HELD.replace("'", "'\\''") + "'",
    "shell, Python": shlex.quote(HELD),
    "shell, double quotes": '"cAn4ry q/7&<x>=\\"\'\\$é\\\\%+!(;:@~"',
    "YAML, single quotes": "'" + HELD.replace("'", "''") + "'",
    "XML": escape(HELD),
    "XML attribute": escape(HELD, {'"': "&quot;", "'": "&apos;"}),
    "HTML": html.escape(HELD),
    "HTML of Go": html.escape(HELD).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    "hex": HELD.encode().hex(),
    "HEX": HELD.encode().hex().upper(),
    "base64 twice": b64(b64(HELD)),
    "base64 twice, within more": b64(f"auth: {b64(HELD + ':more')}"),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_text_is_found_in_every_spelling(spelling):
    masker = Masker(b"k")
    assert not has_token(masker.mask_text(spelling))
    masker.learn_secret({"kind": "Secret", "stringData": {"a": HELD}})
    assert has_token(masker.mask_text(f"x={spelling}, y"))
    value = {"data": {"x": f"x={spelling}, y"}}
    assert "cAn4ry" not in dump_value(masker.mask_value(value))


def test_control_characters_as_go_quotes_them():
    masker = Masker(b"k")
    masker.learn(["abc\tdef\x07\x1b\x7f\n"])
    assert has_token(masker.mask_text(r'json: cannot unmarshal "abc\tdef\a\x1b\x7f\n" into'))


@pytest.mark.parametrize("spelling", [b64(BINARY), b64(b64(BINARY)), BINARY.hex(), b64(b"x" + BINARY), wrapped(b64(BINARY * 3))])
def test_bytes_that_are_no_text_are_found(spelling):
    masker = Masker(b"k")
    masker.learn_secret({"kind": "Secret", "data": {"a": b64(BINARY)}})
    assert has_token(masker.mask_text(f"x {spelling} y"))


@pytest.mark.parametrize("held", [FILE, "tr0ub4dor-and-3"])
@pytest.mark.parametrize("around", ["", "x", "the first 57 bytes of what is coded are another line of text\n" * 2])
@pytest.mark.parametrize("width", [44, 64, 76])
def test_base64_in_lines_is_hidden_whole(held, around, width):
    masker = Masker(b"k")
    masker.learn_secret({"kind": "Secret", "stringData": {"a": held}})
    coded = b64(around + held + around)
    for text in (
        wrapped(coded, width),
        wrapped(coded, width, "    "),
        wrapped(coded, width).replace("\n", "\\n"),
        wrapped(coded, width, " \t"),
    ):
        hidden = masker.mask_value(
            {"data": {"x": f"cert: {text}\n# the next line\n", "y": json.dumps({"a": text}), "z": text.replace("\n", " ")}}
        )
        shown = dump_value(hidden)
        assert coded[:20] not in shown
        assert coded[-22:-4] not in shown
        assert hidden["data"]["x"].startswith("cert: ")
        assert "# the next line" in shown


def test_lines_of_base64_that_hold_nothing_secret_stay():
    masker = Masker(b"k")
    masker.learn(["tr0ub4dor-and-3"])
    value = {"data": {"x": wrapped(b64(FILE)), "y": f"{'a' * 60}\n{'b' * 60}\nc"}}
    assert masker.mask_value(value) is value


@pytest.mark.parametrize("break_", ["\n", "\n    ", "\\n", "\\\\n", " ", "\r\n"])
def test_private_keys_in_base64_in_lines_are_hidden_though_no_secret_holds_them(break_):
    lines = textwrap.wrap(b64(PEM), 64)
    hidden = Masker(b"k").mask_value({"data": {"x": f"key: {break_.join(lines)}\nnext: line\n"}})["data"]["x"]
    assert not any(line in hidden for line in lines)
    certificate = f"key: {break_.join(textwrap.wrap(b64(PEM.replace('PRIVATE KEY', 'CERTIFICATE')), 64))}\n"
    assert Masker(b"k").mask_text(certificate) == certificate


def test_large_values_are_spelled_fewer_ways():
    assert len(list(spell_text("&" * 5000))) < len(list(spell_text("&" * 4000)))
    assert {role for _, role in spell_bytes(BINARY[:15])} == {"base64"}
