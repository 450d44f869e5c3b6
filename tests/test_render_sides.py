"""The loop between targets and rendering, over small trees that are really rendered."""

from __future__ import annotations

import pytest

import kdiff


def flux(name, path, *substitute_from, optional="false", source="flux-system"):
    sources = "".join(f"\n    - {{kind: ConfigMap, name: {each}, optional: {optional}}}" for each in substitute_from)
    post_build = f"\n  postBuild:\n    substituteFrom:{sources}" if sources else ""
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\n"
        f"spec:\n  path: ./{path}\n  sourceRef: {{kind: GitRepository, name: {source}}}{post_build}\n"
    )


def config_map(name, value, namespace="flux-system"):
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\ndata: {{N: '{value}'}}\n"


@pytest.fixture
def compare(tmp_path, kustomize):
    """The report on two trees of files, `None` for a file that only the base has."""

    def run(files, changed, **options):
        for side, content in (("base", files), ("head", {**files, **changed})):
            for path, text in content.items():
                if text is not None:
                    (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
                    (tmp_path / side / path).write_text(text)
        entry = next(path for path in ("clusters/prod", "root") if (tmp_path / "base" / path).is_dir())
        return kdiff.render_diff(tmp_path / "base", tmp_path / "head", entry=[entry], options=kdiff.Options(**options))

    return run


def failures(report):
    return [(failure.side, failure.target.removeprefix("Kustomization flux-system/"), failure.class_) for failure in report.failures]


BROKEN = "resources: [gone.yaml]\n"
VARS = {
    "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars"),
    "vars/kustomization.yaml": "resources: [vars.yaml]\n",
    "vars/vars.yaml": config_map("cluster-vars", 3),
    "web/web.yaml": config_map("web", "${N}", "web"),
}
READS_AND_FAILS = {"vars/kustomization.yaml": "resources: [vars.yaml, gone.yaml]\n"}


@pytest.mark.parametrize("broken", [BROKEN, READS_AND_FAILS["vars/kustomization.yaml"]])
@pytest.mark.parametrize("optional", ["false", "true"])
def test_what_substitutes_from_a_failed_target_fails_with_it(compare, broken, optional):
    files = {**VARS, "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars", optional=optional)}
    report = compare(files, {"vars/kustomization.yaml": broken})
    assert failures(report) == [("head", "vars", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.failures[1].message == (
        "its variables come from ConfigMap flux-system/cluster-vars, which Kustomization flux-system/vars may hold, and that failed"
    )
    assert report.changes == ()
    assert [note for note in report.notes if note.kind in ("missing-variables", "undefined-variable")] == []


def test_a_target_that_failed_on_both_sides_takes_its_users_along(compare):
    report = compare({**VARS, **READS_AND_FAILS}, {"web/web.yaml": config_map("web", "${N} more", "web")})
    assert failures(report) == [("both", "vars", "missing-resource"), ("both", "web", "undefined-variable")]


def test_what_only_the_cluster_holds_is_a_note_still(compare):
    files = {**VARS, "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "from-the-cluster")}
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "vars", "missing-resource")]
    assert len([note for note in report.notes if note.kind == "missing-variables"]) == 1


def test_a_target_without_variables_is_compared(compare):
    report = compare(
        {**VARS, "web/web.yaml": config_map("web", 1, "web")}, {**READS_AND_FAILS, "web/web.yaml": config_map("web", 2, "web")}
    )
    assert failures(report) == [("head", "vars", "missing-resource")]
    assert [change.id for change in report.changes] == ["v1/ConfigMap web/web"]


def test_a_chain_of_substitutions_fails_to_its_end(compare):
    files = {
        **VARS,
        "clusters/prod/all.yaml": "---\n".join((flux("vars", "vars"), flux("mid", "mid", "cluster-vars"), flux("web", "web", "mid-vars"))),
        "mid/mid.yaml": config_map("mid-vars", "${N}"),
    }
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert [target for _, target, _ in failures(report)] == ["mid", "vars", "web"]
    assert report.changes == ()


def test_variables_below_a_failed_target_are_unknown_too(compare):
    files = {
        "clusters/prod/all.yaml": flux("apps", "apps") + "---\n" + flux("web", "web", "cluster-vars"),
        "apps/kustomization.yaml": "resources: [vars.yaml]\n",
        "apps/vars.yaml": flux("vars", "vars"),
        "vars/vars.yaml": config_map("cluster-vars", 3),
        "web/web.yaml": config_map("web", "${N}", "web"),
    }
    report = compare(files, {"apps/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "apps", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.changes == ()


def test_variables_of_a_target_that_goes_over_to_another_source_are_unknown(compare):
    other = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux-system}\n"
    other += "spec: {url: 'https://git.example.com/a/other'}\n---\n"
    head = other + flux("vars", "vars", source="other") + "---\n" + flux("web", "web", "cluster-vars")
    report = compare(VARS, {"clusters/prod/all.yaml": head})
    assert failures(report) == [("head", "vars", "missing-source"), ("head", "web", "undefined-variable")]
    assert [(change.status, change.object.kind) for change in report.changes] == [("changed", "Kustomization"), ("added", "GitRepository")]


def test_children_of_a_target_whose_variables_are_unknown_are_no_removals(compare):
    files = {
        **VARS,
        "clusters/prod/all.yaml": flux("vars", "vars") + "---\n" + flux("web", "web", "cluster-vars"),
        "web/child.yaml": flux("child", "child-${N}"),
        "child-3/child.yaml": config_map("child", 1, "web"),
    }
    report = compare(files, {"vars/kustomization.yaml": BROKEN})
    assert failures(report) == [("head", "vars", "missing-resource"), ("head", "web", "undefined-variable")]
    assert report.changes == ()
