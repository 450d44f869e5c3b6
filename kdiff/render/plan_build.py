"""A target into a Build: its overlay, its read set and the flags kustomize gets; or why it is not built at all."""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections.abc import Mapping

from kdiff.documents.load import load_first
from kdiff.errors import UnreadablePath
from kdiff.kube.kustomization import KUSTOMIZATION_NAMES
from kdiff.model.build import Build, Refusal
from kdiff.model.failure import Failure, FailureClass
from kdiff.model.options import Options
from kdiff.model.target import Target
from kdiff.model.tree import LinkRing, OutsideTree, Tree
from kdiff.render.argo_overlay import argo_overlay
from kdiff.render.failures import one_line, shown
from kdiff.render.find_renderer import Renderer
from kdiff.render.flux_overlay import flux_overlay
from kdiff.render.read_set import ReadSet, read_set, serial_number


def plan_build(target: Target, options: Options, renderer: Renderer) -> Build | Refusal:
    """How `target` is built. A Refusal, its failure of side `both` until the caller sets it, when nothing may or can be run.

    Refused are a directory without kustomization, what leaves the tree or asks for what cannot be read there, and with
    `options.no_remote` what needs a network.
    """
    try:
        overlay = _overlay(target)
        if isinstance(overlay, Failure):
            return Refusal(overlay)
        overlay = {_resolved(target.tree, path): content for path, content in overlay.items()}
        reads = read_set(target.tree, target.path, overlay)
    except OutsideTree as error:
        return Refusal(_outside(target, shown(target.path), error))
    except UnreadablePath as error:
        return Refusal(_failure(target, "missing-resource", str(error)))
    known = tuple(path for path, _ in reads.files)
    if reads.escapes:
        return Refusal(
            _outside(target, reads.escapes[0], _fault(target.tree, reads.escapes[0]), f"; {shown(target.path)} asks for it"), known
        )
    if not reads.buildable:
        return Refusal(_failure(target, "missing-kustomization", _missing(target.tree, target.path)), known)
    if reads.remote and options.no_remote:
        return Refusal(_failure(target, "remote-unreachable", f"{reads.remote[0]} is remote, which --no-remote forbids"), known)
    lifted = _lifts(target, options, reads)
    if lifted:
        overlay = {**_as_understood(target.tree, reads), **overlay}
    flags = _flags(options, lifted=lifted)
    proven = reads.proven and not options.kustomize_args
    return Build(
        target=target,
        reads=reads.files,
        links=reads.links,
        directories=reads.directories,
        overlay=overlay,
        flags=flags,
        proven=proven,
        unforeseen=reads.unforeseen,
        digest=_digest(target, reads, overlay, flags, renderer, proven=proven),
    )


def _overlay(target: Target) -> Mapping[str, bytes] | Failure:
    if target.kind == "flux":
        return flux_overlay(target)
    if target.kind == "argo":
        return argo_overlay(target)
    return {}


def _resolved(tree: Tree, path: str) -> str:
    """The path of an overlay file, with links in its directory followed: a link at its own place is replaced, not followed."""
    return posixpath.normpath(posixpath.join(tree.resolve(posixpath.dirname(path) or "."), posixpath.basename(path)))


def _missing(tree: Tree, path: str) -> str:
    if not tree.is_dir(path):
        return f"{path} is a file, not a directory with a kustomization" if tree.is_file(path) else f"{path} does not exist"
    return f"{shown(path)} holds no {KUSTOMIZATION_NAMES[0]}, {KUSTOMIZATION_NAMES[1]} or {KUSTOMIZATION_NAMES[2]}"


def _lifts(target: Target, options: Options, reads: ReadSet) -> bool:
    """True when the build may load files from outside of each kustomization's own directory, and has to.

    Flux loads files from all of the tree (fluxcd/pkg/kustomize, kustomize_build.go: LoadRestrictionsNone on a file system that is
    confined to the source). Without restrictions kustomize would also read files of this machine, so they are only lifted
    where it needs that and every file it will ask for is known to lie in the tree.
    """
    wanted = options.load_restrictor == "none" or (target.kind == "flux" and not reads.foreign)
    return wanted and reads.reaches_out and not reads.unforeseen


def _as_understood(tree: Tree, reads: ReadSet) -> dict[str, bytes]:
    """The kustomizations of the tree in words that leave no two ways to read them: kustomize gets what the read set is made of."""
    values = {path: load_first(tree.read(path)) for path in reads.kustomizations if path in dict(reads.files)}
    return {path: json.dumps(value or {}, ensure_ascii=False).encode("utf-8", "surrogatepass") for path, value in values.items()}


def _flags(options: Options, *, lifted: bool) -> tuple[str, ...]:
    """Flags of `kustomize build`."""
    flags = ["--load-restrictor", "LoadRestrictionsNone" if lifted else "LoadRestrictionsRootOnly"]
    if options.enable_helm:
        flags.append("--enable-helm")
    if options.helm_command:
        flags += ["--helm-command", options.helm_command]
    return (*flags, *options.kustomize_args)


def _digest(
    target: Target, reads: ReadSet, overlay: Mapping[str, bytes], flags: tuple[str, ...], renderer: Renderer, *, proven: bool
) -> str:
    """SHA-256 hex over all that decides what kustomize writes; with an unproven read set also over who asks."""
    asker = () if proven else (serial_number(target.tree), target.scope, target.id)
    hashes = sorted((path, hashlib.sha256(content).hexdigest()) for path, content in overlay.items())
    parts = (renderer.kustomize_version, target.path, flags, reads.files, reads.links, reads.directories, hashes, asker)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _fault(tree: Tree, path: str) -> OutsideTree:
    """Why `path`, which may be no path at all but what kustomize would take for one, is not of the tree."""
    try:
        tree.resolve(path)
    except OutsideTree as error:
        return error
    return OutsideTree(path)


def _outside(target: Target, path: str, error: OutsideTree, who: str = "") -> Failure:
    class_: FailureClass = "missing-resource" if isinstance(error, LinkRing) else "load-restriction"
    return _failure(target, class_, f"{path} {error.fault}{who}")


def _failure(target: Target, class_: FailureClass, message: str) -> Failure:
    return Failure("both", target.id, class_, one_line(message), target.scope)
