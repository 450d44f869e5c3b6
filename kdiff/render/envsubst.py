"""Bash-like `${...}` substitution in a text, exactly as Flux's fluxcd/pkg/envsubst (v1.9, a fork of drone/envsubst) does it.

Rules are those of its parse/scan.go, parse/parse.go, template.go and funcs.go. Forms: `${v}`, `${#v}`, `${v^}`, `${v^^}`,
`${v,}`, `${v,,}`, `${v:pos}`, `${v:pos:len}`, `${v#p}`, `${v##p}`, `${v%p}`, `${v%%p}`, `${v/p/r}`, `${v//p/r}`, `${v/#p/r}`,
`${v/%p/r}`, `${v=d}`, `${v:=d}`, `${v:-d}`; `:?` and `:+` are read, and mean `:-`. A default may hold further expressions.
`$$` is one dollar sign that starts nothing. Other forms (`${v-d}`, `${v[@]}`) are errors, as they are in Flux. Lengths and
positions count bytes of UTF-8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NoReturn

from kdiff.render.shell_glob import matched_prefixes

MAX_DEPTH = 50  # expressions inside one another; Go has no limit but its stack
MAX_WORK = 4 * 1024 * 1024  # characters of values, arguments and results that one text may cost

_TEXT_STOP = re.compile(r"[$\0]")
_DEFAULT_OPERATORS = frozenset({"-", "+", "=", "?", ":-", ":+", ":=", ":?"})


class SubstitutionError(Exception):
    """The text is not one that envsubst accepts; the message is Go's, with the place."""


@dataclass(frozen=True)
class Evaluated:
    """`undefined` names, sorted, the variables that had neither value nor default where they were read."""

    text: str
    undefined: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Expression:
    name: str
    operator: str
    arguments: tuple[str | _Expression, ...]
    source: str  # as written, `${` to `}`


def evaluate(text: str, values: Mapping[str, str], *, unknown: Collection[str] = (), keep_unset: bool = False) -> Evaluated:
    """`text` with every expression replaced.

    A variable of `unknown` has a value that nobody knows here: its expressions stay as they are written. With `keep_unset` the
    same is done where a variable has neither value nor default; otherwise that renders empty. Either way it is in `undefined`.

    Raises:
        SubstitutionError: malformed expressions, or more work than MAX_WORK.
    """
    state = _State(values, unknown, keep_unset)
    parts = [node if isinstance(node, str) else state.expand(node)[0] for node in _Parser(text).parse()]
    return Evaluated("".join(parts), tuple(sorted(state.undefined)))


