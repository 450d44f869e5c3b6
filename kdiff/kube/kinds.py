"""Which kinds belong to the whole cluster."""

from __future__ import annotations

# Built-in resources that the API reference lists without a namespace in their path (kubernetes.io/docs/reference/kubernetes-api,
# `kubectl api-resources --namespaced=false`), and custom resources whose CustomResourceDefinition says `scope: Cluster`.
_CLUSTER_SCOPED: dict[str, frozenset[str]] = {
    group: frozenset(kinds.split())
    for group, kinds in {
        "": "ComponentStatus Namespace Node PersistentVolume",
        "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
        "apiextensions.k8s.io": "CustomResourceDefinition",
        "apiregistration.k8s.io": "APIService",
        "authentication.k8s.io": "SelfSubjectReview TokenReview",
        "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
        "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
        "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
        "internal.apiserver.k8s.io": "StorageVersion",
        "metrics.k8s.io": "NodeMetrics",
        "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
        "node.k8s.io": "RuntimeClass",
        "policy": "PodSecurityPolicy",
        "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
        "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceClass ResourceSlice",
        "scheduling.k8s.io": "PriorityClass",
        "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
        "storagemigration.k8s.io": "StorageVersionMigration",
        "snapshot.storage.k8s.io": "VolumeSnapshotClass VolumeSnapshotContent",
        "groupsnapshot.storage.k8s.io": "VolumeGroupSnapshotClass VolumeGroupSnapshotContent",
        "gateway.networking.k8s.io": "GatewayClass",
        "policy.networking.k8s.io": "AdminNetworkPolicy BaselineAdminNetworkPolicy ClusterNetworkPolicy",
        "cert-manager.io": "ClusterIssuer",
        "trust.cert-manager.io": "Bundle ClusterBundle",
        "external-secrets.io": "ClusterExternalSecret ClusterPushSecret ClusterSecretStore",
        "generators.external-secrets.io": "ClusterGenerator",
        "kyverno.io": "ClusterCleanupPolicy ClusterPolicy",
        "policies.kyverno.io": "DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy ValidatingPolicy",
        "keda.sh": "ClusterTriggerAuthentication",
        "cilium.io": "CiliumBGPAdvertisement CiliumBGPClusterConfig CiliumBGPNodeConfig CiliumBGPNodeConfigOverride "
        "CiliumBGPPeerConfig CiliumBGPPeeringPolicy CiliumCIDRGroup CiliumClusterwideEnvoyConfig "
        "CiliumClusterwideNetworkPolicy CiliumEgressGatewayPolicy CiliumIdentity CiliumL2AnnouncementPolicy "
        "CiliumLoadBalancerIPPool CiliumNode",
        "operator.tigera.io": "APIServer ApplicationLayer Installation LogCollector Monitor TigeraStatus Goldmane Whisker",
        "karpenter.sh": "NodeClaim NodePool",
        "karpenter.k8s.aws": "EC2NodeClass",
        "cluster.x-k8s.io": "ExtensionConfig",
        "topology.node.k8s.io": "NodeResourceTopology",
        "templates.gatekeeper.sh": "ConstraintTemplate",
        "config.openshift.io": "APIServer Authentication Build ClusterOperator ClusterVersion Console DNS FeatureGate Image "
        "Infrastructure Ingress Network OAuth OperatorHub Project Proxy Scheduler",
        "project.openshift.io": "Project ProjectRequest",
        "security.openshift.io": "SecurityContextConstraints",
        "user.openshift.io": "Group Identity User UserIdentityMapping",
        "pkg.crossplane.io": "Configuration ConfigurationRevision DeploymentRuntimeConfig Function FunctionRevision Provider "
        "ProviderRevision",
        "apiextensions.crossplane.io": "CompositeResourceDefinition Composition CompositionRevision EnvironmentConfig",
        "kueue.x-k8s.io": "AdmissionCheck ClusterQueue Cohort MultiKueueCluster MultiKueueConfig ResourceFlavor Topology "
        "WorkloadPriorityClass",
        "nfd.k8s-sigs.io": "NodeFeatureRule",
        "helm.openshift.io": "HelmChartRepository",
        "capsule.clastix.io": "CapsuleConfiguration Tenant",
    }.items()
}


def is_cluster_scoped(group: str, kind: str) -> bool:
    """True for kinds known to have no namespace; the API server drops `metadata.namespace` from them.

    Flux's and Argo CD's own kinds are all namespaced. A kind that is not known counts as namespaced.
    """
    return kind in _CLUSTER_SCOPED.get(group, ())
