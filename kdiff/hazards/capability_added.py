"""capability-added: a container may do more to the kernel than before."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.containers import container_changes
from kdiff.hazards.phrases import agree, some
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import mapping, strings
from kdiff.kube.pod_template import Container

# What containerd and Docker give a container that asks for nothing (containerd, pkg/oci: defaultUnixCaps).
_DEFAULTS = frozenset({
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID",
    "SETPCAP", "SETUID", "SYS_CHROOT",
})  # fmt: skip
_ALL = "ALL"
# capabilities(7). One that a newer kernel adds still counts where it is named.
_EVERY = _DEFAULTS | {
    "AUDIT_CONTROL", "AUDIT_READ", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "DAC_READ_SEARCH", "IPC_LOCK", "IPC_OWNER", "LEASE",
    "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "NET_ADMIN", "NET_BROADCAST", "PERFMON", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE",
    "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "SYSLOG", "WAKE_ALARM",
}  # fmt: skip


def _check(context: Context) -> Iterator[Finding]:
    for container in container_changes(context):
        if mapping(container.after.value, "securityContext").get("privileged") is True:
            continue  # that is another rule's
        before = _capabilities(container.before) if container.before else _DEFAULTS
        after = _capabilities(container.after)
        gained = sorted(after - before)
        if gained:
            if after >= _EVERY and len(gained) > 1:
                gained = [_ALL]
            yield Finding(
                message=f"{container.told} gains the {agree(gained, 'capability', 'capabilities')} {some(gained, 5)}",
                why="Capabilities are shares of root's power over the kernel; what is added, or no longer dropped, an intruder has too.",
                scope=container.pod.change.scope,
                object=container.pod.change.id,
                pointer=f"{container.after.pointer}/securityContext/capabilities",
            )


def _capabilities(container: Container) -> frozenset[str]:
    """What a container ends up with: ALL is taken first, then additions, then removals (containerd, internal/cri: WithCapabilities)."""
    context = mapping(container.value, "securityContext")
    if context.get("privileged") is True:
        return _EVERY
    asked = mapping(context, "capabilities")
    add, drop = ({name.upper().removeprefix("CAP_") for name in strings(asked, field)} for field in ("add", "drop"))
    start = frozenset() if _ALL in drop else _EVERY if _ALL in add else _DEFAULTS
    return (start | (add - {_ALL})) - drop


RULE = Rule("capability-added", "caution", "A container gains capabilities", _check)
