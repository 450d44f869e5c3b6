"""Rows were computed once with Go's text/template, sprig 3.3 and Argo CD's `normalize`."""

from __future__ import annotations

import pytest

from kdiff.targets.go_template import TemplateError, render_template

PARAMS = {
    "path": {"path": "apps/Web_1", "basename": "Web_1", "segments": ["apps", "Web_1"]},
    "name": "web",
    "replicas": 3,
    "flag": True,
    "size": 2.0,
    "empty": "",
    "nothing": None,
    "dots": {"a": {"b": "deep"}},
}

ROWS = [
    ("plain", "plain"),
    ("{{.name}}", "web"),
    ("a-{{ .name }}-b", "a-web-b"),
    ("{{ $.name }}", "web"),
    ("{{.path.basename}}", "Web_1"),
    ("{{.dots.a.b}}", "deep"),
    ("{{index .path.segments 1}}", "Web_1"),
    ('{{index .path "basename"}}', "Web_1"),
    ("{{ index .path.segments 0 | upper }}", "APPS"),
    ("{{.path.basename | lower}}", "web_1"),
    ("{{ lower .path.basename }}", "web_1"),
    ("{{normalize .path.basename}}", "web-1"),
    ("{{.path.basename | normalize | upper}}", "WEB-1"),
    ("{{.replicas}}", "3"),
    ("{{.flag}}", "true"),
    ("{{.size}}", "2"),
    ("{{.name | quote}}", '"web"'),
    ("{{.name | squote}}", "'web'"),
    ('{{ .empty | default "d" }}', "d"),
    ('{{ default "d" .name }}', "web"),
    ('{{ default "d" .gone }}', "d"),
    ('{{ .name | replace "w" "W" }}', "Web"),
    ('{{ trimPrefix "we" .name }}', "b"),
    ('{{ trimSuffix "b" .name }}', "we"),
    ("{{ trunc 2 .name }}", "we"),
    ("{{ trunc -2 .name }}", "eb"),
    ('{{ .path.segments | join "-" }}', "apps-Web_1"),
    ('{{ .path.path | splitList "/" | last }}', "Web_1"),
    ('{{ printf "%s-%v" .name .replicas }}', "web-3"),
    ("{{ (index .path.segments 1) | lower }}", "web_1"),
    ("{{ `raw` }}", "raw"),
    ('{{ "a\\"b" }}', 'a"b'),
    ("x {{- .name -}} y", "xweby"),
    ("{{.gone}}", "<no value>"),
    ("{{.nothing}}", "<no value>"),
]

REFUSED = [
    "{{ if .name }}x{{ end }}",
    "{{ range .path.segments }}{{ . }}{{ end }}",
    "{{ unheardOf .name }}",
    "{{ .name",
    "{{ }}",
    "{{ (.name }}",
    "{{ .name.first }}",
    "{{ index .path.segments 9 }}",
    "{{ .name | 3 }}",
    "{{ .name % 2 }}",
    '{{ printf "%d" .replicas }}',
]


@pytest.mark.parametrize(("template", "expected"), ROWS)
def test_templates_give_what_go_gives(template, expected):
    assert render_template(template, PARAMS, strict=False) == expected


@pytest.mark.parametrize("template", REFUSED)
def test_what_is_not_supported_or_wrong_is_an_error(template):
    with pytest.raises(TemplateError):
        render_template(template, PARAMS, strict=False)


def test_a_missing_key_is_an_error_when_strict():
    with pytest.raises(TemplateError, match=r"\.gone"):
        render_template("{{.gone}}", PARAMS, strict=True)


@pytest.mark.parametrize(
    "template", ["{{ " + "(" * 200 + ".name" + ")" * 200 + " }}", '{{ .x | replace "a" .x | replace "a" .x | replace "a" .x }}']
)
def test_hostile_templates_end_in_an_error(template):
    with pytest.raises(TemplateError):
        render_template(template, {"name": "n", "x": "a" * 5000}, strict=True)
