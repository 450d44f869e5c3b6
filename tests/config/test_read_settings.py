from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from kdiff.config.read_settings import read_settings
from kdiff.config.schema import config_schema
from kdiff.config.settings import SETTINGS, Settings
from kdiff.errors import ConfigError, UsageError
from kdiff.model.options import IgnoreRule, ListKey, Options, ReferenceField, WaiverRule

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def read(directory: Path, flags=None, environ=None, **more) -> Settings:
    return read_settings(flags or {}, environ or {}, directory, **more).settings


def test_every_option_has_a_setting_and_every_setting_a_field() -> None:
    options = {f.name for f in dataclasses.fields(Options)}
    own = {f.name for f in dataclasses.fields(Settings)} - {"options"}
    assert {s.name for s in SETTINGS} == options | own
    assert len({s.option for s in SETTINGS}) == len(SETTINGS)


def test_without_any_source_the_defaults_hold(checkout) -> None:
    assert read(checkout) == Settings()


def test_flag_over_variable_over_file_over_default(checkout) -> None:
    (checkout / "kdiff.toml").write_text('jobs = 1\ntimeout = 1\nentry = ["a"]\ncontext = 1\n')
    environ = {"KDIFF_TIMEOUT": "2.5", "KDIFF_ENTRY": "b\nc d", "KDIFF_CONTEXT": "2"}
    found = read_settings({"entry": ["e"], "context": ["7"]}, environ, checkout)
    assert (found.settings.options.jobs, found.settings.options.timeout) == (1, 2.5)
    assert (found.settings.options.entry, found.settings.context) == (("e",), 7)
    origins = {name: found.origins[name] for name in ("jobs", "timeout", "entry", "context", "cache")}
    assert origins == {"jobs": "kdiff.toml", "timeout": "KDIFF_TIMEOUT", "entry": "--entry", "context": "--unified", "cache": "default"}


def test_the_nearest_file_up_to_the_top_of_the_checkout_is_read(checkout) -> None:
    below = checkout / "a" / "b"
    below.mkdir(parents=True)
    (checkout / "pyproject.toml").write_text("[tool.kdiff]\njobs = 3\n")
    (checkout.parent / "kdiff.toml").write_text("jobs = 9\n")
    try:
        assert read_settings({}, {}, below).file == "../../pyproject.toml [tool.kdiff]"
        assert read(below).options.jobs == 3
        (below.parent / "kdiff.toml").write_text("jobs = 4\n")
        assert read(below).options.jobs == 4
        assert read(below, config="").options.jobs == 0
    finally:
        (checkout.parent / "kdiff.toml").unlink()


def test_a_pyproject_without_our_table_is_passed_over(checkout) -> None:
    below = checkout / "a"
    below.mkdir()
    (below / "pyproject.toml").write_text("this is not TOML at all")
    (checkout / "kdiff.toml").write_text("jobs = 4\n")
    assert read(below).options.jobs == 4


def test_outside_a_checkout_no_parent_is_obeyed(tmp_path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "kdiff.toml").write_text("jobs = 9\n")
    assert read(below).options.jobs == 0


def test_tables_become_rules(checkout) -> None:
    (checkout / "kdiff.toml").write_text(
        """
        severity = {removed-pdb = "blocking"}
        cache_size = "1Gi"
        max_output = 1000
        [[ignore]]
        kind = "Deployment"
        pointer = "/spec/replicas"
        [[waivers]]
        rule = "removed-*"
        object = "v1/Namespace old"
        reason = "agreed"
        expires = 2027-01-31
        [[list_keys]]
        kind = "example.com/Widget"
        path = "spec.parts"
        keys = ["name", "port"]
        [[reference_fields]]
        kind = "Widget"
        path = "spec.parts[].secret"
        to = "Secret"
        [substitute]
        CLUSTER = "prod"
        """
    )
    with pytest.raises(ConfigError, match=r"cache_size is not taken from a file that was merely found.*--config kdiff\.toml"):
        read(checkout)
    options = read(checkout, config="kdiff.toml").options
    assert options.ignore == (IgnoreRule(kind="Deployment", pointer="/spec/replicas", origin="kdiff.toml ignore[0]"),)
    assert options.waivers == (WaiverRule("removed-*", "v1/Namespace old", "agreed", "2027-01-31"),)
    assert options.list_keys == (ListKey("example.com/Widget", "spec.parts", ("name", "port")),)
    assert options.reference_fields == (ReferenceField("Widget", "spec.parts[].secret", "Secret"),)
    assert (options.cache_size, options.max_output) == (1 << 30, 1000)
    assert (options.severity, options.substitute) == ({"removed-pdb": "blocking"}, {"CLUSTER": "prod"})


