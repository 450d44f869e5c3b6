"""The loop between targets and rendering: both sides are rendered from their entries until no new target appears."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace

from kdiff import process
from kdiff.errors import SourceError
from kdiff.kube.flux import SUBSTITUTION_KINDS
from kdiff.model.build import Build, BuildOutput, Refusal
from kdiff.model.failure import Failure, FailureClass, Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.options import Options
from kdiff.model.progress import Progress
from kdiff.model.side import Side, TargetState, UndefinedVariable
from kdiff.model.target import Target
from kdiff.model.tree import OutsideTree, Tree
from kdiff.model.value import Value
from kdiff.model.withheld import Key, withheld_on, withheld_targets
from kdiff.objects.load_objects import keep_last, load_objects
from kdiff.objects.masking import Masker
from kdiff.render.argo_overlay import destination_namespace, place_in_destination
from kdiff.render.find_renderer import Renderer
from kdiff.render.patch_uses import patch_uses_of_targets
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds, store_outputs
from kdiff.render.substitute import substitute_documents
from kdiff.render.unknown_variables import find_holders
from kdiff.render.variables import Variables, collect_variables
from kdiff.side_work import (
    SideWork,
    add_generated,
    directories_reached,
    fail_ungenerated,
    fail_unrendered,
    files_read,
    finished_side,
    refuse_unfollowed,
    start_work,
)
from kdiff.targets.choose_entries import Entries, Found, entries_at, find_unreached, note_unreached, targets_at
from kdiff.targets.follow_targets import follow_targets
from kdiff.targets.sources import revision_name
from kdiff.targets.unread_manifests import note_unread_manifests

# Flux Kustomizations nest a few levels; a longer chain is a tree that makes new targets for ever, and is said in a note.
MAX_WAVES = 32
# A ConfigMap that holds variables may itself be substituted from another one, and so on.
MAX_PASSES = 8


@dataclass(frozen=True)
class RenderedSides:
    """Both sides, how many builds each needs (a build that both need counts for base), and how many targets take another's (`reused`).

    Builds that come from the cache on disk count like any other, so that the same inputs give the same report.
    """

    base: Side
    head: Side
    rendered_base: int
    rendered_head: int
    reused: int


@dataclass(frozen=True)
class _Loaded:
    """A target's output as objects, or why it is none."""

    objects: tuple[KubeObject, ...] = ()
    undefined: tuple[UndefinedVariable, ...] = ()
    notes: tuple[Note, ...] = ()
    failure: tuple[FailureClass, str] | None = None
    absent: tuple[ObjectKey, ...] = ()  # ConfigMaps and Secrets that its variables may come from and nobody provides


