"""verification-dropped: Flux no longer checks who signed what a source brings."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, values_at
from kdiff.kube.flux import HELM_GROUP, SOURCE_GROUP
from kdiff.model.change import Change
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.value import Value

# Where the Flux APIs have a verification: sources and HelmCharts, and the chart template of a HelmRelease.
_PATHS = {SOURCE_GROUP: "spec.verify", HELM_GROUP: "spec.chart.spec.verify"}


def _check(context: Context) -> Iterator[Finding]:
    for change in context.changes:
        ref = change.base_object
        path = _PATHS.get(ref.group, "") if ref is not None else ""
        before = _verification(change.base_value, path)
        if before is None:
            continue
        message = _lost(change, before, path) if change.head_value is not None else _left(context, change)
        if message:
            yield Finding(
                message=message,
                why="Without verification whoever can write to the registry or repository decides what runs in the cluster; "
                "without an identity any signature is good enough.",
                scope=change.scope,
                object=change.id,
                pointer="/" + path.replace(".", "/"),
            )


def _verification(value: dict[str, Value] | None, path: str) -> dict[str, Value] | None:
    found = (item for _, item in values_at(value, path) if isinstance(item, dict) and item) if path else iter(())
    return next(found, None)


def _lost(change: Change, before: dict[str, Value], path: str) -> str:
    after = _verification(change.head_value, path)
    if after is None:
        return f"{change.id} is no longer verified: it brings whatever lies at its URL, signed or not"
    if _names_signer(before) and not _names_signer(after):
        return f"{change.id} no longer says who must have signed it: any valid signature passes"
    return ""


def _names_signer(verification: dict[str, Value]) -> bool:
    """A public key or an identity: keyless verification without one accepts every signer (Flux docs, OCIRepository: Verification)."""
    return bool(mapping(verification, "secretRef") or verification.get("matchOIDCIdentity"))


def _left(context: Context, change: Change) -> str:
    """A source that leaves drops its verification unless all who used it leave too, or use verified ones now."""
    if change.base_object is None or change.base_object.group != SOURCE_GROUP:
        return ""  # a HelmRelease takes its chart with it
    key = key_of(change.base_object)
    base, head = context.base_graphs[change.scope], context.head_graphs[change.scope]
    if key in head:
        return ""
    still = sorted({r.source.id for r in head.references_to(key) if r.kind == "names"})
    if still:
        return f"{change.id} leaves with its verification, and {some(still)} still {agree(still, 'uses', 'use')} that name"
    users = {r.source.key for r in base.references_to(key) if r.kind == "names"}
    left = [r for user in users for r in head.references_from(user) if r.kind == "names" and r.target.group == SOURCE_GROUP]
    unverified = sorted({r.source.id for r in left if not _is_verified(head.objects.get(r.target, ()), r.target)})
    if unverified:
        return f"{change.id} leaves, and {some(unverified)} now {agree(unverified, 'takes', 'take')} a source without verification"
    return "" if users else f"{change.id} leaves with its verification; nothing here shows what replaces it"


def _is_verified(sources: tuple[KubeObject, ...], key: ObjectKey) -> bool:
    return any(_verification(source.value, _PATHS[key.group]) for source in sources)


RULE = Rule("verification-dropped", "blocking", "A source is no longer verified", _check)