WORDS = [
    (
        "ignore",
        ["kind=Deployment,name=web-*"],
        (IgnoreRule(kind="Deployment", name="web-*", origin="--ignore kind=Deployment,name=web-*"),),
    ),
    (
        "ignore",
        ["selector=app=web,tier!=db,kind=Job"],
        (IgnoreRule(kind="Job", selector="app=web,tier!=db", origin="--ignore selector=app=web,tier!=db,kind=Job"),),
    ),
    ("list_keys", ["kind=Widget,path=spec.parts,keys=name+port"], (ListKey("Widget", "spec.parts", ("name", "port")),)),
    ("waivers", ["rule=a,object=*,reason=b c,expires=2027-01-31"], (WaiverRule("a", "*", "b c", "2027-01-31"),)),
    ("severity", ["a=info", "b=blocking"], {"a": "info", "b": "blocking"}),
    ("substitute", ["A=b=c", "D="], {"A": "b=c", "D": ""}),
    ("skip_kinds", ["Secret,Job", "Event"], ("Secret", "Job", "Event")),
    ("load_restrictor", ["LoadRestrictionsNone"], "none"),
    ("max_output", ["1.5Mi"], 1572864),
    ("max_output", ["10M"], 10_000_000),
    ("cache", False, False),
    ("no_remote", True, True),
    ("jobs", ["4"], 4),
    ("kubernetes_version", ["1.34"], "1.34"),
]


@pytest.mark.parametrize(("name", "words", "expected"), WORDS)
def test_words_of_a_flag(tmp_path, name, words, expected) -> None:
    assert getattr(read(tmp_path, {name: words}).options, name) == expected


@pytest.mark.parametrize(("text", "expected"), [("1", True), ("true", True), ("No", False), ("off", False)])
def test_switches_as_variables(tmp_path, text, expected) -> None:
    assert read(tmp_path, environ={"KDIFF_CACHE": text}).options.cache is expected


BAD_FLAGS = [
    ("timeout", ["abc"], '--timeout: "abc" is not a number'),
    ("timeout", ["0"], "--timeout: 0.0 is less than 0.1"),
    ("timeout", ["nan"], "--timeout: nan is not a number to count with"),
    ("jobs", ["1.5"], '--jobs: "1.5" is not a whole number'),
    ("jobs", ["-1"], "--jobs: -1 is less than 0"),
    ("similarity", ["1.5"], "--similarity: 1.5 is more than 1"),
    ("max_output", ["3 apples"], '--max-output: "3 apples" is not a size; write bytes, or a number with Ki, Mi or Gi'),
    ("color", ["alwys"], '--color: "alwys" is not one of auto, always, never; did you mean "always"?'),
    ("ignore", ["knd=x"], '--ignore: unknown key "knd"; did you mean "kind"?'),
    ("ignore", ["kind"], '--ignore: "kind" is not NAME=VALUE'),
    ("ignore", ["kind="], "--ignore: kind must be a string that is not empty"),
    ("ignore", ["kind=a,kind=b"], '--ignore: "kind=a,kind=b" gives kind twice'),
    ("ignore", ["pointer=spec"], '--ignore: pointer "spec" must begin with /, such as /spec/replicas'),
    ("waivers", ["rule=a,object=b"], "--waive: reason is missing"),
    ("waivers", ["rule=a,object=b,reason=c,expires=soon"], '--waive: expires "soon" is not a date such as 2027-01-31'),
    ("severity", ["a=high"], '--severity: "high" for a is not one of blocking, caution, info'),
    ("comment_key", ["a-->b"], '--comment-key: "a-->b" may hold letters, digits and . _ / - only'),
    ("kubernetes_version", ["latest"], '--kubernetes-version: "latest" is not a Kubernetes release such as 1.34'),
    ("max_chars", ["10"], "--max-chars: 10 is less than 2000"),
    ("entry", [""], "--entry: holds an empty string"),
]


