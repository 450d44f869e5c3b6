"""Which field of which kind names which other object.

A row is `path > Kind`: the dotted path of a name (`[]` for each item) and the `group/Kind` (`Kind` for the core group) that it
names. Where the name is a field called `name`, its neighbours `kind`, `apiVersion`, `apiGroup` or `group`, and `namespace`
overrule the row, and `key` names one entry of a ConfigMap or Secret; a neighbour `optional: true` makes any reference optional.
Sources: the Kubernetes API reference for built-in kinds, else the API reference of the project whose group a kind has.
"""

from __future__ import annotations

from kdiff.kube.pod_template import TEMPLATE_PATHS

# Kubernetes API reference, PodSpec and Volume.
POD_SPEC = """
serviceAccountName > ServiceAccount
serviceAccount > ServiceAccount
priorityClassName > scheduling.k8s.io/PriorityClass
runtimeClassName > node.k8s.io/RuntimeClass
imagePullSecrets[].name > Secret
resourceClaims[].resourceClaimName > resource.k8s.io/ResourceClaim
resourceClaims[].resourceClaimTemplateName > resource.k8s.io/ResourceClaimTemplate
volumes[].configMap.name > ConfigMap
volumes[].secret.secretName > Secret
volumes[].projected.sources[].configMap.name > ConfigMap
volumes[].projected.sources[].secret.name > Secret
volumes[].persistentVolumeClaim.claimName > PersistentVolumeClaim
volumes[].ephemeral.volumeClaimTemplate.spec.storageClassName > storage.k8s.io/StorageClass
volumes[].csi.nodePublishSecretRef.name > Secret
volumes[].csi.volumeAttributes.secretProviderClass > secrets-store.csi.x-k8s.io/SecretProviderClass
volumes[].azureFile.secretName > Secret
volumes[].cephfs.secretRef.name > Secret
volumes[].cinder.secretRef.name > Secret
volumes[].flexVolume.secretRef.name > Secret
volumes[].iscsi.secretRef.name > Secret
volumes[].rbd.secretRef.name > Secret
volumes[].scaleIO.secretRef.name > Secret
volumes[].storageos.secretRef.name > Secret
"""

# Kubernetes API reference, Container.
CONTAINER = """
envFrom[].configMapRef.name > ConfigMap
envFrom[].secretRef.name > Secret
env[].valueFrom.configMapKeyRef.name > ConfigMap
env[].valueFrom.secretKeyRef.name > Secret
"""

