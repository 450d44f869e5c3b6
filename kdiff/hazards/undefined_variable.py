"""undefined-variable: a `${VAR}` without default has no value at head."""

from __future__ import annotations

from collections.abc import Iterator

from kdiff.hazards.rule import Context, Finding, Rule


def _check(context: Context) -> Iterator[Finding]:
    for state in context.head.states:
        place = (state.target.scope, state.target.id)
        before = context.base_states.get(place)
        known = {(each.variable, each.object) for each in before.undefined} if before else set()
        for each in state.undefined:
            if each.perhaps_from or (each.variable, each.object) in known:
                continue
            known.add((each.variable, each.object))
            yield Finding(
                message=f"${{{each.variable}}} has no value in {each.object}: Flux 2.9 and later fail {state.target.id} on it, "
                "older Flux applies an empty string",
                why="The variable is in none of the sources that spec.postBuild names and has no default such as ${VAR:=value}. "
                "kustomize-controller 1.9 made StrictPostBuildSubstitutions the default.",
                scope=state.target.scope,
                object=each.object,
                target=state.target.id,
                pointer=each.pointer,
                variable=each.variable,
            )


RULE = Rule("undefined-variable", "blocking", "A variable has no value", _check)
