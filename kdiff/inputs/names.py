"""How files and sides are named in messages: on one line, and in characters that any report can hold."""

from __future__ import annotations


def shown(name: str) -> str:
    r"""`name` as it is when every character prints, else quoted and escaped; bytes that are not UTF-8 become `\xNN`."""
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return readable if readable.isprintable() and readable else ascii(readable)


def is_text(name: str) -> bool:
    """Whether a file's name is UTF-8: only such names can stand in a kustomization, which is YAML."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # a surrogate, which stands for a byte that is not UTF-8
        return False
    return True
