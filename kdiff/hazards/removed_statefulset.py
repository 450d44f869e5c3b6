"""removed-statefulset: a StatefulSet leaves, with its pods and perhaps its claims."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.phrases import some
from kdiff.hazards.removals import removed_objects
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import values_at
from kdiff.model.object import KubeObject


def _check(context: Context) -> Iterator[Finding]:
    for gone in removed_objects(context, "apps", "StatefulSet"):
        if gone.deleted:
            yield Finding(
                message=f"{gone.told} with its pods; {_claims(gone.object)}",
                why="Claims of a StatefulSet outlive it unless spec.persistentVolumeClaimRetentionPolicy.whenDeleted is Delete; "
                "pods go at once and in no order.",
                scope=gone.change.scope,
                object=gone.object.id,
            )


def _claims(obj: KubeObject) -> str:
    names = [str(name) for _, name in values_at(obj.value, "spec.volumeClaimTemplates[].metadata.name")]
    if not names:
        return "it has no claims of its own"
    policy = next((v for _, v in values_at(obj.value, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted")), None)
    claims = some([f"{name}-{obj.key.name}-*" for name in names])
    return f"its claims {claims} are deleted too (whenDeleted: Delete)" if policy == "Delete" else f"its claims {claims} stay behind"


RULE = Rule("removed-statefulset", "blocking", "A StatefulSet is removed", _check)
