"""What changes reach: effects, rollouts, counts, dependents, images, routine."""

from __future__ import annotations

import pytest
import yaml

from kdiff.impact.assess_impact import assess_impact
from kdiff.kube.graph import build_graphs
from kdiff.model.change import Change, ChangeTargets, FieldChange, Move, ObjectRef
from kdiff.model.failure import Failure
from kdiff.model.impact import Counts, Dependents, ImageChange, Rollout
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target

SCOPE = "cluster"


def obj(text: str, target: str = SCOPE) -> KubeObject:
    value = yaml.safe_load(text)
    group, _, version = value["apiVersion"].rpartition("/")
    key = ObjectKey(group, value["kind"], value["metadata"].get("namespace", ""), value["metadata"]["name"])
    return KubeObject(key, version, text.encode(), yaml.safe_load, target=target)


def side(name: str, objects=(), targets=(), failed=()) -> Side:
    """A side with an entry target (scope and id `cluster`) and the given others."""
    every = {t.id: t for t in (Target(SCOPE, SCOPE, "kustomization", SCOPE, tree=None), *targets)}
    states = tuple(
        TargetState(
            t, tuple(o for o in objects if o.target == t.id), Failure(name, t.id, "timeout", "m", SCOPE) if t.id in failed else None
        )
        for t in sorted(every.values(), key=lambda t: t.id)
    )
    return Side(name, tree=None, states=states)


def ref(o: KubeObject) -> ObjectRef:
    return ObjectRef(o.key.group, o.version, o.key.kind, o.key.namespace or None, o.key.name)


def change(base: KubeObject | None, head: KubeObject | None, *fields: FieldChange | str, status: str | None = None, **more) -> Change:
    """The Change that comparing gives; a bare pointer among `fields` is a replaced value."""
    shown = head or base
    return Change(
        id=shown.id,
        base_id=base.id if base else None,
        status=status or ("changed" if base and head else "added" if head else "removed"),
        scope=SCOPE,
        object=ref(shown),
        base_object=ref(base) if base else None,
        targets=ChangeTargets((base.target,) if base else (), (head.target,) if head else ()),
        fields=tuple(f if isinstance(f, FieldChange) else field(f) for f in fields),
        base_value=base.value if base else None,
        head_value=head.value if head else None,
        **more,
    )


def field(pointer: str, before="old", after="new", **more) -> FieldChange:
    return FieldChange(
        pointer, more.pop("base_pointer", pointer), pointer[1:].replace("/", "."), more.pop("op", "replace"), before, after, **more
    )


def assess(changes, base=None, head=None):
    """Assesses changes; the sides default to what the changes themselves hold."""
    base, head = base or side("base"), head or side("head")
    return assess_impact(tuple(changes), base, head, build_graphs(base, Options()), build_graphs(head, Options()))


def workload(
    kind="Deployment", spec="", template="{containers: [{name: c, image: 'r/app:1'}]}", api="apps/v1", name="web", target=SCOPE
) -> KubeObject:
    return obj(
        f"{{apiVersion: {api}, kind: {kind}, metadata: {{name: {name}, namespace: shop}}, "
        f"spec: {{{spec + ', ' if spec else ''}template: {{spec: {template}}}}}}}",
        target,
    )


IMAGE = "/spec/template/spec/containers/0/image"
HPA = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: {minReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}"
KEDA = "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: h, namespace: shop}, spec: {minReplicaCount: 2, scaleTargetRef: {name: web}}}"


