from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kdiff.model.tree import Gap, TreeOrigin
from kdiff.targets.application_sets import MAX_APPLICATIONS, generate_applications
from kdiff.targets.artifacts import tree_of_files

TREE = tree_of_files(
    {
        "apps/web/kustomization.yaml": b"",
        "apps/db/kustomization.yaml": b"",
        "apps/db/base/a.yaml": b"",
        "apps/.hidden/a.yaml": b"",
        "clusters/dev/config.yaml": b"cluster:\n  name: dev\n  size: 3\nowner: Ops\n",
        "clusters/prod/config.json": b'{"cluster": {"name": "prod", "size": 9}, "owner": "Ops"}',
        "clusters/many/list.yaml": b"- {id: a}\n- {id: b}\n",
    },
    TreeOrigin("head", "directory"),
)
TEMPLATE = {
    "metadata": {"name": "{{name}}", "labels": {"{{name}}": "x"}},
    "spec": {"source": {"repoURL": "self", "path": "apps/{{name}}"}, "project": "default"},
}


def application_set(*generators, template=None, **spec):
    return {
        "kind": "ApplicationSet",
        "metadata": {"name": "set", "namespace": "argocd"},
        "spec": {"generators": list(generators), "template": template or TEMPLATE, **spec},
    }


def generate(*generators, template=None, **spec):
    return generate_applications(application_set(*generators, template=template, **spec), TREE, lambda url: url == "self")


def named(name, path="apps/web"):
    return {"metadata": {"name": name}, "spec": {"source": {"repoURL": "self", "path": path}}}


def pairs(generated):
    return [(each["metadata"]["name"], each["spec"]["source"]["path"]) for each in generated.applications]


DIRECTORIES = {"git": {"repoURL": "self", "directories": [{"path": "apps/*"}]}}
PLAIN_PATH = named("{{path.basename}}", "{{path}}")
GO_PATH = named("{{.path.basename}}", "{{.path.path}}")


def test_a_list_fills_values_and_keys_of_the_template():
    generated = generate({"list": {"elements": [{"name": "web"}, {"name": "db"}]}})
    given = {"namespace": "argocd", "finalizers": ["resources-finalizer.argocd.argoproj.io"]}
    assert [each["metadata"] for each in generated.applications] == [
        {"name": "web", "labels": {"web": "x"}, **given},
        {"name": "db", "labels": {"db": "x"}, **given},
    ]
    assert generated.applications[0]["kind"] == "Application"
    assert generated.problems == ()


@pytest.mark.parametrize(
    ("policy", "own", "params", "finalizers"),
    [
        ({}, None, {"a": "b"}, ["resources-finalizer.argocd.argoproj.io"]),
        ({"preserveResourcesOnDeletion": False}, [], {"a": "b"}, ["resources-finalizer.argocd.argoproj.io"]),
        ({"preserveResourcesOnDeletion": True}, None, {"a": "b"}, None),
        ({"preserveResourcesOnDeletion": True}, ["mine"], {"a": "b"}, ["mine"]),
        ({}, ["mine"], {"a": "b"}, ["mine"]),
        ({}, None, {}, None),
    ],
)
def test_who_deletes_what_an_application_applied(policy, own, params, finalizers):
    template = {"metadata": {"name": "web", "namespace": "other", "generation": 3, "finalizers": own}, "spec": {}}
    (made,) = generate({"list": {"elements": [params]}}, template=template, syncPolicy=policy).applications
    expected = {"name": "web", "namespace": "argocd"} | ({"finalizers": finalizers} if finalizers else {})
    assert made["metadata"] == expected


def test_an_application_without_a_name_is_a_problem():
    generated = generate({"list": {"elements": [{"name": "", "path": "a"}]}})
    assert (generated.applications, generated.problems) == ((), ("its template gives an Application no name",))
    assert not generated.is_complete


