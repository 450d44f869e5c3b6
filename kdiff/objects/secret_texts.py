"""Which texts of a Secret are secret elsewhere too, and in which spellings they turn up there."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.model.value import Value
from kdiff.objects.secret_index import SHORTEST, Role
from kdiff.objects.spellings import spell_bytes, spell_text
from kdiff.objects.tokens import number_text

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

# A value may be a whole file; what lies in larger ones is not taken apart.
_LARGEST_NESTED = 256 * 1024

# Values of Secrets that every reader knows anyway, and that as masks would only make a report unreadable.
_COMMON_WORDS = (
    "admin administrator cluster database default development disable disabled elastic enabled example false grafana guest info "
    "kafka keycloak kubernetes localhost mariadb master minio mongodb mysql nobody none null opaque password postgres postgresql "
    "prefer private production prometheus public rabbitmq readonly redis require required root secret service staging system "
    "token true username verify-ca verify-full"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[A-Za-z]+(?:[-_. ][A-Za-z]+)*|[0-9]+")
_ENCRYPTED = "ENC[AES256_GCM,"


def secret_values(secret: dict[str, Value]) -> Iterator[str | bytes]:
    """Every value that a Secret holds: `data` as bytes, or as text where it is no base64; `stringData` and what was last applied.

    A key that no Secret may have is a value too: a line of a private key in an env file of kustomize becomes a key.
    """
    metadata = secret.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    applied = annotations.get(LAST_APPLIED) if isinstance(annotations, dict) else None
    earlier: Value = None
    if isinstance(applied, str):
        try:
            earlier = load_document(applied.encode("utf-8", "replace"))
        except DocumentError:
            yield applied
    for each in (secret, earlier):
        if isinstance(each, dict):
            for text in leaf_texts(each.get("data")):
                yield decoded(text)
            yield from leaf_texts(each.get("stringData"))
            for field in (each.get("data"), each.get("stringData")):
                yield from (key for key in field if not _KEY.fullmatch(key)) if isinstance(field, dict) else ()


# What Kubernetes accepts as a key (apimachinery, validation.IsConfigMapKey), as long as it does not look like a line of base64.
_KEY = re.compile(r"(?![A-Za-z0-9]{40})[-._a-zA-Z0-9]{1,253}")


def decoded(text: str) -> str | bytes:
    """The bytes that a value of `data` stands for, or is meant to, with blanks in it; the text itself when it is no base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        return text


def leaf_texts(value: Value) -> Iterator[str]:
    """Every scalar in `value` that holds anything, as text; of a mapping the values, not the keys."""
    todo: list[Any] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
        elif node is not None and not isinstance(node, bool):
            yield node if isinstance(node, str) else number_text(node)


def texts_to_hide(values: Iterable[str | bytes]) -> Iterator[tuple[str, Role]]:
    """The texts that must not be shown when they turn up outside a Secret, with how to look for each.

    Left out, since hiding them says nothing and hides much: words such as `admin` and `localhost`, and SOPS ciphertext. What has
    fewer than six characters, such as a port, counts only where a password stands. Plain words and numbers count only where no
    letter or digit adjoins them. Of values that are themselves YAML, JSON, properties or PEM, the leaves and lines count too:
    all where the key sounds secret, else those that look random. Names of rendered objects are left out by the Masker.
    """
    for value in values:
        raw = value.encode("utf-8", "replace") if isinstance(value, str) else value
        text = _as_text(raw)
        if text is None:
            yield from spell_bytes(raw)
            continue
        if text.startswith(_ENCRYPTED):
            continue
        for part in {text, text.strip(), *_nested(text)}:
            yield from _forms(part)


def _as_text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _forms(text: str) -> Iterator[tuple[str, Role]]:
    if not text or text.lower() in _COMMON:
        return
    if len(text) < SHORTEST:
        yield text, "password"
        return
    yield text, "word" if len(text) < 16 and _WORD.fullmatch(text) else "text"
    yield from spell_text(text)


_TELLING_KEY = re.compile(r"pass|pwd|secret|token|key|cred|auth|private|cert|dsn|salt|seed|hash|signature|cookie|session", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"^[ \t]*(?:export[ \t]+)?[\"']?([\w.-]+)[\"']?[ \t]*[=:](.*)$", re.MULTILINE)
_USERINFO = re.compile(r"://([^/\s@:]*):([^/\s@]+)@")
_PEM_LINE = re.compile(r"^[ \t]*([A-Za-z0-9+/]{16,}={0,2})[ \t]*$", re.MULTILINE)


def _nested(text: str) -> Iterator[str]:
    """Parts of a secret text that are secret by themselves."""
    for _, password in _USERINFO.findall(text):
        yield password
    if len(text) > _LARGEST_NESTED:
        return
    if "\n" in text.strip():
        yield from _PEM_LINE.findall(text)
    if text.lstrip()[:1] in ("{", "[") or "\n" in text.strip() or ": " in text:
        try:
            value = load_document(text.encode())
        except (DocumentError, UnicodeError):
            value = None
        if isinstance(value, (dict, list)):
            yield from _telling_leaves(value)
            return
    yield from _telling_lines(text)


def _telling_lines(text: str) -> Iterator[str]:
    """Values of `key = value` lines: properties, INI, TOML, shell."""
    for key, part in _ASSIGNMENT.findall(text):
        yield from _if_telling(key, part.strip(" \t\r,;").strip("\"'"))


def _telling_leaves(value: Value) -> Iterator[str]:
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        key, node = todo.pop()
        if isinstance(node, dict):
            # `auths: {host: {username, password}}`: below a telling key every key tells.
            todo.extend((key if _TELLING_KEY.search(key) else str(name), item) for name, item in node.items())
        elif isinstance(node, list):
            todo.extend((key, item) for item in node)
        elif isinstance(node, str):
            yield from _if_telling(key, node)
            if "\n" in node:
                yield from _telling_lines(node)
        elif isinstance(node, (int, float)) and not isinstance(node, bool) and _TELLING_KEY.search(key):
            yield number_text(node)


def _if_telling(key: str, text: str) -> Iterator[str]:
    for _, password in _USERINFO.findall(text):
        yield password
    if _TELLING_KEY.search(key) or _looks_random(text):
        yield text.strip()
        credentials = _as_text(plain) if isinstance(plain := decoded(text), bytes) else None
        if credentials and credentials.isprintable() and ":" in credentials:  # `auth` of a registry, a basic Authorization
            yield credentials.partition(":")[2]


_TOKEN_LIKE = re.compile(r"[^\s./:]{8,}|[A-Za-z0-9+][A-Za-z0-9+/]{31,}={0,2}|eyJ[\w-]+\.[\w-]+\.[\w-]*")


def _looks_random(text: str) -> bool:
    """One run of letters with digits that is no address, path, image or version; or base64, or a JSON web token."""
    return bool(_TOKEN_LIKE.fullmatch(text) and re.search(r"[A-Za-z]", text) and re.search(r"[0-9]", text))
