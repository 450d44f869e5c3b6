"""Which Flux sources stand for the tree that is being compared, and which are foreign."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kdiff.kube.flux import FluxSource, SourceRef, build_path
from kdiff.model.options import Options
from kdiff.model.tree import Tree, TreeOrigin, may_be_dir

_SCP_URL = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/@]+):(?!/)(?P<path>.+)")
_URL = re.compile(r"[a-z0-9+.-]+://(?:[^@/]*@)?(?P<host>[^/:]*)(?::\d+)?/+(?P<path>.*)", re.IGNORECASE)


@dataclass(frozen=True)
class SourceUse:
    """A source as the Kustomizations or HelmReleases of one scope use it. `declared` is None when nothing that counts declares it.

    `order` is how far from the entry the first user was found: nearer sources are judged before the guess for trees without
    remotes is made, so that the answer does not change when more of the scope has been rendered.
    """

    ref: SourceRef
    declared: FluxSource | None
    paths: tuple[str, ...]  # spec.path of each, as written
    order: int = 0


@dataclass(frozen=True)
class Verdict:
    """Whether a source stands for the tree, and the reason, as the end of a sentence."""

    is_self: bool
    reason: str


def judge_sources(
    uses: Sequence[SourceUse], bootstrap: Iterable[SourceRef], tree: Tree, options: Options, base_name: str = ""
) -> dict[SourceRef, Verdict]:
    """A verdict for every source in `uses`; `base_name` is the revision that BASE names.

    A source is the tree's own when it is named by `--self-source`; when it is the bootstrap source, of whatever kind (flux
    bootstrap and FluxInstance both call it flux-system/flux-system; `bootstrap` adds those that FluxInstances make); when its URL
    is one of the checkout's remotes, or an OCI URL with a remote's owner and repository; when its URL is that of another own
    source; or when nothing declares it and a path used with it exists. A GitRepository that is fixed to a tag or a
    commit holds other files than the tree and is foreign; so is one that follows a branch which is neither the bootstrap source's
    nor the one BASE names, where either is known (`other_branch`), or of which nothing that is built from it is here.

    In a tree without remotes (an export, no checkout) in which none of this names a source of Git's kind, the one repository
    whose paths exist is taken for the tree.
    """
    roots = set(bootstrap)
    verdicts: dict[SourceRef, Verdict] = {}
    for use in uses:
        if _named(use.ref, options.self_source):
            verdicts[use.ref] = Verdict(True, "named by --self-source")
        elif use.ref.is_bootstrap or use.ref in roots:
            verdicts[use.ref] = Verdict(True, "the source that the cluster itself is bootstrapped from")
        elif use.declared is None:
            verdicts[use.ref] = _judge_undeclared(use, tree)
    known = [use.declared for use in uses if use.declared and use.ref in verdicts and verdicts[use.ref].is_self]
    rest = [use for use in uses if use.ref not in verdicts]
    verdicts |= {use.ref: _judge_declared(use.declared, known, tree) for use in rest if use.declared}
    if not tree.remotes and not any(verdict.is_self for verdict in verdicts.values()):
        verdicts |= _guess(rest, tree)
    declared = {use.ref: use.declared for use in rest if use.declared and verdicts[use.ref].is_self}
    # Those of the entry alone: others may come and go with the verdicts.
    followed = [use.declared.branch for use in rest if use.ref in declared and use.order == 0 and use.declared and use.declared.branch]
    paths = {use.ref: use.paths for use in rest}
    for ref, source in declared.items():
        of_root = [own.branch for own in known if own.branch and same_repository(own.url, source.url)]
        if other_branch(source.branch, of_root, followed, base_name):
            verdicts[ref] = Verdict(False, f"it follows branch {source.branch} of this repository")
        elif (
            source.branch and source.branch not in (*of_root, base_name) and paths[ref] and not any(_may_exist(p, tree) for p in paths[ref])
        ):
            verdicts[ref] = Verdict(False, f"it follows branch {source.branch}, and nothing built from it is here")
    return verdicts


def other_branch(branch: str | None, of_root: Iterable[str], followed: Iterable[str], base_name: str) -> bool:
    """Whether a source of this repository that follows `branch` certainly has other files than the trees that are compared.

    A checkout does not tell which branch it will be merged into, so a branch counts as another one only beside one that is
    known to be this tree: that of the source from which the cluster builds its root (`of_root`), or the one that `base_name`,
    the revision in `git:REV` of BASE, is called like, if some source follows it. A topic branch, `HEAD~1` or a commit tell nothing.
    """
    named = {each for each in followed if f"/{base_name}".endswith(f"/{each}")}
    this_tree = {*of_root, *named}
    return branch is not None and bool(this_tree) and branch not in this_tree


def revision_name(origin: TreeOrigin) -> str:
    """REV of a side that was given as `git:REV` or `git:REV:PATH`, else ""."""
    return origin.label.removeprefix("git:").partition(":")[0] if origin.kind == "git" else ""


def same_repository(left: str, right: str) -> bool:
    """True when two URLs name one repository: scheme, user, port, `.git` and case do not count."""
    normalised = normalise_url(left)
    return bool(normalised) and normalised == normalise_url(right)


def normalise_url(url: str) -> str:
    """`host/owner/repository` in lower case of an HTTP, SSH, OCI or scp-like URL; "" for anything else."""
    found = _URL.fullmatch(url.strip()) or _SCP_URL.fullmatch(url.strip())
    if not found:
        return ""
    path = found["path"].strip("/").removesuffix(".git").strip("/")
    return f"{found['host']}/{path}".lower() if path else ""


def _named(ref: SourceRef, names: Iterable[str]) -> bool:
    return any(name in (str(ref), f"{ref.namespace}/{ref.name}") for name in names)


def _judge_undeclared(use: SourceUse, tree: Tree) -> Verdict:
    existing = next((path for path in use.paths if _exists(path, tree)), None)
    if existing is None:
        return Verdict(False, "nothing in the tree declares it")
    return Verdict(True, f"nothing in the tree declares it, and {existing or '.'} exists here")


def _judge_declared(source: FluxSource, known: Sequence[FluxSource], tree: Tree) -> Verdict:
    twin = next((own for own in known if same_repository(own.url, source.url)), None)
    remote = next((url for url in tree.remotes if _is_remote(source, url)), None)
    if twin is None and remote is None:
        return Verdict(False, f"{source.url or 'it'} is another repository")
    if source.pinned:
        return Verdict(False, f"it is fixed to {source.pinned} of this repository")
    return Verdict(True, "its URL is a remote of this checkout" if remote else f"its URL is that of {twin.ref}" if twin else "")


def _is_remote(source: FluxSource, remote: str) -> bool:
    if source.ref.kind != "OCIRepository":
        return same_repository(source.url, remote)
    repository = normalise_url(remote).split("/")[1:][-2:]
    return len(repository) == 2 and f"/{'/'.join(repository)}/" in f"{normalise_url(source.url)}/"


def _guess(uses: Sequence[SourceUse], tree: Tree) -> Mapping[SourceRef, Verdict]:
    """The nearest sources that have a path in the tree, if they are one repository."""
    candidates = [
        use
        for use in uses
        if use.declared and use.ref.kind == "GitRepository" and not use.declared.pinned and any(_exists(path, tree) for path in use.paths)
    ]
    nearest = [use for use in candidates if use.order == min(candidate.order for candidate in candidates)]
    repositories = {normalise_url(use.declared.url) for use in nearest if use.declared}
    if len(repositories) != 1:
        return {}
    own = [use for use in candidates if use.declared and normalise_url(use.declared.url) in repositories]
    reason = "the tree has no git remotes, and it is the only repository whose paths exist here"
    return {use.ref: Verdict(True, reason) for use in own}


def _may_exist(written: str, tree: Tree) -> bool:
    """True for the root too."""
    return may_be_dir(tree, build_path(written))


def _exists(written: str, tree: Tree) -> bool:
    """True when the path says something: the root exists in every tree."""
    path = build_path(written)
    return path != "." and may_be_dir(tree, path)