class SidesRenderer:
    """Renders both sides, each equal build once. One instance serves one run."""

    def __init__(
        self,
        options: Options,
        find_renderer: Callable[[], Renderer],
        masker: Masker,
        *,
        extra: Sequence[Value] = (),
        executor: Executor | None = None,
        progress: Callable[[Progress], None] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """`find_renderer` is asked only when something must be built; `extra` are ConfigMaps and Secrets of --substitute-from.

        `log` gets what kustomize says while it runs here, masked; tasks of an `executor` run elsewhere and are not heard.
        """
        self._options = options
        self._find_renderer = find_renderer
        self._masker = masker
        self._extra = extra
        self._executor = executor
        self._progress = progress
        self._log = log
        self._base_name = ""
        self._plans: dict[object, tuple[Tree, Build | Refusal]] = {}
        self._builds: dict[str, Build] = {}  # by digest, like their outputs
        self._outputs: dict[str, BuildOutput] = {}
        self._known: dict[str, dict[bytes, KubeObject]] = {}  # by target id: what is rendered alike again is the same object
        self._loaded: dict[tuple[str, str], list[tuple[tuple[Variables | None, str | None], _Loaded]]] = {}

    def render(self, entries: Entries, base: Tree, head: Tree) -> RenderedSides:
        """Both sides from their entries to the end.

        Raises:
            SourceError: rendered manifests that cannot be read.
            RendererError: something must be built and there is no kustomize.
        """
        works = (start_work("base", base, entries.base), start_work("head", head, entries.head))
        self._base_name = revision_name(base.origin)
        self._follow_all(works)
        if entries.found is not None and self._enter_unreached(works, entries.found):
            self._follow_all(works)
        compared = fail_unrendered(*works)
        if entries.found is not None:
            said = note_unread_manifests(base, head, files_read(works) | compared)
            for work in works:
                work.notes += said
        for work in works:
            work.notes += [Note("unsettled", _endless(scope)) for scope in sorted(work.unsettled)]
        fail_ungenerated(works[0], works[1])
        fail_ungenerated(works[1], works[0])
        for work in works:
            add_generated(work, self._masked)
        self._look_at_patches(*works)
        rendered = ((build, self._outputs[digest]) for digest, build in self._builds.items())
        store_outputs(rendered, self._options, self._masker.is_public)
        hidden = withheld_targets(works[0].states, works[1].states)
        base_digests, head_digests = (self._digests(work) for work in works)
        made = set(base_digests)
        return RenderedSides(
            finished_side(works[0], hidden[0]),
            finished_side(works[1], hidden[1]),
            rendered_base=len(made),
            rendered_head=len(set(head_digests) - made),
            reused=len(base_digests) + len(head_digests) - len(made | set(head_digests)),
        )

    def _follow_all(self, works: tuple[SideWork, SideWork]) -> None:
        """Render what is known and follow what it leads to until nothing new appears."""
        for _ in range(MAX_WAVES):
            self._run_builds(works)
            self._settle(works)
            grew = [self._follow(work) for work in works]
            if not any(grew) and not any([refuse_unfollowed(works[0], works[1]), refuse_unfollowed(works[1], works[0])]):
                return
        for work in works:
            work.notes.append(Note("unsettled", f"new targets still appeared after {MAX_WAVES} rounds; the last ones are missing"))
        refuse_unfollowed(works[0], works[1])
        refuse_unfollowed(works[1], works[0])
        self._settle(works)

    def _enter_unreached(self, works: tuple[SideWork, SideWork], found: tuple[Found, Found]) -> bool:
        """Make entries of the kustomizations that differ and that nothing led to. True when there are any.

        Beside a target that failed nobody knows what would have led to them, so that what one of them lost another may have: a note.
        """
        paths = find_unreached(found, directories_reached(works), self._options)
        trees = (works[0].tree, works[1].tree)
        every = targets_at(trees, (paths, paths))
        plans = [{t.id: self._plan_of(w, t) for t in side} for w, side in zip(works, every, strict=True)]
        differing = [path for path in paths if _reads_of(plans[0].get(path)) != _reads_of(plans[1].get(path))]
        if differing and any(state.failure is not None for work in works for state in work.states.values()):
            for work in works:
                work.notes.append(note_unreached(differing))
            return False
        rest = entries_at(trees, (differing, differing), "they differ, and nothing else leads to them")
        for work, targets in zip(works, (rest.base, rest.head), strict=True):
            new = {(target.scope, target.id): target for target in targets}
            work.entries |= new
            work.targets |= new
            work.notes += rest.notes if differing else ()
        return bool(differing)

    def _look_at_patches(self, base: SideWork, head: SideWork) -> None:
        """What the patches of each target select whose build differs between the sides; a failed target has none."""
        pairs = {}
        for key in sorted(base.targets.keys() | head.targets.keys()):
            plans = [self._plan_of(work, work.targets[key]) if key in work.targets else None for work in (base, head)]
            old, new = (plan if isinstance(plan, Build) else None for plan in plans)
            failed = any(key in work.states and work.states[key].failure is not None for work in (base, head))
            if not failed and (old is None or new is None or old.digest != new.digest):
                pairs[key] = (old, new)
        for key, found in patch_uses_of_targets(pairs, self._probe).items():
            for work, uses in zip((base, head), found, strict=True):
                if key in work.states and uses:
                    shown = (replace(use, selects=self._masker.mask_text(use.selects)) for use in uses)
                    work.states[key] = replace(work.states[key], patches=tuple(shown))

    def _probe(self, builds: tuple[Build, ...]) -> list[bytes | None]:
        """What each of `builds` gives; they are part of no target, so they count as no build and no object of theirs is kept."""
        missing = tuple(build for build in builds if build.digest not in self._outputs)
        outputs = run_builds(missing, self._find_renderer(), self._options, process.run, executor=self._executor)
        for build, output in zip(missing, outputs, strict=True):
            self._builds[build.digest], self._outputs[build.digest] = build, output
        return [self._outputs[build.digest].output for build in builds]

    def _digests(self, work: SideWork) -> list[str]:
        """The build of every target of a side."""
        plans = (self._plan_of(work, target) for key, target in work.targets.items() if key not in work.superseded)
        return [plan.digest for plan in plans if isinstance(plan, Build)]

    def _plan_of(self, work: SideWork, target: Target) -> Build | Refusal | None:
        """The build of a target as it is specified now: a parent's edit to its manifest makes another one. None for manifests."""
        if target.kind == "manifests" or (target.scope, target.id) in work.refused:
            return None
        key = (work.name, target.scope, target.id, target.path, id(target.tree), target.owner.raw if target.owner else b"")
        if key not in self._plans:  # the tree is kept beside its plan, so that its id is not given to another one
            self._plans[key] = (target.tree, plan_build(target, self._options, self._find_renderer()))
        return self._plans[key][1]

    def _run_builds(self, works: Iterable[SideWork]) -> None:
        wanted: dict[str, Build] = {}
        for work in works:
            for _, target in sorted(work.targets.items()):
                build = self._plan_of(work, target)
                if isinstance(build, Build) and build.digest not in self._outputs and build.digest not in wanted:
                    wanted[build.digest] = build
        if wanted:
            if self._log:
                for build in wanted.values():
                    self._masker.learn_sources(_contents(build))
            run = process.run if self._executor or not self._log else self._run_and_log
            outputs = run_builds(
                tuple(wanted.values()), self._find_renderer(), self._options, run, executor=self._executor, progress=self._progress
            )
            for build, output in zip(wanted.values(), outputs, strict=True):
                if output.output is None:  # its Secrets were never rendered, yet the message may quote them
                    self._masker.learn_sources(_contents(build))
            self._builds |= wanted
            self._outputs.update(zip(wanted, outputs, strict=True))

    def _run_and_log(self, command: process.Command) -> process.Outcome:
        """Run a build, its messages heard up to the first error: an error may quote a broken Secret that nobody could learn."""
        log, failed = self._log, False

        def hear(line: str) -> None:
            nonlocal failed
            failed = failed or line.lower().startswith("error")
            if log and not failed:
                log(self._masker.mask_text(line))

        return process.run(replace(command, log=hear))

    def _settle(self, works: tuple[SideWork, SideWork]) -> None:
        """Load every target of both sides; those whose variables nobody knows fail, and so do those that depend on them in turn."""
        for work in works:
            work.unknown = {}
            self._substitute(work)
        rendered = [dict(work.states) for work in works]
        for work, other in zip(works, reversed(rendered), strict=True):
            while unknown := self._find_unknown(work, other):
                work.unknown |= unknown
                self._substitute(work)

    def _substitute(self, work: SideWork) -> None:
        """Load every target, again until the variables that targets take from one another no longer change."""
        sources: dict[str, list[KubeObject]] = {}
        for _ in range(MAX_PASSES):
            work.states = {key: self._state(work, target, sources.get(key[0], ())) for key, target in work.targets.items()}
            before, sources = sources, _variable_sources(work.states.values())
            work.unsettled = {scope for scope in sources.keys() | before.keys() if _texts(sources, scope) != _texts(before, scope)}
            if not work.unsettled:
                return

    def _find_unknown(self, work: SideWork, other: Mapping[Key, TargetState]) -> dict[Key, Failure]:
        """Targets whose variables may stand in a target that failed on this side, or that hangs below one and so is not here."""
        failed = {key: state for key, state in work.states.items() if state.failure is not None}
        lost = withheld_on(other, work.states) if failed else ()
        found: dict[Key, Failure] = {}
        for scope in {scope for scope, _ in failed}:
            absent = {key[1]: keys for key, keys in work.absent.items() if key[0] == scope and key not in failed}
            elsewhere = {key[1]: [obj.key for obj in other[key].objects] for key in lost if key[0] == scope}
            builds = {key[1]: self._plan_of(work, state.target) for key, state in failed.items() if key[0] == scope}
            read = {target: (text for _, text in _contents(build)) for target, build in builds.items() if isinstance(build, Build)}
            for target, (source, holder) in find_holders(absent, elsewhere, read).items():
                message = (
                    f"its variables come from {source.kind} {source.namespace}/{source.name}, which {holder} may hold, and that failed"
                )
                found[scope, target] = Failure(work.name, target, "undefined-variable", message, scope)
        return found

    def _state(self, work: SideWork, target: Target, sources: Sequence[KubeObject]) -> TargetState:
        refused = work.refused.get((target.scope, target.id))
        if refused is not None:
            return TargetState(target, failure=replace(refused, side=work.name, message=self._masker.mask_text(refused.message)))
        build = self._plan_of(work, target)
        if isinstance(build, Refusal):
            message = self._masker.mask_text(build.failure.message)
            return TargetState(
                target, failure=replace(build.failure, side=work.name, scope=target.scope, message=message), reads=build.reads
            )
        loaded = self._load_manifests(target) if build is None else self._load(target, build, sources)
        work.absent[target.scope, target.id] = loaded.absent
        reads = tuple(path for path, _ in build.reads) if build else tuple(target.tree.manifests)
        failure = work.unknown.get((target.scope, target.id))
        if failure is not None:
            return TargetState(target, failure=failure, reads=reads)
        if loaded.failure is not None:
            class_, message = loaded.failure
            failure = Failure(work.name, target.id, class_, self._masker.mask_text(message), target.scope)
        return TargetState(target, loaded.objects, failure, loaded.undefined, notes=loaded.notes, reads=reads)

    def _load(self, target: Target, build: Build, sources: Sequence[KubeObject]) -> _Loaded:
        output = self._outputs[build.digest]
        if output.output is None:
            return _Loaded(failure=(output.failure_class or "renderer-failed", output.message))
        variables = collect_variables(target, sources, self._options, self._extra) if target.kind == "flux" else None
        made_with = (variables, destination_namespace(target))
        known = self._loaded.setdefault((build.digest, target.id), [])
        for made_with_then, loaded in known:
            if made_with_then == made_with:
                return loaded
        loaded = self._read(output.output, target, variables)
        known.append((made_with, loaded))
        return loaded

    def _read(self, text: bytes, target: Target, variables: Variables | None) -> _Loaded:
        """Objects of kustomize's output, after Flux's substitution."""
        undefined: tuple[UndefinedVariable, ...] = ()
        notes: list[Note] = []
        absent: tuple[ObjectKey, ...] = ()
        if variables is not None:
            absent = variables.absent if b"${" in text or b"$$" in text else ()
            self._masker.learn(variables.secret_values)
            substituted = substitute_documents(text, variables, self._options)
            if substituted.error is not None:
                return _Loaded(failure=(substituted.failure_class or "renderer-failed", substituted.error))
            text, undefined = substituted.output, substituted.undefined
            notes += [
                Note("missing-variables", f"{source} is not in this tree: the variables that only it may hold stay as they are", target.id)
                for source in variables.missing
            ]
        for each in undefined:
            why = f"; {' or '.join(variables.missing)} may hold it" if variables and variables.missing else ""
            notes.append(Note("undefined-variable", f"${{{each.variable}}} has no value at {each.pointer}{why}", target.id, each.object))
        loaded = load_objects(
            place_in_destination(text, target), target.id, self._masker, canonical=True, known=self._known.setdefault(target.id, {})
        )
        if loaded.problem:
            return _Loaded(failure=("invalid-yaml", loaded.problem))
        return _Loaded(loaded.objects, undefined, (*notes, *loaded.notes), absent=absent)

    def _masked(self, generated: KubeObject) -> KubeObject:
        """An Application that an ApplicationSet generates, read like what kustomize prints."""
        (obj,) = load_objects(generated.raw, generated.target, self._masker, canonical=True).objects
        obj.generator = generated.generator
        return obj

    def _load_manifests(self, target: Target) -> _Loaded:
        """Objects of rendered manifests, which somebody wrote by hand or another tool made."""
        objects: list[KubeObject] = []
        notes: list[Note] = []
        known = self._known.setdefault(target.id, {})
        for path in target.tree.manifests:
            loaded = load_objects(target.tree.read(path), target.id, self._masker, canonical=False, known=known)
            if loaded.problem:
                raise SourceError(f"{_manifest_name(target.tree, path)}: cannot be read: {loaded.problem}; correct the YAML")
            objects += loaded.objects
            notes += loaded.notes
        kept = keep_last(objects, notes)
        return _Loaded(kept.objects, notes=kept.notes)

    def _follow(self, work: SideWork) -> bool:
        """Take in the targets that the objects lead to. True when they are not those of the last wave."""
        before = {key: target.owner.raw if target.owner else b"" for key, target in work.targets.items()}
        refused_before = set(work.refused)
        found = dict(work.entries)
        work.refused = {}
        work.superseded = set()
        for scope in sorted({scope for scope, _ in work.entries}):
            states = [state for (state_scope, _), state in sorted(work.states.items()) if state_scope == scope]
            states.sort(key=lambda state: state.target.parent is not None or state.target.owner is not None)
            followed = follow_targets(states, scope, work.tree, self._options, self._base_name)
            found |= {(scope, target.id): target for target in followed.targets}
            for failure in followed.failures:
                key = (scope, failure.target)
                work.refused[key] = failure
                found[key] = Target(failure.target, scope, "argo" if failure.target.startswith("Application ") else "flux", ".", work.tree)
            work.superseded |= {(scope, target_id) for target_id in followed.superseded}
            work.followed[scope] = followed
        for key in work.unfollowed.keys() - found.keys():
            found[key], work.refused[key] = work.unfollowed[key]
        work.targets = dict(sorted(found.items()))
        after = {key: target.owner.raw if target.owner else b"" for key, target in work.targets.items()}
        return after != before or set(work.refused) != refused_before


def _manifest_name(tree: Tree, path: str) -> str:
    """A file of rendered manifests as the user knows it: a label that is a file's is name enough."""
    origin = tree.origin
    if origin.kind == "stdin":
        return "standard input"
    return origin.label if f"/{origin.label}".replace(":", "/").endswith(f"/{path}") else f"{origin.label}: {path}"


def _reads_of(plan: Build | Refusal | None) -> object:
    """What decides whether two plans can give different objects; of a build that also reads from elsewhere, what lies in the tree."""
    return (plan.reads, plan.links, plan.directories) if isinstance(plan, Build) else plan


def _contents(build: Build) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file that a build reads, as far as it can be read."""
    yield from build.overlay.items()
    for path, _ in build.reads:
        if path not in build.overlay:
            with suppress(OSError, OutsideTree):
                yield path, build.target.tree.read(path)


def _variable_sources(states: Iterable[TargetState]) -> dict[str, list[KubeObject]]:
    """Scope to its ConfigMaps and Secrets, which targets may take variables from."""
    found: dict[str, list[KubeObject]] = {}
    for state in states:
        for obj in state.objects:
            if obj.key.group == "" and obj.key.kind in SUBSTITUTION_KINDS:
                found.setdefault(state.target.scope, []).append(obj)
    return found


def _texts(sources: Mapping[str, Sequence[KubeObject]], scope: str) -> set[tuple[ObjectKey, bytes]]:
    return {(obj.key, obj.raw) for obj in sources.get(scope, ())}


def _endless(scope: str) -> str:
    what = f"variables in {scope} are substituted from one another, or from themselves, and still changed after {MAX_PASSES} rounds"
    return f"{what}; the last values are compared"
