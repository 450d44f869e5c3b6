"""The whole run, where no single stage could tell."""

from __future__ import annotations

import io
import sys

import pytest

import kdiff
from kdiff.errors import SourceError, UsageError

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
    with pytest.raises(UsageError, match=r"leave out every target \(2\)"):
        kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(targets=("nomatch",)))


def test_targets_are_narrowed_after_comparing(sides, kustomize):
    kept = kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(targets=("Kustomization */web",)))
    assert [change.id for change in kept] == ["v1/ConfigMap a"]
    left = kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(exclude_targets=("Kustomization */web",)))
    assert (left.changes, [note.kind for note in left.notes if note.kind == "narrowed"]) == ((), ["narrowed"])


def test_a_link_to_itself_does_not_lead_out(tmp_path, kustomize):
    for name, files in (("base", {}), ("head", {"app/kustomization.yaml": "resources: [x.yaml]\n"})):
        tree(tmp_path / name, {"kustomization.yaml": "resources: [ring]\n" if name == "base" else "resources: [app]\n", **files})
    (tmp_path / "base" / "ring").symlink_to("ring")
    (tmp_path / "head" / "app" / "x.yaml").symlink_to("x.yaml")
    report = kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=["."])
    why = "is, or lies behind, a symbolic link that leads back to itself; the root asks for it"
    assert [(f.side, f.class_, f.message) for f in report.failures] == [
        ("base", "missing-resource", f"ring {why}"), ("head", "missing-resource", f"app/x.yaml {why}")]  # fmt: skip


def test_one_change_that_is_not_shown_is_singular(sides, kustomize):
    left = kdiff.render_diff(*sides, entry=["clusters/prod"], options=kdiff.Options(exclude_targets=("Kustomization */web",)))
    (said,) = (note.message for note in left.notes if note.kind == "narrowed")
    assert said == "not shown: 1 changed object of targets that --targets and --exclude-targets leave out"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("x.yaml", "x.yaml"), "x.yaml: cannot be read: a key"),
        (("dir/x.yaml", "dir/x.yaml"), "dir/x.yaml: cannot be read: a key"),
        (("-", "x.yaml"), "standard input: cannot be read: a key"),
        (("dir", "dir"), "dir: x.yaml: cannot be read: a key"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_once(tmp_path, monkeypatch, names, said):
    broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{a: b}: c\n"
    tree(tmp_path, {"x.yaml": broken, "dir/x.yaml": broken})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as error:
        kdiff.render_diff(*names, stdin=io.BytesIO(broken.encode()))
    assert str(error.value).startswith(said)
    assert str(error.value).endswith("correct the YAML")


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