@pytest.mark.parametrize(
    ("kind", "spec", "pointer", "replicas"),
    [
        ("Deployment", "", IMAGE, 1),
        ("Deployment", "replicas: 3", IMAGE, 3),
        ("Deployment", "replicas: 3", "/spec/template", 3),
        ("Deployment", "replicas: 3", "/spec/template/metadata/annotations/checksum~1config", 3),
        ("Deployment", "replicas: 3", "/spec/templates", "none"),
        ("Deployment", "replicas: 3", "/metadata/labels/app", "none"),
        ("Deployment", "replicas: 3", "/spec/strategy/type", "none"),
        ("Deployment", "replicas: 3", "/spec/replicas", "none"),
        ("Deployment", "replicas: 0", IMAGE, "none"),
        ("Deployment", "replicas: 3, paused: true", IMAGE, "none"),
        ("Deployment", "replicas: 3, paused: false", IMAGE, 3),
        ("StatefulSet", "replicas: 5", IMAGE, 5),
        ("StatefulSet", "replicas: 5, updateStrategy: {type: OnDelete}", IMAGE, "none"),
        ("StatefulSet", "replicas: 5, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}", IMAGE, 3),
        ("StatefulSet", "replicas: 5, updateStrategy: {rollingUpdate: {partition: 9}}", IMAGE, "none"),
        ("DaemonSet", "", IMAGE, None),
        ("DaemonSet", "updateStrategy: {type: OnDelete}", IMAGE, "none"),
        ("ReplicaSet", "replicas: 3", IMAGE, "none"),
    ],
)
def test_pods_are_replaced_as_each_controller_decides(kind, spec, pointer, replicas):
    o = workload(kind, spec)
    (done,), impact = assess([change(o, o, pointer)])
    expected = () if replicas == "none" else (Rollout(f"apps/v1/{kind} shop/web", replicas, (pointer,), SCOPE),)
    assert impact.rollouts == expected
    assert impact.pods == (replicas if isinstance(replicas, int) else 0)
    assert ("rollout" in done.effects) == bool(expected)


@pytest.mark.parametrize(("kind", "pointer"), [("Job", "/spec/template/spec/x"), ("CronJob", "/spec/jobTemplate/spec/template/spec/x")])
def test_jobs_do_not_roll(kind, pointer):
    spec = "spec: {template: {spec: {}}}" if kind == "Job" else "spec: {jobTemplate: {spec: {template: {spec: {}}}}}"
    o = obj(f"{{apiVersion: batch/v1, kind: {kind}, metadata: {{name: j, namespace: shop}}, {spec}}}")
    assert assess([change(o, o, pointer)])[1].rollouts == ()


@pytest.mark.parametrize(
    ("spec", "scaler", "replicas"),
    [
        ("", HPA, 4),
        ("replicas: 2", HPA, 2),
        ("", HPA.replace("minReplicas: 4, ", ""), 1),
        ("", KEDA, 2),
        ("", KEDA.replace("minReplicaCount: 2, ", ""), None),
    ],
)
def test_replicas_come_from_the_autoscaler_where_the_workload_names_none(spec, scaler, replicas):
    o = workload(spec=spec)
    head = side("head", [o, obj(scaler)])
    assert assess([change(o, o, IMAGE)], head=head)[1].rollouts[0].replicas == replicas


def test_a_vertical_autoscaler_and_a_service_say_nothing_about_replicas():
    vertical = "{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: v, namespace: shop}, spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}"
    o = workload()
    head = side("head", [o, obj(vertical), obj(SERVICE)])
    assert assess([change(o, o, IMAGE)], head=head)[1].rollouts[0].replicas == 1


def test_nothing_rolls_that_has_no_pods_to_replace_yet():
    off, on = workload(spec="replicas: 0"), workload(spec="replicas: 3")
    (done,), impact = assess([change(off, on, IMAGE, field("/spec/replicas", 0, 3))])
    assert impact.rollouts == ()
    assert done.effects == ("scale",)


@pytest.mark.parametrize(
    ("changed", "rolls"),
    [
        (field("/spec/template/spec/containers/0/resources/limits/cpu", "1000m", "1", class_="format"), False),
        (field("/spec/template/metadata/annotations/conf", '{"a":1}', '{"a": 1}', class_="format"), True),
        (field("/spec/template/spec/containers/0/env", ["A", "B"], ["B", "A"], op="reorder", class_="order"), True),
        (field("/spec/template/spec/containers/1/image", base_pointer="/spec/template/spec/containers/0/image"), True),
    ],
)
def test_only_what_the_api_server_would_see_rolls(changed, rolls):
    o = workload()
    assert bool(assess([change(o, o, changed)])[1].rollouts) == rolls


