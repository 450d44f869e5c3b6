"""Which rights a subject of RBAC holds by the bindings of one side."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.grants import Grant, grants_of, wider
from kdiff.kube.fields import mapping, mappings, text
from kdiff.kube.graph import ReferenceGraph
from kdiff.model.object import ObjectKey
from kdiff.model.value import Value

RBAC_GROUP = "rbac.authorization.k8s.io"
# Whom the API server puts into these groups, and who comes without a name (Kubernetes docs, Using RBAC: Default roles; Authenticating).
_ALWAYS_THERE = ("system:authenticated", "system:unauthenticated", "system:anonymous", "system:serviceaccounts")


def role_of(binding: dict[str, Value]) -> tuple[str, str]:
    """Kind and name of the role that a binding gives."""
    role = mapping(binding, "roleRef")
    return text(role, "kind"), text(role, "name")


def known_grants(graph: ReferenceGraph, role: tuple[str, str], namespace: str) -> set[Grant] | None:
    """What a role grants, as far as its side declares it; None where it does not."""
    kind, name = role
    key = ObjectKey(RBAC_GROUP, kind, "" if kind == "ClusterRole" else namespace, name)
    found = graph.objects.get(graph.settle(key), ())
    return {grant for obj in found for grant in grants_of(obj.value)} if found else None


def was_there(base: ReferenceGraph, subject: dict[str, Value]) -> bool:
    """True for ServiceAccounts that base declares or that come with one of its namespaces, and for the groups of everybody."""
    kind, name, namespace = (text(subject, field) for field in ("kind", "name", "namespace"))
    if kind != "ServiceAccount":
        return name.startswith(_ALWAYS_THERE)
    return ObjectKey("", kind, namespace, name) in base or (name == "default" and bool(base.in_namespace(namespace)))


def holds(base: ReferenceGraph, subject: dict[str, Value], binding: dict[str, Value], grants: set[Grant] | None) -> bool:
    """True when bindings of base already gave the subject, where `binding` applies, the same role or all of `grants`."""
    where = text(mapping(binding, "metadata"), "namespace")
    held: set[Grant] = set()
    for other in _bindings(base, subject, where):
        if role_of(other) == role_of(binding):
            return True
        held |= known_grants(base, role_of(other), where) or set()
    return grants is not None and not wider(grants, held)


def _bindings(base: ReferenceGraph, subject: dict[str, Value], where: str) -> Iterator[dict[str, Value]]:
    """Bindings of the subject for the whole cluster and, with a namespace, for that one."""
    for kind in ("ClusterRoleBinding", "RoleBinding") if where else ("ClusterRoleBinding",):
        for obj in base.of_kind(RBAC_GROUP, kind):
            if obj.key.namespace in ("", where) and any(_is_same(subject, other) for other in mappings(obj.value, "subjects")):
                yield obj.value


def _is_same(one: dict[str, Value], other: dict[str, Value]) -> bool:
    return all(text(one, field) == text(other, field) for field in ("kind", "namespace", "name"))