_CLAIM_SPEC = """
storageClassName > storage.k8s.io/StorageClass
volumeName > PersistentVolume
volumeAttributesClassName > storage.k8s.io/VolumeAttributesClass
dataSource.name > snapshot.storage.k8s.io/VolumeSnapshot
dataSourceRef.name > snapshot.storage.k8s.io/VolumeSnapshot
"""
_ROLE_BINDING = """
roleRef.name > rbac.authorization.k8s.io/ClusterRole
subjects[].name > ServiceAccount
"""
_WEBHOOKS = "webhooks[].clientConfig.service.name > Service"
_ROUTE = """
spec.parentRefs[].name > gateway.networking.k8s.io/Gateway
spec.rules[].backendRefs[].name > Service
spec.rules[].filters[].requestMirror.backendRef.name > Service
spec.rules[].filters[].extensionRef.name > *
spec.rules[].backendRefs[].filters[].requestMirror.backendRef.name > Service
"""
_TRAEFIK_ROUTE = """
spec.tls.secretName > Secret
spec.tls.options.name > traefik.io/TLSOption
spec.routes[].services[].name > Service
spec.routes[].middlewares[].name > traefik.io/Middleware
"""
_INGRESS = """
spec.ingressClassName > networking.k8s.io/IngressClass
spec.tls[].secretName > Secret
spec.defaultBackend.service.name > Service
spec.defaultBackend.resource.name > *
spec.rules[].http.paths[].backend.service.name > Service
spec.rules[].http.paths[].backend.resource.name > *
spec.backend.serviceName > Service
spec.rules[].http.paths[].backend.serviceName > Service
"""
_FLUX_SOURCE = """
spec.secretRef.name > Secret
spec.certSecretRef.name > Secret
spec.proxySecretRef.name > Secret
spec.verify.secretRef.name > Secret
spec.verify.matchOIDCIdentity[].secretRef.name > Secret
spec.serviceAccountName > ServiceAccount
"""
_FLUX_SOURCE_KIND = "source.toolkit.fluxcd.io/GitRepository"
_EXTERNAL = """
secretStoreRef.name > external-secrets.io/SecretStore
data[].sourceRef.storeRef.name > external-secrets.io/SecretStore
dataFrom[].sourceRef.storeRef.name > external-secrets.io/SecretStore
dataFrom[].sourceRef.generatorRef.name > generators.external-secrets.io/Password
target.template.templateFrom[].configMap.name > ConfigMap
target.template.templateFrom[].secret.name > Secret
"""
_ISSUER = """
spec.acme.externalAccountBinding.keySecretRef.name > Secret
spec.acme.solvers[].dns01.cloudflare.apiTokenSecretRef.name > Secret
spec.acme.solvers[].dns01.cloudflare.apiKeySecretRef.name > Secret
spec.acme.solvers[].dns01.route53.secretAccessKeySecretRef.name > Secret
spec.acme.solvers[].dns01.route53.accessKeyIDSecretRef.name > Secret
spec.acme.solvers[].dns01.cloudDNS.serviceAccountSecretRef.name > Secret
spec.acme.solvers[].dns01.azureDNS.clientSecretSecretRef.name > Secret
spec.acme.solvers[].dns01.digitalocean.tokenSecretRef.name > Secret
spec.acme.solvers[].dns01.rfc2136.tsigSecretSecretRef.name > Secret
spec.ca.secretName > Secret
spec.vault.auth.tokenSecretRef.name > Secret
spec.vault.auth.appRole.secretRef.name > Secret
spec.vault.caBundleSecretRef.name > Secret
"""
_PROMETHEUS = """
spec.serviceAccountName > ServiceAccount
spec.imagePullSecrets[].name > Secret
spec.secrets[] > Secret
spec.configMaps[] > ConfigMap
spec.priorityClassName > scheduling.k8s.io/PriorityClass
spec.additionalScrapeConfigs.name > Secret
spec.configSecret > Secret
spec.alertmanagerConfiguration.name > monitoring.coreos.com/AlertmanagerConfig
spec.storage.volumeClaimTemplate.spec.storageClassName > storage.k8s.io/StorageClass
"""
_MONITOR_ENDPOINT = """
{0}.basicAuth.username.name > Secret
{0}.basicAuth.password.name > Secret
{0}.bearerTokenSecret.name > Secret
{0}.authorization.credentials.name > Secret
{0}.tlsConfig.ca.secret.name > Secret
{0}.tlsConfig.ca.configMap.name > ConfigMap
{0}.tlsConfig.cert.secret.name > Secret
{0}.tlsConfig.keySecret.name > Secret
"""


def _under(prefix: str, rows: str) -> str:
    return "\n".join(f"{prefix}.{row}" for row in rows.split("\n") if row)


def _pod_rows(template: str) -> str:
    spec = f"{template}.spec" if template else "spec"
    lists = ("containers[]", "initContainers[]", "ephemeralContainers[]")
    return "\n".join([_under(spec, POD_SPEC), *(_under(f"{spec}.{item}", CONTAINER) for item in lists)])


