"""exposure-changed: the outside reaches more, or less, than before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kdiff.hazards.earlier import earlier_object, earlier_value
from kdiff.hazards.exposed_hosts import Hosts, hosts_of, hosts_of_all, is_route
from kdiff.hazards.network_peers import DIRECTIONS, gained, isolates_as_well
from kdiff.hazards.phrases import agree, some
from kdiff.hazards.removals import key_of
from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.hazards.unguarded import left_unguarded
from kdiff.kube.fields import annotation, escape_token, mapping, strings, text, values_at
from kdiff.kube.selection import is_wider
from kdiff.model.change import Change
from kdiff.model.value import Value

_OPEN_TYPES = ("LoadBalancer", "NodePort")
# Which load balancer a cloud gives a Service (docs of the AWS, Azure and GKE cloud providers).
_REACH = (
    "service.beta.kubernetes.io/aws-load-balancer-scheme",
    "service.beta.kubernetes.io/aws-load-balancer-internal",
    "service.beta.kubernetes.io/azure-load-balancer-internal",
    "networking.gke.io/load-balancer-type",
    "cloud.google.com/load-balancer-type",
)
# Which address it gets (docs of Cilium LB IPAM, MetalLB, kube-vip).
_ADDRESSES = ("lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips", "metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs",
              "kube-vip.io/loadbalancerIPs")  # fmt: skip
_Exposure = tuple[str, str]  # pointer, what changes


def _check(context: Context) -> Iterator[Finding]:
    @cache
    def of_scope(scope: str, side: str) -> Hosts:
        objects = (context.base_objects if side == "base" else context.head_objects).get(scope, {})
        return hosts_of_all(obj for renderings in objects.values() for obj in renderings)

    for change in context.changes:
        group, kind = change.object.group, change.object.kind
        if change.status == "removed" and not _leaves(context, change):
            continue
        found: Iterator[_Exposure] = iter(())
        if (group, kind) == ("", "Service"):
            found = _service(change.head_value, earlier_value(context, change))
        elif is_route(group, kind):
            found = _route(change, of_scope(change.scope, "base"), of_scope(change.scope, "head"))
        elif (group, kind) == ("networking.k8s.io", "NetworkPolicy"):
            found = _policy(context, change)
        for pointer, exposure in found:
            yield Finding(
                message=f"{change.id}: {exposure}",
                why="Who can reach what runs in the cluster is decided here.",
                scope=change.scope,
                object=change.id,
                pointer=pointer,
            )


def _leaves(context: Context, change: Change) -> bool:
    return "delete" in change.effects and key_of(change.object) not in context.head_objects.get(change.scope, {})


def _service(after: dict[str, Value] | None, before: dict[str, Value] | None) -> Iterator[_Exposure]:
    old, new = _type(before), _type(after)
    if old != new and new in _OPEN_TYPES:
        reach = "from outside the cluster, through a load balancer" if new == "LoadBalancer" else "on a port of every node"
        yield "/spec/type", f"can now be reached {reach}" + (", and no longer through its load balancer" if old == "LoadBalancer" else "")
    elif old != new and old in _OPEN_TYPES:
        lost = "its external address is given up" if old == "LoadBalancer" else "its node ports are closed"
        yield "/spec/type", f"can no longer be reached from outside the cluster: {lost}"
    if after is None or before is None:
        return
    outside = [ip for ip in strings(mapping(after, "spec"), "externalIPs") if ip not in strings(mapping(before, "spec"), "externalIPs")]
    if outside:
        yield "/spec/externalIPs", f"can now be reached at {some(outside)}"
    if old == new == "LoadBalancer":
        yield from _load_balancer(after, before)


def _load_balancer(after: dict[str, Value], before: dict[str, Value]) -> Iterator[_Exposure]:
    ranges = [list(strings(mapping(value, "spec"), "loadBalancerSourceRanges")) for value in (before, after)]
    opened = [source for source in ranges[1] or ["everywhere"] if source not in ranges[0]] if ranges[0] else []
    if opened:
        yield "/spec/loadBalancerSourceRanges", f"its load balancer now lets in {some(opened)}"
    fields = [("/spec/loadBalancerIP", [text(mapping(value, "spec"), "loadBalancerIP") for value in (before, after)])]
    fields += [(_pointer(key), [annotation(value, key) for value in (before, after)]) for key in _ADDRESSES]
    for pointer, (was, now) in fields:
        if was and was != now:
            yield pointer, f"its external address {was} is given up" + (f" for {now}" if now else "")
    for key in _REACH:
        was, now = annotation(before, key), annotation(after, key)
        if was != now:
            name = key.rpartition("/")[2]
            yield _pointer(key), f"who reaches its load balancer changes: {name} is {now or 'not set'} instead of {was or 'not set'}"


def _type(value: dict[str, Value] | None) -> str:
    return next((str(kind) for _, kind in values_at(value, "spec.type")), "ClusterIP")


def _pointer(key: str) -> str:
    return f"/metadata/annotations/{escape_token(key)}"


def _route(change: Change, base: Hosts, head: Hosts) -> Iterator[_Exposure]:
    """Hosts that the whole scope gains, loses or serves elsewhere: one that only goes to another route is served as before.

    Who reaches a Gateway or an ingress controller is not known here, so none is called open to the outside.
    """
    ref = change.base_object or change.object
    before = hosts_of(ref.group, ref.kind, change.base_value)
    after = hosts_of(change.object.group, change.object.kind, change.head_value)
    new = [host for host in after if host not in base]
    if new:
        yield "/spec", f"{some(new)} {agree(new, 'is', 'are')} now served{_through(after[new[0]])}"
    gone = [host for host in before if host not in head]
    if gone:
        yield "/spec", f"{some(gone)} {agree(gone, 'is', 'are')} no longer served"
    for host in after.keys() & base.keys():
        entrances = after[host] - base[host]
        if entrances:
            left = base[host] - head[host]
            yield "/spec", f"{host} is now served{_through(entrances)}" + (f", no longer{_through(left)}" if any(left) else "")
    for host in before.keys() & head.keys():
        closed = before[host] - head[host]
        if any(closed) and not head[host] - base[host]:
            yield "/spec", f"{host} is no longer served{_through(closed)}"


def _through(entrances: frozenset[str]) -> str:
    named = sorted(entrance for entrance in entrances if entrance)
    return f" through {some(named)}" if named else ""


def _policy(context: Context, change: Change) -> Iterator[_Exposure]:
    earlier, after = earlier_object(context, change), change.head_value
    if after is None or earlier is None:
        return
    for direction, preposition in DIRECTIONS.items():
        openings = [str(opening) for opening in gained(earlier.value, after, direction)]
        if openings:
            yield f"/spec/{direction}", f"traffic {preposition} {some(openings)} is now allowed"
    if is_wider(mapping(mapping(earlier.value, "spec"), "podSelector"), mapping(mapping(after, "spec"), "podSelector")):
        left = left_unguarded(context, change.scope, earlier, isolates_as_well)
        if left is not None and left.workloads:
            yield (
                "/spec/podSelector",
                f"{some(left.workloads)} {agree(left.workloads, 'is', 'are')} no longer isolated by any policy",
            )


RULE = Rule("exposure-changed", "caution", "The outside reaches more or less than before", _check)
