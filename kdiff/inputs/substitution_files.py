"""ConfigMaps and Secrets that only the cluster has, read from the files of --substitute-from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError, split_documents
from kdiff.errors import UsageError
from kdiff.model.value import Value

KINDS = frozenset({"ConfigMap", "Secret"})


def read_substitution_files(paths: Iterable[str]) -> tuple[Value, ...]:
    """Every ConfigMap and Secret in `paths`, in order. Raises `UsageError` for a file that cannot be read or holds anything else."""
    found: list[Value] = []
    for path in paths:
        try:
            documents = split_documents(Path(path).read_bytes())
            values = [load_document(document.raw) for document in documents]
        except OSError as error:
            raise UsageError(f"cannot read --substitute-from {path}: {error.strerror}") from None
        except DocumentError as error:
            raise UsageError(f"cannot read --substitute-from {path}: {error}") from None
        for value in values:
            if not isinstance(value, dict) or value.get("apiVersion") != "v1" or value.get("kind") not in KINDS:
                raise UsageError(f"--substitute-from {path} holds something other than ConfigMaps and Secrets of v1; take it out")
            found.append(value)
    return tuple(found)
