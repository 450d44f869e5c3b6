"""runs-as-root: a container runs as root, or is no longer kept from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from kdiff.hazards.containers import container_changes
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping
from kdiff.kube.pod_template import Container, PodTemplate
from kdiff.model.value import Value

_User = Literal["not root", "as the image says", "root"]
_USERS: tuple[_User, ...] = get_args(_User)  # from safe to not


def _check(context: Context) -> Iterator[Finding]:
    for container in container_changes(context):
        before = _user(container.before, container.pod.before) if container.before and container.pod.before else "as the image says"
        after = _user(container.after, container.pod.after)
        if _USERS.index(after) <= _USERS.index(before):
            continue
        now = "runs as root" if after == "root" else "is no longer kept from running as root"
        yield Finding(
            message=f"{container.told} {now}",
            why="Root in a container is root on the node as soon as something lets it out: a flaw of the kernel, a mounted path.",
            scope=container.pod.change.scope,
            object=container.pod.change.id,
            pointer=f"{container.after.pointer}/securityContext",
        )


def _user(container: Container, template: PodTemplate) -> _User:
    """Container settings win over those of the pod (Kubernetes API reference, SecurityContext)."""
    user = _setting(container, template, "runAsUser")
    if user == 0 and not isinstance(user, bool):
        return "root"
    return "not root" if isinstance(user, int) or _setting(container, template, "runAsNonRoot") is True else "as the image says"


def _setting(container: Container, template: PodTemplate, name: str) -> Value:
    own = mapping(container.value, "securityContext").get(name)
    return own if own is not None else mapping(template.spec, "securityContext").get(name)


RULE = Rule("runs-as-root", "caution", "A container may run as root", _check)
