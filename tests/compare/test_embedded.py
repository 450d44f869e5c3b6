"""Strings that hold a format of their own."""

from __future__ import annotations

import pytest

from kdiff.compare.embedded import look_inside
from kdiff.model.codec import ABSENT
from kdiff.model.mask import CLOSE, OPEN


def inside(name, before, after):
    found = look_inside(name, before, after)
    return None if found is None else ([(c.path, c.op, c.before, c.after) for c in found.changes], found.same_meaning)


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("d.json", '{"a": [1, 2]}', '{\n "a": [1,2]\n}\n', ([], True)),
        ("d.json", '{"a": {"b": 1}}', '{"a": {"b": true}}', ([("a.b", "replace", 1, True)], False)),
        ("any", '{"id": 9007199254740993}', '{"id": 9007199254740992}', ([("id", "replace", 9007199254740993, 9007199254740992)], False)),
        ("any", '{"a": null}', "{}", ([("a", "remove", None, ABSENT)], False)),
        ("any", '{"a": 1, "a": 2}', '{"a": 3}', None),
        ("any", '{"a": NaN}', '{"a": 1}', None),
        ("any", "{{ template }}", "{{ other }}", None),
        ("app.yaml", "a: 1\nb: x\n", "b: x\na: 2\n", ([("a", "replace", 1, 2)], False)),
        ("app.yaml", "a: 1\n", "# comment\na: 1\n", ([], True)),
        ("app.yaml", "a: yes\n", "a: true\n", ([], False)),
        ("app.yaml", "a: 017\n", "a: 15\n", ([], False)),
        ("app.yaml", "a: 'x'\n", "a: x\n", ([], True)),
        ("config", "a:\n  b: 1\n", "a:\n  b: 2\n", ([("a.b", "replace", 1, 2)], False)),
        ("app.yaml", "a: [1\n", "a: 1\n", None),
        ("c.toml", "[a]\nb = 1\n", "[a]\nb = 2\n", ([("a.b", "replace", 1, 2)], False)),
        ("c.toml", "d = 2024-01-01\n", "d = 2024-01-02\n", ([("d", "replace", "2024-01-01", "2024-01-02")], False)),
        ("c.ini", "[A]\nKey=1\n", "[A]\nKey=2\n", ([("A.Key", "replace", "1", "2")], False)),
        ("p.properties", "a.b=1\n# c\n", "a.b = 2\n", ([('["a.b"]', "replace", "1", "2")], False)),
        ("p.properties", "a=1\na=2\n", "a=1\n", None),
        ("motd", "hello\n", "hello", None),
        ("run.sh", "echo a: b\n", "echo a: c\n", None),
        ("v", "1.10", "1.1", None),
    ],
)  # fmt: skip
def test_known_formats_are_compared_inside(name, before, after, expected):
    assert inside(name, before, after) == expected


def test_dashboards_and_hostile_texts_take_bounded_work(work):
    panels = ",".join(f'{{"id": {n}, "title": "panel {n}", "targets": [{{"expr": "rate(x[5m])", "ref": "A"}}]}}' for n in range(4000))
    before = f'{{"panels": [{panels}]}}'
    assert len(before) > 300_000
    one, all_ = before.replace('"panel 77"', '"other"'), before.replace('"panel ', '"p ')
    assert inside("d.json", before, one) == ([("panels[id=77].title", "replace", "panel 77", "other")], False)
    assert inside("d.json", before, all_) is None
    assert work(inside, "d.json", before, one) + work(inside, "d.json", before, all_) < 4000 * 1000
    for text in ("[" * 100_000, "a: " + "{" * 5000, '{"a":' * 50_000, "- " * 50_000, "&a [*a]\n" * 3):
        assert work(inside, "x.yaml", text + "\n", text + " \n") < 10_000_000


ONE, TWO = (f"{OPEN}{digit * 32}{CLOSE}" for digit in "12")
HIDDEN = (ABSENT, ABSENT, True)


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("d.json", f'{{"a": 1, "pw": "{ONE}"}}', f'{{"a": 2, "pw": "{ONE}"}}', [("a", "replace", 1, 2, False)]),
        ("d.json", f'{{"pin": {ONE}}}', f'{{"pin": {TWO}}}', [("pin", "replace", *HIDDEN)]),
        ("d.json", f'{{"pin": {ONE}}}', f'{{"pin": "{ONE}"}}', [("pin", "replace", *HIDDEN)]),
        ("d.json", f'{{"a": 1, "pw": "{ONE}"}}', f'{{"pw": "{ONE}",  "a": 1}}', []),
        ("d.json", f'{{"pw": "x{ONE}9"}}', '{"pw": "x"}', [("pw", "replace", *HIDDEN)]),
        ("d.json", f'{{"{ONE}": "x"}}', f'{{"{TWO}": "x"}}', [("<masked>", "remove", "x", ABSENT, False), ("<masked>", "add", ABSENT, "x", False)]),
        ("d.json", f'{{"a": "{ONE}"}}', f'{{"a": "{ONE}", "b": [{{"c": ["{TWO}"]}}]}}', [("b", "add", *HIDDEN)]),
        ("d.json", f'{{"a": 12{ONE}34}}', f'{{"a": 12{TWO}34}}', None),
        ("a.yaml", f"a: 1\npw: {ONE}\n", f"a: 2\npw: {TWO}\n", [("a", "replace", 1, 2, False), ("pw", "replace", *HIDDEN)]),
        ("a.yaml", f"url: x://u:{ONE}@old/\nb: 1\n", f"url: x://u:{ONE}@new/\nb: 1\n", [("url", "replace", *HIDDEN)]),
        ("a.yaml", f"a: 1\npw: {ONE}\n", f"a: 2\npw: '{ONE}'\n", None),
        ("a.yaml", f'a: 1\npw: "{ONE}"\n', f"a: 2\npw: '{ONE}'\n", None),
        ("a.yaml", f"a: 1\npw: |\n  {ONE}\n", f"a: 2\npw: >\n  {ONE}\n", None),
        ("a.yaml", f"a: 1\npw: {ONE}\n", f"a: 1\npw: {ONE}\nb: {TWO}\n", [("b", "add", *HIDDEN)]),
        ("a.yaml", f"a: 1{ONE}23456789012\n", f"a: 1{TWO}23456789012\n", [("a", "replace", *HIDDEN)]),
        ("c.toml", f"a = 1\npw = {ONE}\n", f"a = 2\npw = {ONE}\n", [("a", "replace", 1, 2, False)]),
        ("c.toml", f"a = 1\npw = '{ONE}'\n", f'a = 2\npw = "{ONE}"\n', None),
        ("c.ini", f"[A]\na=1\npw={ONE}\n", f"[A]\na=2\npw={TWO}\n", [("A.a", "replace", "1", "2", False), ("A.pw", "replace", *HIDDEN)]),
        ("p.env", f"a=1\npw={ONE}\n", f"a=2\npw={ONE}\n", [("a", "replace", "1", "2", False)]),
        ("a.yaml", f"a: 9731000000000000\npw: {ONE}\n", f"a: {ONE}\npw: {ONE}\n", None),
        ("any", ONE, TWO, None),
    ],
)  # fmt: skip
def test_texts_that_are_masked_in_part_are_compared_inside_and_show_nothing(name, before, after, expected):
    found = look_inside(name, before, after)
    got = None if found is None else [(c.path, c.op, c.before, c.after, c.redacted) for c in found.changes]
    assert got == expected
    assert found is None or not found.same_meaning
    assert "1111" not in repr(found)
    assert "9731" not in repr(found)
