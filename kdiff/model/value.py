"""The values that a YAML or JSON document can hold, as Kubernetes reads them."""

from __future__ import annotations

from typing import TypeAlias, Union

# Union on purpose: the alias names itself and is evaluated at run time, where `None | "Value"` is an error on Python 3.10.
Scalar: TypeAlias = bool | int | float | str | None
Value: TypeAlias = Union[Scalar, list["Value"], dict[str, "Value"]]  # noqa: UP007
