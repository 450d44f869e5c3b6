"""The reference graph: each field that names another object, dangling references, and who is reached by a change."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kdiff.kube.graph import build_graph, build_graphs
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options, ReferenceField
from kdiff.model.side import Side, TargetState
from kdiff.model.target import Target


def objects(text: str, target: str = ".") -> list[KubeObject]:
    """Objects from YAML; namespaces as they are written."""
    found = []
    for value in yaml.safe_load_all(text):
        group, _, version = value["apiVersion"].rpartition("/")
        metadata = value["metadata"]
        key = ObjectKey(group, value["kind"], metadata.get("namespace", ""), metadata["name"])
        found.append(KubeObject(key, version, yaml.safe_dump(value).encode(), yaml.safe_load, target=target))
    return found


def graph(text: str, **options):
    return build_graph(objects(text), **options)


def edges(text: str, **options) -> set[tuple[str, str, str]]:
    """(kind of reference, pointer, `group/Kind ns/name` of the target), without the Namespace that holds each object."""
    return {
        (r.kind, r.pointer, f"{r.target.group}/{r.target.kind} {r.target.namespace}/{r.target.name}".lstrip("/"))
        for r in graph(text, **options).references
        if r.kind != "contains"
    }


def manifest(api: str, kind: str, spec: str, name: str = "x", namespace: str | None = "shop") -> str:
    """An object whose remaining fields are the flow mapping `spec`."""
    place = f", namespace: {namespace}" if namespace else ""
    return f"{{apiVersion: {api}, kind: {kind}, metadata: {{name: {name}{place}}}, {spec}}}\n"


POD = """{serviceAccountName: sa, priorityClassName: high, runtimeClassName: gvisor, imagePullSecrets: [{name: pull}],
  initContainers: [{name: i, envFrom: [{secretRef: {name: boot}}]}],
  containers: [{name: c, envFrom: [{configMapRef: {name: all, optional: true}}],
    env: [{name: A, valueFrom: {configMapKeyRef: {name: one, key: a}}}, {name: B, valueFrom: {secretKeyRef: {name: s, key: b}}}]}],
  volumes: [{name: v1, configMap: {name: files, items: [{key: k1, path: p}, {key: k2, path: q}]}}, {name: v2, secret: {secretName: tls}},
    {name: v3, projected: {sources: [{configMap: {name: pc}}, {secret: {name: ps}}]}}, {name: v4, persistentVolumeClaim: {claimName: data}},
    {name: v5, csi: {driver: d, nodePublishSecretRef: {name: csi}}}]}"""
POD_TARGETS = {
    "ServiceAccount shop/sa",
    "scheduling.k8s.io/PriorityClass /high",
    "node.k8s.io/RuntimeClass /gvisor",
    "Secret shop/pull",
    "Secret shop/boot",
    "ConfigMap shop/all",
    "ConfigMap shop/one",
    "Secret shop/s",
    "ConfigMap shop/files",
    "Secret shop/tls",
    "ConfigMap shop/pc",
    "Secret shop/ps",
    "PersistentVolumeClaim shop/data",
    "Secret shop/csi",
}


@pytest.mark.parametrize(
    ("api", "kind", "path", "fields"),
    [
        ("v1", "Pod", "", "spec: POD"),
        ("apps/v1", "Deployment", "/spec/template", "spec: {template: {spec: POD}}"),
        ("apps/v1", "StatefulSet", "/spec/template", "spec: {template: {spec: POD}}"),
        ("apps/v1", "DaemonSet", "/spec/template", "spec: {template: {spec: POD}}"),
        ("apps/v1", "ReplicaSet", "/spec/template", "spec: {template: {spec: POD}}"),
        ("batch/v1", "Job", "/spec/template", "spec: {template: {spec: POD}}"),
        ("batch/v1", "CronJob", "/spec/jobTemplate/spec/template", "spec: {jobTemplate: {spec: {template: {spec: POD}}}}"),
        ("argoproj.io/v1alpha1", "Rollout", "/spec/template", "spec: {template: {spec: POD}}"),
        ("serving.knative.dev/v1", "Service", "/spec/template", "spec: {template: {spec: POD}}"),
    ],
)
def test_every_workload_kind_names_what_its_pods_need(api, kind, path, fields):
    found = {(p, t) for k, p, t in edges(manifest(api, kind, fields.replace("POD", POD))) if k == "names"}
    assert {t for _, t in found} == POD_TARGETS
    assert (f"{path}/spec/containers/0/env/1/valueFrom/secretKeyRef/name", "Secret shop/s") in found
    assert (f"{path}/spec/volumes/1/secret/secretName", "Secret shop/tls") in found


GIT = "source.toolkit.fluxcd.io/GitRepository"


@pytest.mark.parametrize(
    ("api", "kind", "fields", "targets"),
    [
        (
            "networking.k8s.io/v1",
            "Ingress",
            (
                "spec: {ingressClassName: nginx, tls: [{secretName: t}], defaultBackend: {service: {name: d}}, "
                "rules: [{http: {paths: [{backend: {service: {name: web}}}, {backend: {resource: {apiGroup: x.io, kind: Bucket, name: b}}}]}}]}"
            ),
            {"networking.k8s.io/IngressClass /nginx", "Secret shop/t", "Service shop/d", "Service shop/web", "x.io/Bucket shop/b"},
        ),
        (
            "gateway.networking.k8s.io/v1",
            "HTTPRoute",
            (
                "spec: {parentRefs: [{name: gw, namespace: infra}, {group: '', kind: Service, name: mesh}], "
                "rules: [{backendRefs: [{name: web, port: 80}, {group: x.io, kind: Pool, name: p}]}]}"
            ),
            {"gateway.networking.k8s.io/Gateway infra/gw", "Service shop/mesh", "Service shop/web", "x.io/Pool shop/p"},
        ),
        (
            "gateway.networking.k8s.io/v1",
            "Gateway",
            "spec: {gatewayClassName: c, listeners: [{tls: {certificateRefs: [{name: cert, namespace: certs}]}}]}",
            {"gateway.networking.k8s.io/GatewayClass /c", "Secret certs/cert"},
        ),
        (
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            (
                "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}, "
                "subjects: [{kind: ServiceAccount, name: sa, namespace: ops}, {kind: User, name: u}, {kind: Group, name: g}]"
            ),
            {"rbac.authorization.k8s.io/Role shop/r", "ServiceAccount ops/sa"},
        ),
        (
            "apps/v1",
            "StatefulSet",
            "spec: {serviceName: head, volumeClaimTemplates: [{metadata: {name: d}, spec: {storageClassName: fast}}]}",
            {"Service shop/head", "storage.k8s.io/StorageClass /fast"},
        ),
        (
            "v1",
            "PersistentVolumeClaim",
            "spec: {storageClassName: fast, volumeName: pv1}",
            {"storage.k8s.io/StorageClass /fast", "PersistentVolume /pv1"},
        ),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
            {"apps/Deployment shop/web"},
        ),
        (
            "autoscaling.k8s.io/v1",
            "VerticalPodAutoscaler",
            "spec: {targetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}}",
            {"apps/StatefulSet shop/db"},
        ),
        (
            "keda.sh/v1alpha1",
            "ScaledObject",
            "spec: {scaleTargetRef: {name: web}, triggers: [{authenticationRef: {name: a}}]}",
            {"apps/Deployment shop/web", "keda.sh/TriggerAuthentication shop/a"},
        ),
        (
            "kustomize.toolkit.fluxcd.io/v1",
            "Kustomization",
            (
                "spec: {sourceRef: {kind: OCIRepository, name: src, namespace: flux-system}, dependsOn: [{name: base}, {name: x, namespace: y}], "
                "decryption: {secretRef: {name: age}}, kubeConfig: {secretRef: {name: kc}}, serviceAccountName: sa, "
                "postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}, {kind: Secret, name: sv, optional: true}]}}"
            ),
            {
                "source.toolkit.fluxcd.io/OCIRepository flux-system/src",
                "kustomize.toolkit.fluxcd.io/Kustomization shop/base",
                "kustomize.toolkit.fluxcd.io/Kustomization y/x",
                "Secret shop/age",
                "Secret shop/kc",
                "ServiceAccount shop/sa",
                "ConfigMap shop/vars",
                "Secret shop/sv",
            },
        ),
        (
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            (
                "spec: {chartRef: {kind: OCIRepository, name: c}, chart: {spec: {sourceRef: {kind: HelmRepository, name: h, namespace: f}}}, "
                "valuesFrom: [{kind: Secret, name: v}]}"
            ),
            {"source.toolkit.fluxcd.io/OCIRepository shop/c", "source.toolkit.fluxcd.io/HelmRepository f/h", "Secret shop/v"},
        ),
        (
            "source.toolkit.fluxcd.io/v1",
            "OCIRepository",
            "spec: {secretRef: {name: a}, certSecretRef: {name: b}, proxySecretRef: {name: c}, verify: {secretRef: {name: d}}}",
            {"Secret shop/a", "Secret shop/b", "Secret shop/c", "Secret shop/d"},
        ),
        (
            "notification.toolkit.fluxcd.io/v1beta3",
            "Alert",
            "spec: {providerRef: {name: p}, eventSources: [{kind: HelmRelease, name: '*'}, {kind: Kustomization, name: k}]}",
            {"notification.toolkit.fluxcd.io/Provider shop/p", "kustomize.toolkit.fluxcd.io/Kustomization shop/k"},
        ),
        (
            "image.toolkit.fluxcd.io/v1",
            "ImagePolicy",
            "spec: {imageRepositoryRef: {name: r}}",
            {"image.toolkit.fluxcd.io/ImageRepository shop/r"},
        ),
        ("argoproj.io/v1alpha1", "Application", "spec: {project: team}", {"argoproj.io/AppProject shop/team"}),
        (
            "external-secrets.io/v1",
            "ExternalSecret",
            "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}",
            {"external-secrets.io/ClusterSecretStore /vault"},
        ),
        (
            "cert-manager.io/v1",
            "Certificate",
            "spec: {secretName: t, issuerRef: {kind: ClusterIssuer, name: le}}",
            {"cert-manager.io/ClusterIssuer /le"},
        ),
        (
            "apiregistration.k8s.io/v1",
            "APIService",
            "spec: {service: {name: metrics, namespace: kube-system}}",
            {"Service kube-system/metrics"},
        ),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            "webhooks: [{clientConfig: {service: {name: hook, namespace: ops, path: /v}}}]",
            {"Service ops/hook"},
        ),
        (
            "gateway.networking.k8s.io/v1beta1",
            "ReferenceGrant",
            "spec: {to: [{group: '', kind: Secret, name: s}, {group: '', kind: Secret}]}",
            {"Secret shop/s"},
        ),
        (
            "traefik.io/v1alpha1",
            "IngressRoute",
            "spec: {tls: {secretName: t}, routes: [{services: [{name: web}, {kind: TraefikService, name: api@internal}], middlewares: [{name: m, namespace: ops}]}]}",
            {"Secret shop/t", "Service shop/web", "traefik.io/TraefikService shop/api@internal", "traefik.io/Middleware ops/m"},
        ),
        ("postgresql.cnpg.io/v1", "Cluster", "spec: {superuserSecret: {name: su}}", {"Secret shop/su"}),
        (
            "monitoring.coreos.com/v1",
            "Prometheus",
            "spec: {secrets: [etcd], additionalScrapeConfigs: {name: scrape, key: a}}",
            {"Secret shop/etcd", "Secret shop/scrape"},
        ),
    ],
)
def test_fields_that_name_others(api, kind, fields, targets):
    assert {t for k, _, t in edges(manifest(api, kind, fields)) if k in ("names", "scales")} == targets


def test_wrong_types_and_empty_names_are_passed_over():
    text = manifest(
        "apps/v1",
        "Deployment",
        "spec: {template: {spec: {containers: 3, volumes: [1, {secret: {secretName: 7}}], imagePullSecrets: [{name: ''}]}}}",
    )
    assert edges(text) == set()


def test_users_own_reference_fields_for_a_kind_in_any_or_one_group():
    text = manifest("x.io/v1", "Widget", "spec: {parts: [{gear: g}], store: {ref: s}}")
    rows = (ReferenceField("Widget", "spec.parts[].gear", "y.io/Gear"), ReferenceField("x.io/Widget", "spec.store.ref", "ConfigMap"))
    assert edges(text, reference_fields=rows) == {
        ("names", "/spec/parts/0/gear", "y.io/Gear shop/g"),
        ("names", "/spec/store/ref", "ConfigMap shop/s"),
    }


WEB = manifest("apps/v1", "Deployment", "spec: {template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: []}}}", "web")


@pytest.mark.parametrize(
    ("api", "kind", "fields", "expected"),
    [
        ("v1", "Service", "spec: {selector: {app: web}}", "selects"),
        ("v1", "Service", "spec: {selector: {app: other}}", None),
        ("v1", "Service", "spec: {selector: {app: web, tier: front}}", "selects"),
        ("v1", "Service", "spec: {selector: {app: web, tier: back}}", None),
        ("v1", "Service", "spec: {selector: {app: web, zone: a}}", None),
        ("v1", "Service", "spec: {selector: {}}", None),
        ("v1", "Service", "spec: {ports: []}", None),
        ("policy/v1", "PodDisruptionBudget", "spec: {selector: {matchLabels: {tier: front}}}", "governs"),
        ("policy/v1", "PodDisruptionBudget", "spec: {selector: {}}", "governs"),
        ("policy/v1beta1", "PodDisruptionBudget", "spec: {selector: {}}", None),
        ("networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {}}", "governs"),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "spec: {podSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}",
            "governs",
        ),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "spec: {podSelector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}}",
            None,
        ),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "spec: {podSelector: {matchExpressions: [{key: absent, operator: NotIn, values: [web]}]}}",
            "governs",
        ),
        ("networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {matchExpressions: [{key: app, operator: Exists}]}}", "governs"),
        ("networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {matchExpressions: [{key: app, operator: DoesNotExist}]}}", None),
        ("monitoring.coreos.com/v1", "PodMonitor", "spec: {selector: {matchLabels: {app: web}}}", "selects"),
        ("cilium.io/v2", "CiliumNetworkPolicy", "spec: {endpointSelector: {matchLabels: {'k8s:app': web}}}", "governs"),
        ("cilium.io/v2", "CiliumNetworkPolicy", "spec: {endpointSelector: {matchLabels: {app: other}}}", None),
        ("security.istio.io/v1", "PeerAuthentication", "spec: {mtls: {mode: STRICT}}", "governs"),
    ],
)
def test_selectors(api, kind, fields, expected):
    found = {k for k, _, target in edges(WEB + "---\n" + manifest(api, kind, fields)) if target == "apps/Deployment shop/web"}
    assert found == ({expected} if expected else set())


def test_selectors_stay_in_their_namespace_unless_they_say_otherwise():
    here = manifest("v1", "Service", "spec: {selector: {app: web}}", namespace="other")
    wide = manifest(
        "monitoring.coreos.com/v1",
        "PodMonitor",
        "spec: {selector: {matchLabels: {app: web}}, namespaceSelector: {any: true}}",
        namespace="other",
    )
    named = wide.replace("{any: true}", "{matchNames: [shop]}")
    assert not any(k == "selects" for k, _, _ in edges(WEB + "---\n" + here))
    assert any(k == "selects" for k, _, _ in edges(WEB + "---\n" + wide))
    assert any(k == "selects" for k, _, _ in edges(WEB + "---\n" + named))


def test_a_service_monitor_selects_services_by_their_own_labels():
    service = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {app: web}}}\n"
    monitor = manifest("monitoring.coreos.com/v1", "ServiceMonitor", "spec: {selector: {matchLabels: {app: web}}}")
    assert ("selects", "/spec/selector", "Service shop/web") in edges(service + "---\n" + monitor)


CRD = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.x.io
spec:
  group: x.io
  names:
    kind: Widget
    plural: widgets
"""