@pytest.mark.parametrize(
    ("generator", "template", "spec", "expected"),
    [
        ({"list": {"elements": [{"values": {"n": "v"}}]}}, named("{{values.n}}"), {}, [("v", "apps/web")]),
        ({"list": {"elements": [{"a": {"b": ["x", "y"]}}]}}, named("{{index .a.b 1}}"), {"goTemplate": True}, [("y", "apps/web")]),
        ({"list": {"elementsYaml": "[{name: web}]"}}, None, {}, [("web", "apps/web")]),
        ({"list": {"elements": [{"name": "web"}]}}, named("{{ name }}-{{gone}}"), {}, [("web-{{gone}}", "apps/web")]),
        (DIRECTORIES, PLAIN_PATH, {}, [("db", "apps/db"), ("web", "apps/web")]),
        (DIRECTORIES, named("{{path[0]}}-{{path[1]}}"), {}, [("apps-db", "apps/web"), ("apps-web", "apps/web")]),
        (DIRECTORIES, GO_PATH, {"goTemplate": True}, [("db", "apps/db"), ("web", "apps/web")]),
        (
            {"git": {"repoURL": "self", "directories": [{"path": "apps/*"}, {"path": "apps/db", "exclude": True}]}},
            PLAIN_PATH,
            {},
            [("web", "apps/web")],
        ),
        ({"git": {"repoURL": "self", "directories": [{"path": "*"}]}}, PLAIN_PATH, {}, [("apps", "apps"), ("clusters", "clusters")]),
        ({"git": {"repoURL": "self", "directories": [{"path": "apps/*/*"}]}}, PLAIN_PATH, {}, [("base", "apps/db/base")]),
        (
            {"git": {"repoURL": "self", "pathParamPrefix": "app", "directories": [{"path": "apps/w*"}]}},
            named("{{app.path.basename}}"),
            {},
            [("web", "apps/web")],
        ),
        (
            {"git": {"repoURL": "self", "files": [{"path": "clusters/*config*"}]}},
            named("{{cluster.name}}-{{cluster.size}}", "{{path}}"),
            {},
            [("dev-3", "clusters/dev"), ("prod-9", "clusters/prod")],
        ),
        (
            {"git": {"repoURL": "self", "files": [{"path": "clusters/**/config.json"}], "values": {"who": "{{.owner | lower}}"}}},
            named("{{.values.who}}-{{.path.filename}}"),
            {"goTemplate": True},
            [("ops-config.json", "apps/web")],
        ),
        (
            {"git": {"repoURL": "self", "files": [{"path": "clusters/many/list.yaml"}]}},
            named("{{id}}"),
            {},
            [("a", "apps/web"), ("b", "apps/web")],
        ),
        (
            {"list": {"elements": [{"name": "a"}, {"name": "b"}]}, "selector": {"matchLabels": {"name": "b"}}},
            named("{{name}}"),
            {},
            [("b", "apps/web")],
        ),
        (
            {
                "list": {"elements": [{"name": "a"}, {"name": "b"}]},
                "selector": {"matchExpressions": [{"key": "name", "operator": "NotIn", "values": ["b"]}]},
            },
            named("{{name}}"),
            {},
            [("a", "apps/web")],
        ),
        (
            {"list": {"elements": [{"name": "a"}], "template": {"spec": {"source": {"path": "own"}}}}},
            named("{{name}}"),
            {},
            [("a", "own")],
        ),
        (
            {"matrix": {"generators": [DIRECTORIES, {"list": {"elements": [{"env": "dev"}, {"env": "prod"}]}}]}},
            named("{{path.basename}}-{{env}}", "{{path}}"),
            {},
            [("db-dev", "apps/db"), ("db-prod", "apps/db"), ("web-dev", "apps/web"), ("web-prod", "apps/web")],
        ),
        (
            {
                "matrix": {
                    "generators": [
                        {"list": {"elements": [{"dir": "apps"}]}},
                        {"git": {"repoURL": "self", "directories": [{"path": "{{dir}}/w*"}]}},
                    ]
                }
            },
            PLAIN_PATH,
            {},
            [("web", "apps/web")],
        ),
        (
            {
                "merge": {
                    "mergeKeys": ["name"],
                    "generators": [
                        {"list": {"elements": [{"name": "a", "p": "1"}, {"name": "b", "p": "1"}]}},
                        {"list": {"elements": [{"name": "b", "p": "2"}, {"name": "c", "p": "3"}]}},
                    ],
                }
            },
            named("{{name}}-{{p}}"),
            {},
            [("a-1", "apps/web"), ("b-2", "apps/web")],
        ),
    ],
)
def test_generators(generator, template, spec, expected):
    generated = generate(generator, template=template, **spec)
    assert (pairs(generated), generated.problems) == (expected, ())


