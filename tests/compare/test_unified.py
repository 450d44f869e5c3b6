"""Unified text: agrees with GNU diff's form and stays quick on long texts."""

from __future__ import annotations

from kdiff.compare.unified import unified_diff
from kdiff.compare.views import deepdiff_view, unified_view
from kdiff.model.mask import CLOSE, OPEN


def test_the_form_is_that_of_a_unified_diff():
    base = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9}
    head = {**base, "e": 50, "j": 10}
    assert unified_diff(base, head, "old", "new", 1) == (
        "--- old\n+++ new\n@@ -4,3 +4,3 @@\n d: 4\n-e: 5\n+e: 50\n f: 6\n@@ -9 +9,2 @@\n i: 9\n+j: 10\n"
    )
    assert unified_diff(base, dict(reversed(base.items())), "old", "new") == ""


def test_a_side_that_does_not_exist_is_dev_null():
    assert unified_diff(None, {"a": 1}, "x", "x") == "--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a: 1\n"
    assert unified_diff({"a": 1}, None, "x", "x") == "--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a: 1\n"


def test_long_texts_with_edits_everywhere_take_linear_work(work):
    base = {"text": "\n".join(f'"x{n % 7}": {{' if n % 3 else f'"id": {n},' for n in range(30_000)) + "\n"}
    head = {"text": base["text"].replace("1,", "1.5,")}
    assert work(unified_diff, base, head, "a", "b") < 100 * 30_000
    text = unified_diff(base, head, "a", "b")
    assert text.count("\n+") - 1 == text.count("\n-") > 500


def test_views_of_a_live_change(build):
    token = f"{OPEN}{'ab' * 8}{CLOSE}"
    base, head = build.config_map(data={"a": "1", "t": token, "z": "1"}), build.config_map(data={"a": "2", "t": token, "z": "1"})
    (change,) = build.compare([base], [head]).changes
    assert unified_view(change) == change.unified
    assert len(unified_view(change, 0).splitlines()) == 5
    view = deepdiff_view(change)
    assert view["values_changed"] == {"root['data']['a']": {"new_value": "2", "old_value": "1"}}
    assert "abab" not in repr(view)
    assert base["data"]["t"] == token