def test_a_definition_defines_its_resources_and_a_namespace_contains_what_names_it():
    text = CRD + "---\n" + manifest("v1", "Namespace", "spec: {}", "shop", None) + "---\n" + manifest("x.io/v1", "Widget", "spec: {}")
    g = graph(text)
    widget = ObjectKey("x.io", "Widget", "shop", "x")
    assert [(r.kind, r.target.name) for r in g.references_from(widget)] == [("contains", "shop"), ("defines", "widgets.x.io")]
    assert g.dependents_of(ObjectKey("apiextensions.k8s.io", "CustomResourceDefinition", "", "widgets.x.io")) == {widget}
    assert [o.key for o in g.of_kind("x.io", "Widget")] == [o.key for o in g.in_namespace("shop")] == [widget]


def test_a_namespace_that_nobody_declares_still_shows_what_lives_in_it():
    g = graph(manifest("v1", "ConfigMap", "data: {}"))
    assert [r.source.key.name for r in g.references_to(ObjectKey("", "Namespace", "", "shop"))] == ["x"]


def test_large_leaves_are_never_parsed():
    def refuse(raw):
        raise AssertionError("parsed")

    keys = [ObjectKey("", "ConfigMap", "shop", "a"), ObjectKey("", "Secret", "shop", "b")]
    crd = KubeObject(ObjectKey("apiextensions.k8s.io", "CustomResourceDefinition", "", "w"), "v1", CRD.encode(), refuse, target=".")
    build_graph(
        [
            crd,
            *(KubeObject(k, "v1", b"", refuse, target=".") for k in keys),
            KubeObject(ObjectKey("x.io", "Odd", "", "c"), "v1", b"", refuse, target="."),
        ]
    )