class _Parser:
    """Recursive descent over one text; each method stands for one of parse.go, with its oddities."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def parse(self) -> list[str | _Expression]:
        nodes: list[str | _Expression] = []
        while True:
            stop = _TEXT_STOP.search(self.text, self.at)
            if stop is None or stop[0] == "\0":  # Go takes NUL for the end of the text
                nodes.append(self.text[self.at : stop.start() if stop else None])
                return nodes
            nodes.append(self.text[self.at : stop.start()])
            self.at = stop.start()
            if self._looking_at("${"):
                nodes.append(self._expression())
            else:
                nodes.append("$")
                self.at += 2 if self._looking_at("$$") else 1

    def _expression(self) -> _Expression:
        start = self.at
        self.at += 2
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail(f"expressions nested deeper than {MAX_DEPTH}")
        operator = ""
        arguments: tuple[str | _Expression, ...] = ()
        if self._peek() == "#":
            self.at += 1
            name, operator = self._name("bad substitution"), "#"
        else:
            name = self._name("unable to parse variable name")
            operator, arguments = self._operation()
        if self._peek() != "}":
            self._fail("bad substitution" if operator else "missing closing brace")
        self.at += 1
        self.depth -= 1
        return _Expression(name, operator, arguments, self.text[start : self.at])

    def _operation(self) -> tuple[str, tuple[str | _Expression, ...]]:
        first = self._peek()
        if first == ":":
            second = self.text[self.at + 1 : self.at + 2]
            if second and second in "=-?+":
                return self._take(first + second), self._default()
            if not second or not second.isascii():  # parse.go steps back by the width of the character it peeked at
                self._fail("bad substitution")
            return self._take(":"), self._substring()
        if first == "=":
            return self._take("="), self._default()
        if first and first in ",^":
            return self._take(self._run(",^", 2)), ()
        if first == "/":
            second = self.text[self.at + 1 : self.at + 2]
            return self._take("/" + second if second and second in "/#%" else "/"), self._replacement()
        if first and first in "#%":
            return self._take(self._run(first, 2)), (self._argument("}"),)
        return "", ()

    def _default(self) -> tuple[str | _Expression, ...]:
        arguments = []
        while self._peek() != "}":
            arguments.append(self._argument("}"))
        return tuple(arguments)

    def _substring(self) -> tuple[str | _Expression, ...]:
        position = self._argument(":}")
        if self._peek() != ":":
            return (position,)
        self._take(self._run(":"))
        return position, self._argument("}")

    def _replacement(self) -> tuple[str | _Expression, ...]:
        pattern = self._argument("/", escapes=True)
        if self._peek() != "/":
            self._fail("bad substitution")
        self._take(self._run("/"))
        return (pattern,) if self._peek() == "}" else (pattern, self._argument("}", escapes=True))

    def _argument(self, stops: str, *, escapes: bool = False) -> str | _Expression:
        """An expression, or at least one character up to one of `stops`, an expression or the end."""
        if self._looking_at("${"):
            return self._expression()
        start, parts = self.at, []
        while (char := self._peek()) and char not in stops and not self._looking_at("${"):
            if escapes and (self._looking_at("$$") or self._looking_at("\\/") or self._looking_at("\\\\")):
                self.at += 1
                char = self._peek()
            parts.append(char)
            self.at += 1
        if self.at == start:
            self._fail("unable to parse substitution within function")
        return "".join(parts)

    def _name(self, problem: str) -> str:
        start = self.at
        while _is_name_character(self._peek()):
            self.at += 1
        if self.at == start:
            self._fail(problem)
        return self.text[start : self.at]

    def _peek(self) -> str:
        char = self.text[self.at : self.at + 1]
        return "" if char == "\0" else char

    def _looking_at(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def _run(self, chars: str, most: int | None = None) -> str:
        end = self.at
        while end < len(self.text) and self.text[end] in chars and (most is None or end - self.at < most):
            end += 1
        return self.text[self.at : end]

    def _take(self, token: str) -> str:
        self.at += len(token)
        return token

    def _fail(self, problem: str) -> NoReturn:
        raise SubstitutionError(f"{problem} (line {self.text.count(chr(10), 0, self.at) + 1})")


def _is_name_character(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum()) or (not char.isascii() and unicodedata.category(char) in _NAME_CATEGORIES)


_NAME_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})  # unicode.IsLetter or unicode.IsDigit


class _State:
    """Values while one text is evaluated, and the undefined names met."""

    def __init__(self, values: Mapping[str, str], unknown: Collection[str], keep_unset: bool) -> None:
        self.values = values
        self.unknown = unknown
        self.keep_unset = keep_unset
        self.undefined: set[str] = set()
        self.work = 0

    def expand(self, node: _Expression) -> tuple[str, bool]:
        """The expression's text, and whether some of it is not known. Arguments come first, used or not, as in template.go."""
        arguments = [(a, False) if isinstance(a, str) else self.expand(a) for a in node.arguments]
        has_default = node.operator in _DEFAULT_OPERATORS
        if node.name in self.unknown:
            return node.source, True
        value = self.values.get(node.name)
        if value is None and not has_default:
            self.undefined.add(node.name)
            if self.keep_unset:
                return node.source, True
        vague = any(is_vague for _, is_vague in arguments)
        if vague and not has_default:
            return node.source, True
        texts = [text for text, _ in arguments]
        self._spend(len(value or "") + sum(map(len, texts)))
        function = _FUNCTIONS.get(node.operator)
        if node.operator == "#" and not texts:
            result = str(len(_bytes(value or "")))
        elif function is not None:
            self._spend(_growth(node.operator, value or "", texts))
            result = function(value or "", texts)
        else:
            result = value or "".join(texts)
        return result, vague and not value

    def _spend(self, characters: int) -> None:
        self.work += characters
        if self.work > MAX_WORK:
            raise SubstitutionError(f"the expressions of one object handle more than {MAX_WORK} characters")


