"""probe-removed: nobody watches any longer whether a container works."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.containers import container_changes
from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule

# Kubernetes docs, Liveness, Readiness, and Startup Probes.
_WITHOUT = {
    "readinessProbe": "traffic reaches it before it is ready",
    "livenessProbe": "it is not restarted when it hangs",
    "startupProbe": "its other probes count from the first second",
}


def _check(context: Context) -> Iterator[Finding]:
    for container in container_changes(context):
        before = container.before.value if container.before else {}
        lost = [probe for probe in _WITHOUT if before.get(probe) and not container.after.value.get(probe)]
        if lost:
            yield Finding(
                message=f"{container.told} loses its {some(lost)}: {some([_WITHOUT[probe] for probe in lost])}",
                why="Without a probe the kubelet takes a started container for a working one.",
                scope=container.pod.change.scope,
                object=container.pod.change.id,
                pointer=container.after.pointer,
            )


RULE = Rule("probe-removed", "caution", "A container loses a probe", _check)