def test_a_definition_in_another_layout_is_parsed():
    inline = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: w}, spec: {names: {kind: Widget}, group: x.io}}"
    crd = KubeObject(
        ObjectKey("apiextensions.k8s.io", "CustomResourceDefinition", "", "w"), "v1", inline.encode(), yaml.safe_load, target="."
    )
    assert [r.kind for r in build_graph([crd, *objects(manifest("x.io/v1", "Widget", "spec: {}", namespace=None))]).references] == [
        "defines"
    ]


USES = manifest(
    "v1",
    "Pod",
    "spec: {containers: [{name: c, env: [{name: A, valueFrom: {configMapKeyRef: {name: conf, key: a}}}], "
    "envFrom: [{secretRef: {name: made}}, {secretRef: {name: maybe, optional: true}}]}]}",
    "p",
)


@pytest.mark.parametrize(
    ("others", "dangling"),
    [
        ([], {"conf", "made", "maybe"}),
        ([manifest("v1", "ConfigMap", "data: {a: '1'}", "conf")], {"made", "maybe"}),
        ([manifest("v1", "ConfigMap", "data: {b: '1'}", "conf")], {"conf", "made", "maybe"}),
        ([manifest("v1", "ConfigMap", "binaryData: {a: aGk=}", "conf")], {"made", "maybe"}),
        ([manifest("v1", "ConfigMap", "data: {a: '1'}", "conf", "elsewhere")], {"conf", "made", "maybe"}),
        ([manifest("v1", "ConfigMap", "data: {a: '1'}", "conf", None)], {"made", "maybe"}),
        ([manifest("external-secrets.io/v1", "ExternalSecret", "spec: {}", "made")], {"conf", "maybe"}),
        ([manifest("external-secrets.io/v1", "ExternalSecret", "spec: {target: {name: made}}", "other")], {"conf", "maybe"}),
        ([manifest("external-secrets.io/v1", "ExternalSecret", "spec: {target: {name: other}}", "made")], {"conf", "made", "maybe"}),
        ([manifest("external-secrets.io/v1", "ExternalSecret", "spec: {}", "made", None)], {"conf", "maybe"}),
        ([manifest("external-secrets.io/v1", "ExternalSecret", "spec: {}", "made", "elsewhere")], {"conf", "made", "maybe"}),
        ([manifest("bitnami.com/v1alpha1", "SealedSecret", "spec: {}", "made")], {"conf", "maybe"}),
        ([manifest("cert-manager.io/v1", "Certificate", "spec: {secretName: made}", "c")], {"conf", "maybe"}),
        ([manifest("objectbucket.io/v1alpha1", "ObjectBucketClaim", "spec: {}", "made")], {"conf", "maybe"}),
        ([manifest("external-secrets.io/v1", "ClusterExternalSecret", "spec: {externalSecretName: made}", "c", None)], {"conf", "maybe"}),
        ([manifest("trust.cert-manager.io/v1alpha1", "Bundle", "spec: {target: {configMap: {key: a}}}", "conf", None)], {"made", "maybe"}),
    ],
)
def test_dangling(others, dangling):
    found = graph("---\n".join([USES, *others])).dangling
    assert {r.target.name for r in found if r.source.key.kind == "Pod"} == dangling
    assert all(r.optional == (r.target.name == "maybe") for r in found if r.source.key.kind == "Pod")


