"""render_diff(): the stages in order. The loop between targets and rendering is in render_sides.py. Read this first."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import version
from typing import BinaryIO

from kdiff import process
from kdiff.compare.compare_sides import Comparison, compare_sides
from kdiff.errors import UsageError
from kdiff.hazards.check_hazards import CheckedHazards, check_hazards
from kdiff.impact.assess_impact import assess_impact
from kdiff.inputs.external_diff import server_owned
from kdiff.inputs.open_trees import open_trees
from kdiff.inputs.substitution_files import read_substitution_files
from kdiff.kube.argo import ignore_rules
from kdiff.kube.graph import build_graphs
from kdiff.model.change import GroupMember
from kdiff.model.checked import settle
from kdiff.model.failure import Failure, Note
from kdiff.model.hazard import Hazard, Severity
from kdiff.model.impact import Impact
from kdiff.model.options import IgnoreRule, Options
from kdiff.model.progress import Progress
from kdiff.model.report import HazardTotals, ObjectTotals, Outcome, Report, Summary, TargetTotals, Tool
from kdiff.model.side import Side
from kdiff.objects.masking import Masker
from kdiff.render.find_renderer import Renderer, find_renderer
from kdiff.render_sides import RenderedSides, SidesRenderer
from kdiff.targets.choose_entries import choose_entries


def render_diff(
    base: str | os.PathLike[str],
    head: str | os.PathLike[str],
    *,
    entry: Sequence[str] = (),
    options: Options = Options(),  # noqa: B008 - frozen
    progress: Callable[[Progress], None] | None = None,
    executor: Executor | None = None,
    stdin: BinaryIO | None = None,
    log: Callable[[str], None] | None = None,
) -> Report:
    """Render two states of a GitOps repository and say what differs in the clusters.

    A first lesson:

        import kdiff

        report = kdiff.render_diff("git:main", ".", entry=["clusters/prod"])
        print(report.outcome)                      # unchanged, changed or incomplete
        for change in report:                      # sorted by scope, then id
            print(change.status, change.id)        # changed apps/v1/Deployment shop/web
            for field in change.fields:
                print(" ", field.path, field.before, field.after)
        for failure in report.failures:            # targets that could not be compared: never read as removals
            print(failure.side, failure.target, failure.message)
        print(report.summary.objects.changed, report.impact.pods)
        print(report.to_json())                    # the stable contract, docs/report-v1.schema.json

    Args:
        base: the state before: a directory, a file of rendered manifests, `-` for standard input, `git:REV` or `git:REV:PATH`
            of the repository around the current directory.
        head: the state after, likewise.
        entry: a list of directories to start from, relative to the root of the trees. Without any, what the trees hold decides.
        options: everything else, with the meaning of the command's flags.
        progress: called from this thread after every finished build.
        executor: where builds run; by default as many threads as cores. Any `concurrent.futures.Executor` will do.
        stdin: what `-` reads; by default the process's own standard input.
        log: gets each line that kustomize says while it runs, Secrets masked, from the threads that run it.

    Returns:
        A frozen Report. What could not be rendered or compared is in `failures`, what else a reader must know in `notes`.

    Raises:
        KdiffError: the call itself cannot be carried out: a source that cannot be read, no renderer, a wrong option. The
            message is one line.
    """
    base, head = _source("base", base), _source("head", head)
    if not isinstance(options, Options):
        raise UsageError(f"options must be kdiff.Options(...), not a value of type {type(options).__name__}")
    _check_file_names()
    options = replace(options, entry=(*options.entry, *settle("entry", entry, tuple[str, ...])))
    masker = Masker(options.mask_key.encode() if options.mask_key else secrets.token_bytes(32), show_secrets=options.show_secrets)
    renderer = cache(lambda: find_renderer(options, process.run))
    with open_trees(base, head, options, stdin) as (base_tree, head_tree):
        entries = choose_entries(base_tree, head_tree, options)
        extra = read_substitution_files(options.substitute_from)
        sides_renderer = SidesRenderer(options, renderer, masker, extra=extra, executor=executor, progress=progress, log=log)
        sides = sides_renderer.render(entries, base_tree, head_tree)
        _check_targets(sides, options)
        ignored = (*server_owned(base_tree, head_tree), *_ignored_by_argo(sides))
        comparison = _narrowed(compare_sides(sides.base, sides.head, options, ignored), options)
        base_graphs, head_graphs = build_graphs(sides.base, options), build_graphs(sides.head, options)
        changes, impact = assess_impact(comparison.changes, sides.base, sides.head, base_graphs, head_graphs)
        today = datetime.now(timezone.utc).date()
        checked = check_hazards(changes, impact, sides.base, sides.head, options, base_graphs, head_graphs, today=today)
        tool = _tool(renderer() if _was_rendered(sides) else None)
        return _report(tool, replace(comparison, changes=changes), impact, checked, sides, entries.notes)


def _source(name: str, value: object) -> str:
    """What names a side, as a string; a str or a path is no other type in disguise."""
    source = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(source, str):
        what = "None" if value is None else f"a value of type {type(value).__name__}"
        raise UsageError(f"{name} must be a path or a string such as git:main, not {what}")
    return source


def _check_file_names() -> None:
    """Names in a repository are UTF-8: read otherwise, files would be missed or confused. The command settles this by itself."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise UsageError(f"Python reads file names as {encoding} here; start it with PYTHONUTF8=1 or in a UTF-8 locale")


