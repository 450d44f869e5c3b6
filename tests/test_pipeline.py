"""The whole run, where no single stage could tell."""

from __future__ import annotations

import sys

import pytest

import kdiff
from kdiff.errors import UsageError

FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec: {interval: 1m, path: ./web, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""


def tree(place, files):
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    return place


@pytest.fixture
def sides(tmp_path):
    def files(value):
        return {
            "clusters/prod/web.yaml": FLUX,
            "web/a.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{k: {value}}}\n",
        }

    return tree(tmp_path / "base", files("one")), tree(tmp_path / "head", files("two"))


@pytest.mark.parametrize(
    ("base", "head", "more", "message"),
    [
        (None, "x", {}, "base must be a path or a string such as git:main, not None"),
        ("x", b"x", {}, "head must be a path or a string such as git:main, not a value of type bytes"),
        ("x", "x", {"entry": "clusters/prod"}, "entry must be a list of strings, not one string: write ['clusters/prod']"),
        ("x", "x", {"options": {"jobs": 1}}, "options must be kdiff.Options(...), not a value of type dict"),
    ],
)
def test_arguments_of_a_wrong_type_are_one_line(base, head, more, message):
    with pytest.raises(UsageError) as error:
        kdiff.render_diff(base, head, **more)
    assert str(error.value) == message


def test_paths_and_lists_will_do(sides, kustomize):
    report = kdiff.render_diff(*map(str, sides), entry=["clusters/prod"])
    assert kdiff.render_diff(*sides, entry=("clusters/prod",)).changes == report.changes != ()


def test_names_that_python_would_misread_are_refused(sides, monkeypatch):
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    with pytest.raises(UsageError, match="reads file names as ascii here; start it with PYTHONUTF8=1"):
        kdiff.render_diff(*sides)


def test_globs_that_leave_no_target_are_refused(sides, kustomize):
    with pytest.raises(UsageError, match="leave none of the 2 targets"):
        kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(targets=("nomatch",)))


def test_targets_are_narrowed_after_comparing(sides, kustomize):
    kept = kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(targets=("Kustomization */web",)))
    assert [change.id for change in kept] == ["v1/ConfigMap a"]
    left = kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(exclude_targets=("Kustomization */web",)))
    assert (left.changes, [note.kind for note in left.notes if note.kind == "narrowed"]) == ((), ["narrowed"])


def test_the_log_is_silent_from_the_first_error_on(tmp_path, kustomize):
    broken = "patches:\n- patch: |-\n    apiVersion: v1\n    kind: Secret\n    metadata: {name: n\n    stringData: {a: TOPSECRET}\n"
    base = tree(tmp_path / "base", {"kustomization.yaml": "resources: []\n"})
    head = tree(tmp_path / "head", {"kustomization.yaml": "resources: []\n" + broken})
    heard = []
    report = kdiff.render_diff(base, head, log=heard.append)
    assert "TOPSECRET" not in "\n".join(heard) + report.to_json()
    assert [failure.side for failure in report.failures] == ["head"]


@pytest.mark.parametrize("split_up", [False, True])
def test_of_an_object_that_stands_twice_the_last_counts(tmp_path, split_up):
    old, new = (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{n: '{n}'}}\n" for n in (1, 2))
    for side, (first, last) in (("base", (old, new)), ("head", (new, old))):
        tree(tmp_path / side, {"1.yaml": first, "2.yaml": last} if split_up else {"all.yaml": f"{first}---\n{last}"})
    report = kdiff.render_diff(tmp_path / "base", tmp_path / "head")
    assert [(c.status, [(f.before, f.after) for f in c.fields]) for c in report.changes] == [("changed", [("2", "1")])]
    assert [note.object for note in report.notes if note.kind == "duplicate"] == ["v1/ConfigMap a"]
