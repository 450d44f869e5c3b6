"""Whom a NetworkPolicy lets through, and whether that is more than before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TypeAlias

from kdiff.hazards.phrases import some
from kdiff.kube.fields import mapping, mappings, strings, text
from kdiff.kube.selection import is_wider
from kdiff.model.object import KubeObject
from kdiff.model.value import Value

_Network: TypeAlias = IPv4Network | IPv6Network

# direction to the field of its peers (Kubernetes API reference, NetworkPolicySpec)
DIRECTIONS = {"ingress": "from", "egress": "to"}
_ANYONE: dict[str, Value] = {}


@dataclass(frozen=True)
class Opening:
    """One peer on one port; an empty `peer` is anyone, an empty `port` is any."""

    peer: dict[str, Value]
    port: dict[str, Value]

    def covers(self, other: Opening) -> bool:
        """True when this one lets through all that `other` does."""
        return _covers_port(self.port, other.port) and _covers_peer(self.peer, other.peer)

    def __str__(self) -> str:
        """`pods app=web in namespaces team=a`, `10.0.0.0/8 on TCP 80`, `anyone`."""
        if not self.port:
            return _told(self.peer)
        last = f"-{self.port['endPort']}" if "endPort" in self.port else ""
        return f"{_told(self.peer)} on {self.port['protocol']} {self.port.get('port', 'any port')}{last}"


def directions_of(policy: dict[str, Value]) -> set[str]:
    """Directions it isolates: as stated, else ingress, and egress where it has rules (Kubernetes API reference, NetworkPolicySpec)."""
    spec = mapping(policy, "spec")
    stated = {kind.lower() for kind in strings(spec, "policyTypes")}
    return stated or {"ingress", *(["egress"] if spec.get("egress") else [])}


def isolates_as_well(policy: KubeObject, other: KubeObject) -> bool:
    """True when `other` isolates in every direction that `policy` does."""
    return directions_of(policy.value) <= directions_of(other.value)


def gained(before: dict[str, Value], after: dict[str, Value], direction: str) -> list[Opening]:
    """What `after` lets through in a direction and `before` did not."""
    if direction not in directions_of(before):
        return []
    if direction not in directions_of(after):
        return [Opening(_ANYONE, {})]
    known = list(_openings(before, direction))
    return [opening for opening in _openings(after, direction) if not any(k.covers(opening) for k in known)]


def _openings(policy: dict[str, Value], direction: str) -> Iterator[Opening]:
    for rule in mappings(mapping(policy, "spec"), direction):
        for peer in list(mappings(rule, DIRECTIONS[direction])) or [_ANYONE]:
            for port in list(mappings(rule, "ports")) or [{}]:
                yield Opening(peer, {**port, "protocol": text(port, "protocol") or "TCP"} if port else {})


def _covers_port(allowed: dict[str, Value], wanted: dict[str, Value]) -> bool:
    if not allowed or allowed == wanted:
        return True
    if allowed.get("protocol") != wanted.get("protocol"):
        return False
    if allowed.get("port") is None:
        return True
    (first, last), (lowest, highest) = _range(allowed), _range(wanted)
    return 0 < first <= lowest and highest <= last


def _range(port: dict[str, Value]) -> tuple[int, int]:
    """The first and last number of a port; (0, 0) for a named one, of which nothing is known."""
    first, last = port.get("port"), port.get("endPort")
    return (first, last if isinstance(last, int) else first) if isinstance(first, int) else (0, 0)


def _covers_peer(allowed: dict[str, Value], wanted: dict[str, Value]) -> bool:
    if not allowed or allowed == wanted:
        return True
    if not wanted or "ipBlock" in allowed or "ipBlock" in wanted:
        return _covers_block(mapping(allowed, "ipBlock"), mapping(wanted, "ipBlock"))
    # Without a namespaceSelector only the policy's own namespace is meant, which a selector of all namespaces takes in.
    if ("namespaceSelector" in allowed) != ("namespaceSelector" in wanted) and allowed.get("namespaceSelector") != {}:
        return False
    return not any(is_wider(mapping(wanted, field), mapping(allowed, field)) for field in ("namespaceSelector", "podSelector"))


def _covers_block(allowed: dict[str, Value], wanted: dict[str, Value]) -> bool:
    """True when every address of `wanted` is one of `allowed`; what `allowed` excepts must be excepted there too."""
    outer, inner = _network(text(allowed, "cidr")), _network(text(wanted, "cidr"))
    if outer is None or inner is None or not _is_within(inner, outer):
        return False
    spared = [_network(cidr) for cidr in strings(wanted, "except")]
    return all(
        hole is not None and (not hole.overlaps(inner) or any(other is not None and _is_within(hole, other) for other in spared))
        for hole in map(_network, strings(allowed, "except"))
    )


def _network(cidr: str) -> _Network | None:
    try:
        return ip_network(cidr, strict=False)
    except ValueError:
        return None


def _is_within(inner: _Network, outer: _Network) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]


def _told(peer: dict[str, Value]) -> str:
    if not peer:
        return "anyone"
    if "ipBlock" in peer:
        spared = list(strings(mapping(peer, "ipBlock"), "except"))
        return text(mapping(peer, "ipBlock"), "cidr") + (f" but {some(spared)}" if spared else "")
    nouns = (("podSelector", "pods"), ("namespaceSelector", "namespaces"))
    words = [f"{noun} {_labels(mapping(peer, field))}" for field, noun in nouns if field in peer]
    return " in ".join(words)


def _labels(selector: dict[str, Value]) -> str:
    labels = mapping(selector, "matchLabels")
    if selector.get("matchExpressions"):
        return json.dumps(selector, sort_keys=True)
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "of any label"