_TABLE: dict[str, str] = {
    "ServiceAccount": "secrets[].name > Secret\nimagePullSecrets[].name > Secret",
    "PersistentVolumeClaim": _under("spec", _CLAIM_SPEC),
    "PersistentVolume": """
spec.storageClassName > storage.k8s.io/StorageClass
spec.claimRef.name > PersistentVolumeClaim
spec.volumeAttributesClassName > storage.k8s.io/VolumeAttributesClass
spec.csi.nodePublishSecretRef.name > Secret
spec.csi.nodeStageSecretRef.name > Secret
spec.csi.controllerExpandSecretRef.name > Secret
spec.csi.controllerPublishSecretRef.name > Secret
""",
    "apps/StatefulSet": "spec.serviceName > Service\n" + _under("spec.volumeClaimTemplates[].spec", _CLAIM_SPEC),
    "networking.k8s.io/Ingress": _INGRESS,
    "extensions/Ingress": _INGRESS,
    "networking.k8s.io/IngressClass": "spec.parameters.name > *",
    "rbac.authorization.k8s.io/RoleBinding": _ROLE_BINDING,
    "rbac.authorization.k8s.io/ClusterRoleBinding": _ROLE_BINDING,
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": _WEBHOOKS,
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": _WEBHOOKS,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": """
spec.policyName > admissionregistration.k8s.io/ValidatingAdmissionPolicy
spec.paramRef.name > *
""",
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": """
spec.policyName > admissionregistration.k8s.io/MutatingAdmissionPolicy
spec.paramRef.name > *
""",
    "apiregistration.k8s.io/APIService": "spec.service.name > Service",
    "snapshot.storage.k8s.io/VolumeSnapshot": """
spec.volumeSnapshotClassName > snapshot.storage.k8s.io/VolumeSnapshotClass
spec.source.persistentVolumeClaimName > PersistentVolumeClaim
spec.source.volumeSnapshotContentName > snapshot.storage.k8s.io/VolumeSnapshotContent
""",
    "snapshot.storage.k8s.io/VolumeSnapshotContent": """
spec.volumeSnapshotClassName > snapshot.storage.k8s.io/VolumeSnapshotClass
spec.volumeSnapshotRef.name > snapshot.storage.k8s.io/VolumeSnapshot
""",
    # Gateway API reference.
    "gateway.networking.k8s.io/Gateway": """
spec.gatewayClassName > gateway.networking.k8s.io/GatewayClass
spec.listeners[].tls.certificateRefs[].name > Secret
spec.listeners[].tls.frontendValidation.caCertificateRefs[].name > ConfigMap
spec.infrastructure.parametersRef.name > ConfigMap
""",
    "gateway.networking.k8s.io/GatewayClass": "spec.parametersRef.name > ConfigMap",
    "gateway.networking.k8s.io/HTTPRoute": _ROUTE,
    "gateway.networking.k8s.io/GRPCRoute": _ROUTE,
    "gateway.networking.k8s.io/TLSRoute": _ROUTE,
    "gateway.networking.k8s.io/TCPRoute": _ROUTE,
    "gateway.networking.k8s.io/UDPRoute": _ROUTE,
    "gateway.networking.k8s.io/BackendTLSPolicy": """
spec.targetRefs[].name > Service
spec.validation.caCertificateRefs[].name > ConfigMap
""",
    "gateway.networking.k8s.io/ReferenceGrant": "spec.to[].name > Service",
    # Traefik docs, Kubernetes CRD provider.
    "traefik.io/IngressRoute": _TRAEFIK_ROUTE,
    "traefik.containo.us/IngressRoute": _TRAEFIK_ROUTE,
    # Flux API references: source, kustomize, helm, notification, image.
    "source.toolkit.fluxcd.io/GitRepository": _FLUX_SOURCE + "spec.include[].repository.name > source.toolkit.fluxcd.io/GitRepository",
    "source.toolkit.fluxcd.io/OCIRepository": _FLUX_SOURCE,
    "source.toolkit.fluxcd.io/HelmRepository": _FLUX_SOURCE,
    "source.toolkit.fluxcd.io/Bucket": _FLUX_SOURCE,
    "source.toolkit.fluxcd.io/HelmChart": "spec.sourceRef.name > source.toolkit.fluxcd.io/HelmRepository\n" + _FLUX_SOURCE,
    "source.extensions.fluxcd.io/ArtifactGenerator": f"spec.sources[].name > {_FLUX_SOURCE_KIND}",
    "kustomize.toolkit.fluxcd.io/Kustomization": f"""
spec.sourceRef.name > {_FLUX_SOURCE_KIND}
spec.dependsOn[].name > kustomize.toolkit.fluxcd.io/Kustomization
spec.postBuild.substituteFrom[].name > ConfigMap
spec.decryption.secretRef.name > Secret
spec.decryption.serviceAccountName > ServiceAccount
spec.kubeConfig.secretRef.name > Secret
spec.kubeConfig.configMapRef.name > ConfigMap
spec.serviceAccountName > ServiceAccount
spec.targetNamespace > Namespace
""",
    "helm.toolkit.fluxcd.io/HelmRelease": """
spec.chartRef.name > source.toolkit.fluxcd.io/OCIRepository
spec.chart.spec.sourceRef.name > source.toolkit.fluxcd.io/HelmRepository
spec.chart.spec.verify.secretRef.name > Secret
spec.dependsOn[].name > helm.toolkit.fluxcd.io/HelmRelease
spec.valuesFrom[].name > ConfigMap
spec.kubeConfig.secretRef.name > Secret
spec.kubeConfig.configMapRef.name > ConfigMap
spec.serviceAccountName > ServiceAccount
""",
    "notification.toolkit.fluxcd.io/Alert": f"""
spec.providerRef.name > notification.toolkit.fluxcd.io/Provider
spec.eventSources[].name > {_FLUX_SOURCE_KIND}
""",
    "notification.toolkit.fluxcd.io/Provider": """
spec.secretRef.name > Secret
spec.certSecretRef.name > Secret
spec.proxySecretRef.name > Secret
spec.serviceAccountName > ServiceAccount
""",
    "notification.toolkit.fluxcd.io/Receiver": f"spec.secretRef.name > Secret\nspec.resources[].name > {_FLUX_SOURCE_KIND}",
    "image.toolkit.fluxcd.io/ImageRepository": _FLUX_SOURCE,
    "image.toolkit.fluxcd.io/ImagePolicy": "spec.imageRepositoryRef.name > image.toolkit.fluxcd.io/ImageRepository",
    "image.toolkit.fluxcd.io/ImageUpdateAutomation": f"""
spec.sourceRef.name > {_FLUX_SOURCE_KIND}
spec.git.commit.signingKey.secretRef.name > Secret
""",
    "fluxcd.controlplane.io/FluxInstance": "spec.sync.pullSecret > Secret\nspec.distribution.artifactPullSecret > Secret",
    "fluxcd.controlplane.io/ResourceSet": """
spec.inputsFrom[].name > fluxcd.controlplane.io/ResourceSetInputProvider
spec.serviceAccountName > ServiceAccount
spec.dependsOn[].name > *
""",
    "fluxcd.controlplane.io/ResourceSetInputProvider": "spec.secretRef.name > Secret\nspec.certSecretRef.name > Secret",
    # Argo CD, Argo Rollouts.
    "argoproj.io/Application": "spec.project > argoproj.io/AppProject",
    "argoproj.io/ApplicationSet": "spec.template.spec.project > argoproj.io/AppProject",
    "argoproj.io/Rollout": """
spec.workloadRef.name > apps/Deployment
spec.strategy.canary.stableService > Service
spec.strategy.canary.canaryService > Service
spec.strategy.canary.trafficRouting.nginx.stableIngress > networking.k8s.io/Ingress
spec.strategy.blueGreen.activeService > Service
spec.strategy.blueGreen.previewService > Service
spec.strategy.canary.steps[].analysis.templates[].templateName > argoproj.io/AnalysisTemplate
""",
    # External Secrets Operator, cert-manager, secrets-store CSI driver, object buckets, CloudNativePG, Prometheus operator, KEDA.
    "external-secrets.io/ExternalSecret": _under("spec", _EXTERNAL),
    "external-secrets.io/ClusterExternalSecret": _under("spec.externalSecretSpec", _EXTERNAL),
    "external-secrets.io/PushSecret": """
spec.selector.secret.name > Secret
spec.secretStoreRefs[].name > external-secrets.io/SecretStore
""",
    "cert-manager.io/Certificate": "spec.issuerRef.name > cert-manager.io/Issuer",
    "cert-manager.io/CertificateRequest": "spec.issuerRef.name > cert-manager.io/Issuer",
    "cert-manager.io/Issuer": _ISSUER,
    "objectbucket.io/ObjectBucketClaim": "spec.storageClassName > storage.k8s.io/StorageClass",
    "postgresql.cnpg.io/Cluster": """
spec.bootstrap.initdb.secret.name > Secret
spec.bootstrap.recovery.secret.name > Secret
spec.superuserSecret.name > Secret
spec.managed.roles[].passwordSecret.name > Secret
spec.certificates.serverTLSSecret > Secret
spec.certificates.serverCASecret > Secret
spec.imagePullSecrets[].name > Secret
spec.imageCatalogRef.name > postgresql.cnpg.io/ImageCatalog
spec.backup.barmanObjectStore.s3Credentials.accessKeyId.name > Secret
spec.backup.barmanObjectStore.s3Credentials.secretAccessKey.name > Secret
spec.externalClusters[].password.name > Secret
spec.externalClusters[].barmanObjectStore.s3Credentials.accessKeyId.name > Secret
spec.externalClusters[].barmanObjectStore.s3Credentials.secretAccessKey.name > Secret
spec.storage.storageClass > storage.k8s.io/StorageClass
spec.walStorage.storageClass > storage.k8s.io/StorageClass
""",
    "postgresql.cnpg.io/ScheduledBackup": "spec.cluster.name > postgresql.cnpg.io/Cluster",
    "postgresql.cnpg.io/Backup": "spec.cluster.name > postgresql.cnpg.io/Cluster",
    "postgresql.cnpg.io/Database": "spec.cluster.name > postgresql.cnpg.io/Cluster",
    "postgresql.cnpg.io/Pooler": "spec.cluster.name > postgresql.cnpg.io/Cluster",
    "monitoring.coreos.com/Prometheus": _PROMETHEUS,
    "monitoring.coreos.com/Alertmanager": _PROMETHEUS,
    "monitoring.coreos.com/ServiceMonitor": _MONITOR_ENDPOINT.format("spec.endpoints[]"),
    "monitoring.coreos.com/PodMonitor": _MONITOR_ENDPOINT.format("spec.podMetricsEndpoints[]"),
    "keda.sh/ScaledObject": "spec.triggers[].authenticationRef.name > keda.sh/TriggerAuthentication",
    "keda.sh/ScaledJob": "spec.triggers[].authenticationRef.name > keda.sh/TriggerAuthentication",
    "keda.sh/TriggerAuthentication": """
spec.secretTargetRef[].name > Secret
spec.configMapTargetRef[].name > ConfigMap
""",
    "volsync.backube/ReplicationSource": """
spec.sourcePVC > PersistentVolumeClaim
spec.restic.repository > Secret
spec.kopia.repository > Secret
spec.rsyncTLS.keySecret > Secret
""",
    "volsync.backube/ReplicationDestination": """
spec.restic.repository > Secret
spec.kopia.repository > Secret
spec.restic.destinationPVC > PersistentVolumeClaim
spec.kopia.destinationPVC > PersistentVolumeClaim
""",
}
_TABLE["cert-manager.io/ClusterIssuer"] = _ISSUER
_TABLE["keda.sh/ClusterTriggerAuthentication"] = _TABLE["keda.sh/TriggerAuthentication"]
_TABLE["external-secrets.io/ClusterPushSecret"] = _under("spec.pushSecretSpec", "secretStoreRefs[].name > external-secrets.io/SecretStore")

# Groups of kinds that their own project lets you name without one.
KIND_GROUPS: dict[str, str] = {
    "ConfigMap": "",
    "Secret": "",
    "Service": "",
    "ServiceAccount": "",
    "GitRepository": "source.toolkit.fluxcd.io",
    "OCIRepository": "source.toolkit.fluxcd.io",
    "HelmRepository": "source.toolkit.fluxcd.io",
    "HelmChart": "source.toolkit.fluxcd.io",
    "Bucket": "source.toolkit.fluxcd.io",
    "ExternalArtifact": "source.toolkit.fluxcd.io",
    "Kustomization": "kustomize.toolkit.fluxcd.io",
    "HelmRelease": "helm.toolkit.fluxcd.io",
    "TraefikService": "traefik.io",
    "ImageRepository": "image.toolkit.fluxcd.io",
    "ImagePolicy": "image.toolkit.fluxcd.io",
    "ImageUpdateAutomation": "image.toolkit.fluxcd.io",
}

# HorizontalPodAutoscaler v2, VerticalPodAutoscaler, KEDA ScaledObject (its scaleTargetRef defaults to apps/v1 Deployment).
SCALES: dict[str, str] = {
    "autoscaling/HorizontalPodAutoscaler": "spec.scaleTargetRef.name > *",
    "autoscaling.k8s.io/VerticalPodAutoscaler": "spec.targetRef.name > *",
    "keda.sh/ScaledObject": "spec.scaleTargetRef.name > apps/Deployment",
}


def name_rows(qualified: str) -> tuple[tuple[str, str], ...]:
    """The rows of `group/Kind`: (path, kind that is named), its pod templates' rows included; `*` where only the field says."""
    rows = "\n".join([_TABLE.get(qualified, ""), *(_pod_rows(path) for path in TEMPLATE_PATHS.get(qualified, ()))])
    return parse_rows(rows)


def parse_rows(text: str) -> tuple[tuple[str, str], ...]:
    """Rows `path > Kind` as pairs."""
    pairs = (line.split(" > ") for line in text.split("\n") if line)
    return tuple((path, to) for path, to in pairs)
