"""The fields that kustomize 5.8 knows at every depth of a kustomization and of its own plugins, and which of them name files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Type = Union[str, "list[Type]", "dict[str, Type]", None]
"""What stands in a field: a string that is read in the role that is named (see `Reference`), a list, a mapping by casefolded
field, or None for what kustomize never takes for a path, however deep.
"""


def _fields(plain: str, reading: Mapping[str, Type] | None = None) -> dict[str, Type]:
    """A mapping with the `plain` fields, which name nothing to read, and those of `reading`."""
    return {**dict.fromkeys(plain.casefold().split()), **{name.casefold(): type_ for name, type_ in (reading or {}).items()}}


# As of api/types and api/internal/builtins, and kyaml/resid for what selects an object.
_ID = "group version kind name namespace"
_SELECTOR = _fields(f"{_ID} annotationSelector labelSelector")
_FIELD_SPECS: list[Type] = [_fields("group version kind path create")]
_FIELD_OPTIONS = _fields("delimiter index encoding create")
_IMAGE = _fields("name newName tagSuffix newTag digest")
_REPLICA = _fields("name count")
_SORT_OPTIONS = _fields("order", {"legacySortOptions": _fields("orderFirst orderLast")})
_GENERATOR_OPTIONS = _fields("labels annotations disableNameSuffixHash immutable")
_GENERATOR = _fields(
    "namespace name behavior literals type", {"files": ["source"], "envs": ["file"], "env": "file", "options": _GENERATOR_OPTIONS}
)
_PATCH = _fields("patch", {"path": "file", "target": _SELECTOR, "options": _fields("allowNameChange allowKindChange")})
_REPLACEMENT = _fields("sourceValue", {
    "path": "file",
    "source": _fields(f"{_ID} fieldPath", {"options": _FIELD_OPTIONS}),
    "targets": [_fields("fieldPaths", {"select": _SELECTOR, "reject": [_SELECTOR], "options": _FIELD_OPTIONS})],
})  # fmt: skip
_HELM_GLOBALS = _fields("", {"chartHome": "chart", "configHome": "chart"})
_HELM_CHART = _fields(
    "repo releaseName namespace valuesInline valuesMerge includeCRDs skipHooks apiVersions kubeVersion nameTemplate skipTests debug devel",
    {"name": "chart-name", "version": "chart-name", "valuesFile": "file", "additionalValuesFiles": ["file"]},
)
_OLD_HELM_CHART = _fields(
    "chartRepoUrl chartRepoName helmBin valuesLocal valuesMerge releaseName releaseNamespace extraArgs",
    {"chartName": "chart-name", "chartVersion": "chart-name", "chartHome": "chart", "helmHome": "chart", "values": "file"},
)

KUSTOMIZATION: dict[str, Type] = _fields(
    "apiVersion kind metadata namePrefix nameSuffix namespace commonLabels commonAnnotations buildMetadata",
    {
        "labels": [_fields("pairs includeSelectors includeTemplates includeVolumeClaimTemplates", {"fields": _FIELD_SPECS})],
        "images": [_IMAGE],
        "imageTags": [_IMAGE],
        "replicas": [_REPLICA],
        "vars": [_fields("name", {"objref": _fields(f"apiVersion {_ID}"), "fieldref": _fields("fieldPath")})],
        "sortOptions": _SORT_OPTIONS,
        "generatorOptions": _GENERATOR_OPTIONS,
        "resources": ["resource"],
        "bases": ["resource"],
        "components": ["component"],
        "crds": ["file"],
        "configurations": ["file"],
        "openapi": _fields("version", {"path": "file"}),
        "patches": [_PATCH],
        "patchesJson6902": [_PATCH],
        "patchesStrategicMerge": ["patch"],
        "replacements": [_REPLACEMENT],
        "configMapGenerator": [_GENERATOR],
        "secretGenerator": [_GENERATOR],
        "generators": ["plugin"],
        "transformers": ["plugin"],
        "validators": ["plugin"],
        "helmCharts": [_HELM_CHART],
        "helmGlobals": _HELM_GLOBALS,
        "helmChartInflationGenerator": [_OLD_HELM_CHART],
    },
)

_PLUGINS: dict[str, dict[str, Type]] = {
    "AnnotationsTransformer": _fields("annotations", {"fieldSpecs": _FIELD_SPECS}),
    "ConfigMapGenerator": _GENERATOR,
    "HashTransformer": {},
    "HelmChartInflationGenerator": {**_HELM_GLOBALS, **_HELM_CHART},
    "IAMPolicyGenerator": _fields("cloud", {"kubernetesService": _fields("name namespace"), "serviceAccount": _fields("name projectId")}),
    "ImageTagTransformer": _fields("", {"imageTag": _IMAGE, "fieldSpecs": _FIELD_SPECS}),
    "LabelTransformer": _fields("labels", {"fieldSpecs": _FIELD_SPECS}),
    "NamespaceTransformer": _fields("unsetOnly setRoleBindingSubjects", {"fieldSpecs": _FIELD_SPECS}),
    "PatchJson6902Transformer": _fields("jsonOp", {"path": "file", "target": _SELECTOR}),
    "PatchStrategicMergeTransformer": _fields("patches", {"paths": ["patch"]}),
    "PatchTransformer": _PATCH,
    "PrefixSuffixTransformer": _fields("prefix suffix", {"fieldSpecs": _FIELD_SPECS}),
    "PrefixTransformer": _fields("prefix", {"fieldSpecs": _FIELD_SPECS}),
    "ReplacementTransformer": _fields("", {"replacements": [_REPLACEMENT]}),
    "ReplicaCountTransformer": _fields("", {"replica": _REPLICA, "fieldSpecs": _FIELD_SPECS}),
    "SecretGenerator": _GENERATOR,
    "SortOrderTransformer": _fields("", {"sortOptions": _SORT_OPTIONS}),
    "SuffixTransformer": _fields("suffix", {"fieldSpecs": _FIELD_SPECS}),
    "ValueAddTransformer": _fields(
        "value", {"targets": [_fields("fieldPath filePathPosition", {"selector": _SELECTOR})], "targetFilePath": "file"}
    ),
}
PLUGINS: Mapping[str, dict[str, Type]] = {kind: {**_fields("apiVersion kind metadata"), **fields} for kind, fields in _PLUGINS.items()}
"""The fields of each plugin that is built into kustomize (api/internal/plugins/builtinhelpers/builtins.go), by its kind."""
