"""Secret values in the source files of a build, for when its output never came: its error message may still print them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.model.value import Value
from kdiff.objects.secret_texts import leaf_texts, secret_values


def values_in_sources(files: Mapping[str, bytes]) -> Iterator[str | bytes]:
    """The values of every Secret, patch of a Secret and secretGenerator in `files` (tree path to content)."""
    for path, content in files.items():
        if b"Secret" not in content and b"secretGenerator" not in content:
            continue
        for value in _documents(content):
            yield from _values(value, path, files)
        if _UNREADABLE_SECRET.search(content):
            yield from _if_unreadable(content)


def values_in_object(value: Value) -> Iterator[str | bytes]:
    """The values of every Secret that lies in an object of another kind, as a mapping or as text in YAML."""
    return _values(value, "", {})


_HOLDING = re.compile(rb"kind['\"]?:\s*['\"]?Secret\b")
_CONTENT = re.compile(rb"\b(?:data|stringData)(?:['\"]?:|/)")  # a field of it, or the path of a JSON patch


def may_hold_secret(raw: bytes) -> bool:
    """Whether an object of another kind may hold a Secret or a patch of one: what only names one, such as valuesFrom, has no data."""
    return b"Secret" in raw and _HOLDING.search(raw) is not None and _CONTENT.search(raw) is not None


def _documents(content: bytes) -> Iterator[Value]:
    try:
        for document in split_documents(content):
            yield load_document(document.raw)
    except DocumentError:
        return


_UNREADABLE_SECRET = re.compile(_HOLDING.pattern + rb"|secretGenerator")
_NAMING = r"apiVersion|kind|name|namespace|type|op|path|target|behavior|files|envs"
_BEGIN = re.compile(r"^.*\b(?:data|stringData|literals|value)['\"]?:", re.MULTILINE)
_LINE = re.compile(rf"^(?![ \t-]*(?:{_NAMING}):)[ \t]*(?:-[ \t]+)*(?:['\"]?[\w./-]+['\"]?:[ \t]+)?(\S.*)$", re.MULTILINE)
_PUNCTUATION = re.compile(r"[{}\[\],]|[:=](?=\s)|(?<=[\s'\"])[*&!]")


def _if_unreadable(content: bytes) -> Iterator[str]:
    """What looks like values, line by line, when `content` is no YAML: its error may quote them all the same."""
    try:
        for document in split_documents(content):
            load_document(document.raw)
    except DocumentError:
        text = content.decode("utf-8", "replace")
        begin = _BEGIN.search(text)
        for line in _LINE.findall(text, begin.start() if begin else 0):
            for part in (line, line.partition("=")[2], *_PUNCTUATION.split(f" {line}")):
                yield part.strip(" \t\r\"'*&|>-")


def _values(value: Value, path: str, files: Mapping[str, bytes]) -> Iterator[str | bytes]:
    """The values below every mapping that is a Secret, and below every text that is one in YAML."""
    todo: list[Any] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if node.get("kind") == "Secret":
                yield from secret_values(node)
            generators = [node] if node.get("kind") == "SecretGenerator" else []
            for generator in (*generators, *_mappings(node.get("secretGenerator"))):
                yield from _generated(generator, posixpath.dirname(path), files)
            for patch in (*_mappings(node.get("patches")), *_mappings(node.get("patchesJson6902"))):
                target = patch.get("target")
                if isinstance(target, dict) and target.get("kind") == "Secret":
                    yield from _patched(patch, posixpath.dirname(path), files)
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, str) and "Secret" in node and "\n" in node:
            todo.extend(_documents(node.encode("utf-8", "replace")))


def _mappings(value: Value) -> list[dict[str, Value]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: Value) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _generated(generator: dict[str, Value], directory: str, files: Mapping[str, bytes]) -> Iterator[str | bytes]:
    """What kustomize puts into a Secret (api/kv, kv.go): literals, lines of env files, whole files."""
    for literal in _texts(generator.get("literals")):
        yield _after_key(literal).strip("\"'")
    env = generator.get("env")
    for name in [*_texts(generator.get("envs")), *([env] if isinstance(env, str) else [])]:
        for line in _read(directory, name, files).decode("utf-8", "replace").split("\n"):
            yield "" if line.lstrip().startswith("#") else _after_key(line).strip()
    for name in _texts(generator.get("files")):
        yield _read(directory, name.rpartition("=")[2], files)


def _after_key(line: str) -> str:
    """The value of `key=value`; all of a line that has no key, since an error quotes it whole."""
    key, equals, value = line.partition("=")
    return value if equals else key


def _patched(patch: dict[str, Value], directory: str, files: Mapping[str, bytes]) -> Iterator[str | bytes]:
    text, name = patch.get("patch"), patch.get("path")
    content = text.encode("utf-8", "replace") if isinstance(text, str) else _read(directory, name, files) if isinstance(name, str) else b""
    yield from _if_unreadable(content)
    for value in _documents(content):
        if isinstance(value, dict):
            yield from secret_values(value)
        for operation in _mappings(value):
            if str(operation.get("path", "")).startswith(("/data", "/stringData")):
                yield from secret_values({"data": operation.get("value")})
                yield from leaf_texts(operation.get("value"))


def _read(directory: str, name: str, files: Mapping[str, bytes]) -> bytes:
    return files.get(posixpath.normpath(posixpath.join(directory, name)), b"")
