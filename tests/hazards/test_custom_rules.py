"""The example of docs/custom-rules.md works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "custom-rules.md"


def test_the_example_of_the_page(hazards_of):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    page = {}
    exec(compile(code, str(PAGE), "exec"), page)
    labelled = "v1/ConfigMap shop/a {metadata: {labels: {team: core, tier: web}}}"
    (hazard,) = hazards_of(labelled, "v1/ConfigMap shop/a {metadata: {labels: {tier: web}}}", rule=page["RULE"])
    assert (hazard.rule, hazard.severity, hazard.object) == ("team-label-removed", "caution", "v1/ConfigMap shop/a")
    assert hazards_of(labelled, labelled, rule=page["RULE"]) == ()
