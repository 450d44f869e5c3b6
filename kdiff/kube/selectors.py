"""Label selectors: what they match, and which kinds select what by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kdiff.model.object import KubeObject
from kdiff.model.value import Value


@dataclass(frozen=True)
class Selector:
    """A selector of an object: its RFC 6901 `pointer`, the `labels` it demands and its `matchExpressions`.

    `of` says whose labels it reads; `namespaces` is None for every namespace. With `governs`, a change of the selecting object
    reaches what it selects (a policy); without, the selecting object depends on what it selects.
    """

    pointer: str
    labels: Mapping[str, Value]
    expressions: tuple[Value, ...]
    of: Literal["pods", "services"]
    namespaces: frozenset[str] | None
    governs: bool

    def matches(self, labels: Mapping[str, Value]) -> bool:
        """True when every requirement holds (Kubernetes docs: Labels and Selectors; requirements are joined by AND)."""
        return all(k in labels and labels[k] == v for k, v in self.labels.items()) and all(_holds(e, labels) for e in self.expressions)


@dataclass(frozen=True)
class _Place:
    path: tuple[str, ...]
    of: Literal["pods", "services"] = "pods"
    governs: bool = False
    plain: bool = False  # a mapping of labels instead of a LabelSelector; an empty one selects nothing
    absent_selects_all: bool = False


# Kubernetes API reference: Service, PodDisruptionBudget (an empty selector means every pod of the namespace from policy/v1 on),
# NetworkPolicy; Prometheus operator: PodMonitor, ServiceMonitor, and their VictoriaMetrics likes; Istio: a missing workload
# selector means the whole namespace; Cilium: endpointSelector.
_PLACES: dict[tuple[str, str], _Place] = {
    ("", "Service"): _Place(("spec", "selector"), plain=True),
    ("policy", "PodDisruptionBudget"): _Place(("spec", "selector"), governs=True),
    ("networking.k8s.io", "NetworkPolicy"): _Place(("spec", "podSelector"), governs=True, absent_selects_all=True),
    ("monitoring.coreos.com", "PodMonitor"): _Place(("spec", "selector")),
    ("monitoring.coreos.com", "ServiceMonitor"): _Place(("spec", "selector"), of="services"),
    ("operator.victoriametrics.com", "VMPodScrape"): _Place(("spec", "selector")),
    ("operator.victoriametrics.com", "VMServiceScrape"): _Place(("spec", "selector"), of="services"),
    ("cilium.io", "CiliumNetworkPolicy"): _Place(("spec", "endpointSelector"), governs=True),
    ("security.istio.io", "AuthorizationPolicy"): _Place(("spec", "selector"), governs=True, absent_selects_all=True),
    ("security.istio.io", "PeerAuthentication"): _Place(("spec", "selector"), governs=True, absent_selects_all=True),
    ("security.istio.io", "RequestAuthentication"): _Place(("spec", "selector"), governs=True, absent_selects_all=True),
}


def selector_of(obj: KubeObject) -> Selector | None:
    """The selector of `obj`, None for kinds that select nothing or when it is empty in a way that selects nothing."""
    place = _PLACES.get((obj.key.group, obj.key.kind))
    if place is None:
        return None
    found: Value = obj.value
    for step in place.path:
        found = found.get(step) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        if not place.absent_selects_all:
            return None
        found = {}
    pointer = "/" + "/".join(place.path)
    here = frozenset({obj.key.namespace})
    if place.plain:
        return Selector(pointer, found, (), place.of, here, place.governs) if found else None
    if not found and obj.key.kind == "PodDisruptionBudget" and obj.version == "v1beta1":
        return None
    labels, expressions = found.get("matchLabels"), found.get("matchExpressions")
    return Selector(
        pointer,
        _without_source(labels) if isinstance(labels, dict) else {},
        tuple(expressions) if isinstance(expressions, list) else (),
        place.of,
        _namespaces(obj, here),
        place.governs,
    )


def _without_source(labels: dict[str, Value]) -> dict[str, Value]:
    """Labels without the source that Cilium lets a policy name before them, `k8s:app` (Cilium docs, Endpoint labels)."""
    return {key.removeprefix("k8s:").removeprefix("any:"): value for key, value in labels.items()}


def _namespaces(obj: KubeObject, here: frozenset[str]) -> frozenset[str] | None:
    spec = obj.value.get("spec")
    wanted = spec.get("namespaceSelector") if isinstance(spec, dict) else None
    if not isinstance(wanted, dict):
        return here
    if wanted.get("any") is True:
        return None
    names = wanted.get("matchNames")
    return frozenset(n for n in names if isinstance(n, str)) if isinstance(names, list) and names else here


def _holds(expression: Value, labels: Mapping[str, Value]) -> bool:
    if not isinstance(expression, dict):
        return False
    key, operator, values = expression.get("key"), expression.get("operator"), expression.get("values")
    options = values if isinstance(values, list) else []
    if not isinstance(key, str):
        return False
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if operator == "In":
        return key in labels and labels[key] in options
    if operator == "NotIn":  # also true without the key
        return key not in labels or labels[key] not in options
    return False
