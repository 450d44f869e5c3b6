"""The `$ARGOCD_APP_...` variables that Argo CD fills into a source's options."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kdiff.kube.argo import ArgoApplication, ArgoSource
from kdiff.kube.fields import text

_GO_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z0-9_]+)|(\$))")


def build_environment(application: ArgoApplication, source: ArgoSource) -> Mapping[str, str]:
    """What each variable stands for (reposerver/repository.go, newEnv); a revision stays visible by its name."""
    return {
        "ARGOCD_APP_NAME": application.name,
        "ARGOCD_APP_NAMESPACE": application.destination_namespace,
        "ARGOCD_APP_PROJECT_NAME": application.project,
        "ARGOCD_APP_SOURCE_REPO_URL": source.repo_url,
        "ARGOCD_APP_SOURCE_PATH": text(dict(source.value), "path"),
        "ARGOCD_APP_SOURCE_TARGET_REVISION": source.revision,
        **{name: name for name in ("ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8")},
    }


def expand_variables(string: str, environment: Mapping[str, str]) -> str:
    """Go's os.Expand with `$$` for a dollar sign; unknown names are empty."""
    return _GO_VARIABLE.sub(lambda found: "$" if found[3] or found[1] == "$" else environment.get(found[1] or found[2] or "", ""), string)