def test_a_rollout_names_the_renamed_object_it_follows():
    o = workload()
    follow = field("/spec/template/spec/volumes/0/configMap/name", "c-1", "c-2", follows="v1/ConfigMap shop/c-2")
    assert assess([change(o, o, follow)])[1].rollouts[0].because == (
        "/spec/template/spec/volumes/0/configMap/name",
        "v1/ConfigMap shop/c-2",
    )


def test_added_and_removed_workloads_do_not_roll():
    o = workload()
    done, impact = assess([change(None, o), change(o, None)], side("base", []), side("head", []))
    assert impact.rollouts == ()
    assert [c.effects for c in done] == [("create",), ("delete",)]


def flux(name: str, parent: str | None = SCOPE, **fields) -> Target:
    owner = obj(
        f"{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {name}, namespace: flux-system}}}}", parent
    )
    return Target(
        f"Kustomization flux-system/{name}", SCOPE, "flux", name, tree=None, owner=owner, parent=parent, **{"prune": True, **fields}
    )


APPS = "Kustomization flux-system/apps"
CLAIM = "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: data, namespace: shop{0}}}}}"


@pytest.mark.parametrize(
    ("base", "head", "metadata", "effect"),
    [
        ([flux("apps")], [flux("apps")], "", "delete"),
        ([flux("apps")], [flux("apps", prune=False)], "", "orphaned"),
        ([flux("apps", prune=False)], [flux("apps")], "", "delete"),
        ([flux("apps")], [flux("apps", suspended=True)], "", "none-until-resumed"),
        ([flux("apps", suspended=True)], [flux("apps")], "", "delete"),
        ([flux("apps")], [flux("apps")], ", labels: {kustomize.toolkit.fluxcd.io/prune: disabled}", "orphaned"),
        ([flux("apps")], [flux("apps")], ", annotations: {kustomize.toolkit.fluxcd.io/prune: Disabled}", "orphaned"),
        ([flux("apps")], [flux("apps")], ", annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}", "orphaned"),
        ([flux("apps")], [flux("apps")], ", annotations: {kustomize.toolkit.fluxcd.io/prune: 'false'}", "delete"),
        ([flux("apps")], [flux("apps")], ", annotations: {kustomize.toolkit.fluxcd.io/Prune: disabled}", "delete"),
        ([flux("apps")], [flux("apps")], ", annotations: {helm.sh/resource-policy: keep}", "delete"),
        # the Kustomization itself goes
        ([flux("apps")], [], "", "delete"),
        ([flux("apps", prune=False)], [], "", "orphaned"),
        ([flux("apps", prune=False, deletion_policy="Delete")], [], "", "delete"),
        ([flux("apps", prune=False, deletion_policy="WaitForTermination")], [], "", "delete"),
        ([flux("apps", deletion_policy="Orphan")], [], "", "orphaned"),
        ([flux("apps", deletion_policy="MirrorPrune")], [], "", "delete"),
        ([flux("apps", suspended=True)], [], "", "orphaned"),
        ([flux("apps")], [], ", labels: {kustomize.toolkit.fluxcd.io/prune: disabled}", "orphaned"),
        # what would delete the Kustomization does not
        ([flux("apps", "Kustomization flux-system/root"), flux("root")], [flux("root", prune=False)], "", "orphaned"),
        ([flux("apps", "Kustomization flux-system/root"), flux("root")], [flux("root", suspended=True)], "", "none-until-resumed"),
        ([flux("apps", "Kustomization flux-system/root"), flux("root")], [flux("root")], "", "delete"),
        ([flux("apps", APPS)], [], "", "delete"),
    ],
)
def test_an_object_that_leaves_a_flux_target(base, head, metadata, effect):
    claim = obj(CLAIM.format(metadata), APPS)
    (done,), _ = assess([change(claim, None)], side("base", [claim], base), side("head", [], head))
    assert done.effects == (effect,)


def argo(finalizers: str = "[resources-finalizer.argocd.argoproj.io]", **fields) -> Target:
    owner = obj(
        f"{{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {{name: apps, namespace: argocd, finalizers: {finalizers}}}}}"
    )
    return Target("Application argocd/apps", SCOPE, "argo", "apps", tree=None, owner=owner, parent=SCOPE, **{"prune": True, **fields})