@pytest.mark.parametrize(
    "text",
    [
        manifest("v1", "Pod", "spec: {serviceAccountName: default, priorityClassName: system-node-critical}"),
        manifest("v1", "Pod", "spec: {volumes: [{name: ca, configMap: {name: kube-root-ca.crt}}]}"),
        manifest(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "roleRef: {kind: ClusterRole, name: 'system:auth-delegator'}",
            namespace=None,
        ),
        manifest("apps/v1", "StatefulSet", "spec: {replicas: 2, volumeClaimTemplates: [{metadata: {name: data}}]}", "db")
        + "---\n"
        + manifest("v1", "Pod", "spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: data-db-1}}]}", "backup"),
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: shop, annotations: {cert-manager.io/cluster-issuer: le}}, spec: {tls: [{secretName: t}]}}",
    ],
)
def test_what_clusters_and_controllers_make_is_not_dangling(text):
    assert graph(text).dangling == ()


def test_a_claim_beyond_the_replicas_is_dangling():
    text = (
        manifest("apps/v1", "StatefulSet", "spec: {replicas: 1, volumeClaimTemplates: [{metadata: {name: data}}]}", "db")
        + "---\n"
        + manifest("v1", "Pod", "spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: data-db-1}}]}", "backup")
    )
    assert [r.target.name for r in graph(text).dangling] == ["data-db-1"]


