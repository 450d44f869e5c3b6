"""What a plain or tagged YAML scalar means: to kustomize's own output, and to Kubernetes reading anyone's YAML."""

from __future__ import annotations

import base64
import math
import re
import struct

from kdiff.model.value import Scalar

_CANONICAL: dict[str, Scalar] = {"true": True, "false": False, "null": None, "": None}
_GO_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?(e[-+][0-9]{2,3})?").fullmatch


def canonical_scalar(text: str) -> Scalar:
    """A plain scalar that kustomize wrote.

    kustomize writes through JSON, so besides strings there are only `true`, `false`, `null`, decimal integers and Go's floats
    (`1.5`, `1e+21`, `5e-324`). Whatever else is plain is a string, also `=`, `<<`, dates and `1e400`.
    """
    if text in _CANONICAL:
        return _CANONICAL[text]
    if text[0] in "-0123456789" and (match := _GO_NUMBER(text)):
        if match.lastindex is None:
            return int(text) if len(text) <= _MAX_DIGITS else text
        number = float(text)
        return number if math.isfinite(number) else text
    return text


# `int()` refuses more digits than this by default; no 64-bit number needs them.
_MAX_DIGITS = 4000
_UINT64 = 1 << 64
_INT64 = 1 << 63

# sigs.k8s.io/yaml, goyaml.v2/resolve.go, resolveMap: the booleans of YAML 1.1 with `y` and `n`.
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGERS = (
    (re.compile(r"[-+]?(?:0|[1-9][0-9]*)"), 10),
    (re.compile(r"[-+]?0[0-7]+"), 8),
    (re.compile(r"[-+]?0[oO][0-7]+"), 8),
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DOT_FLOAT = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")  # strconv.ParseFloat: `_` between digits only


def go_scalar(text: str) -> Scalar:
    """A plain scalar as sigs.k8s.io/yaml resolves it for kubectl and Flux (goyaml.v2/resolve.go, resolve).

    Integers that need more than 64 bits become floats; base 60, dates, `0o9` and `1e400` are strings. What a value becomes
    on its way through JSON is for `go_value`, what a key becomes for `go_key`.
    """
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first in "0123456789+-":
        digits = text.replace("_", "")
        for pattern, base in _INTEGERS:
            if pattern.fullmatch(digits) and len(digits) <= _MAX_DIGITS:
                number = int(digits, base)
                # strconv.ParseUint, tried for what does not fit int64, takes no sign.
                if -_INT64 <= number < _INT64 or (number < _UINT64 and digits[0] not in "+-"):
                    return number
        if _FLOAT.fullmatch(digits) and math.isfinite(float(digits)):
            return float(digits)
    elif first == "." and _DOT_FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


_LONG_TAG = "tag:yaml.org,2002:"


def go_tagged_scalar(tag: str, text: str) -> Scalar:
    """A scalar with an explicit tag (goyaml.v2, resolve and decode); unknown tags make strings.

    Raises:
        ValueError: the text is not of the tag's type.
    """
    kind = tag.removeprefix(_LONG_TAG)
    if kind == "binary":
        try:
            return base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True).decode("utf-8", "replace")
        except ValueError:
            raise ValueError("a value tagged !!binary is not base64") from None
    if kind not in ("bool", "int", "float", "null"):
        return text
    value = go_scalar(text)
    if kind == "float" and type(value) is int:
        return float(value)
    if type(value) is not {"bool": bool, "int": int, "float": float, "null": type(None)}[kind]:
        raise ValueError(f"a value tagged !!{kind} is of another type")
    return value


def go_value(value: Scalar) -> Scalar:
    """`value` after the trip through JSON, on which whole numbers that fit int64 become integers: `1.0` and `1e0` are 1.

    apimachinery's decoder tries int64 first (k8s.io/apimachinery pkg/util/json), and Go prints the float 1 as `1`.

    Raises:
        ValueError: an infinity or NaN, which JSON cannot hold.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number is infinite or not a number")
        if value.is_integer() and abs(value) <= _INT64:
            # Go prints the shortest digits and fills up with zeros: 1234567890123456768.0 is `1234567890123456800`.
            digits, _, power = repr(value).partition("e")
            whole, _, fraction = digits.partition(".")
            number = int(whole + fraction) * 10 ** (int(power) - len(fraction)) if power else int(value)
            if -_INT64 <= number < _INT64:
                return number
    return value


def json_integer(text: str) -> int | float:
    """An integer in JSON: exact while it fits 64 bits, else the nearest float.

    Raises:
        ValueError: too large for a float.
    """
    if len(text) > _MAX_DIGITS:
        raise ValueError("a number is too large")
    number = int(text)
    return number if -_INT64 <= number < _UINT64 else float(number)


def go_key(value: Scalar) -> str:
    """A mapping key as a string (sigs.k8s.io/yaml, convertToJSONableObject).

    Raises:
        ValueError: a key that is null, or an integer beyond int64: Kubernetes refuses them.
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise ValueError("a key is null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value >= _INT64:
            raise ValueError("a key is an integer beyond 64 bits")
        return str(value)
    if math.isnan(value):
        return ".nan"
    return _float32_text(value)


def _float32_text(number: float) -> str:
    """`strconv.FormatFloat(number, 'g', -1, 32)`: the shortest digits that give the same 32-bit float."""
    try:
        packed = struct.pack("f", number)
    except OverflowError:
        packed = struct.pack("f", math.copysign(math.inf, number))
    wanted = struct.unpack("f", packed)[0]
    if math.isinf(wanted):
        return ".inf" if wanted > 0 else "-.inf"
    shortest = next(text for p in range(9) if struct.pack("f", float(text := f"{wanted:.{p}e}")) == packed)
    mantissa, _, exponent = shortest.partition("e")
    power = int(exponent)
    if -4 <= power < 6:
        decimals = len(mantissa.lstrip("-").replace(".", "")) - 1 - power
        return f"{float(shortest):.{max(decimals, 0)}f}"
    return shortest
