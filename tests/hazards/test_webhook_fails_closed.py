"""webhook-fails-closed: when it fires, and when it must not."""

from __future__ import annotations

import pytest

from kdiff.hazards.webhook_fails_closed import RULE

KIND = "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration guard "
HOOK = (
    "{name: a.example.com, failurePolicy: %s, rules: [{apiGroups: ['%s'], apiVersions: [v1], resources: ['%s'], operations: [CREATE]}]%s}"
)
GUARD = KIND + "{webhooks: [" + HOOK + "]}"


def guard(policy="Fail", group="apps", resource="deployments", more=""):
    return GUARD % (policy, group, resource, more)


NEW = HOOK.replace("a.", "b.") % ("Fail", "*", "*", "")
TWO = guard()[: -len("]}")] + f", {NEW}]}}"


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (guard("Ignore"), guard("Fail"), "now refuses what it is asked about"),
        (guard("Ignore"), guard("Fail").replace("failurePolicy: Fail, ", ""), "now refuses what it is asked about"),
        (guard(), guard(resource="statefulsets"), "now asked about CREATE statefulsets"),
        (guard(), guard(resource="*"), "now asked about CREATE *"),
        (guard(more=", namespaceSelector: {matchLabels: {a: b}}"), guard(), "by a wider namespaceSelector"),
        (guard(more=", matchConditions: [{name: a, expression: x}]"), guard(), "by a wider matchConditions"),
        ("", guard(group="", resource="pods"), "is new and refuses pods"),
        (guard(), TWO, "b.example.com of"),
    ],
)
def test_fires(hazards_of, base, head, says):
    (hazard,) = hazards_of(base, head, rule=RULE)
    assert (hazard.severity, hazard.object) == ("caution", "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration guard")
    assert says in hazard.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(guard(), guard(more=", timeoutSeconds: 5"), id="it did before"),
        pytest.param(guard("Fail"), guard("Ignore"), id="fails open now"),
        pytest.param(guard(resource="*"), guard(), id="asked about less"),
        pytest.param(guard("Ignore"), guard("Ignore", resource="*"), id="lets pass what it is not asked about"),
        pytest.param(guard(), guard(more=", namespaceSelector: {matchLabels: {a: b}}"), id="fewer namespaces"),
        pytest.param("", guard(group="example.com", resource="widgets"), id="new, for its own kinds"),
        pytest.param("", guard(group="", resource="pods", more=", objectSelector: {matchLabels: {a: b}}"), id="new, for some pods"),
    ],
)
def test_is_quiet(hazards_of, base, head):
    assert hazards_of(base, head, rule=RULE) == ()