def test_resolves_takes_references_of_the_other_side():
    base = graph(USES + "---\n" + manifest("v1", "ConfigMap", "data: {a: '1'}", "conf"))
    head = graph(USES)
    news = [r for r in head.dangling if not r.optional and base.resolves(r)]
    assert [(r.target.name, r.data_key) for r in news] == [("conf", "a")]


def test_several_objects_of_one_name_leave_a_reference_without_namespace_open():
    pod = manifest("v1", "Pod", "spec: {serviceAccountName: sa}", namespace=None)
    one = manifest("v1", "ServiceAccount", "secrets: []", "sa", "a")
    two = manifest("v1", "ServiceAccount", "secrets: []", "sa", "b")
    assert graph(pod + "---\n" + one).dangling == ()
    assert len(graph(pod + "---\n" + one + "---\n" + two).dangling) == 1


CHAIN = "---\n".join(
    [
        manifest("v1", "ConfigMap", "data: {}", "conf"),
        manifest(
            "apps/v1",
            "Deployment",
            "spec: {template: {metadata: {labels: {app: web}}, spec: {volumes: [{configMap: {name: conf}}]}}}",
            "web",
        ),
        manifest("v1", "Service", "spec: {selector: {app: web}}", "web"),
        manifest("networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {service: {name: web}}}", "web"),
        manifest(
            "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}", "web"
        ),
    ]
)


