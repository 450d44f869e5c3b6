"""privileged: a container gets all that the node's root has."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.containers import container_changes
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping
from kdiff.kube.pod_template import Container


def _check(context: Context) -> Iterator[Finding]:
    for container in container_changes(context):
        if not _is_privileged(container.after) or (container.before is not None and _is_privileged(container.before)):
            continue
        verb = "becomes" if container.before else "arrives"
        yield Finding(
            message=f"{container.told} {verb} privileged: who breaks into it owns the node",
            why="A privileged container has every capability and device of the node, and neither seccomp nor AppArmor confines it.",
            scope=container.pod.change.scope,
            object=container.pod.change.id,
            pointer=f"{container.after.pointer}/securityContext/privileged",
        )


def _is_privileged(container: Container) -> bool:
    return mapping(container.value, "securityContext").get("privileged") is True


RULE = Rule("privileged", "caution", "A container becomes privileged", _check)
