"""exposure-changed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.exposure_changed import RULE

SERVICE = "v1/Service shop/web {spec: {type: %s%s}}"
NOTED = "v1/Service shop/web {metadata: {annotations: {%s: '%s'}}, spec: {type: LoadBalancer}}"
INGRESS = "networking.k8s.io/v1/Ingress shop/%s {spec: {ingressClassName: %s, rules: [{host: %s}]}}\n"
ROUTE = "gateway.networking.k8s.io/v1/HTTPRoute shop/web {spec: {parentRefs: [{name: %s}], hostnames: [%s]}}\n"
POLICY = "networking.k8s.io/v1/NetworkPolicy shop/web {spec: {podSelector: {}, %s}}"
FROM = POLICY % "ingress: [{from: [%s]}]"
PORTS = POLICY % "ingress: [{ports: [%s]}]"
SPARED = "{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}"
PODS = "apps/v1/Deployment shop/web {spec: {template: {metadata: {labels: {app: web}}}}}\n"
ALL_PODS = "networking.k8s.io/v1/NetworkPolicy shop/deny {spec: {podSelector: {}, policyTypes: [Ingress]}}"
SOME_PODS = ALL_PODS.replace("podSelector: {}", "podSelector: {matchLabels: {app: db}}")
OTHER = ALL_PODS.replace("shop/deny", "shop/other")
TRAEFIK = "traefik.io/v1alpha1/IngressRoute shop/web {spec: {routes: [{match: 'Host(%s)'}]}}"
POD, BLOCK = "{podSelector: {matchLabels: {app: %s}}}", "{ipBlock: {cidr: %s}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (
            SERVICE % ("ClusterIP", ""),
            SERVICE % ("LoadBalancer", ""),
            "can now be reached from outside the cluster, through a load balancer",
        ),
        (SERVICE % ("ClusterIP", ""), SERVICE % ("NodePort", ""), "on a port of every node"),
        (SERVICE % ("LoadBalancer", ""), SERVICE % ("ClusterIP", ""), "its external address is given up"),
        (SERVICE % ("LoadBalancer", ""), SERVICE % ("NodePort", ""), "no longer through its load balancer"),
        ("", SERVICE % ("LoadBalancer", ""), "can now be reached"),
        (SERVICE % ("LoadBalancer", ""), "", "can no longer be reached"),
        (SERVICE % ("ClusterIP", ""), SERVICE % ("ClusterIP", ", externalIPs: [192.0.2.1]"), "reached at 192.0.2.1"),
        (
            SERVICE % ("LoadBalancer", ", loadBalancerIP: 192.0.2.1"),
            SERVICE % ("LoadBalancer", ", loadBalancerIP: 192.0.2.2"),
            "192.0.2.1 is given up for",
        ),
        (
            SERVICE % ("LoadBalancer", ", loadBalancerSourceRanges: [192.0.2.0/24]"),
            SERVICE % ("LoadBalancer", ""),
            "its load balancer now lets in everywhere",
        ),
        (
            NOTED % ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internal"),
            NOTED % ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internet-facing"),
            "aws-load-balancer-scheme is internet-facing instead of internal",
        ),
        (
            NOTED % ("lbipam.cilium.io/ips", "192.0.2.1"),
            NOTED % ("lbipam.cilium.io/ips", "192.0.2.9"),
            "192.0.2.1 is given up for 192.0.2.9",
        ),
        (INGRESS % ("web", "in", "a.example.com"), INGRESS % ("web", "in", "b.example.com"), "b.example.com is now served"),
        ("", ROUTE % ("internal", "a.example.com"), "a.example.com is now served through Gateway internal"),
        (INGRESS % ("web", "in", "a.example.com"), "", "a.example.com is no longer served"),
        (
            ROUTE % ("internal", "a.example.com"),
            ROUTE % ("external", "a.example.com"),
            "a.example.com is now served through Gateway external, no longer through Gateway internal",
        ),
        (FROM % (POD % "a"), FROM % f"{POD % 'a'}, {POD % 'b'}", "traffic from pods app=b is now allowed"),
        (FROM % (POD % "a"), POLICY % "ingress: [{}]", "traffic from anyone is now allowed"),
        (POLICY % "policyTypes: [Ingress, Egress]", POLICY % "policyTypes: [Ingress]", "traffic to anyone is now allowed"),
        (PORTS % "{port: 80}", PORTS % "{port: 80, endPort: 90}", "traffic from anyone on TCP 80-90"),
        (PORTS % "{port: 80}", PORTS % "{port: 80, protocol: UDP}", "traffic from anyone on UDP 80"),
        (PORTS % "{port: 80}", PORTS % "{protocol: TCP}", "traffic from anyone on TCP any port"),
        (FROM % SPARED, FROM % (BLOCK % "10.0.0.0/8"), "traffic from 10.0.0.0/8 is"),
        (FROM % (BLOCK % "10.2.0.0/16"), FROM % SPARED, "traffic from 10.0.0.0/8 but 10.1.0.0/16 is"),
        (PODS + ALL_PODS, PODS + SOME_PODS, "apps/v1/Deployment shop/web is no longer isolated by any policy"),
        (TRAEFIK % "`a.x`", TRAEFIK % "`a.x`, `b.x`", "b.x is now served"),
        (FROM % (BLOCK % "10.0.0.0/16"), FROM % (BLOCK % "10.0.0.0/8"), "traffic from 10.0.0.0/8"),
        (
            FROM % (POD % "a"),
            FROM % "{podSelector: {matchLabels: {app: a}}, namespaceSelector: {}}",
            "pods app=a in namespaces of any label",
        ),
    ],
)
def test_fires(hazards_of, base, head, says):
    assert says in " ".join(hazard.message for hazard in hazards_of(base, head, rule=RULE))


def test_says_what_comes_and_what_goes(hazards_of):
    found = hazards_of(INGRESS % ("web", "in", "a.example.com"), INGRESS % ("web", "in", "b.example.com"), rule=RULE)
    assert {(hazard.severity, hazard.object) for hazard in found} == {("caution", "networking.k8s.io/v1/Ingress shop/web")}
    assert len(found) == 2


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(SERVICE % ("ClusterIP", ""), SERVICE % ("ClusterIP", ", sessionAffinity: None"), id="a Service of the cluster"),
        pytest.param("", SERVICE % ("ClusterIP", ""), id="a new one"),
        pytest.param("v1/Service shop/web {spec: {}}", SERVICE % ("ClusterIP", ""), id="the default said"),
        pytest.param(
            SERVICE % ("LoadBalancer", ", loadBalancerSourceRanges: [192.0.2.0/24, 198.51.100.0/24]"),
            SERVICE % ("LoadBalancer", ", loadBalancerSourceRanges: [192.0.2.0/24]"),
            id="fewer may come",
        ),
        pytest.param(INGRESS % ("web", "in", "a.example.com"), INGRESS % ("shop", "in", "a.example.com"), id="another Ingress serves it"),
        pytest.param(ROUTE % ("gw", "a.example.com"), (ROUTE % ("gw", "a.example.com")).replace("shop/", "till/"), id="it only moves"),
        pytest.param(FROM % f"{POD % 'a'}, {POD % 'b'}", FROM % (POD % "b"), id="fewer peers"),
        pytest.param(FROM % (BLOCK % "10.0.0.0/8"), FROM % (BLOCK % "10.1.0.0/16"), id="a smaller network"),
        pytest.param(FROM % (POD % "a"), FROM % "{podSelector: {matchLabels: {app: a, tier: b}}}", id="a narrower selector"),
        pytest.param(PORTS % "{port: 80, endPort: 90}", PORTS % "{port: 81, endPort: 85}", id="fewer ports"),
        pytest.param(PORTS % "{protocol: TCP}", PORTS % "{port: 443}", id="any port was allowed"),
        pytest.param(FROM % (BLOCK % "10.0.0.0/8"), FROM % SPARED, id="some addresses are excepted"),
        pytest.param(FROM % SPARED, FROM % SPARED.replace("10.1.0.0/16", "10.1.0.0/15"), id="more addresses are excepted"),
        pytest.param(FROM % SPARED, FROM % (BLOCK % "10.2.0.0/16"), id="what was excepted lies elsewhere"),
        pytest.param(PODS + ALL_PODS + "\n" + OTHER, PODS + SOME_PODS + "\n" + OTHER, id="another policy isolates the pods"),
        pytest.param(PODS + SOME_PODS, PODS + ALL_PODS, id="more pods are isolated"),
        pytest.param(TRAEFIK % "`a.x`", TRAEFIK % "`a.x`) && PathPrefix(`/b`", id="only another path"),
        pytest.param(POLICY % "ingress: [{}]", FROM % (POD % "a"), id="anyone was allowed"),
        pytest.param("", FROM % (POD % "a"), id="a new policy"),
        pytest.param(
            {"Kustomization flux-system/a {suspend: true}": SERVICE % ("LoadBalancer", "")},
            {"Kustomization flux-system/a {suspend: true}": ""},
            id="it stays while its target is suspended",
        ),
        pytest.param(
            "networking.istio.io/v1/VirtualService shop/web {spec: {hosts: [a]}}",
            "networking.istio.io/v1/VirtualService shop/web {spec: {hosts: [b]}}",
            id="inside the mesh only",
        ),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
