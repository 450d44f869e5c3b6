"""removed-api: an object comes in an API version that the cluster no longer serves."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.rule import Context, Finding, Rule
from kdiff.kube.fields import qualified_kind
from kdiff.kube.served_apis import NEWEST, parse_release, removed_api


def _check(context: Context) -> Iterator[Finding]:
    asked = context.options.kubernetes_version
    release = parse_release(asked) if asked else NEWEST
    for change in context.changes:
        ref, before = change.object, change.base_object
        if change.head_value is None or (before is not None and before.version == ref.version and before.group == ref.group):
            continue
        removed = removed_api(ref.group, ref.version, ref.kind, release)
        if removed is None:
            continue
        advice = f"{removed.instead} takes its place" if removed.instead else "nothing takes its place"
        since = ".".join(map(str, removed.since))
        yield Finding(
            message=f"{change.id} cannot be applied: Kubernetes {since} and later do not serve {qualified_kind(ref.group, ref.version)} "
            f"for {ref.kind}; {advice}",
            why="The API server answers that it has no such kind, and the whole apply fails with it.",
            scope=change.scope,
            object=change.id,
            pointer="/apiVersion",
        )


RULE = Rule("removed-api", "blocking", "An API version is no longer served", _check)
