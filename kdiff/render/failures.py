"""kustomize's complaint as a failure class and one line that says the first cause."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import TypeAlias

from kdiff.kube.kustomization import without_credentials
from kdiff.model.failure import FailureClass

MAX_MESSAGE = 400  # characters
LIFT = "--load-restrictor none allows that"
"""How the message about a file outside of a kustomization's directory ends."""

Explanation: TypeAlias = tuple[FailureClass, str]


def explain_failure(stderr: str, directory: str, root: str) -> Explanation:
    """The class of a failed build of `directory` and one line about its first cause, with tree paths.

    `stderr` is what kustomize said, `root` the scratch directory that stood for the tree's root. kustomize wraps the cause of a
    failure in what it was doing, once for every base on the way, and some of its messages hold whole objects, Secrets in clear:
    only paths, names and positions are ever taken over from it.
    """
    text = _without_warnings(_without_log_headers(stderr))
    text = re.sub(re.escape(posixpath.join(_scratch(root), "tmp", "")) + _TEMPORARY, "(remote base)", text)
    where = _tree_path(_innermost(text, root) or posixpath.join(root, directory), root)
    for pattern, explain in _CAUSES:
        matches = list(pattern.finditer(text))
        if matches:
            class_, message = explain(matches[-1], _Place(where, directory, root))
            return class_, one_line(message)
    return "renderer-failed", one_line(_Place(where, directory, root).at + _fallback(text, root))


class _Place:
    """Where kustomize was when it failed: the innermost kustomization's tree path, and how scratch paths become tree paths."""

    def __init__(self, directory: str, target: str, root: str) -> None:
        self.directory = directory
        self.root = root
        self.at = "" if directory == target else f"{shown(directory)}: "  # the failure names its target anyway
        self.asked = "" if directory == target else f"; {shown(directory)} asks for it"

    def path(self, scratch_path: str) -> str:
        return shown(_tree_path(scratch_path, self.root))

    def file(self, name: str) -> str:
        """A path as a kustomization of this place writes it."""
        return self.path(posixpath.join(self.root, self.directory, name))


_Explain: TypeAlias = Callable[[re.Match[str], _Place], Explanation]


def _says(class_: FailureClass, text: str) -> _Explain:
    """`text` with the match's groups in place of `{0}`, `{1}`: scratch paths as tree paths, ids made readable."""

    def explain(match: re.Match[str], place: _Place) -> Explanation:
        return class_, place.at + text.format(*(_readable_id(place.path(group or "")) for group in match.groups()))

    return explain


def _of_file(text: str) -> _Explain:
    """A manifest, named as its kustomization names it by `file`, of which `text` is true; `problem` is a YAML error."""

    def explain(match: re.Match[str], place: _Place) -> Explanation:
        groups = match.groupdict()
        return "invalid-yaml", f"{place.file(groups['file'])} {text.format(_yaml_problem(groups.get('problem') or ''))}"

    return explain


def _of_generated(class_: FailureClass, text: str) -> _Explain:
    """An object of a generator, whose id kustomize writes as a Go struct."""

    def explain(match: re.Match[str], place: _Place) -> Explanation:
        kind, name, namespace = match.groups()
        return class_, place.at + text.format(f"{kind} {namespace + '/' if namespace else ''}{name}")

    return explain


def _remote(match: re.Match[str], place: _Place) -> Explanation:
    return "remote-unreachable", f"{place.at}cannot fetch {without_credentials(match[1])}"


def _missing_file(match: re.Match[str], place: _Place) -> Explanation:
    return "missing-resource", f"{place.path(match[1])} does not exist{place.asked}"


def _missing_kustomization(match: re.Match[str], place: _Place) -> Explanation:
    return "missing-kustomization", f"{place.path(match[1])} holds no kustomization.yaml, kustomization.yml or Kustomization"


def _wrong_type(match: re.Match[str], place: _Place) -> Explanation:
    wanted = {"string": "a string", "bool": "true or false", "int": "a number"}.get(
        match[3], "a list" if match[3].startswith("[]") else "a mapping"
    )
    return "invalid-kustomization", f"{place.at}{match[2] or 'the kustomization'} has the type {match[1]}, where kustomize wants {wanted}"


def _no_yaml(match: re.Match[str], place: _Place) -> Explanation:
    return "invalid-kustomization", f"{place.at}the kustomization is no YAML: {_yaml_problem(match[1])}"


def _some_file(match: re.Match[str], place: _Place) -> Explanation:
    return "invalid-yaml", f"{place.at}one of its files is no YAML: {_yaml_problem(match[1])}"


