"""API versions that Kubernetes no longer serves."""

from __future__ import annotations

import pytest

from kdiff.kube.served_apis import _REMOVED, NEWEST, parse_release, removed_api


@pytest.mark.parametrize(
    ("group", "version", "kind", "release", "since", "instead"),
    [
        ("extensions", "v1beta1", "Deployment", (1, 16), (1, 16), "apps/v1"),
        ("extensions", "v1beta1", "Ingress", (1, 22), (1, 22), "networking.k8s.io/v1"),
        ("policy", "v1beta1", "PodDisruptionBudget", NEWEST, (1, 25), "policy/v1"),
        ("policy", "v1beta1", "PodSecurityPolicy", NEWEST, (1, 25), ""),
        ("autoscaling", "v2beta2", "HorizontalPodAutoscaler", (1, 26), (1, 26), "autoscaling/v2"),
        ("storage.k8s.io", "v1beta1", "CSIStorageCapacity", (1, 27), (1, 27), "storage.k8s.io/v1"),
        ("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema", (2, 0), (1, 32), "flowcontrol.apiserver.k8s.io/v1"),
    ],
)
def test_versions_that_are_gone(group, version, kind, release, since, instead):
    removed = removed_api(group, version, kind, release)
    assert removed is not None
    assert (removed.since, removed.instead) == (since, instead)


@pytest.mark.parametrize(
    ("group", "version", "kind", "release"),
    [
        pytest.param("extensions", "v1beta1", "Ingress", (1, 21), id="one release earlier"),
        pytest.param("storage.k8s.io", "v1beta1", "CSIStorageCapacity", (1, 26), id="other kinds of the version went at 1.22"),
        pytest.param("apps", "v1", "Deployment", NEWEST, id="current"),
        pytest.param("", "v1", "Service", NEWEST, id="core group"),
        pytest.param("networking.istio.io", "v1beta1", "Gateway", NEWEST, id="a custom resource"),
    ],
)
def test_versions_that_are_served(group, version, kind, release):
    assert removed_api(group, version, kind, release) is None


@pytest.mark.parametrize(("text", "release"), [("1.34", (1, 34)), ("v1.9", (1, 9)), ("1.34.2", (1, 34))])
def test_releases_are_read(text, release):
    assert parse_release(text) == release


@pytest.mark.parametrize(("api_version", "kind"), sorted(_REMOVED))
def test_what_takes_the_place_is_served_by_the_newest_release(api_version, kind):
    removed = _REMOVED[api_version, kind]
    assert removed.since <= NEWEST
    assert (removed.instead, kind) not in _REMOVED
