"""Tokens: what stands for a secret. Two are equal exactly where Kubernetes reads equal values."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from kdiff.model.mask import CLOSE, OPEN
from kdiff.model.value import Value

_BYTES = 16
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


class Tokens:
    """Makes tokens under one key: of one length, and with a keyed hash, so that nothing can be guessed from them."""

    def __init__(self, key: bytes) -> None:
        """Tokens of equal keys are comparable."""
        self._key = hashlib.blake2b(key, digest_size=32).digest()

    def of_text(self, text: str | bytes) -> str:
        """The token of a text, or of the bytes that `data` of a Secret stands for: the same for the same text."""
        return self._token(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, b"")

    def of_data(self, value: Value) -> str:
        """The token of a value of a Secret's `data`: of its bytes where it is base64.

        What is none is refused by the API server, so it equals nothing but the same text.
        """
        if not isinstance(value, str):
            return self.of_value(value)
        plain = _decoded(value)
        return self._token(value.encode("utf-8", "surrogatepass"), b"no base64") if plain is None else self.of_text(plain)

    def of_value(self, value: Value) -> str:
        """The token of any value; 1 and 1.0 are equal, 1 and "1" are not (`compare.equality.same_value`)."""
        return self.of_text(value) if isinstance(value, str) else self._token(_canonical(value).encode(), b"no text")

    def _token(self, raw: bytes, kind: bytes) -> str:
        return OPEN + hashlib.blake2b(raw, digest_size=_BYTES, key=self._key, person=kind).hexdigest() + CLOSE


def number_text(number: int | float) -> str:  # noqa: PYI041 - the two are told apart
    """The digits of a number, the same for equal ones: 1.0 is `1`."""
    return repr(int(number) if isinstance(number, float) and number.is_integer() else number)


def _decoded(text: str) -> bytes | None:
    """The bytes of a value of `data`, None where the API server refuses it.

    It is read as encoding/json reads a []byte: standard base64 with its padding, line breaks skipped anywhere, no other blanks
    (encoding/base64, Encoding.decodeQuantum).
    """
    joined = text.replace("\r", "").replace("\n", "")
    return base64.b64decode(joined) if len(joined) % 4 == 0 and _BASE64.fullmatch(joined) else None


def _canonical(value: Value) -> str:
    """Text that is equal for values that are equal as JSON, and for no others: each node behind the one that holds it."""
    parts: list[str] = []
    todo: list[Any] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            parts.append(f"{{{len(node)}")
            for key in sorted(node):
                todo += (node[key], key)
        elif isinstance(node, list):
            parts.append(f"[{len(node)}")
            todo += node
        elif isinstance(node, (int, float)) and not isinstance(node, bool):
            parts.append(number_text(node))
        else:
            parts.append(json.dumps(node))
    return "\n".join(parts)