# go-yaml v3, decode.go and readerc.go: what fails without a line, by its first words, since anything may stand behind `yaml: ` in a value.
_DECODING = (
    r"!!binary value contains|anchor '|cannot decode |control characters |document contains |exceeded max |map merge requires|"
    r"in(?:complete|valid) [a-z]* ?UTF-|invalid map key|unknown anchor '"
)
_MARK = r"'[^\w\s`'\"]'"  # what the grammar wants there: ',' or ']'
_GENERATED = (
    r'id resid\.ResId\{Gvk:resid\.Gvk\{Group:"[^"]*", Version:"[^"]*", Kind:"([^"]*)"[^}]*\}, Name:"([^"]*)", Namespace:"([^"]*)"\}'
)

# In this order, the first that matches decides; of several matches of one, the last, which is the innermost. Those marked `source`
# come from kustomize's source, all others from what kustomize 5.8.1 said (tests/render/test_failures.py).
_TABLE: tuple[tuple[str, _Explain], ...] = (
    # A failed clone or download also names the path it looked for on disk, so these come first.
    (r"accumulating resources from '([^'\s]+)'(?:(?!accumulating resources from ').)*failed to run '\S*git ", _remote),
    (r"failed to run '\S*git (?:fetch|clone)(?: -\S+)* (\S+)", _remote),
    (r"timeout running '\S*git (?:fetch|clone)(?: -\S+)* ([^'\s]+)", _remote),  # source: api/internal/git/gitrunner.go
    (r'Get "([^"]+)": ', _remote),
    (r"accumulating resources from '(https?:[^']+)': HTTP Error", _remote),  # source: api/internal/loader/errors.go
    (r"HTTP Error: status code", _says("remote-unreachable", "a remote file cannot be fetched")),  # source
    (r"no 'git' program on path", _says("remote-unreachable", "a remote base needs git, which is not installed")),  # source
    (r"cycle detected: candidate root '([^']*)' contains visited root '([^']*)'", _says("cycle", "{0} leads back to {1}")),
    (r"cycle detected: URI '", _says("cycle", "a remote base leads back to itself")),  # source: fileloader.go, errIfRepoCycle
    (
        r"security; file '([^']*)' is not in or below '([^']*)'",
        _says("load-restriction", f"{{0}} is not in or below {{1}}, which asks for it; {LIFT}"),
    ),
    (r"new root '([^']*)' cannot be absolute", _says("load-restriction", "{0} is an absolute path")),
    (r"security; bases in kustomizations found in", _says("load-restriction", "a remote base leaves its repository")),  # source
    (r"may not add resource with an already registered id: (\S+?)(?=['\":\s]|$)", _says("duplicate-id", "two objects are {0}")),
    (
        r"transformation produces ID conflict",
        _says("duplicate-id", "two objects have the same kind, namespace and name once the transformers have run"),
    ),
    (
        _GENERATED + " exists; can not use behavior",
        _of_generated("duplicate-id", "{} exists already; a generator needs behavior: merge or replace"),
    ),
    (_GENERATED + " does not exist", _of_generated("missing-resource", "there is no {} for a generator to merge into or replace")),
    (r"unable to find one of 'kustomization[^\n]*? in directory '([^']*)'", _missing_kustomization),
    (r"Found multiple kustomization files under: ", _says("invalid-kustomization", "there is more than one kustomization file")),
    (r"kustomization\.yaml is empty", _says("invalid-kustomization", "the kustomization asks for nothing")),
    (
        r"invalid Kustomization: json: unknown field \"([^\"]*)\"",
        _says("invalid-kustomization", "the kustomization has the unknown field {0}"),
    ),
    (
        r"invalid Kustomization: json: cannot unmarshal (\w+) into Go (?:struct field \w+\.(\S+)|value) of type (\S+)",
        _wrong_type,
    ),
    (r"invalid Kustomization: (.*)", _no_yaml),
    (r"Failed to read kustomization file under [^\n]*:\n(\w+ [^\n]*)", _says("invalid-kustomization", "{0}")),
    (
        r"expected kind != 'Component' for path '([^']*)'",
        _says("invalid-kustomization", "{0} is a Component and is listed under resources"),
    ),
    (
        r"expected kind 'Component' for path '([^']*)' but got '([^']*)'",
        _says("invalid-kustomization", "{0} is listed under components and is a {1}"),
    ),
    (r"MalformedYAMLError: (?P<problem>.*?) in File: (?P<file>[^\n'\"]*)", _of_file("is no YAML: {}")),
    (r"accumulating resources from '(?P<file>[^']*)': missing kind in object", _of_file("holds an object without kind")),
    (r"accumulating resources from '(?P<file>[^']*)': missing metadata.name in object", _of_file("holds an object without metadata.name")),
    (r"accumulating resources from '(?P<file>[^']*)': missing Resource metadata", _of_file("holds what is no Kubernetes object")),
    (
        r"mapping key \"([^\"]*)\" already defined at line (\d+)",
        _says("invalid-yaml", "a manifest has the key {0} twice, first in line {1}"),
    ),
    (rf"yaml: (line \d+: (?:[^\n`'\"{{\[]|{_MARK})*)", _some_file),
    (r"yaml: unmarshal errors:\s*(line \d+: [^\n]*)", _some_file),
    (r"evalsymlink failure on '([^\n]*?)' : ", _missing_file),
    (r"'([^'\n]*)' must resolve to a file['\s]*$", _says("missing-resource", "{0} is a directory, where a file is needed")),
    # Of a file under resources that it cannot read, kustomize says last that it is no directory (kusttarget.go, accumulateResources).
    (
        r"accumulating resources from '(?P<file>[^']*)': invalid document separator: ",
        _of_file("is no YAML: more than a comment stands behind ---"),
    ),
    (
        r"accumulating resources from '(?P<file>[^']*)': (?P<problem>[A-Za-z -]+)': must build at directory: '[^'\n]*': file is",
        _of_file("cannot be read: {}"),
    ),
    (r"'([^'\n]*)': file is not directory\"?\s*$", _says("invalid-kustomization", "{0} is a file, where a directory is needed")),
    (r"must specify --enable-helm", _says("renderer-failed", "helm charts are inflated only with --enable-helm")),
    (
        r"plugins disabled; unable to load external plugin '([^']*)'",
        _says("renderer-failed", "the plugin {0} is not one of kustomize's own"),
    ),
    (r"no matches for Id (\S+?);", _says("missing-resource", "a patch is for {0}, which is not among the objects")),
    (r"unable to parse SM or JSON patch from \[path: \"([^\"]*)\"", _says("invalid-kustomization", "{0} is no valid patch")),
    (r"unable to parse SM or JSON patch from ", _says("invalid-kustomization", "a patch is not valid")),
    (
        r"[Mm]ultiple Strategic-Merge Patches in one",
        _says("invalid-kustomization", "several strategic merge patches in one place cannot have a target"),
    ),
    (
        r"fieldPath `([^`]*)` is missing for replacement source (\S+)",
        _says("missing-resource", "a replacement takes its value from {0} of {1}, which does not exist"),
    ),
    (r"nothing selected by (\S+)", _says("missing-resource", "a replacement takes its value from {0}, which is not among the objects")),
    (
        r"unable to find field \"([^\"]*)\" in replacement target",
        _says("invalid-kustomization", "the target of a replacement has no field {0}"),
    ),
    (r"invalid literal source ", _says("invalid-kustomization", "a literal of a generator is not key=value")),
    (r"illegally repeats the key `([^`]*)`", _says("invalid-kustomization", "a generator gives the key {0} twice")),
    (r"source \"([^\"]*)\" key name or file path contains '='", _says("invalid-kustomization", "{0} of a generator has more than one =")),
    (r"missing (key name|file path) for [^\n]* in source \"([^\"]*)\"", _says("invalid-kustomization", "{1} of a generator has no {0}")),
    (r"has invalid utf8 bytes", _says("invalid-kustomization", "an env file of a generator is not UTF-8")),
    (r"unable to parse open API definition from '([^']*)'", _says("invalid-kustomization", "{0} under crds is no OpenAPI definition")),
    (
        r"resource with name (\S+) does not match a config",
        _says("missing-resource", "replicas are for {0}, which is not among the objects"),
    ),
    (r"json: unknown field \"([^\"]*)\"", _says("invalid-kustomization", "a configuration has the unknown field {0}")),
    (r"var '([^'{]*)' already encountered", _says("invalid-kustomization", "two vars are named {0}")),
    (r"field specified in var '\{(\S+) ", _says("missing-resource", "the var {0} takes its value from a field that is not there")),
    (r"var '\{(\S+) .* cannot be mapped", _says("missing-resource", "the var {0} takes its value from an object that is not there")),
    (rf"yaml: ((?:{_DECODING})[^\n]*)", _some_file),
    (r"json: unsupported type: map\[interface \{\}\]", _says("invalid-yaml", "a manifest has a key that is no string")),
    (r"wrong node kind: expected (\w+) but got (\w+)", _says("invalid-yaml", "wrong node kind: expected {0} but got {1}")),
)
_CAUSES = tuple((re.compile(pattern, re.DOTALL), explain) for pattern, explain in _TABLE)


