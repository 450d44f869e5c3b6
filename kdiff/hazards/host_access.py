"""host-access: a pod reaches into its node: its network, its processes, its files."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.containers import pod_changes
from kdiff.hazards.phrases import some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, mappings, text, values_at
from kdiff.kube.pod_template import PodTemplate, containers

# Kubernetes docs, Pod Security Standards, Baseline: Host Namespaces, HostProcess, HostPath Volumes, Host Ports.
_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")


def _check(context: Context) -> Iterator[Finding]:
    for pod in pod_changes(context):
        known = dict(_accesses(pod.before)) if pod.before else {}
        gained = {access: pointer for access, pointer in _accesses(pod.after) if access not in known}
        if "hostNetwork" in known:  # it had every port of the node
            gained = {access: pointer for access, pointer in gained.items() if not access.startswith("hostPort ")}
        if gained:
            yield Finding(
                message=f"{pod.change.id} reaches into its node: {some(list(gained))}",
                why="Pod Security Standards allow this at the level Privileged only; what a pod does there escapes its isolation and the "
                "policies for pods.",
                scope=pod.change.scope,
                object=pod.change.id,
                pointer=next(iter(gained.values())),
            )


def _accesses(template: PodTemplate) -> Iterator[tuple[str, str]]:
    """Each way into the node, in words, with the RFC 6901 pointer of the field that opens it."""
    spec, place = template.spec, f"{template.pointer}/spec"
    for field in _NAMESPACES:
        if spec.get(field) is True:
            yield field, f"{place}/{field}"
    for index, volume in enumerate(mappings(spec, "volumes")):
        path = text(mapping(volume, "hostPath"), "path")
        if path:
            yield f"hostPath {path}", f"{place}/volumes/{index}"
    for pointer, value in values_at(spec, "securityContext.windowsOptions.hostProcess"):
        if value is True:
            yield "hostProcess", place + pointer
    for container in containers(template):
        for pointer, value in values_at(container.value, "securityContext.windowsOptions.hostProcess"):
            if value is True:
                yield f"hostProcess in {container.name}", container.pointer + pointer
        for index, port in enumerate(mappings(container.value, "ports")):
            number = port.get("hostPort")
            if number and spec.get("hostNetwork") is not True:  # there every port is the node's
                yield f"hostPort {number}/{text(port, 'protocol') or 'TCP'}", f"{container.pointer}/ports/{index}/hostPort"


RULE = Rule("host-access", "caution", "A pod reaches into its node", _check)