@pytest.mark.parametrize(
    ("base", "head", "metadata", "effect"),
    [
        ([argo()], [argo()], "", "delete"),
        ([argo()], [argo(prune=False)], "", "orphaned"),
        ([argo()], [argo()], ", annotations: {argocd.argoproj.io/sync-options: 'Validate=false, Prune=false'}", "orphaned"),
        ([argo()], [argo()], ", annotations: {argocd.argoproj.io/sync-options: Delete=false}", "delete"),
        ([argo()], [argo()], ", annotations: {helm.sh/resource-policy: keep}", "orphaned"),
        ([argo()], [], "", "delete"),
        ([argo("[]")], [], "", "orphaned"),
        ([argo()], [], ", annotations: {argocd.argoproj.io/sync-options: Delete=false}", "orphaned"),
    ],
)
def test_an_object_that_leaves_an_argo_target(base, head, metadata, effect):
    claim = obj(CLAIM.format(metadata), "Application argocd/apps")
    (done,), _ = assess([change(claim, None)], side("base", [claim], base), side("head", [], head))
    assert done.effects == (effect,)


def test_what_another_target_goes_on_rendering_is_neither_deleted_nor_created():
    here, there = obj(CLAIM.format("")), obj(CLAIM.format(""), APPS)
    base, head = side("base", [here, there], [flux("apps")]), side("head", [there], [flux("apps")])
    assert assess([change(here, None)], base, head)[0][0].effects == ()
    assert assess([change(None, here)], head, base)[0][0].effects == ()


@pytest.mark.parametrize(
    ("base", "head", "held"),
    [
        ([flux("apps")], [flux("apps", suspended=True)], True),
        ([flux("apps", suspended=True)], [flux("apps")], False),
        ([], [flux("apps", "Kustomization flux-system/root"), flux("root", suspended=True)], True),
        (
            [flux("apps", "Kustomization flux-system/root")],
            [flux("apps", "Kustomization flux-system/root"), flux("root", suspended=True)],
            False,
        ),
        ([], [flux("apps", "Kustomization flux-system/root"), flux("root")], False),
        ([], [flux("apps", APPS)], False),
    ],
)
def test_suspension_holds_back_every_change(base, head, held):
    o, new = workload(target=APPS), obj(CLAIM.format(""), APPS)
    done, impact = assess([change(o, o, IMAGE), change(None, new)], side("base", [o], base), side("head", [o, new], head))
    assert [c.effects for c in done] == ([("none-until-resumed",)] * 2 if held else [("rollout",), ("create",)])
    assert bool(impact.rollouts) == (not held)


def test_flux_passes_over_what_carries_reconcile_disabled():
    plain = workload(target=APPS)
    ignored = obj(
        plain.raw.decode().replace("namespace: shop", "namespace: shop, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}"),
        APPS,
    )
    sides = side("base", [plain], [flux("apps")]), side("head", [plain], [flux("apps")])
    assert assess([change(ignored, plain, IMAGE)], *sides)[0][0].effects == ("none-until-resumed",)
    assert assess([change(plain, ignored, IMAGE)], *sides)[0][0].effects == ("none-until-resumed",)


SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {}}"
JOB = "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: shop%s}, spec: {template: {spec: {}}}}"
FORCED = ", annotations: {kustomize.toolkit.fluxcd.io/force: Enabled}"