def _was_rendered(sides: RenderedSides) -> bool:
    return any(state.target.kind != "manifests" for side in (sides.base, sides.head) for state in side.states)


def _tool(renderer: Renderer | None) -> Tool:
    if renderer is None:
        return Tool("kdiff", version("kdiff"))
    return Tool("kdiff", version("kdiff"), renderer.name, renderer.kustomize_version)


def _ignored_by_argo(sides: RenderedSides) -> tuple[IgnoreRule, ...]:
    """What the Applications of both sides tell Argo CD not to compare: a change must not hide itself by a rule that it brings."""
    at_head = set(_argo_rules(sides.head))
    return tuple(dict.fromkeys(rule for rule in _argo_rules(sides.base) if rule in at_head))


def _argo_rules(side: Side) -> Iterable[IgnoreRule]:
    owners = (state.target.owner for state in side.states if state.target.kind == "argo")
    return (rule for owner in owners if owner is not None for rule in ignore_rules(owner.value))


def _check_targets(sides: RenderedSides, options: Options) -> None:
    """Refuse globs that leave nothing: "nothing differs" would be true of anything."""
    names = {state.target.id for side in (sides.base, sides.head) for state in side.states}
    if names and not any(options.wants_target(name) for name in names):
        raise UsageError(f"--targets and --exclude-targets leave out every target ({len(names)}); they are globs over target ids")


def _narrowed(comparison: Comparison, options: Options) -> Comparison:
    """Only the changes of targets that --targets and --exclude-targets leave in.

    Targets are narrowed after comparing, since an object that another target took over has not left.
    """
    if not (options.targets or options.exclude_targets):
        return comparison

    kept = tuple(c for c in comparison.changes if any(options.wants_target(target) for target in (*c.targets.base, *c.targets.head)))
    left_out = len(comparison.changes) - len(kept)
    if not left_out:
        return comparison
    here = {GroupMember(c.scope, c.id) for c in kept}
    groups = (replace(group, objects=tuple(m for m in group.objects if m in here)) for group in comparison.groups)
    what = "1 changed object" if left_out == 1 else f"{left_out} changed objects"
    note = Note("narrowed", f"not shown: {what} of targets that --targets and --exclude-targets leave out")
    return replace(comparison, changes=kept, groups=tuple(g for g in groups if len(g.objects) > 1), notes=(*comparison.notes, note))


