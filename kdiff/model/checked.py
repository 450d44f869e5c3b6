"""Checks what Python code puts into the frozen values of a run, by their own field types: `jobs=-1` never reaches a stage."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from kdiff.errors import UsageError

_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a string"}


def limited(default: Any, *, minimum: float, maximum: float = math.inf) -> Any:
    """A dataclass field with limits, which configuration and schema go by too."""
    return dataclasses.field(default=default, metadata={"minimum": minimum, "maximum": maximum})


def check_fields(record: Any) -> None:
    """Refuse what does not fit the field types of `record`, a frozen dataclass; a list where a tuple belongs becomes one.

    Values are never quoted but for single strings and numbers, which are no secrets.

    Raises:
        UsageError: one line that names the field and says what belongs there.
    """
    hints = _hints(typing.cast("Any", type(record)))
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        settled = settle(field.name, value, hints[field.name])
        if "minimum" in field.metadata:
            fault = limit_fault(settled, field.metadata["minimum"], field.metadata["maximum"])
            if fault:
                raise UsageError(f"{field.name}: {fault}")
        if settled is not value:
            object.__setattr__(record, field.name, settled)


def limit_fault(value: float, minimum: float, maximum: float) -> str:
    """What is wrong with a number: that it is out of its limits, or no number at all; "" when nothing is."""
    if value != value or abs(value) == math.inf:  # noqa: PLR0124 - math.isfinite refuses integers beyond a float
        return f"{value} is not a number to count with"
    if value < minimum:
        return f"{value} is less than {minimum:g}"
    return f"{value} is more than {maximum:g}" if value > maximum else ""


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def settle(name: str, value: Any, hint: Any) -> Any:
    """`value` as the type `hint` wants it, or UsageError, which calls it `name`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return _sequence(name, value, arguments[0])
    if origin is Literal:
        if value not in arguments:
            given = repr(value) if isinstance(value, str) else _shown(value)
            raise UsageError(f"{name} must be one of {', '.join(arguments)}, not {given}")
        return value
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise UsageError(f"{name} must be a mapping, not {_shown(value)}")
        for key, item in value.items():
            settle(f"a key of {name}", key, str)
            settle(f"{name}[{key!r}]", item, arguments[1])
        return value
    if type(None) in arguments:  # `str | None`
        if value == "":
            raise UsageError(f"{name} is empty")
        return value if value is None else settle(name, value, arguments[0])
    fits = isinstance(value, (int, float) if hint is float else hint) and (hint is bool or not isinstance(value, bool))
    if not fits:
        raise UsageError(f"{name} must be {_WORDS[hint]}, not {_shown(value)}")
    return value


def _sequence(name: str, value: Any, item: Any) -> tuple[Any, ...]:
    what = "strings" if item is str else f"{item.__name__} values"
    if isinstance(value, str):  # a string is a sequence too, of its characters
        raise UsageError(f"{name} must be a list of {what}, not one string: write [{value!r}]")
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"{name} must be a list or tuple of {what}, not {_shown(value)}")
    for each in value:
        if not isinstance(each, item):
            raise UsageError(f"{name} must hold {what} only, not {_shown(each)}")
        if each == "":
            raise UsageError(f"{name} holds an empty string")
    return tuple(value) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