def _growth(operator: str, value: str, arguments: list[str]) -> int:
    """Characters that replacements will add, counted before they are made."""
    if operator not in {"/", "//"} or len(arguments) < 2:
        return 0
    return len(arguments[1]) * (1 if operator == "/" else value.count(arguments[0]))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _upper(char: str) -> str:
    """unicode.ToUpper: one rune for one rune, so that `ß` stays."""
    upper = char.upper()
    return upper if len(upper) == 1 else char


def _lower(char: str) -> str:
    if char == "\u0130":  # Go's table maps it to a plain i, Python adds a combining dot
        return "i"
    return char.lower()


def _all_upper(value: str, _: list[str]) -> str:
    return "".join(map(_upper, value))


def _all_lower(value: str, _: list[str]) -> str:
    return "".join(map(_lower, value))


def _first_upper(value: str, _: list[str]) -> str:
    return _upper(value[:1]) + value[1:]


def _first_lower(value: str, _: list[str]) -> str:
    return _lower(value[:1]) + value[1:]


_INTEGER = re.compile(r"[+-]?[0-9]+")


def _integer(text: str) -> int | None:
    """strconv.Atoi: no spaces, no underscores, 64 bits; None where Go gives an error."""
    if len(text) > 32 or not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _substring(value: str, arguments: list[str]) -> str:
    data = _bytes(value)
    position = _integer(arguments[0])
    if position is None:
        return value
    if position < 0:
        position = max(len(data) + position, 0)
    if len(arguments) == 1:
        return _text(data[position:])
    length = _integer(arguments[1])
    if length is None:
        return value
    if position + length >= len(data):
        return _text(data[position:])
    if length < 0:  # Go panics here; the controller reports it as a failed build
        raise SubstitutionError(f"the length {length} in a substring is negative")
    return _text(data[position : position + length])


def _replace(count: int) -> Callable[[str, list[str]], str]:
    return lambda value, arguments: value.replace(arguments[0], arguments[1] if len(arguments) > 1 else "", count)


def _replace_prefix(value: str, arguments: list[str]) -> str:
    if len(arguments) < 2 or not value.startswith(arguments[0]):  # without a replacement Go does nothing
        return value
    return arguments[1] + value[len(arguments[0]) :]


def _replace_suffix(value: str, arguments: list[str]) -> str:
    if len(arguments) < 2 or not value.endswith(arguments[0]):  # without a replacement Go does nothing
        return value
    return value[: len(value) - len(arguments[0])] + arguments[1]


def _trim_prefix(*, longest: bool) -> Callable[[str, list[str]], str]:
    return lambda value, arguments: _text(_trimmed(_bytes(value), _bytes(arguments[0]), longest=longest))


def _trim_suffix(*, longest: bool) -> Callable[[str, list[str]], str]:
    """The prefix of the reversed value by the reversed pattern, as funcs.go has it; so `[a-c]` is read as `]c-a[`."""

    def trim(value: str, arguments: list[str]) -> str:
        kept = _text(_trimmed(_bytes(value[::-1]), _bytes(arguments[0][::-1]), longest=longest))
        return _ESCAPED_BYTE.sub("\ufffd", kept)[::-1]

    return trim


_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")  # Go turns torn bytes into U+FFFD when it reverses


def _trimmed(data: bytes, pattern: bytes, *, longest: bool) -> bytes:
    """Without the longest or the shortest non-empty prefix that `pattern` matches; as it is when none does."""
    end = 0
    for end in matched_prefixes(pattern, data):  # noqa: B007
        if not longest:
            break
    return data[end:]


_FUNCTIONS: Mapping[str, Callable[[str, list[str]], str]] = {
    "^": _first_upper,
    "^^": _all_upper,
    ",": _first_lower,
    ",,": _all_lower,
    ":": _substring,
    "/": _replace(1),
    "//": _replace(-1),
    "/#": _replace_prefix,
    "/%": _replace_suffix,
    "#": _trim_prefix(longest=False),
    "##": _trim_prefix(longest=True),
    "%": _trim_suffix(longest=False),
    "%%": _trim_suffix(longest=True),
}