@pytest.mark.parametrize(
    ("text", "fields", "target", "effects"),
    [
        (SERVICE, ["/metadata/labels/a", "/metadata/annotations/b"], flux("apps"), ("metadata-only",)),
        (SERVICE, ["/metadata/labels/a", "/spec/type"], flux("apps"), ()),
        (SERVICE, ["/metadata/finalizers"], flux("apps"), ()),
        (SERVICE, [], flux("apps"), ()),
        (JOB % "", ["/spec/template/spec/x"], flux("apps"), ()),
        (JOB % "", ["/spec/template/spec/x"], flux("apps", force=True), ("recreate",)),
        (JOB % FORCED, ["/spec/template/spec/x"], flux("apps"), ("recreate",)),
        (JOB % "", ["/spec/parallelism"], flux("apps", force=True), ()),
        (
            workload().raw.decode(),
            ["/spec/selector/matchLabels/app", IMAGE, field("/spec/replicas", 1, 2)],
            flux("apps", force=True),
            ("rollout", "recreate", "scale"),
        ),
        (workload("StatefulSet").raw.decode(), ["/spec/serviceName"], flux("apps", force=True), ("recreate",)),
        (workload("StatefulSet").raw.decode(), ["/spec/minReadySeconds"], flux("apps", force=True), ()),
    ],
)
def test_effects_of_an_edit(text, fields, target, effects):
    o = obj(text, APPS)
    assert assess([change(o, o, *fields)], side("base", [o], [target]), side("head", [o], [target]))[0][0].effects == effects


def test_a_renamed_object_is_created_and_its_old_name_removed():
    old, new = (obj(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {n}, namespace: shop}}}}", APPS) for n in ("c-1", "c-2"))
    for target, expected in ((flux("apps"), ("delete", "create")), (flux("apps", prune=False), ("create", "orphaned"))):
        (done,), _ = assess([change(old, new, status="renamed")], side("base", [old], [target]), side("head", [new], [target]))
        assert done.effects == expected


def test_a_mere_move_has_no_effect_of_its_own():
    here, there = obj(SERVICE), obj(SERVICE, APPS)
    moved = change(here, there, status="moved", moved=Move((SCOPE,), (APPS,)))
    assert assess([moved], side("base", [here], [flux("apps")]), side("head", [there], [flux("apps")]))[0][0].effects == ()


def test_counts():
    role = obj("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}")
    crd = obj("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: w.x.io}}")
    service, knative = obj(SERVICE), obj(SERVICE.replace("v1,", "serving.knative.dev/v1,", 1))
    changes = [
        change(role, None),
        change(None, crd),
        change(service, service, "/spec/type", moved=Move((SCOPE,), (APPS,))),
        change(knative, knative, status="moved", moved=Move((SCOPE,), (APPS,))),
    ]
    impact = assess(changes)[1]
    assert impact.by_kind == {
        "ClusterRole": Counts(removed=1),
        "CustomResourceDefinition": Counts(added=1),
        "Service": Counts(changed=1, moved=1),
        "Service.serving.knative.dev": Counts(moved=1),
    }
    assert impact.by_namespace == {"-": Counts(added=1, removed=1), "shop": Counts(changed=1, moved=2)}
    assert impact.by_target == {SCOPE: Counts(added=1, removed=1, changed=1, moved=2)}
    assert (impact.cluster_scoped, impact.crds) == (2, 1)


def test_one_target_id_in_two_scopes_is_counted_apart():
    o = obj(SERVICE)
    first = change(o, o, "/spec/type")
    second = Change(**{**first.__dict__, "scope": "other"})
    assert assess([first, second])[1].by_target == {"cluster: cluster": Counts(changed=1), "other: cluster": Counts(changed=1)}


CONF = "{apiVersion: v1, kind: ConfigMap, metadata: {name: conf, namespace: shop}}"
USER = "{envFrom: [{configMapRef: {name: conf}}]}"


def test_dependents_of_changed_and_removed_objects():
    conf, web, svc = obj(CONF), workload(template="{containers: [{name: c, envFrom: [{configMapRef: {name: conf}}]}]}"), obj(SERVICE)
    cron = workload("CronJob", api="batch/v1", name="unrelated")
    both = [conf, web, svc, cron]
    changed = assess([change(conf, conf, "/data/a")], side("base", both), side("head", both))[1]
    assert changed.dependents == (Dependents("v1/ConfigMap shop/conf", ("apps/v1/Deployment shop/web",), 0, SCOPE),)
    removed = assess([change(conf, None)], side("base", both), side("head", [web, svc]))[1]
    assert removed.dependents == changed.dependents
    gone_together = assess([change(conf, None)], side("base", both), side("head", [svc]))[1]
    assert gone_together.dependents == ()


