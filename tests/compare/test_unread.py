"""Objects that may have moved into a target that failed."""

from __future__ import annotations

import pytest

from kdiff.compare.unread import Unread
from kdiff.model.failure import Failure
from kdiff.model.object import ObjectKey
from kdiff.model.side import TargetState
from kdiff.model.target import Target

CLAIM = ObjectKey("", "PersistentVolumeClaim", "shop", "data")
DEFINED = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"


class Files(dict):
    paths = property(lambda self: self.keys())

    def read(self, path):
        if path not in self:
            raise FileNotFoundError(path)
        return self[path].encode()


def state(files, *, failed=True, known=True, name="t"):
    failure = Failure("head", name, "renderer-failed", "no") if failed else None
    target = Target(name, "scope", "kustomization", "t", Files(files))
    return TargetState(target, failure=failure, reads=tuple(files) if known else ())


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ({"t/a.yaml": DEFINED}, {}, True),
        ({"t/a.yaml": DEFINED}, {"t/b.yaml": DEFINED}, False),  # it was there before
        ({"t/a.yaml": "kind: ConfigMap\nmetadata: {name: data}\ndata: {}\n"}, {}, False),
        ({"t/a.yaml": "a: [\n" + DEFINED}, {}, True),  # broken, which may be why the target failed
        ({"t/a.yaml": "a: [\nkind: ConfigMap\nmetadata: {name: other}\ndata: {k: v}\n"}, {}, False),
    ],
)
def test_what_a_failed_target_reads_anew_may_have_moved_in(here, there, expected):
    for failed_there in (True, False):
        assert Unread([state(here)], [state(there, failed=failed_there)]).may_define(CLAIM) is expected


def test_a_target_that_rendered_hides_nothing():
    assert Unread([state({"t/a.yaml": DEFINED}, failed=False)], []).may_define(CLAIM) is False


def test_of_a_target_whose_reads_are_not_known_all_counts_that_differs_and_no_other_read():
    files = {"t/a.yaml": "", "other/a.yaml": DEFINED}
    before = state({"t/a.yaml": "", "db/a.yaml": DEFINED}, failed=False, name="db")
    assert Unread([state(files, known=False)], [before]).may_define(CLAIM) is True
    rendered = state({"other/a.yaml": DEFINED}, failed=False, name="other")
    assert Unread([state(files, known=False), rendered], [before]).may_define(CLAIM) is False
    assert Unread([state(files, known=False)], [state(files, failed=False, name="db")]).may_define(CLAIM) is False
