"""Replaces secrets by tokens, in values and in texts, once they were learned from Secrets of both sides."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable
from typing import Any

from kdiff.model.mask import CLOSE, OPEN, has_token
from kdiff.model.value import Value
from kdiff.objects.secret_index import BREAK, SHORTEST, Role, SecretIndex
from kdiff.objects.secret_sources import values_in_object, values_in_sources
from kdiff.objects.secret_texts import LAST_APPLIED, secret_values, texts_to_hide
from kdiff.objects.tokens import Tokens, number_text

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL)
# Base64 of `-----BEGIN `, in one line or in several.
_PRIVATE_KEY_BASE64 = re.compile(rf"LS0tLS1CRUdJTi(?:[A-Za-z0-9+/]{{26,}}{BREAK}+)*[A-Za-z0-9+/]*={{0,2}}")
_BREAK = re.compile(BREAK)
_TOKENS = re.compile(f"({OPEN}[0-9a-f]+{CLOSE})")

# Fields that name things and choose images: a plain word there names the thing, though some Secret holds the same word.
_NAMING_FIELDS = frozenset(("apiVersion", "kind", "name", "namespace", "image", "labels", "matchLabels", "selector"))
_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"), ("metadata", "generateName"))


_PLAIN_FIELDS = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})  # of a Secret (core/v1)
_CONTENT = ("data", "stringData")


class Masker:
    """What is secret in one run, and how it is hidden. The one mutable thing that passes through the stage.

    In a Secret every value of `data` and `stringData` and the last-applied annotation becomes a token, whatever it is, also where the
    Secret lies in another object.
    Elsewhere each stretch of text that shows a learned secret does, in the spellings and under the policy of
    `secret_texts.texts_to_hide`; so does every private key in PEM. Names, namespaces and kinds of rendered objects are public and stay.
    Values that Kubernetes reads as equal give equal masked values within a run, and no others do (see `tokens`).
    """

    def __init__(self, key: bytes, *, show_secrets: bool = False) -> None:
        """`key` makes tokens comparable between runs that share it; `show_secrets` turns all masking off."""
        self._tokens = Tokens(key)
        self._show = show_secrets
        self._texts: set[tuple[str, Role]] = set()
        self._names: set[str] = set()
        self._known: set[str | bytes] = set()
        self._plain: set[str] = set()
        self._index: SecretIndex | None = None  # made when first needed after something was learned
        self._seen: dict[str, str] = {}

    def learn_secret(self, secret: dict[str, Value]) -> None:
        """Learn every value of a Secret object, and what lies in it."""
        self._learn(secret_values(secret))

    def learn_embedded(self, value: Value) -> None:
        """Learn every Secret that lies in an object of another kind, such as a ManifestWork or a ConfigMap of manifests."""
        self._learn(values_in_object(value))

    def learn(self, values: Iterable[str]) -> None:
        """Learn texts that came from a Secret by another way, such as variables of a Flux Kustomization."""
        self._learn(values)

    def learn_sources(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Learn the Secrets, patches of Secrets and secretGenerator inputs in source files, given as (tree path, content)."""
        self._learn(values_in_sources(dict(files)))

    def _learn(self, values: Iterable[str | bytes]) -> None:
        if self._show:
            return
        new = set(values) - self._known
        if new:
            self._known |= new
            self._texts |= set(texts_to_hide(new))
            self._index = None

    def learn_names(self, names: Iterable[str]) -> None:
        """Take names of rendered objects as public."""
        new = set(names) - self._names
        self._names |= new
        if self._index is not None and not self._plain.isdisjoint(new):
            self._index = None

    def _ready(self) -> SecretIndex:
        if self._index is None:
            self._index = SecretIndex((text, role) for text, role in self._texts if text not in self._names)
            self._plain = {text for text, _ in self._texts}
            self._seen = {}
        return self._index

    def token(self, secret: str | bytes) -> str:
        """The token of a secret text."""
        return self._tokens.of_text(secret)

    def mask_value(self, value: dict[str, Value]) -> dict[str, Value]:
        """An object with every secret in it replaced; `value` itself when there is none."""
        if self._show:
            return value
        if value.get("kind") == "Secret":
            value = self._mask_secret(value)
        found = _texts(value)
        texts, index = "\0".join(found), self._ready()
        shows_secret = index.spans(texts) or _may_hold_private_key(texts) or not index.passwords.isdisjoint(found)
        if not shows_secret and "Secret" not in found:
            return value
        masked = self._mask_node(value)
        for path in _IDENTITY:
            _restore(masked, value, path)
        return masked

    def mask_text(self, text: str) -> str:
        """A message with every learned secret in it replaced, and the contents of whatever Secrets it prints."""
        if self._show:
            return text
        if "Secret" in text:
            text = _DUMPED.sub(lambda match: match.group(1) + self.token(match.group(2)), text)
        return self._mask_text(text, words=True)

    def is_public(self, output: bytes) -> bool:
        """True when nothing that is hidden in objects shows in their YAML; never when masking is off, since then nothing is learned."""
        text = output.decode("utf-8", "replace")
        if self._show or _may_hold_private_key(text):
            return False
        shown = self._ready().spans(text)
        return not shown or (all(_is_key(text, *span) for span in shown) and not self._ready().spans(text, words=False))

    def _mask_secret(self, secret: dict[str, Value], only: Collection[str] | None = None) -> dict[str, Value]:
        """`only` names the fields to mask; without it, all but the plain ones.

        So what is misspelled is masked too: the API server drops it, yet it was meant to be secret.
        """
        masked = dict(secret)
        for field, content in secret.items():
            if content is None or (field in _PLAIN_FIELDS if only is None else field not in only):
                continue
            token = self._tokens.of_data if field == "data" else self._tokens.of_value
            if isinstance(content, dict):
                masked[field] = {key: None if item is None else token(item) for key, item in content.items()}
            else:
                masked[field] = self._tokens.of_value(content)
        metadata = secret.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
        if isinstance(metadata, dict) and isinstance(annotations, dict) and annotations.get(LAST_APPLIED) is not None:
            hidden = self._tokens.of_value(annotations[LAST_APPLIED])
            masked["metadata"] = metadata | {"annotations": annotations | {LAST_APPLIED: hidden}}
        return masked

    def _mask_node(self, value: dict[str, Value]) -> dict[str, Value]:
        """A copy of `value`, its texts masked; levels lie in a list."""
        index = self._ready()
        root: dict[str, Value] = {}
        todo: list[tuple[Any, Any, bool]] = [(value, root, True)]
        while todo:
            node, copy, words = todo.pop()
            named = node.items() if isinstance(node, dict) else (("", item) for item in node)
            for key, item in named:
                words_here = words and key not in _NAMING_FIELDS
                masked: Any = item
                if _is_embedded_secret(item):
                    item = self._mask_secret(item, only=_CONTENT)  # noqa: PLW2901
                if isinstance(item, (dict, list)):
                    masked = {} if isinstance(item, dict) else []
                    # A field such as `name` decides for its text, `labels` and `selector` for all below them.
                    todo.append((item, masked, words_here))
                elif text := _text(item):
                    hidden = self._mask_text(text, words=words_here)
                    if index.passwords and index.is_password(_name(node, key), text):
                        hidden = self.token(text)
                    if hidden != text:  # a number has another token than its digits, which in quotes are another value
                        masked = hidden if isinstance(item, str) else self._tokens.of_value(item)
                if isinstance(node, dict):
                    copy[self._mask_text(key, words=False)] = masked
                else:
                    copy.append(masked)
        return root

    def _mask_text(self, text: str, *, words: bool) -> str:
        if len(text) < SHORTEST:
            return text
        index = self._ready()
        known = self._seen.get(text) if words and len(text) <= _REMEMBERED else None
        if known is not None:
            return known
        masked = text
        if _may_hold_private_key(masked):
            masked = _PRIVATE_KEY.sub(lambda match: self.token(match.group()), masked)
            masked = _PRIVATE_KEY_BASE64.sub(self._if_private_key, masked)
        parts = _TOKENS.split(masked) if has_token(masked) else [masked]
        masked = "".join(part if has_token(part) else self._mask_part(part, index, words=words) for part in parts)
        if words and len(text) <= _REMEMBERED:
            self._seen[text] = masked
        return masked

    def _mask_part(self, text: str, index: SecretIndex, *, words: bool) -> str:
        """`text`, which holds no token: one that were taken for hexadecimal digits would be torn."""
        for begin, end in reversed(index.spans(text, words=words)):
            text = text[:begin] + self.token(text[begin:end]) + text[end:]
        return text

    def _if_private_key(self, match: re.Match[str]) -> str:
        begin = _BREAK.sub("", match.group())[:_LABEL]
        held = base64.b64decode(begin[: len(begin) // 4 * 4])
        return self.token(match.group()) if b"PRIVATE KEY-----" in held else match.group()


# Characters of base64 that hold the first line of any private key in PEM.
_LABEL = 80

# Short texts recur by the thousand, so what became of them is kept for the run.
_REMEMBERED = 64


def _may_hold_private_key(text: str) -> bool:
    return "PRIVATE KEY-----" in text or "LS0tLS1CRUdJTi" in text


def _is_key(text: str, begin: int, end: int) -> bool:
    """True for a plain key in block style; words in keys are not hidden."""
    return text[end : end + 1] == ":" and not text[text.rfind("\n", 0, begin) + 1 : begin].strip(" -")


def _texts(value: Value) -> list[str]:
    """Every key, every text and every number in `value`."""
    texts: list[str] = []
    todo: list[Any] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            texts.extend(node)
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
        elif text := _text(node):
            texts.append(text)
    return texts


def _is_embedded_secret(value: Any) -> bool:
    """True for a Secret inside another object, also the bare one of a Kyverno rule; what only names a Secret has no content."""
    return isinstance(value, dict) and value.get("kind") == "Secret" and any(field in value for field in _CONTENT)


def _text(scalar: Any) -> str:
    """A text or a number as it is looked for; "" for other scalars."""
    if isinstance(scalar, str):
        return scalar
    return number_text(scalar) if isinstance(scalar, (int, float)) and not isinstance(scalar, bool) else ""


def _name(node: Any, key: str) -> str:
    """What the value at `key` is called: its key, or the name of the environment variable that it is the value of."""
    name = node.get("name") if key == "value" else None
    return name if isinstance(name, str) else key


def _restore(masked: Any, value: Any, path: tuple[str, ...]) -> None:
    *parents, last = path
    for name in parents:
        masked, value = masked.get(name), value.get(name)
        if not isinstance(value, dict):
            return
    if last in value and not isinstance(value[last], (dict, list)):
        masked[last] = value[last]


# `data` of a Secret as kustomize prints objects in errors: JSON, Go's map syntax, YAML.
_DUMPED = re.compile(
    r"(\"(?:data|stringData)\"\s*:\s*(?=\{)|\b(?:data|stringData)\"?:\s*(?=map\[)|^[ \t]*(?:data|stringData):[ \t]*\n(?=[ \t]+\S))"
    r"(\{[^{}]*\}|map\[[^\]]*\](?:interface \{\}|string)?(?:\{[^{}]*\})?|(?:[ \t]+\S.*\n?)+)",
    re.MULTILINE,
)
