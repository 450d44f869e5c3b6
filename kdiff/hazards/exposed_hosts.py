"""Which host names the outside reaches a cluster by, and through which entrance."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from kdiff.kube.fields import annotation, mapping, mappings, qualified_kind, text, values_at
from kdiff.model.object import KubeObject
from kdiff.model.value import Value

Hosts = Mapping[str, frozenset[str]]  # host to its entrances, "" for one that the route does not name

# Kubernetes API reference (Ingress), Gateway API, OpenShift, Contour, Istio and Traefik API references.
_HOSTS = {
    "networking.k8s.io/Ingress": "spec.rules[].host",
    "extensions/Ingress": "spec.rules[].host",
    "gateway.networking.k8s.io/HTTPRoute": "spec.hostnames[]",
    "gateway.networking.k8s.io/GRPCRoute": "spec.hostnames[]",
    "gateway.networking.k8s.io/TLSRoute": "spec.hostnames[]",
    "route.openshift.io/Route": "spec.host",
    "projectcontour.io/HTTPProxy": "spec.virtualhost.fqdn",
    "networking.istio.io/VirtualService": "spec.hosts[]",
    "traefik.io/IngressRoute": "spec.routes[].match",
    "traefik.containo.us/IngressRoute": "spec.routes[].match",
}
# Traefik docs, Routers: Rule. Version 2 takes several names in one Host().
_TRAEFIK_HOSTS = re.compile(r"\bHost\(([^)]*)\)")
_QUOTED = re.compile(r"[`\"]([^`\"]+)[`\"]")
_ANY = "any host"


def is_route(group: str, kind: str) -> bool:
    """True for kinds that bring traffic for host names into the cluster."""
    return qualified_kind(group, kind) in _HOSTS


def hosts_of(group: str, kind: str, value: dict[str, Value] | None) -> Hosts:
    """The hosts of one route; `any host` for one that names none."""
    path = _HOSTS.get(qualified_kind(group, kind))
    if value is None or path is None:
        return {}
    spec = mapping(value, "spec")
    names = [host for _, host in values_at(value, path) if isinstance(host, str)]
    if kind == "IngressRoute":
        names = [host for rule in names for hosts in _TRAEFIK_HOSTS.findall(rule) for host in _QUOTED.findall(hosts)]
    elif kind == "VirtualService" and not _gateways(spec):
        return {}  # it directs traffic inside the mesh only
    entrances = frozenset(_entrances(kind, value, spec)) or frozenset({""})
    if not names and kind in ("Ingress", "HTTPRoute", "GRPCRoute", "TLSRoute"):
        names = [_ANY]
    return dict.fromkeys(names, entrances)


def hosts_of_all(objects: Iterable[KubeObject]) -> Hosts:
    """The hosts of all routes among `objects`."""
    found: dict[str, set[str]] = defaultdict(set)
    for obj in objects:
        if is_route(obj.key.group, obj.key.kind):
            for host, entrances in hosts_of(obj.key.group, obj.key.kind, obj.value).items():
                found[host] |= entrances
    return {host: frozenset(entrances) for host, entrances in found.items()}


def _gateways(spec: dict[str, Value]) -> list[str]:
    return [name for _, name in values_at(spec, "gateways[]") if isinstance(name, str) and name != "mesh"]


def _entrances(kind: str, value: dict[str, Value], spec: dict[str, Value]) -> list[str]:
    if kind == "Ingress":
        name = text(spec, "ingressClassName") or annotation(value, "kubernetes.io/ingress.class")
        return [f"IngressClass {name}"] if name else []
    if kind == "VirtualService":
        return [f"Gateway {name.rpartition('/')[2]}" for name in _gateways(spec)]
    return [f"{text(parent, 'kind') or 'Gateway'} {text(parent, 'name')}" for parent in mappings(spec, "parentRefs")]