def test_transitive_dependents_are_those_beyond_the_direct_ones():
    conf = obj(CONF)
    web = obj(
        workload(template="{volumes: [{configMap: {name: conf}}]}")
        .raw.decode()
        .replace("template: {spec", "template: {metadata: {labels: {a: b}}, spec")
    )
    svc = obj(SERVICE.replace("spec: {}", "spec: {selector: {a: b}}"))
    ingress = obj(
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: shop}, spec: {defaultBackend: {service: {name: web}}}}"
    )
    (found,) = assess([change(conf, conf, "/data/a")], head=side("head", [conf, web, svc, ingress]))[1].dependents
    assert (found.direct, found.transitive) == (("apps/v1/Deployment shop/web",), 2)


def test_target_dependents_over_all_that_targets_declare():
    conf = obj("{apiVersion: v1, kind: ConfigMap, metadata: {name: vars, namespace: flux-system}}", "Kustomization flux-system/vars")
    source = obj(
        "{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: s, namespace: flux-system}}",
        "Kustomization flux-system/sources",
    )
    targets = [
        flux("vars", None),
        flux("sources", None),
        flux("parent", None),
        flux("a", None, depends_on=("Kustomization flux-system/vars",)),
        flux("b", None, substitutes_from=("v1/ConfigMap flux-system/vars",)),
        flux("c", None, source="OCIRepository flux-system/s"),
        flux("d", "Kustomization flux-system/parent"),
        flux("e", None, depends_on=("Kustomization flux-system/a", "Kustomization flux-system/e")),
    ]
    names = {t.id.rpartition("/")[2]: t.id for t in targets}
    web = workload(target=names["parent"])
    head = side("head", [conf, source], targets, failed={names["sources"]})
    impact = assess([change(conf, conf, "/data/a"), change(web, web, IMAGE)], head=head)[1]
    assert impact.target_dependents == (
        Dependents(names["parent"], (names["d"],), 0, SCOPE),
        Dependents(names["sources"], (names["c"],), 0, SCOPE),
        Dependents(names["vars"], (names["a"], names["b"]), 1, SCOPE),
    )


def images(*pairs: tuple[str | None, str | None], name="web"):
    """Image changes of workloads whose only containers run these images before and after."""

    def holding(found):
        items = ", ".join(f"{{name: c{i}, image: '{image}'}}" for i, image in enumerate(found) if image)
        return workload(template=f"{{containers: [{items}]}}", name=name)

    base, head = holding([p[0] for p in pairs]), holding([p[1] for p in pairs])
    return [(c.image, c.from_, c.to) for c in assess([change(base, head, IMAGE)])[1].images]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("nginx:1.25", "nginx:1.26")], [("nginx", "1.25", "1.26")]),
        ([("nginx", "nginx:1.26")], [("nginx", "latest", "1.26")]),
        ([("host:5000/a/b:1", "host:5000/a/b:2")], [("host:5000/a/b", "1", "2")]),
        ([("a/b:1@sha256:" + "0" * 64, "a/b:2@sha256:" + "1" * 64)], [("a/b", "1@sha256:" + "0" * 64, "2@sha256:" + "1" * 64)]),
        ([("a/b:1", "c/b:1")], [("a/b", "1", None), ("c/b", None, "1")]),
        ([("a:1", "a:1")], []),
        ([("a:1", "b:1"), ("b:1", "a:1")], []),
        ([("a:1", "a:2"), ("a:5", "a:6")], [("a", "1", "2"), ("a", "5", "6")]),
        ([("a:1", "a:1"), (None, "a:2")], [("a", None, "2")]),
        ([("a:1", "a:1"), (None, "a:1")], []),
        ([("a:1", "a:2"), (None, "a:2")], [("a", "1", "2")]),
    ],
)
def test_images(pairs, expected):
    assert images(*pairs) == expected


