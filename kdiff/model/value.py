"""The values that a YAML or JSON document can hold, as Kubernetes reads them."""

from __future__ import annotations

from typing import Dict, List, Union

from typing_extensions import TypeAlias

# The old spellings on purpose: a recursive alias is evaluated at run time, and Python 3.10 cannot evaluate `None | "Value"`.
Scalar: TypeAlias = Union[None, bool, int, float, str]
Value: TypeAlias = Union[Scalar, List["Value"], Dict[str, "Value"]]
