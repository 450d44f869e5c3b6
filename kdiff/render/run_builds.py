"""Builds into YAML: each once, in parallel, from the cache where it can be, and never raising for one of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from signal import Signals

from kdiff.errors import KdiffError, UnreadablePath
from kdiff.model.build import Build, BuildOutput
from kdiff.model.options import Options
from kdiff.model.progress import Progress
from kdiff.model.tree import OutsideTree, Tree
from kdiff.process import Outcome, Runner, end_all
from kdiff.render.cache import OutputCache, open_cache
from kdiff.render.failures import LIFT, explain_failure, one_line
from kdiff.render.find_renderer import Renderer
from kdiff.render.scratch import BuildTask, TaskResult, run_task

# Failures that an incomplete read set can cause: what kustomize missed may be in the tree after all.
_MAY_BE_OUR_FAULT = frozenset({"missing-resource", "missing-kustomization", "load-restriction", "renderer-failed"})


def run_builds(
    builds: Sequence[Build],
    renderer: Renderer,
    options: Options,
    run: Runner,
    *,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[BuildOutput, ...]:
    """What each of `builds` gives, in their order. Builds of one digest are run once.

    Every build runs in a scratch directory that holds what it reads and nothing else. Without `executor`, as many threads as
    `options.jobs` (or cores) each wait for a renderer of their own. Any other executor gets self-contained tasks (`run_task`), so
    that its workers need the renderer but no tree; `run` must then be picklable.

    Raises:
        KdiffError: with `options.verify_cache`, a stored output differs from what is rendered now.
    """
    cache = open_cache(options)
    unique = {build.digest: build for build in builds}
    outputs: dict[str, BuildOutput] = {}
    if cache is not None and not options.verify_cache:
        for digest, build in unique.items():
            stored = cache.get(digest) if build.proven else None
            if stored is not None:
                outputs[digest] = BuildOutput(stored, rendered=False)
    done = len(outputs)
    if progress and done:
        progress(Progress(done, len(unique), unique[next(iter(outputs))].target.id))
    pool = executor or ThreadPoolExecutor(options.jobs or _cores())
    futures: dict[Future[TaskResult], Build] = {}
    try:
        for digest, build in unique.items():
            if digest not in outputs:
                futures[_submit(pool, build, renderer, options, run, local=executor is None)] = build
        for future in as_completed(futures):
            build = futures[future]
            output = _output_of(future, build, options)
            if not build.proven and output.failure_class in _MAY_BE_OUR_FAULT:
                output = _with_whole_tree(build, renderer, options, run) or output
            outputs[build.digest] = output
            if cache is not None and options.verify_cache and output.output is not None:
                _verify(cache, build, output.output)
            done += 1
            if progress:
                progress(Progress(done, len(unique), build.target.id))
    except BaseException:
        for future in futures:
            future.cancel()
        end_all()
        raise
    finally:
        if executor is None:
            pool.shutdown()
    return tuple(outputs[build.digest] for build in builds)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _submit(pool: Executor, build: Build, renderer: Renderer, options: Options, run: Runner, *, local: bool) -> Future[TaskResult]:
    if local:  # files are read when the build's turn comes, so that never more than a few read sets are in memory
        return pool.submit(lambda: run_task(_task(build, renderer, options), run))
    return pool.submit(run_task, _task(build, renderer, options), run)


def _task(build: Build, renderer: Renderer, options: Options) -> BuildTask:
    tree = build.target.tree
    files = {path: tree.read(path) for path, _ in build.reads if path not in build.overlay}
    return BuildTask(
        directory=tree.resolve(build.target.path),
        files=tuple(sorted({**files, **build.overlay}.items())),
        links=build.links,
        directories=build.directories,
        argv=(*renderer.argv_prefix, *build.flags),
        timeout=options.timeout,
        max_output=options.max_output,
    )


def _output_of(future: Future[TaskResult], build: Build, options: Options) -> BuildOutput:
    """The output of a finished task. Whatever went wrong in it concerns this build alone."""
    try:
        result = future.result()
    except (OSError, OutsideTree) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return BuildOutput(
            None, "renderer-failed", f"the files of {build.target.path} cannot be laid out: {reason or type(error).__name__}"
        )
    except Exception as error:  # noqa: BLE001 - a foreign executor may raise anything: a lost worker, a value it cannot pickle
        return BuildOutput(None, "renderer-failed", f"the executor lost the build of {build.target.path}: {type(error).__name__}")
    return _explained(result, build, options)


def _explained(result: TaskResult, build: Build, options: Options) -> BuildOutput:
    outcome = result.outcome
    if outcome.ok and result.output is not None:
        return BuildOutput(result.output)
    if outcome.missing:
        return BuildOutput(None, "renderer-missing", "the renderer is gone, or cannot be executed where the build ran")
    if outcome.timed_out:
        return BuildOutput(None, "timeout", f"kustomize did not end within {options.timeout:g} seconds; --timeout sets another limit")
    if outcome.truncated:
        return BuildOutput(
            None, "output-too-large", f"kustomize wrote more than {options.max_output} bytes; --max-output sets another limit"
        )
    if outcome.status < 0:
        return BuildOutput(None, "renderer-failed", f"kustomize was ended by {_signal(outcome)}")
    if outcome.ok:
        return BuildOutput(None, "renderer-failed", "kustomize reported success and wrote nothing")
    failure_class, message = explain_failure(outcome.stderr, build.target.tree.resolve(build.target.path), result.root)
    if build.unforeseen:
        message = message.replace(LIFT, one_line(f"it is not read, since {build.unforeseen}"))
    return BuildOutput(None, failure_class, message)


def _signal(outcome: Outcome) -> str:
    try:
        name = Signals(-outcome.status).name
    except ValueError:
        name = f"signal {-outcome.status}"
    return name + (": out of memory, or someone ended it" if name == "SIGKILL" else "")


def _with_whole_tree(build: Build, renderer: Renderer, options: Options, run: Runner) -> BuildOutput | None:
    """One more try with every file of the tree at hand; None when it cannot be made. A failure of it is not for want of a file."""
    try:
        task = _task(build, renderer, options)
        files, links = _everything(build.target.tree)
        task = replace(task, files=tuple(sorted({**files, **dict(task.files)}.items())), links=tuple(sorted(links | set(task.links))))
        return _explained(run_task(task, run), build, options)
    except (OSError, OutsideTree):
        return None


def _everything(tree: Tree) -> tuple[dict[str, bytes], set[tuple[str, str]]]:
    """Every readable file of `tree`, and every link that stays inside."""
    files: dict[str, bytes] = {}
    links: set[tuple[str, str]] = set()
    for path in tree.paths:
        with suppress(OSError, OutsideTree, UnreadablePath):
            real = tree.resolve(path)
            if real == path:
                files[path] = tree.read(path)
            else:
                links.add((path, real))
    return files, links


def _verify(cache: OutputCache, build: Build, output: bytes) -> None:
    stored = cache.get(build.digest) if build.proven else None
    # kustomize orders some keys differently from run to run, so lines are compared whatever their order.
    if stored is not None and sorted(stored.split(b"\n")) != sorted(output.split(b"\n")):
        raise KdiffError(
            f"the cache is wrong about {build.target.id}: what is stored differs from what is rendered now; "
            "run with --no-cache, and please report it"
        )


def store_outputs(outputs: Iterable[tuple[Build, BuildOutput]], options: Options, is_public: Callable[[bytes], bool]) -> None:
    """Keep on disk, for the next run, what this one rendered and can prove to be repeatable, as far as it `is_public`.

    Asked for last, since which texts are secret is known only when every Secret was rendered.
    """
    cache = open_cache(options)
    if cache is None:
        return
    stored = False
    for build, output in outputs:
        if build.proven and output.rendered and output.output is not None and is_public(output.output):
            cache.put(build.digest, output.output)
            stored = True
    if stored:
        cache.evict()
