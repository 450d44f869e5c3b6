"""Reports built by hand: small constructors and one report that holds something of everything."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kdiff.model.change import Change, ChangeTargets, Counterpart, FieldChange, Group, GroupMember, InnerChange, Move, ObjectRef
from kdiff.model.failure import Failure, Note
from kdiff.model.hazard import Hazard, SourceLocation, Waiver
from kdiff.model.impact import Counts, Dependents, ImageChange, Impact, Rollout
from kdiff.model.report import HazardTotals, ObjectTotals, Report, Summary, TargetTotals, Tool
from kdiff.model.tree import TreeOrigin

PROD = "apps/web/overlays/prod"
WEB = ObjectRef("apps", "v1", "Deployment", "shop", "web")
REPLICAS = FieldChange("/spec/replicas", "/spec/replicas", "spec.replicas", "replace", 2, 3)


def ref(kind: str, name: str, namespace: str | None = "shop", group: str = "") -> ObjectRef:
    return ObjectRef(group, "v1", kind, namespace, name)


def change(obj: ObjectRef, status: Any = "changed", *, scope: str = PROD, base: ObjectRef | None = None, **more: Any) -> Change:
    base = None if status == "added" else base or obj
    sides = ChangeTargets(() if status == "added" else (scope,), () if status == "removed" else (scope,))
    return Change(
        id=obj.id,
        base_id=base.id if base else None,
        status=status,
        scope=scope,
        object=obj,
        base_object=base,
        targets=more.pop("targets", sides),
        **more,
    )


def replaced(path: str, before: Any, after: Any, **more: Any) -> FieldChange:
    pointer = "/" + path.replace(".", "/")
    return FieldChange(pointer, pointer, path, "replace", before, after, **more)


def report(*changes: Change, **more: Any) -> Report:
    given = {"outcome": "changed" if changes else "unchanged", **more}
    return Report(
        Tool("kdiff", "9.9.9", "kubectl", "5.8.1"),
        TreeOrigin("base", "directory"),
        TreeOrigin("head", "directory"),
        changes=changes,
        **given,
    )


def everything() -> Report:
    config = ref("ConfigMap", "cfg-b")
    moved = ("Kustomization flux-system/a",), ("Kustomization flux-system/b",)
    overlays = [f"apps/api/overlays/t{i:02}" for i in range(12)]
    api = ref("Deployment", "api", "api", "apps")
    changes = (
        *(change(api, scope=scope, fields=(REPLICAS,), effects=("scale",)) for scope in overlays),
        change(
            WEB,
            fields=(
                REPLICAS,
                replaced("spec.template.spec.containers[name=web].image", "ghcr.io/acme/web:1.2.0", "ghcr.io/acme/web:1.3.0"),
                replaced("spec.template.spec.containers[name=web].ports[0].containerPort", 8080, "8080"),
                replaced("spec.template.spec.volumes[name=cfg].configMap.name", "cfg-a", "cfg-b", follows=config.id),
                FieldChange("/spec/paused", "/spec/paused", "spec.paused", "add", after=False),
                FieldChange("/spec/x", "/spec/x", "spec.x", "remove", before=None),
                FieldChange("/spec/args", "/spec/args", "spec.args", "reorder", ["a", "b"], ["b", "a"], class_="order"),
                replaced("spec.memory", "1Gi", "1024Mi", class_="format"),
            ),
            effects=("rollout",),
            unified="--- b\n+++ h\n@@ -1,7 +1,7 @@\n a: 1\n b: 2\n c: 3\n-d: 4 \n+d: 5\n e: 6\n f: 7\n g: 8\n",
        ),
        change(
            config,
            "renamed",
            base=ref("ConfigMap", "cfg-a"),
            proof="hash",
            fields=(
                replaced("data.motd", "hello\nworld  \n", "hello\nworld"),
                replaced("data.app", "a: {b: 1}\n", "a: {b: 2}\n", inner=(InnerChange("a.b", "replace", 1, 2),)),
            ),
        ),
        change(ref("Secret", "db"), fields=(replaced("data.password", "", "", redacted=True),), patch=None, patch_withheld="secret"),
        change(ref("Service", "new"), "added", counterpart=Counterpart("v1/Service shop/old", 0.92), effects=("create",)),
        change(ref("Service", "old"), "removed", effects=("delete",), unified="@@ -1,2 +0,0 @@\n-a: 1\n-b: 2\n"),
        change(ref("Namespace", "shop", None), "moved", scope="clusters/prod", moved=Move(*moved), targets=ChangeTargets(*moved)),
    )
    return report(
        *changes,
        outcome="incomplete",
        summary=Summary(ObjectTotals(124, 124, 1, 1, 14, 1, 1, 106), TargetTotals(16, 15, 14, 1, 4, 5, 13), HazardTotals(1, 1, 0)),
        groups=(Group((REPLICAS,), tuple(GroupMember(scope, api.id) for scope in overlays)),),
        impact=Impact(
            by_kind={"Deployment": Counts(changed=13), "Service": Counts(added=1, removed=1)},
            by_namespace={"shop": Counts(1, 1, 2, 1)},
            cluster_scoped=1,
            rollouts=(Rollout(WEB.id, 3, ("/spec/template/spec/containers/0/image", config.id), scope=PROD),),
            pods=3,
            dependents=(Dependents(config.id, (WEB.id,), 2, scope=PROD),),
            images=(ImageChange("ghcr.io/acme/web", "1.2.0", "1.3.0", (WEB.id,)),),
        ),
        hazards=(
            Hazard(
                "removed-namespace",
                "blocking",
                "Namespace shop leaves and Flux prunes it: 14 objects go with it.",
                "nothing else declares it",
                "help",
                object="v1/Namespace shop",
                source=SourceLocation("apps/web/kustomization.yaml", 12),
                scope="clusters/prod",
            ),
            Hazard("image-unpinned", "caution", "The image of web lost its tag.", "why", "help", object=WEB.id, scope=PROD),
            Hazard(
                "scaled-to-zero", "caution", "msg", "why", "help", object="apps/v1/Deployment z", waived=Waiver("config", "night shift")
            ),
        ),
        failures=(Failure("head", "apps/broken", "missing-resource", "no such file: x.yaml", "apps/broken"),),
        notes=(Note("ignored", "3 fields were ignored"), Note("equivalent", "128Mi and 0.125Gi mean the same", object=WEB.id)),
    )


@pytest.fixture
def build() -> SimpleNamespace:
    """The constructors above, for tests: `build.report(build.change(...))`."""
    return SimpleNamespace(ref=ref, change=change, replaced=replaced, report=report, everything=everything, WEB=WEB, REPLICAS=REPLICAS)


@pytest.fixture
def full_report() -> Report:
    return everything()
