"""What may not be compared when a target failed on one side."""

from __future__ import annotations

import pytest

from kdiff.model.failure import Failure
from kdiff.model.side import TargetState
from kdiff.model.target import Target
from kdiff.model.withheld import withheld_targets


def side(**targets):
    """`name=parent` or `name=(parent, "failed")`, all in scope `c`."""
    states = {}
    for name, given in targets.items():
        parent, failed = given if isinstance(given, tuple) else (given, None)
        target = Target(name, "c", "flux", ".", tree=None, parent=parent)
        failure = Failure("head", name, "renderer-failed", "no") if failed else None
        states["c", name] = TargetState(target, failure=failure)
    return states


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        pytest.param(side(a=None), side(a=None), ((), ()), id="nothing failed"),
        pytest.param(side(a=None), side(a=(None, "failed")), (("a",), ()), id="failed at head"),
        pytest.param(side(a=(None, "failed")), side(a=None), ((), ("a",)), id="failed at base"),
        pytest.param(side(a=(None, "failed")), side(a=(None, "failed")), (("a",), ("a",)), id="failed on both"),
        pytest.param(side(a=None, b="a", c="b"), side(a=(None, "failed")), (("a", "b", "c"), ()), id="what hangs below is not gone"),
        pytest.param(side(a=None, b="a"), side(a=(None, "failed"), b="other"), (("a",), ()), id="found elsewhere is compared"),
        pytest.param(side(a=None, b="a"), side(), ((), ()), id="a target that left is a removal"),
        pytest.param(side(a=None, b="a"), side(a=None), ((), ()), id="a child that left is a removal"),
        pytest.param(side(), side(a=(None, "failed")), ((), ()), id="new and failed"),
        pytest.param(side(a=None, b="a", c="a"), side(a=None, b=("a", "failed"), c="a"), (("b",), ()), id="siblings are compared"),
    ],
)
def test_withheld(base, head, expected):
    names = tuple(tuple(sorted(name for _, name in hidden)) for hidden in withheld_targets(base, head))
    assert names == expected
    assert tuple(reversed(names)) == tuple(tuple(sorted(name for _, name in hidden)) for hidden in withheld_targets(head, base))
