r"""The part of Go's text/template that ApplicationSets mostly use: `{{ .path.basename }}`, `{{ index .path.segments 1 | upper }}`.

Fields, strings, whole numbers, true and false, parentheses, pipes, `{{-` and `-}}`, and the functions of `_FUNCTIONS` (sprig's and
Argo CD's, applicationset/utils/template_functions.go). Anything else, such as `if` and `range`, is a TemplateError that names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from kdiff.model.value import Value

_ACTION = re.compile(r"\{\{(-\s)?(.*?)(\s-)?\}\}", re.DOTALL)
_TOKEN = re.compile(
    r"""\s*(?:(?P<field>\$?(?:\.[A-Za-z_][A-Za-z0-9_]*)+|\.)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<raw>`[^`]*`)"""
    r"""|(?P<number>-?\d+)(?![\w.])|(?P<word>[A-Za-z_]\w*)|(?P<mark>[()|]))"""
)
_MAX_NAME = 253
MAX_TEXT = 65536  # characters that a function may give


class TemplateError(ValueError):
    """A template that is beyond the part read here, or that Go would refuse; one line."""


class _Missing:
    """What a key that no parameter has gives: `<no value>`."""


_MISSING = _Missing()


def render_template(template: str, params: Mapping[str, Value], *, strict: bool) -> str:
    """`template` with every action replaced; a missing key is an error when `strict` (missingkey=error), else `<no value>`.

    Raises:
        TemplateError: see there.
    """
    parts: list[str] = []
    at = 0
    trim_next = False
    for action in _ACTION.finditer(template):
        literal = template[at : action.start()]
        literal = literal.lstrip() if trim_next else literal
        parts.append(literal.rstrip() if action[1] else literal)
        parts.append(_printed(_Parser(action[2], params, strict).pipeline_to_end()))
        at, trim_next = action.end(), bool(action[3])
    rest = template[at:]
    if "{{" in rest:
        raise TemplateError(f"an action is not closed in {_shown(template)}")
    parts.append(rest.lstrip() if trim_next else rest)
    return "".join(parts)


def sanitize_name(name: str) -> str:
    """`normalize`: lower case, `-` for what a DNS name may not hold, at most 253 characters (SanitizeName)."""
    return re.sub(r"[^-a-z0-9.]", "-", name.lower())[:_MAX_NAME].strip("-.")


class _Parser:
    """One action, evaluated while it is read."""

    def __init__(self, source: str, params: Mapping[str, Value], strict: bool) -> None:
        self.source = source
        self.params = params
        self.strict = strict
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while source[at:].strip():
            found = _TOKEN.match(source, at)
            if not found:
                raise TemplateError(f"{{{{{_shown(source)}}}}} is not understood")
            self.tokens.append((str(found.lastgroup), found[0].strip()))
            at = found.end()
        self.tokens.reverse()

    def pipeline_to_end(self) -> Any:
        value = self._pipeline(0)
        if self.tokens:
            raise TemplateError(f"{{{{{_shown(self.source)}}}}} is not understood")
        return value

    def _pipeline(self, depth: int) -> Any:
        if depth > 20:
            raise TemplateError("a template is nested too deeply")
        value = self._command([], depth)
        while self.tokens and self.tokens[-1] == ("mark", "|"):
            self.tokens.pop()
            value = self._command([value], depth)
        return value

    def _command(self, piped: list[Any], depth: int) -> Any:
        if not self.tokens:
            raise TemplateError(f"{{{{{_shown(self.source)}}}}} is empty")
        kind, word = self.tokens[-1]
        if kind == "word" and word not in ("true", "false"):
            self.tokens.pop()
            if word not in _FUNCTIONS:
                raise TemplateError(f"{word} in {{{{{_shown(self.source)}}}}} is not supported")
            arguments = []
            while self.tokens and self.tokens[-1] not in (("mark", "|"), ("mark", ")")):
                arguments.append(self._operand(depth))
            try:
                return _bounded(_FUNCTIONS[word](*arguments, *piped))
            except (TypeError, ValueError, IndexError, KeyError, AttributeError):
                raise TemplateError(f"{word} in {{{{{_shown(self.source)}}}}} gets arguments it cannot take") from None
        if piped:
            raise TemplateError(f"{{{{{_shown(self.source)}}}}} pipes into something that is no function")
        return self._operand(depth)

    def _operand(self, depth: int) -> Any:
        kind, word = self.tokens.pop()
        if kind == "field":
            return self._field(word)
        if kind == "string":
            return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), word[1:-1])
        if kind == "raw":
            return word[1:-1]
        if kind == "number":
            return int(word)
        if word in ("true", "false"):
            return word == "true"
        if word == "(":
            value = self._pipeline(depth + 1)
            if not self.tokens or self.tokens.pop() != ("mark", ")"):
                raise TemplateError(f"a parenthesis is not closed in {{{{{_shown(self.source)}}}}}")
            return value
        raise TemplateError(f"{word} in {{{{{_shown(self.source)}}}}} is not supported")

    def _field(self, written: str) -> Any:
        value: Any = self.params
        for name in [part for part in written.lstrip("$").split(".") if part]:
            if not isinstance(value, Mapping):
                raise TemplateError(f"{written} in a template leads through something that is no mapping")
            if name not in value and self.strict:
                raise TemplateError(f"no parameter has the key {written}")
            value = value.get(name, _MISSING)
        return value


def _shown(source: str) -> str:
    return " ".join(source.split())[:60]


def _printed(value: Any) -> str:
    """As Go's fmt prints a scalar."""
    if value is _MISSING or value is None:
        return "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    raise TemplateError("a template prints a list, a mapping or a fraction")


def _text(value: Any) -> str:
    return "" if value is _MISSING or value is None else _printed(value)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, Mapping):
            value = value.get(key, _MISSING)
        elif isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            raise IndexError(key)
    return value


def _default(fallback: Any, value: Any = _MISSING) -> Any:
    """Sprig's `default`: for whatever is empty."""
    return fallback if value is _MISSING or not value else value


def _string(string: str) -> str:
    if not isinstance(string, str):
        raise TypeError(string)
    return string


def _replaced(old: str, new: str, string: str) -> str:
    if string.count(old) * len(new) > MAX_TEXT:
        raise ValueError(new)
    return string.replace(old, new)


def _bounded(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise ValueError("too long")
    return value


def _quoted(value: Any) -> str:
    escaped = _text(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "index": _index,
    "default": _default,
    "lower": lambda s: _string(s).lower(),
    "upper": lambda s: _string(s).upper(),
    "trim": lambda s: _string(s).strip(),
    "trimPrefix": lambda prefix, s: _string(s).removeprefix(prefix),
    "trimSuffix": lambda suffix, s: _string(s).removesuffix(suffix),
    "replace": lambda old, new, s: _replaced(_string(old), _string(new), _string(s)),
    "trunc": lambda count, s: _string(s)[:count] if count >= 0 else _string(s)[count:],
    "splitList": lambda separator, s: _string(s).split(separator),
    "join": lambda separator, items: _string(separator).join(_text(item) for item in items),
    "first": lambda items: items[0],
    "last": lambda items: items[-1],
    "toString": _text,
    "quote": _quoted,
    "squote": lambda value: f"'{_text(value)}'",
    "normalize": lambda s: sanitize_name(_string(s)),
    "printf": lambda form, *values: _formatted(_string(form), values),
}


def _formatted(form: str, values: tuple[Any, ...]) -> str:
    """`%s` of strings and `%v`; the numbers of parameters are floats to Go, which `%d` does not print."""
    verbs = [verb for verb in re.findall(r"%(.?)", form) if verb != "%"]
    if len(verbs) != len(values) or any(
        verb != "v" and not (verb == "s" and isinstance(value, str)) for verb, value in zip(verbs, values, strict=True)
    ):
        raise ValueError(form)
    waiting = iter(values)
    return re.sub(r"%(.)", lambda found: "%" if found[1] == "%" else _printed(next(waiting)), form)