def shown(path: str) -> str:
    """A tree path in a sentence: the root has no name of its own."""
    return "the root" if path == "." else path


def one_line(text: str) -> str:
    """`text` on one line of at most `MAX_MESSAGE` characters, control, format and bidi characters written as escapes."""
    text = re.sub(r"\s*\n\s*", " ", text.strip())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)
    return shown if len(shown) <= MAX_MESSAGE else shown[: MAX_MESSAGE - 1] + "…"


def _without_warnings(stderr: str) -> str:
    """What follows the deprecation warnings, which are lines that begin with `# Warning` (api/types/kustomization.go)."""
    lines = [line for line in stderr.split("\n") if not line.startswith(("# Warning", "Warning:"))]
    text = re.sub(r"\A(?:error|Error):\s*", "", "\n".join(lines).strip())
    # What failed below a component is quoted as a Go string, once for every level (api/internal/target/kusttarget.go).
    return re.sub(r"\\+n", "\n", re.sub(r"\\+\"", '"', text))


# klog, through which kubectl speaks behind some dispatchers: a severity, the clock, the thread and the place in its source, then
# `"message" key="value" err="..."`, or `err=<` and lines behind tabs up to ` >` (klog/v2 internal/serialize/keyvalues.go).
_LOG_HEADER = r"^[{}]\d{{4}} \d\d:\d\d:\d\d\.\d+ +\d+ [^\]\n]+\] "
_LOG_NOTE = re.compile(_LOG_HEADER.format("IW") + r"[^\n]*\n?", re.MULTILINE)
_LOG_ERROR = re.compile(
    _LOG_HEADER.format("EF")
    + r'(?:"(?:[^"\\\n]|\\.)*"[^\n]*? err=(?:"(?P<quoted>(?:[^"\\\n]|\\.)*)"[^\n]*|<\n(?P<lines>(?:\t[^\n]*\n)*) >[^\n]*))?',
    re.MULTILINE,
)