@pytest.mark.parametrize(("name", "words", "message"), BAD_FLAGS)
def test_a_flag_that_does_not_fit_is_refused(tmp_path, name, words, message) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, {name: words})
    assert str(error.value) == message


BAD_FILES = [
    ("ignor = []", 'kdiff.toml: unknown key "ignor"; did you mean "ignore"?'),
    ("fail-on = []", 'kdiff.toml: unknown key "fail-on"; did you mean "fail_on"?'),
    ("jobs = true", "kdiff.toml: jobs: must be a whole number, not true or false"),
    ('jobs = "3"', "kdiff.toml: jobs: must be a whole number, not a string"),
    ("entry = 'a'", "kdiff.toml: entry: must be a list of strings, not a string"),
    ("entry = [1]", "kdiff.toml: entry: must be a list of strings, not such a list"),
    ("color = 2027-01-01", "kdiff.toml: color: must be a string, not a date or time"),
    ("[[ignore]]\nknd = 'x'", 'kdiff.toml: ignore: unknown key "knd"; did you mean "kind"?'),
    ("[[ignore]]", "kdiff.toml: ignore: an empty rule would match everything; name at least one key"),
    ("[[list_keys]]\nkind='a'\npath='b'\nkeys='c'", "kdiff.toml: list_keys: keys must be a list of strings"),
    ("[[ignore]]\norigin = 'x'", 'kdiff.toml: ignore: unknown key "origin"'),
    ("a = ", "kdiff.toml: not valid TOML: Invalid value (at end of document)"),
    ("a = " + "[" * 5000, "kdiff.toml: not valid TOML: nested too deeply"),
    ("kustomize = 'evil'", "kdiff.toml: kustomize is not taken from a file that was merely found"),
    ("output = ['text=/x']", "kdiff.toml: output is not taken from a file that was merely found"),
    ("show_secrets = true", "kdiff.toml: show_secrets is not taken from a file that was merely found"),
    ("quiet = true", "kdiff.toml: quiet is not taken from a file that was merely found"),
    ("exit_zero = true", "kdiff.toml: exit_zero is not taken from a file that was merely found"),
    (
        'substitute_from = ["../x.yaml"]',
        "kdiff.toml: substitute_from: ../x.yaml lies outside of the file's directory; give --substitute-from",
    ),
    ('substitute_from = ["ok.yaml", "/etc/x"]', "kdiff.toml: substitute_from: /etc/x lies outside of the file's directory"),
    ('substitute_from = ["out/x"]', "kdiff.toml: substitute_from: out/x lies outside of the file's directory"),
    ('substitute_from = ["a\\u0000"]', "kdiff.toml: substitute_from: holds a null character"),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_a_file_that_does_not_fit_is_refused_in_one_line(checkout, text, message) -> None:
    (checkout / "kdiff.toml").write_text(text)
    (checkout / "out").symlink_to("/etc")
    with pytest.raises(ConfigError) as error:
        read(checkout)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(checkout) -> None:
    with pytest.raises(ConfigError, match=r"nope\.toml: no such configuration file"):
        read(checkout, config="nope.toml")
    (checkout / "kdiff.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        read(checkout)
    (checkout / "kdiff.toml").write_bytes(b"#" * (1 << 21))
    with pytest.raises(ConfigError, match="larger than"):
        read(checkout)
    (checkout / "pyproject.toml").write_text("[tool]\nkdiff = 3\n#tool.kdiff")
    with pytest.raises(ConfigError, match=r"pyproject\.toml: tool\.kdiff must be a table"):
        read(checkout, config="pyproject.toml")


def test_a_variable_that_does_not_fit_is_refused(tmp_path) -> None:
    with pytest.raises(ConfigError, match='KDIFF_CACHE: "maybe" is neither true nor false'):
        read(tmp_path, environ={"KDIFF_CACHE": "maybe"})


def test_a_found_file_may_substitute_from_files_beside_it(checkout) -> None:
    below = checkout / "ci"
    below.mkdir()
    (checkout / "kdiff.toml").write_text('substitute_from = ["../values.yaml", "more.yaml"]')
    assert read(below).options.substitute_from == ("../values.yaml", "more.yaml")
    (checkout / "kdiff.toml").write_text('substitute_from = ["/etc/values.yaml"]')
    assert read(checkout, config="kdiff.toml").options.substitute_from == ("/etc/values.yaml",)


def test_what_a_found_file_decides_is_noted(checkout) -> None:
    text = 'entry = ["a"]\ndisable = ["removed-pvc"]\nfail_on = ["info"]\ncolor = "never"\njobs = 2\n[[ignore]]\nkind = "Job"\n'
    (checkout / "kdiff.toml").write_text(text)
    note = read_settings({"fail_on": ["caution"]}, {}, checkout).note
    said, _, hint = note.message.partition(" (")
    assert (note.kind, hint) == ("config", "--config names another file, --no-config none)")
    assert said == "kdiff.toml, found in the checkout and perhaps part of the change, decides entry, ignore, disable"
    assert read_settings({}, {}, checkout, config="kdiff.toml").note is None
    (checkout / "kdiff.toml").write_text('color = "never"\njobs = 2\n')
    assert read_settings({}, {}, checkout).note is None


def test_variables_that_are_no_settings_are_warned_of(tmp_path) -> None:
    environ = dict.fromkeys(["KDIFF_EXITZERO", "KDIFF_FAIL_ONN", "KDIFF_QZX", "KDIFFX", "kdiff_jobs"], "hush")
    assert read_settings({}, environ, tmp_path).warnings == (
        'the variable KDIFF_EXITZERO is no setting of kdiff; did you mean "KDIFF_EXIT_ZERO"?',
        'the variable KDIFF_FAIL_ONN is no setting of kdiff; did you mean "KDIFF_FAIL_ON"?',
        "the variable KDIFF_QZX is no setting of kdiff",
    )


def test_variables_that_others_set_are_no_concern(tmp_path) -> None:
    kubernetes = ["SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_80_TCP", "PORT_80_TCP_PROTO", "PORT_80_TCP_ADDR"]
    names = ["CONFIG", "DEBUG", "RUN", "JOBS", *kubernetes, *(f"WEB_UI_{name}" for name in kubernetes)]
    environ = {f"KDIFF_{name}": "1" for name in names} | {"KDIFF_CONFIG": ""}
    assert read_settings({}, environ, tmp_path).warnings == ()


def test_the_schema_is_the_published_one() -> None:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads((DOCS / "config.schema.json").read_text(encoding="utf-8")) == schema, (
        "run: kdiff schema config > docs/config.schema.json"
    )


@pytest.mark.parametrize(
    ("data", "valid"),
    [
        ({"jobs": 3, "ignore": [{"kind": "Deployment"}], "max_output": "256Mi", "severity": {"a": "info"}}, True),
        ({"jobs": -1}, False),
        ({"ignor": []}, False),
        ({"ignore": [{}]}, False),
        ({"ignore": [{"knd": "x"}]}, False),
        ({"waivers": [{"rule": "a", "object": "b"}]}, False),
        ({"severity": {"a": "high"}}, False),
        ({"max_output": "3 apples"}, False),
    ],
)
def test_what_the_schema_accepts(data, valid) -> None:
    assert jsonschema.Draft202012Validator(config_schema()).is_valid(data) is valid
