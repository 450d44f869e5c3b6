"""What RBAC rules grant, and whether some rules grant all that others do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from kdiff.kube.fields import mappings, strings
from kdiff.model.value import Value

_ANY = "*"


@dataclass(frozen=True, order=True)
class Grant:
    """One verb on one resource, `name` "" for all of them; of a URL, `group` is "" and `resource` starts with a slash."""

    group: str
    resource: str
    name: str
    verb: str

    def covers(self, other: Grant) -> bool:
        """True when this grant allows all that `other` does (kubernetes pkg/apis/rbac/v1, evaluation_helpers.go)."""
        return (
            self.verb in (_ANY, other.verb)
            and (self.group in (_ANY, other.group))
            and self.name in ("", other.name)
            and _covers_resource(self.resource, other.resource)
        )

    def __str__(self) -> str:
        """`get secrets`, `* deployments.apps`, `get secrets/web`."""
        group = f".{self.group}" if self.group else ""
        return f"{self.verb} {self.resource}{group}" + (f" {self.name}" if self.name else "")


def grants_of(role: Value) -> set[Grant]:
    """All that the rules of a Role or ClusterRole grant."""
    return {grant for rule in mappings(role, "rules") for grant in _grants(rule)}


def wider(after: Iterable[Grant], before: set[Grant]) -> list[Grant]:
    """Those of `after` that `before` does not cover, sorted; what another of them covers is left out."""
    broad = [grant for grant in before if _is_broad(grant)]
    gained = sorted(g for g in after if g not in before and not any(b.covers(g) for b in broad))
    widest = [grant for grant in gained if _is_broad(grant)]
    return [g for g in gained if not any(w != g and w.covers(g) for w in widest)]


def _grants(rule: Value) -> Iterator[Grant]:
    verbs = list(strings(rule, "verbs"))
    names = list(strings(rule, "resourceNames")) or [""]
    for group, resource, name, verb in product(strings(rule, "apiGroups"), list(strings(rule, "resources")), names, verbs):
        yield Grant(group, resource, name, verb)
    for url, verb in product(strings(rule, "nonResourceURLs"), verbs):
        yield Grant("", url if url.startswith("/") else "/" + url, "", verb)


def _is_broad(grant: Grant) -> bool:
    return _ANY in (grant.group, grant.verb) or not grant.name or _ANY in grant.resource


def _covers_resource(allowed: str, wanted: str) -> bool:
    if allowed.startswith("/") or wanted.startswith("/"):  # URLs; a final star stands for any rest
        return allowed == wanted or (allowed.endswith(_ANY) and allowed.startswith("/") and wanted.startswith(allowed[:-1]))
    return allowed in (_ANY, wanted) or (allowed.startswith("*/") and wanted.endswith(allowed[1:]))
