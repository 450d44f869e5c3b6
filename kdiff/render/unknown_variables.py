"""Which Flux targets take variables from a ConfigMap or Secret that a failed target of the same scope may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from kdiff.documents.load import load_documents
from kdiff.documents.split import DocumentError
from kdiff.kube.definitions import may_define
from kdiff.model.object import ObjectKey


def find_holders(
    absent: Mapping[str, Iterable[ObjectKey]], rendered_elsewhere: Mapping[str, Iterable[ObjectKey]], read: Mapping[str, Iterable[bytes]]
) -> dict[str, tuple[ObjectKey, str]]:
    """For each target with a source that may stand in a target without output: that source, and the id of that target.

    `absent` holds the sources that each target names and nobody provides; `rendered_elsewhere` what the other side renders in
    targets that this side lost, to a failure or below one; `read` the contents of all files that each failed target reads. A
    file that merely names an object, as another Kustomization's substituteFrom does, is no hint that the target holds it.
    """
    given = {key: target for target, keys in sorted(rendered_elsewhere.items(), reverse=True) for key in keys}
    contents = {target: tuple(files) for target, files in sorted(read.items())}

    @cache
    def holder(source: ObjectKey) -> str | None:
        return given.get(source) or next((t for t, files in contents.items() if any(may_hold(each, source) for each in files)), None)

    found = ((target, next(((s, h) for s in sources if (h := holder(s)) is not None), None)) for target, sources in absent.items())
    return {target: pair for target, pair in found if pair is not None}


def may_hold(content: bytes, source: ObjectKey) -> bool:
    """Whether a file of these contents may define `source`."""
    if source.name.encode() not in content:
        return False
    try:
        return any(may_define(value, source) for value in load_documents(content))
    except DocumentError:  # nobody knows what it says; it may well be why the target failed
        return True