@pytest.mark.parametrize(
    ("group", "kind", "name", "direct", "reach"),
    [
        ("", "ConfigMap", "conf", {"Deployment"}, {"Deployment", "Service", "Ingress"}),
        ("apps", "Deployment", "web", {"Service"}, {"Service", "Ingress"}),
        ("networking.k8s.io", "Ingress", "web", set(), set()),
        ("autoscaling", "HorizontalPodAutoscaler", "web", {"Deployment"}, {"Deployment", "Service", "Ingress"}),
        ("", "ConfigMap", "unknown", set(), set()),
    ],
)
def test_dependents(group, kind, name, direct, reach):
    g, key = graph(CHAIN), ObjectKey(group, kind, "shop", name)
    assert {k.kind for k in g.dependents_of(key)} == direct
    assert {k.kind for k in g.reach_of(key)} == reach


def test_what_uses_a_made_secret_depends_on_its_maker():
    g = graph(USES + "---\n" + manifest("external-secrets.io/v1", "ExternalSecret", "spec: {}", "made"))
    assert {k.name for k in g.dependents_of(ObjectKey("external-secrets.io", "ExternalSecret", "shop", "made"))} == {"p"}


@settings(max_examples=30, deadline=None)
@given(st.permutations(objects(CHAIN + "---\n" + CRD + "---\n" + USES)))
def test_the_order_of_objects_means_nothing(shuffled):
    g, other = build_graph(objects(CHAIN + "---\n" + CRD + "---\n" + USES)), build_graph(shuffled)
    for key in g.objects:
        assert g.dependents_of(key) == other.dependents_of(key)
        assert g.reach_of(key) == other.reach_of(key)
    assert {(r.source.key, r.pointer) for r in g.dangling} == {(r.source.key, r.pointer) for r in other.dangling}


def test_rings_end():
    ring = "---\n".join(
        manifest("kustomize.toolkit.fluxcd.io/v1", "Kustomization", f"spec: {{dependsOn: [{{name: {after}}}]}}", name)
        for name, after in (("a", "b"), ("b", "c"), ("c", "a"), ("self", "self"))
    )
    g = graph(ring)
    assert {k.name for k in g.reach_of(ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "shop", "a"))} == {"b", "c"}
    assert g.dependents_of(ObjectKey("kustomize.toolkit.fluxcd.io", "Kustomization", "shop", "self")) == frozenset()


def test_graphs_of_a_side_are_by_scope_and_empty_for_an_unknown_one():
    states = tuple(
        TargetState(Target(scope, scope, "kustomization", scope, tree=None), tuple(objects(manifest("v1", "ConfigMap", "data: {}", scope))))
        for scope in ("dev", "prod")
    )
    graphs = build_graphs(Side("head", tree=None, states=states), Options())
    assert list(graphs) == ["dev", "prod"]
    assert [k.name for k in graphs["dev"].objects] == ["dev"]
    assert not graphs["nowhere"].objects