def test_images_of_init_containers_and_of_many_objects():
    old = workload(template="{initContainers: [{name: i, image: 'init:1'}], containers: [{name: c, image: 'a:1'}]}")
    new = workload(template="{initContainers: [{name: i, image: 'init:2'}], containers: [{name: c, image: 'a:2'}]}")
    more = [workload("DaemonSet", name=n, template=f"{{containers: [{{name: c, image: 'a:{v}'}}]}}") for n in ("y", "x") for v in (1, 2)]
    found = assess([change(old, new, IMAGE), change(more[0], more[1], IMAGE), change(more[2], more[3], IMAGE)])[1].images
    assert found == (
        ImageChange("a", "1", "2", ("apps/v1/DaemonSet shop/x", "apps/v1/DaemonSet shop/y", "apps/v1/Deployment shop/web")),
        ImageChange("init", "1", "2", ("apps/v1/Deployment shop/web",)),
    )


def test_what_goes_with_one_object_and_comes_with_another_is_paired_by_repository():
    def running(name, *found):
        return workload(name=name, template="{containers: [" + ", ".join(f"{{name: {i}, image: '{i}'}}" for i in found) + "]}")

    found = assess([change(None, running("new", "a:2", "b:9")), change(running("old", "a:1", "c:9"), None)])[1].images
    both = ("apps/v1/Deployment shop/new", "apps/v1/Deployment shop/old")
    assert found == (ImageChange("a", "1", "2", both), ImageChange("b", None, "9", both[:1]), ImageChange("c", "9", None, both[1:]))


def test_an_image_that_only_changes_its_object_is_no_change():
    old, new = workload(name="old"), workload(name="new")
    assert assess([change(None, new), change(old, None)])[1].images == ()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "{image: {repository: ghcr.io/a/b, tag: 1.2.0}}",
            "{image: {repository: ghcr.io/a/b, tag: 1.3.0}}",
            [("ghcr.io/a/b", "1.2.0", "1.3.0")],
        ),
        (
            "{i: {registry: quay.io, repository: a/b, tag: v1}}",
            "{i: {registry: quay.io, repository: a/b, tag: v2}}",
            [("quay.io/a/b", "v1", "v2")],
        ),
        ("{image: 'a/b:1'}", "{image: 'a/b:2'}", [("a/b", "1", "2")]),
        ("{image: hello}", "{image: world}", []),
        ("{image: 'https://x/y:1'}", "{image: 'https://x/y:2'}", []),
        ("{repository: 'https://x/y', tag: a}", "{repository: 'https://x/y', tag: b}", []),
        ("{repository: 7, tag: a}", "{repository: 7, tag: b}", []),
    ],
)
def test_images_in_helm_values_and_custom_resources(before, after, expected):
    release = "{{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {{name: r, namespace: shop}}, spec: {{values: {0}}}}}"
    base, head = obj(release.format(before)), obj(release.format(after))
    assert [(c.image, c.from_, c.to) for c in assess([change(base, head, "/spec/values")])[1].images] == expected


RELEASE = "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: r}}"
SOURCE = "{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: r}}"


@pytest.mark.parametrize(
    ("text", "fields", "routine"),
    [
        (workload().raw.decode(), [field(IMAGE, "a:1", "a:2")], True),
        (workload().raw.decode(), [field(IMAGE, "a:1", "b:1")], False),
        (workload().raw.decode(), [field(IMAGE, "a:1", "a:2"), "/metadata/labels/app.kubernetes.io~1version"], True),
        (workload().raw.decode(), [field(IMAGE, "a:1", "a:2"), "/spec/replicas"], False),
        (workload().raw.decode(), [field(IMAGE, "a:1", "a:2", op="add")], False),
        (workload().raw.decode(), [], False),
        (RELEASE, ["/spec/chart/spec/version"], True),
        (RELEASE, ["/spec/values/controllers/main/image/tag"], True),
        (RELEASE, ["/spec/values/feature/tag"], False),
        (SOURCE, ["/spec/ref/tag", "/spec/ref/digest"], True),
        (SOURCE, ["/spec/url"], False),
        (SERVICE, ["/spec/ref/tag"], False),
    ],
)
def test_routine(text, fields, routine):
    o = obj(text)
    assert assess([change(o, o, *fields)])[1].routine is routine


def test_nothing_and_additions_are_not_routine():
    o = workload()
    assert assess([])[1].routine is False
    assert assess([change(o, o, field(IMAGE, "a:1", "a:2")), change(None, o)])[1].routine is False