@pytest.mark.parametrize(
    ("generator", "spec", "words"),
    [
        ({"clusters": {}}, {}, "generator clusters asks"),
        ({"scmProvider": {"github": {}}}, {}, "generator scmProvider asks"),
        ({"git": {"repoURL": "other", "directories": [{"path": "*"}]}}, {}, "another repository"),
        ({"list": {"elements": [{"n": 3}]}}, {}, "not a string"),
        ({"list": {"elements": [{"name": "a"}]}}, {"goTemplate": True, "template": named("{{ if .name }}x{{ end }}")}, "if in"),
        (
            {"list": {"elements": [{"name": "a"}]}},
            {"goTemplate": True, "goTemplateOptions": ["missingkey=error"], "template": named("{{.gone}}")},
            r"\.gone",
        ),
        ({}, {}, "names no kind"),
        ({"matrix": {"generators": [DIRECTORIES]}}, {}, "two generators"),
        ({"merge": {"generators": [DIRECTORIES, DIRECTORIES]}}, {}, "mergeKeys"),
        ({"list": {"elementsYaml": "[a"}}, {}, "elementsYaml cannot be read"),
    ],
)
def test_what_cannot_be_generated_is_a_problem(generator, spec, words):
    generated = generate(generator, **spec)
    assert generated.applications == ()
    (problem,) = generated.problems
    assert re.search(words, problem)


def test_a_template_patch_is_said_and_the_rest_is_generated():
    generated = generate({"list": {"elements": [{"name": "web"}]}}, templatePatch="spec: {}")
    assert pairs(generated) == [("web", "apps/web")]
    assert generated.problems == ("spec.templatePatch is not applied",)


def test_one_bad_generator_does_not_stop_the_others():
    generated = generate({"clusters": {}}, {"list": {"elements": [{"name": "web"}]}})
    assert pairs(generated) == [("web", "apps/web")]
    assert len(generated.problems) == 1


def test_a_product_beyond_the_limit_is_refused():
    many, more = ({"list": {"elements": [{key: str(n)} for n in range(100)]}} for key in "ab")
    generated = generate({"matrix": {"generators": [many, more]}})
    assert generated.applications == ()
    assert str(MAX_APPLICATIONS) in generated.problems[0]


@pytest.mark.parametrize(
    ("generator", "complete"),
    [
        ({"directories": [{"path": "apps/*"}]}, True),
        ({"directories": [{"path": "apps/*/vendor"}]}, True),
        ({"directories": [{"path": "apps/*/vendor/*"}]}, False),
        ({"directories": [{"path": "*"}]}, True),
        ({"directories": [{"path": "*/*"}]}, False),
        ({"directories": [{"path": "infra/*"}]}, False),
        ({"directories": [{"path": "apps/*"}, {"path": "infra/*", "exclude": True}]}, True),
        ({"files": [{"path": "clusters/dev/*.yaml"}]}, True),
        ({"files": [{"path": "clusters/*/dev/a.yaml"}, {"path": "clusters/dev/config.yaml"}]}, True),
        ({"files": [{"path": "apps/*.yaml"}]}, False),
        ({"files": [{"path": "apps/[a-d]*/kustomization.yaml"}]}, True),
        ({"files": [{"path": "infra"}, {"path": "clusters/dev/*"}]}, False),
        ({"files": [{"path": "**/config.json"}]}, False),
        ({"files": [{"path": "clusters/**/config.*"}]}, False),
        ({"directories": [{"path": "clusters/*"}]}, True),
    ],
)
def test_directories_and_files_that_nobody_can_look_into_are_not_absent(generator, complete):
    gaps = {
        "apps/web/vendor": Gap("submodule", "apps/web/vendor cannot be read"),
        "clusters/z/config.yaml": Gap("file", "clusters/z/config.yaml is a FIFO"),
        "infra": Gap("directory", "infra cannot be read"),
    }
    generators = application_set({"git": {"repoURL": "self", **generator}}, template=PLAIN_PATH)
    generated = generate_applications(generators, replace(TREE, gaps=gaps), lambda url: url == "self")
    assert (generated.is_complete, bool(generated.applications)) == (complete, complete)
    assert all("cannot be read" in problem or "is a FIFO" in problem for problem in generated.problems)
    assert generated.unreadable == generated.problems


def test_a_directory_that_nobody_can_look_into_is_one_all_the_same():
    gaps = {"apps/gap": Gap("submodule", "differs"), "apps/.hid": Gap("directory", "no"), "apps/file/a.yaml": Gap("file", "a FIFO")}
    generated = generate_applications(
        application_set(DIRECTORIES, template=PLAIN_PATH), replace(TREE, gaps=gaps), lambda url: url == "self"
    )
    assert [name for name, _ in pairs(generated)] == ["db", "file", "gap", "web"]
