"""Builds into outputs, with a renderer that does as it is told."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kdiff import process
from kdiff.errors import KdiffError
from kdiff.model.build import Build
from kdiff.model.options import Options
from kdiff.model.progress import Progress
from kdiff.model.target import Target
from kdiff.process import Command, Outcome
from kdiff.render.find_renderer import Renderer, find_renderer
from kdiff.render.plan_build import plan_build
from kdiff.render.run_builds import run_builds, store_outputs

RENDERER = Renderer("kustomize", ("kustomize", "build"), "5.8.1", "5.8.1")
CM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n"
NO_CACHE = Options(cache=False)


def plan(tree: Any, path: str, options: Options = NO_CACHE) -> Build:
    build = plan_build(Target(path, path, "kustomization", path, tree), options, RENDERER)
    assert isinstance(build, Build)
    return build


def apps(*names: str) -> Mapping[str, str]:
    return {
        path: text
        for n in names
        for path, text in {f"{n}/kustomization.yaml": "resources: [a.yaml]\n", f"{n}/a.yaml": CM.format(n)}.items()
    }


def concatenate(command: Command) -> Outcome:
    """A renderer whose output is every file that it can see in the directory it is to build."""
    assert command.output is not None
    files = sorted(path for path in Path(command.argv[-1]).rglob("*") if path.is_file())
    Path(command.output).write_bytes(b"".join(path.read_bytes() for path in files if path.name != "kustomization.yaml"))
    return Outcome(0)


def test_outputs_come_in_the_order_of_builds_and_equal_builds_run_once(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(apps("a", "b", "c"))
    runs: list[str] = []

    def run(command: Command) -> Outcome:
        runs.append(command.argv[-1])
        return concatenate(command)

    builds = [plan(tree, name) for name in ("c", "a", "b", "a")]
    outputs = run_builds(builds, RENDERER, NO_CACHE, run)
    assert [output.output for output in outputs] == [CM.format(name).encode() for name in ("c", "a", "b", "a")]
    assert all(output.rendered for output in outputs)
    assert len(runs) == 3


def test_a_build_sees_what_it_reads_and_nothing_else_and_leaves_nothing(make_tree: Callable[..., Any]) -> None:
    tree = make_tree({
        "app/kustomization.yaml": "resources: [link]\n",
        "app/link": Path("../real"),
        "app/unread.yaml": "",
        "real/kustomization.yaml": "resources: [../deep/x.yaml]\n",
        "deep/x.yaml": CM.format("x"),
    })  # fmt: skip
    seen: dict[str, Any] = {}

    def run(command: Command) -> Outcome:
        app = Path(command.argv[-1])
        seen["files"] = sorted(str(p.relative_to(app.parent)) for p in app.parent.rglob("*") if p.is_symlink() or p.is_file())
        seen["link"] = (app / "link").is_symlink() and (app / "link").resolve() == app.parent / "real"
        seen["argv"], seen["env"], seen["scratch"] = command.argv, dict(command.env), app
        seen["limits"] = (command.timeout, command.output_limit)
        return concatenate(command)

    run_builds([plan(tree, "app")], RENDERER, replace(NO_CACHE, timeout=7, max_output=99), run)
    assert seen["files"] == ["app/kustomization.yaml", "app/link", "deep/x.yaml", "real/kustomization.yaml"]
    assert seen["link"]
    assert seen["argv"][:4] == ("kustomize", "build", "--load-restrictor", "LoadRestrictionsRootOnly")
    assert seen["argv"][4] == "-o"
    assert seen["limits"] == (7, 99)
    assert seen["env"]["KUBECONFIG"] == "/dev/null"
    assert {"HOME", "TMPDIR"} == {name for name in ("HOME", "TMPDIR") if seen["env"][name].startswith(str(seen["scratch"].parents[2]))}
    assert not seen["scratch"].exists()
    assert tree.root not in seen["scratch"].parents


@pytest.mark.parametrize(
    ("outcome", "writes", "class_", "names"),
    [
        (Outcome(127, missing=True), None, "renderer-missing", "gone"),
        (Outcome(-9, timed_out=True), b"half", "timeout", "120 seconds"),
        (Outcome(-9, truncated=True), b"much", "output-too-large", "268435456 bytes"),
        (Outcome(-9), b"half", "renderer-failed", "SIGKILL: out of memory"),
        (Outcome(-11), None, "renderer-failed", "SIGSEGV"),
        (Outcome(-200), None, "renderer-failed", "signal 200"),
        (Outcome(0), None, "renderer-failed", "wrote nothing"),
        (Outcome(1, stderr="error: something new {secret: x}\n"), b"half", "renderer-failed", "something new"),
        (Outcome(1), None, "renderer-failed", "did not say why"),
    ],
)
def test_every_way_to_fail_is_named(make_tree: Callable[..., Any], outcome: Outcome, writes: bytes | None, class_: str, names: str) -> None:
    def run(command: Command) -> Outcome:
        if writes is not None:
            Path(str(command.output)).write_bytes(writes)
        return outcome

    (output,) = run_builds([plan(make_tree(apps("a")), "a")], RENDERER, NO_CACHE, run)
    assert (output.output, output.failure_class) == (None, class_)
    assert names in output.message
    assert "secret" not in output.message


def test_one_failure_stops_no_other(make_tree: Callable[..., Any]) -> None:
    def run(command: Command) -> Outcome:
        if command.argv[-1].endswith("/b"):
            raise OSError(28, "No space left on device")
        return concatenate(command)

    tree = make_tree(apps("a", "b", "c"))
    outputs = run_builds([plan(tree, name) for name in "abc"], RENDERER, NO_CACHE, run)
    assert [output.output is None for output in outputs] == [False, True, False]
    assert "No space left on device" in outputs[1].message


def test_a_file_that_vanishes_concerns_its_build_alone(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(apps("a", "b"))
    builds = [plan(tree, name) for name in "ab"]
    (tree.root / "a/a.yaml").unlink()
    outputs = run_builds(builds, RENDERER, NO_CACHE, concatenate)
    assert [output.failure_class for output in outputs] == ["renderer-failed", None]


def missing_unless(name: str) -> Callable[[Command], Outcome]:
    def run(command: Command) -> Outcome:
        if not (Path(command.argv[-1]).parent / name).exists():
            return Outcome(1, stderr=f"error: evalsymlink failure on '{command.argv[-1]}/{name}' : lstat: no such file")
        return concatenate(command)

    return run


def test_an_unforeseen_read_gets_the_whole_tree(make_tree: Callable[..., Any]) -> None:
    files = {
        **apps("a"),
        "a/kustomization.yaml": "novel: true\nresources: [a.yaml]\n",
        "elsewhere/x.yaml": "x",
        "elsewhere/l": Path("x.yaml"),
    }
    build = plan(make_tree(files), "a")
    for name in ("elsewhere/x.yaml", "elsewhere/l"):
        (output,) = run_builds([build], RENDERER, NO_CACHE, missing_unless(name))
        assert output.output == CM.format("a").encode()
    (output,) = run_builds([build], RENDERER, NO_CACHE, missing_unless("nowhere"))
    assert (output.failure_class, output.message) == ("missing-resource", "a/nowhere does not exist")


def test_what_fails_with_the_whole_tree_is_the_cause(make_tree: Callable[..., Any], kustomize: str) -> None:
    """A file that only the read set misses is not said to be missing."""
    files = {"app/kustomization.yaml": "resources: [../x.yaml]\nimages: [{name: a, name: b}]\n", "x.yaml": CM.format("x")}
    options = replace(NO_CACHE, kustomize=kustomize, load_restrictor="none")
    renderer = find_renderer(options, process.run)
    (output,) = run_builds([plan(make_tree(files), "app", options)], renderer, options, process.run)
    assert (output.failure_class, output.message) == (
        "load-restriction",
        "x.yaml is not in or below app, which asks for it; it is not read, since app/kustomization.yaml cannot be read as a kustomization",
    )


def test_a_proven_read_set_is_not_tried_twice(make_tree: Callable[..., Any]) -> None:
    runs: list[Command] = []

    def run(command: Command) -> Outcome:
        runs.append(command)
        return Outcome(1, stderr="error: evalsymlink failure on '/x' : lstat")

    run_builds([plan(make_tree(apps("a")), "a")], RENDERER, NO_CACHE, run)
    assert len(runs) == 1


def test_an_overlay_replaces_and_joins(make_tree: Callable[..., Any]) -> None:
    build = plan(make_tree(apps("a")), "a")
    build = replace(build, overlay={"a/a.yaml": b"replaced\n", "a/new/b.yaml": b"joined\n"})
    (output,) = run_builds([build], RENDERER, NO_CACHE, concatenate)
    assert output.output == b"replaced\njoined\n"


def test_progress_counts_to_the_end(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(apps("a", "b", "c"))
    seen: list[Progress] = []
    run_builds([plan(tree, name) for name in "abca"], RENDERER, NO_CACHE, concatenate, progress=seen.append)
    assert [(p.done, p.total) for p in seen] == [(1, 3), (2, 3), (3, 3)]
    assert {p.target for p in seen} == {"a", "b", "c"}


@pytest.mark.parametrize("jobs", [1, 3])
def test_as_many_builds_at_a_time_as_jobs(make_tree: Callable[..., Any], jobs: int) -> None:
    names = [f"a{n}" for n in range(6)]
    tree = make_tree(apps(*names))
    lock, running, most = threading.Lock(), [0], [0]
    gate = threading.Barrier(jobs, timeout=10)

    def run(command: Command) -> Outcome:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait()
        with lock:
            running[0] -= 1
        return concatenate(command)

    run_builds([plan(tree, name) for name in names], RENDERER, replace(NO_CACHE, jobs=jobs), run)
    assert most[0] == jobs


class FarExecutor(Executor):
    """Runs tasks as another machine would: after a journey as bytes."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            there = pickle.loads(pickle.dumps((fn, args, kwargs)))
            future.set_result(pickle.loads(pickle.dumps(there[0](*there[1], **there[2]))))
        except Exception as error:  # noqa: BLE001
            future.set_exception(error)
        return future