def _without_log_headers(stderr: str) -> str:
    """What klog was given to say: its headers tell the time, so that the same failure would never be the same twice."""

    def said(match: re.Match[str]) -> str:
        return match["quoted"] or re.sub(r"^\t", "", match["lines"] or "", flags=re.MULTILINE)

    return _LOG_ERROR.sub(said, _LOG_NOTE.sub("", stderr))


def _innermost(text: str, root: str) -> str | None:
    """The scratch path of the last kustomization that kustomize was in."""
    found = re.findall(r"(?:recursed accumulation of path|couldn't make target for path) '([^'\n]*)'", text)
    return next((path for path in reversed(found) if path.startswith(root)), None)


def _tree_path(path: str, root: str) -> str:
    """`path` from the tree's root when it lies in the scratch directory, whose top is the directory that holds `root`."""
    if path == root or path.startswith(root.rpartition("/")[0] + "/"):
        return posixpath.relpath(path, root)
    return path.removeprefix(f"{_scratch(root)}/")


_TEMPORARY = r"kustomize-(?:helm-)?\d+"  # clones, and what is written for helm (kyaml/filesys/confirmeddir.go, NewTmpConfirmedDir)


def _scratch(root: str) -> str:
    """The directory of one build (render/scratch.py), whose name is another each time."""
    return re.sub(r"/tree(?:/up)*/root\Z", "", root)


def _readable_id(text: str) -> str:
    """An id as kustomize writes it, `Deployment.v1.apps/web.shop` (kyaml/resid, ResId.String), in ours: `apps/v1/Deployment shop/web`."""
    match = re.fullmatch(r"(\w+|\[noKind\])\.(\w+|\[noVer\])\.(\[noGrp\]|[\w.-]+)/(.+)\.(\[noNs\]|[\w-]+)", text)
    if not match:
        return text
    kind, version, group, name, namespace = (("" if part.startswith("[no") else part) for part in match.groups())
    return f"{'/'.join(part for part in (group, version, kind) if part)} {f'{namespace}/' if namespace else ''}{name}"


def _yaml_problem(text: str) -> str:
    """A YAML error without what it quotes: go-yaml puts values of the file between backquotes, quotes and braces."""
    line = text.split("\n", maxsplit=1)[0].removeprefix("yaml: ")
    return re.sub(rf"({_MARK})|`.*`|\".*\"|'.*'|[`'\"{{\[].*", lambda match: match[1] or "…", line)


def _fallback(text: str, root: str) -> str:
    """A message of no known kind: its last clause, cut where it begins to quote content."""
    text = re.sub(r" with config: `.*?`: ", ": ", text, flags=re.DOTALL)
    text = re.sub(r"\bmap\[string\]interface \{\}(?:\(nil\)|\{.*\}): ", "", text)  # the object, and then the cause
    text = re.sub(r"((?:env source files|file sources):|loading CRDs) \[[^\n]*?\]: ", "", text)  # file names, and then the cause
    text = re.sub(r"err='.*': ", "", text.split("\n", maxsplit=1)[0])
    text = re.sub(r"/[^\s'\":]+", lambda match: _tree_path(match[0], root), without_credentials(text))
    text = re.sub(r"\b0x[0-9a-f]{6,}", "0x…", text)  # an address of the process
    text = re.sub(r'"[^"]*"', '"…"', text)
    return re.split(r"[{`]|\[(?!no)", text, maxsplit=1)[0].strip() or "kustomize failed and did not say why"