def _report(
    tool: Tool,
    comparison: Comparison,
    impact: Impact,
    checked: CheckedHazards,
    sides: RenderedSides,
    entry_notes: Sequence[Note],
) -> Report:
    failures = _failures(sides)
    changes = comparison.changes
    outcome: Outcome = "incomplete" if failures else "changed" if changes else "unchanged"
    return Report(
        tool=tool,
        base=sides.base.tree.origin,
        head=sides.head.tree.origin,
        outcome=outcome,
        summary=Summary(_object_totals(comparison, sides), _target_totals(comparison, sides), _hazard_totals(checked.hazards)),
        changes=changes,
        groups=comparison.groups,
        impact=replace(impact, routine=impact.routine and not failures and not checked.hazards),
        hazards=checked.hazards,
        failures=failures,
        notes=_notes((*entry_notes, *comparison.notes, *checked.notes), sides),
    )


def _failures(sides: RenderedSides) -> tuple[Failure, ...]:
    """Sorted; what fails alike on both sides is said once."""
    by_side: list[dict[Failure, None]] = [
        {replace(state.failure, side="both"): None for state in side.states if state.failure} for side in (sides.base, sides.head)
    ]
    found = [failure for failure in by_side[0] if failure in by_side[1]]
    found += [replace(failure, side="base") for failure in by_side[0] if failure not in by_side[1]]
    found += [replace(failure, side="head") for failure in by_side[1] if failure not in by_side[0]]
    return tuple(sorted(found, key=lambda f: (f.scope, f.target, f.side, f.class_, f.message)))


def _notes(notes: Iterable[Note], sides: RenderedSides) -> tuple[Note, ...]:
    """All notes once; one that only one side has says which."""
    of_side = [
        dict.fromkeys((*side.notes, *(replace(note, scope=state.target.scope) for state in side.states for note in state.notes)))
        for side in (sides.base, sides.head)
    ]
    found = dict.fromkeys(notes)
    for name, own, other in (("base", of_side[0], of_side[1]), ("head", of_side[1], of_side[0])):
        for note in own:
            found[note if note in other else replace(note, message=f"{name}: {note.message}")] = None
    return tuple(sorted(found, key=lambda note: note.order))


def _object_totals(comparison: Comparison, sides: RenderedSides) -> ObjectTotals:
    count: Mapping[str, int] = {
        status: sum(change.status == status for change in comparison.changes) for status in ("added", "removed", "changed", "renamed")
    }
    return ObjectTotals(
        base=_count_objects(sides.base),
        head=_count_objects(sides.head),
        **count,
        moved=sum(change.moved is not None for change in comparison.changes),
        unchanged=comparison.unchanged,
    )


def _count_objects(side: Side) -> int:
    return sum(len(state.objects) for state in side.states)


def _target_totals(comparison: Comparison, sides: RenderedSides) -> TargetTotals:
    everything: set[tuple[str, str]] = set()
    failed: set[tuple[str, str]] = set()
    for side in (sides.base, sides.head):
        for state in side.states:
            key = (state.target.scope, state.target.id)
            everything.add(key)
            if state.failure:
                failed.add(key)
    changed = {(c.scope, target) for c in comparison.changes for target in (*c.targets.base, *c.targets.head)}
    return TargetTotals(
        total=len(everything),
        compared=len(everything - failed - sides.base.withheld - sides.head.withheld),
        changed=len(changed),
        failed=len(failed),
        rendered_base=sides.rendered_base,
        rendered_head=sides.rendered_head,
        reused=sides.reused,
    )


def _hazard_totals(hazards: Iterable[Hazard]) -> HazardTotals:
    def count(severity: Severity) -> int:
        return sum(hazard.severity == severity and hazard.waived is None for hazard in hazards)

    return HazardTotals(count("blocking"), count("caution"), count("info"))