def test_any_executor_gets_tasks_that_need_no_tree(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(apps("a", "b"))
    builds = [plan(tree, name) for name in "ab"]
    outputs = run_builds(builds, RENDERER, NO_CACHE, concatenate, executor=FarExecutor())
    assert [output.output for output in outputs] == [CM.format(name).encode() for name in "ab"]


def test_an_executor_that_loses_a_task_fails_that_build(make_tree: Callable[..., Any]) -> None:
    def unpicklable(command: Command) -> Outcome:
        return Outcome(0)

    (output,) = run_builds([plan(make_tree(apps("a")), "a")], RENDERER, NO_CACHE, unpicklable, executor=FarExecutor())
    assert output.failure_class == "renderer-failed"
    assert "executor" in output.message


def test_the_next_run_takes_outputs_from_the_cache(make_tree: Callable[..., Any], tmp_path: Path) -> None:
    options = Options(cache_dir=str(tmp_path / "cache"))
    tree = make_tree({**apps("a", "b"), "b/a.yaml": CM.format("b").replace("ConfigMap", "Secret")})

    def refuse(command: Command) -> Outcome:
        if command.argv[-1].endswith("/a"):
            raise AssertionError
        return concatenate(command)

    builds = [plan(tree, name, options) for name in "ab"]
    first = run_builds(builds, RENDERER, options, concatenate)
    store_outputs(zip(builds, first, strict=True), options, everything)
    second = run_builds(builds, RENDERER, options, refuse)
    assert [output.rendered for output in first] == [True, True]
    assert [output.rendered for output in second] == [False, True]  # a Secret is never stored
    assert [output.output for output in first] == [output.output for output in second]


def test_failures_and_unproven_builds_are_not_stored(make_tree: Callable[..., Any], tmp_path: Path) -> None:
    options = Options(cache_dir=str(tmp_path / "cache"))
    tree = make_tree({**apps("a", "b"), "b/kustomization.yaml": "novel: 1\nresources: [a.yaml]\n"})
    for name, run in (("a", lambda _: Outcome(1)), ("b", concatenate)):
        builds = [plan(tree, name, options)]
        store_outputs(zip(builds, run_builds(builds, RENDERER, options, run), strict=True), options, everything)
    assert not list(tmp_path.joinpath("cache").rglob("*.out"))


def test_what_is_not_public_is_not_stored(make_tree: Callable[..., Any], tmp_path: Path) -> None:
    options = Options(cache_dir=str(tmp_path / "cache"))
    tree = make_tree(apps("a", "b"))
    builds = [plan(tree, name, options) for name in "ab"]
    outputs = run_builds(builds, RENDERER, options, concatenate)
    store_outputs(zip(builds, outputs, strict=True), options, lambda output: b"name: a" in output)
    assert [output.rendered for output in run_builds(builds, RENDERER, options, concatenate)] == [False, True]


def everything(_output: bytes) -> bool:
    return True


@pytest.mark.parametrize(
    ("now", "wrong"),
    [(b"a: 1\nb: 2\n", False), (b"b: 2\na: 1\n", False), (b"a: 1\nb: 3\n", True), (b"a: 1\n", True)],
)
def test_verifying_renders_again_and_names_what_differs(make_tree: Callable[..., Any], tmp_path: Path, now: bytes, wrong: bool) -> None:
    options = Options(cache_dir=str(tmp_path / "cache"), verify_cache=True)
    build = plan(make_tree(apps("a")), "a", options)

    def writing(output: bytes) -> Callable[[Command], Outcome]:
        def run(command: Command) -> Outcome:
            Path(str(command.output)).write_bytes(output)
            return Outcome(0)

        return run

    store_outputs([(build, *run_builds([build], RENDERER, options, writing(b"a: 1\nb: 2\n")))], options, everything)
    if wrong:
        with pytest.raises(KdiffError, match="the cache is wrong about a:"):
            run_builds([build], RENDERER, options, writing(now))
    else:
        assert run_builds([build], RENDERER, options, writing(now))[0].rendered


def test_an_interrupt_ends_the_run(make_tree: Callable[..., Any]) -> None:
    tree = make_tree(apps("a", "b", "c"))

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_builds([plan(tree, name) for name in "abc"], RENDERER, replace(NO_CACHE, jobs=1), concatenate, progress=interrupt)
