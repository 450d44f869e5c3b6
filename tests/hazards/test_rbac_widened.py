"""rbac-widened: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.rbac_widened import RULE

API = "rbac.authorization.k8s.io/v1/"
ROLE = API + "Role shop/r {rules: [{apiGroups: [%s], resources: [%s], verbs: [%s]}]}"
CLUSTER_ROLE = API + "ClusterRole r {%s}"
BINDING = API + "RoleBinding shop/b {roleRef: {kind: %s, name: %s}, subjects: [%s]}"
ADA, BEN = "{kind: User, name: ada}", "{kind: User, name: ben}"
GET = ROLE % ("''", "pods", "get")
BOT, ACCOUNT = "{kind: ServiceAccount, name: bot, namespace: shop}", "v1/ServiceAccount shop/bot\n"
ALL = API + "ClusterRoleBinding all {roleRef: {kind: ClusterRole, name: %s}, subjects: [%s]}"
EVERYTHING = "rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]"
PODS = "rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]"
TWO_RULES = (
    API + "Role shop/r {rules: [{apiGroups: [''], resources: [pods], verbs: [get]}, {apiGroups: [''], resources: [pods], verbs: [list]}]}"
)


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (GET, ROLE % ("''", "pods", "get, list"), "grants more: list pods"),
        (GET, ROLE % ("''", "pods, secrets", "get"), "grants more: get secrets"),
        (GET, ROLE % ("'', apps", "pods", "get"), "grants more: get pods.apps"),
        (GET, ROLE % ("''", "'*'", "'*'"), "grants more: * *"),
        (
            CLUSTER_ROLE % "rules: [{apiGroups: [''], resources: [secrets], resourceNames: [a], verbs: [get]}]",
            CLUSTER_ROLE % "rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]",
            "grants more: get secrets",
        ),
        (
            CLUSTER_ROLE % "rules: [{nonResourceURLs: [/metrics], verbs: [get]}]",
            CLUSTER_ROLE % "rules: [{nonResourceURLs: ['/*'], verbs: [get]}]",
            "grants more: get /*",
        ),
        (
            CLUSTER_ROLE % "aggregationRule: {clusterRoleSelectors: []}",
            CLUSTER_ROLE % "aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}",
            "takes in the rules of other ClusterRoles",
        ),
        (
            CLUSTER_ROLE % "rules: []",
            CLUSTER_ROLE % "metadata: {labels: {rbac.authorization.k8s.io/aggregate-to-admin: 'true'}}, rules: []",
            "adds its rules to the ClusterRole admin",
        ),
        (BINDING % ("Role", "r", ADA), BINDING % ("Role", "r", f"{ADA}, {BEN}"), "gives Role r to User ben as well"),
        (BINDING % ("Role", "r", ADA), BINDING % ("ClusterRole", "edit", ADA), "gives ClusterRole edit instead of r"),
        ("", BINDING % ("ClusterRole", "cluster-admin", ADA), "is new and gives ClusterRole cluster-admin to User ada"),
        ("", ROLE % ("'*'", "'*'", "'*'"), "grants everything"),
        (ACCOUNT, ACCOUNT + BINDING % ("Role", "r", BOT), "gives Role r to ServiceAccount bot, which was there before"),
        (ACCOUNT + GET, ACCOUNT + GET + "\n" + ALL % ("view", BOT), "gives ClusterRole view to ServiceAccount shop/bot"),
        ("v1/ConfigMap shop/c", "v1/ConfigMap shop/c\n" + ALL % ("view", BOT.replace("bot", "default")), "ServiceAccount shop/default"),
        ("", ALL % ("view", "{kind: Group, name: 'system:authenticated'}"), "to Group system:authenticated"),
        (CLUSTER_ROLE % EVERYTHING, f"{CLUSTER_ROLE % EVERYTHING}\n{ALL % ('r', ADA)}", "is new and gives ClusterRole r to User ada"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert hazard.severity == "caution"
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(ROLE % ("''", "pods", "get, list"), GET, id="less"),
        pytest.param(ROLE % ("''", "pods", "get, list"), TWO_RULES, id="the same in two rules"),
        pytest.param(ROLE % ("'*'", "'*'", "'*'"), GET, id="covered by a star"),
        pytest.param(ROLE % ("apps", "'*/scale'", "get"), ROLE % ("apps", "deployments/scale", "get"), id="covered by */scale"),
        pytest.param("", GET, id="a new role alone"),
        pytest.param("", BINDING % ("ClusterRole", "view", ADA), id="a new binding to a modest role"),
        pytest.param("", ACCOUNT + BINDING % ("Role", "r", BOT), id="a new binding of a new account"),
        pytest.param(
            f"{ACCOUNT}{GET}\n{BINDING % ('Role', 'r', BOT)}",
            f"{ACCOUNT}{GET}\n{BINDING % ('Role', 'r', BOT)}\n{(BINDING % ('Role', 'r', BOT)).replace('shop/b', 'shop/again')}",
            id="an account that has the role already",
        ),
        pytest.param(
            f"{ACCOUNT}{CLUSTER_ROLE % PODS}\n{ALL % ('r', BOT)}",
            f"{ACCOUNT}{CLUSTER_ROLE % PODS}\n{ALL % ('r', BOT)}\n{GET}\n{BINDING % ('Role', 'r', BOT)}",
            id="an account that may do all this already",
        ),
        pytest.param(
            BINDING % ("Role", "r", ADA),
            (BINDING % ("Role", "r, apiGroup: rbac.authorization.k8s.io", ADA)),
            id="the group of the role is spelled out",
        ),
        pytest.param(BINDING % ("Role", "r", f"{ADA}, {BEN}"), BINDING % ("Role", "r", f"{BEN}, {ADA}"), id="another order"),
        pytest.param(
            f"{ROLE % ('apps', 'pods', 'get, list')}\n{BINDING % ('Role', 'r', ADA)}",
            f"{(ROLE % ('apps', 'pods', 'get')).replace('shop/r', 'shop/less')}\n{BINDING % ('Role', 'less', ADA)}",
            id="a role that is known to allow less",
        ),
        pytest.param(GET, GET.replace("shop/", "till/"), id="it only moves"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
