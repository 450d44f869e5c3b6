"""Whom a NetworkPolicy lets through, and whether that is more than before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from kdiff.kube.flux import mapping, mappings, strings, text
from kdiff.kube.selection import is_wider
from kdiff.model.value import Value

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
        return (not self.port or self.port == other.port) and _covers_peer(self.peer, other.peer)

    def __str__(self) -> str:
        """`pods app=web in namespaces team=a`, `10.0.0.0/8 on TCP 80`, `anyone`."""
        port = f" on {text(self.port, 'protocol') or 'TCP'} {self.port.get('port', '*')}" if self.port else ""
        return _told(self.peer) + port


def gained(before: dict[str, Value], after: dict[str, Value], direction: str) -> list[Opening]:
    """What `after` lets through in a direction and `before` did not."""
    if not _isolates(before, direction):
        return []
    if not _isolates(after, direction):
        return [Opening(_ANYONE, {})]
    known = list(_openings(before, direction))
    return [opening for opening in _openings(after, direction) if not any(k.covers(opening) for k in known)]


def _isolates(policy: dict[str, Value], direction: str) -> bool:
    """As policyTypes says, else Ingress, and Egress where there are egress rules (Kubernetes API reference, NetworkPolicySpec)."""
    spec = mapping(policy, "spec")
    types = list(strings(spec, "policyTypes"))
    return direction.capitalize() in types if types else direction == "ingress" or bool(spec.get("egress"))


def _openings(policy: dict[str, Value], direction: str) -> Iterator[Opening]:
    for rule in mappings(mapping(policy, "spec"), direction):
        for peer in list(mappings(rule, DIRECTIONS[direction])) or [_ANYONE]:
            for port in list(mappings(rule, "ports")) or [{}]:
                yield Opening(peer, {**port, "protocol": text(port, "protocol") or "TCP"} if port else {})


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
    try:
        outer, inner = (ip_network(str(block.get("cidr")), strict=False) for block in (allowed, wanted))
    except ValueError:
        return False
    return outer.version == inner.version and inner.subnet_of(outer) and not allowed.get("except")  # type: ignore[arg-type]


def _told(peer: dict[str, Value]) -> str:
    if not peer:
        return "anyone"
    if "ipBlock" in peer:
        return text(mapping(peer, "ipBlock"), "cidr")
    nouns = (("podSelector", "pods"), ("namespaceSelector", "namespaces"))
    words = [f"{noun} {_labels(mapping(peer, field))}" for field, noun in nouns if field in peer]
    return " in ".join(words)


def _labels(selector: dict[str, Value]) -> str:
    labels = mapping(selector, "matchLabels")
    if selector.get("matchExpressions"):
        return json.dumps(selector, sort_keys=True)
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "of any label"
