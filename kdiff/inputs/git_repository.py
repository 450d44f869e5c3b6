"""What git's plumbing says about a repository: revisions, their files, the content of objects, remotes."""

from __future__ import annotations

import os
import re
import shlex
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from kdiff.errors import SourceError
from kdiff.inputs.names import shown
from kdiff.process import Command, Outcome, capture, clean_environment

_TIMEOUT = 120.0
_LISTING_LIMIT = 512 * 1024 * 1024  # bytes; a million files list in about 100 MB
MAX_FILE = 256 * 1024 * 1024  # bytes; a manifest of that size is none
_READ_AHEAD = 128 * 1024 * 1024  # bytes that may be read before they are asked for
_REFETCH = "git fetch --refetch --no-filter"  # git 2.36 and newer (git-fetch(1))
NO_WORK_TREE = "a bare repository has no files to compare; name a revision, such as git:HEAD, or a checkout"
_LINK_MODE, _SUBMODULE_MODE = "120000", "160000"

# Nothing of the repository's own settings may start a program, and objects that a partial clone lacks are not fetched:
# core.fsmonitor and core.hooksPath (git-config(1)), GIT_NO_LAZY_FETCH and GIT_ALLOW_PROTOCOL (git(1); the latter for git before 2.44).
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1"}


@dataclass(frozen=True)
class GitEntry:
    """One file of a revision: git's mode and the id of its content."""

    mode: str
    oid: str

    @property
    def is_link(self) -> bool:
        """A symbolic link: its content is its target."""
        return self.mode == _LINK_MODE

    @property
    def is_submodule(self) -> bool:
        """A commit of another repository."""
        return self.mode == _SUBMODULE_MODE


class GitRepository:
    """The repository around `directory`, read without touching its checkout, index, hooks or filters.

    Content is kept by object id, so that what is equal in two revisions is read once. Raises SourceError where git refuses.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._contents: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @cached_property
    def common_directory(self) -> str:
        """Where objects and refs lie; equal for every worktree of one repository. Raises SourceError outside a repository."""
        relative = self._answer("rev-parse", "--git-common-dir").removesuffix("\n")
        return os.path.realpath(os.path.join(self._directory, relative))  # noqa: PTH118 - may hold bytes that are not UTF-8

    def find_commit(self, revision: str) -> str | None:
        """The full id of the commit that `revision` names, or None."""
        self.common_directory  # noqa: B018 - "no repository" is not "no such revision"
        if not revision or revision.startswith("-") or "\0" in revision:
            return None
        outcome = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return outcome.stdout.decode().strip() if outcome.ok else None

    def find_merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, or None when the history that is here has none."""
        outcome = self._git("merge-base", one, other)
        if outcome.status == 1 and not outcome.stderr:
            return None
        return self._checked(outcome).decode().strip()

    def list_files(self, commit: str) -> dict[str, GitEntry]:
        """Every file of a commit by its path from the top; names that are not UTF-8 hold surrogates."""
        entries = {}
        for record in self._checked(self._git("ls-tree", "-rz", "--full-tree", commit)).split(b"\0")[:-1]:
            about, _, name = record.partition(b"\t")
            mode, _, oid = about.decode("ascii").split(" ")
            entries[name.decode("utf-8", "surrogateescape")] = GitEntry(mode, oid)
        return entries

    def list_ignored(self) -> tuple[str, ...]:
        """Files and whole directories of the work tree that git ignores, from `directory`; what is tracked is never among them.

        Rules are those of .gitignore files, of info/exclude and of the user (git-ls-files(1), --exclude-standard).
        """
        listed = self._answer("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(path.rstrip("/") for path in listed.split("\0")[:-1])

    def list_index(self) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
        """Of the work tree, from `directory`: submodules with the commit that the index has, repositories that it has not, skipped files.

        git does not look into a repository that is none of its submodules, and lists its directory (git-ls-files(1), --others). It
        need not write a file with the skip-worktree bit, tag S, as those that a sparse checkout leaves out have (git-sparse-checkout(1)).
        """
        submodules: dict[str, str] = {}
        nested: list[str] = []
        skipped: list[str] = []
        for record in self._answer("ls-files", "-z", "-t", "--stage", "--others", "--exclude-standard").split("\0")[:-1]:
            if record.startswith("? "):
                nested += [record[2:-1]] if record.endswith("/") else []
            else:
                about, _, path = record.partition("\t")
                tag, mode, oid, _ = about.split(" ")
                submodules |= {path: oid} if mode == _SUBMODULE_MODE else {}
                skipped += [path] if tag == "S" and mode != _SUBMODULE_MODE else []
        return submodules, tuple(nested), tuple(skipped)

    def read(self, oid: str, along: Iterable[str] = ()) -> bytes | None:
        """Content of an object; None for one above MAX_FILE. Objects `along` that will be wanted next are read in the same go.

        Raises SourceError for an object that is not here, as in a partial clone.
        """
        with self._lock:
            if oid in self._contents:
                return self._contents[oid]
            together = self._ask_for({oid, *along} - self._contents.keys(), _READ_AHEAD)
            if together.ok:
                self._keep(together.stdout)
            if oid not in self._contents:
                alone = self._ask_for([oid], MAX_FILE)
                if alone.truncated:
                    return None
                self._keep(self._checked(alone))
            if oid not in self._contents:
                raise SourceError(f"the repository lacks the object {oid}; in a partial clone, run: {_REFETCH}")
            return self._contents[oid]

    def forget(self) -> None:
        """Let go of all content."""
        self._contents.clear()

    @cached_property
    def is_shallow(self) -> bool:
        """Whether history was cut off when it was cloned."""
        return self._answer("rev-parse", "--is-shallow-repository").strip() == "true"

    @cached_property
    def remotes(self) -> dict[str, str]:
        """URLs of the remotes by name, without credentials."""
        found: dict[str, str] = {}
        outcome = self._git("config", "-z", "--get-regexp", r"^remote\..*\.url$")
        for record in outcome.stdout.decode("utf-8", "replace").split("\0")[:-1] if outcome.ok else ():
            key, _, url = record.partition("\n")
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), without_credentials(url))
        return found

    def find_remote_names(self, branch: str) -> tuple[str, ...]:
        """Remote-tracking branches of that name: `origin/main` for `main`."""
        outcome = self._git("for-each-ref", "--format=%(refname:lstrip=2)", "--", *(f"refs/remotes/{r}/{branch}" for r in self.remotes))
        return tuple(outcome.stdout.decode("utf-8", "replace").split()) if outcome.ok and self.remotes else ()

    def _ask_for(self, oids: Iterable[str], limit: int) -> Outcome:
        return self._git("cat-file", "--batch", "--buffer", stdin="".join(f"{oid}\n" for oid in oids).encode(), limit=limit)

    def _keep(self, answer: bytes) -> None:
        r"""Take in `<oid> <type> <size>\n<content>\n` and `<oid> missing\n` (git-cat-file(1), BATCH OUTPUT)."""
        at = 0
        while at < len(answer):
            end = answer.index(b"\n", at)
            oid, *about = answer[at:end].decode("ascii").split(" ")
            at = end + 1
            if len(about) == 2:
                size = int(about[1])
                self._contents[oid] = answer[at : at + size]
                at += size + 1

    def _git(self, *arguments: str, stdin: bytes = b"", limit: int = _LISTING_LIMIT) -> Outcome:
        # The caller's own settings count, above all safe.directory (git-config(1)); GIT_DIR and the like of a surrounding hook do not.
        settings = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG_")}
        environment = clean_environment({**settings, **_ENVIRONMENT})
        return capture(Command((*_GIT, *arguments), self._directory, environment, _TIMEOUT, output_limit=limit, input=stdin))

    def _answer(self, *arguments: str) -> str:
        return self._checked(self._git(*arguments)).decode("utf-8", "surrogateescape")

    def _checked(self, outcome: Outcome) -> bytes:
        if outcome.ok:
            return outcome.stdout
        if outcome.missing:
            raise SourceError("git is not installed, and a git revision was named; install git, or give a directory")
        if outcome.timed_out or outcome.truncated:
            raise SourceError(f"git did not answer within {_TIMEOUT:.0f} s and {_LISTING_LIMIT >> 20} MiB; is the repository sound?")
        if "dubious ownership" in outcome.stderr:
            place = re.search(r"repository at '(.*)'", outcome.stderr)
            where = place[1] if place else self._directory
            raise SourceError(
                "git refuses to read the repository, which belongs to another user; if you trust it, run: "
                f"git config --global --add safe.directory {shlex.quote(where)}"
            )
        if "not a git repository" in outcome.stderr:
            raise SourceError("the current directory is in no git repository; run kdiff inside one, or give a directory")
        if "must be run in a work tree" in outcome.stderr:
            raise SourceError(NO_WORK_TREE)
        if "could not fetch" in outcome.stderr or "promisor" in outcome.stderr:
            raise SourceError(f"this partial clone lacks objects of the revision; run: {_REFETCH}")
        said = outcome.stderr.strip().partition("\n")[0] or f"status {outcome.status}"
        raise SourceError(f"git failed: {shown(said)}")


def fetch_line(repository: GitRepository, revision: str, *, history: bool) -> str:
    """The command that brings `revision` into a shallow clone; with `history`, all of what leads to it."""
    remote = next(iter(repository.remotes), "origin")
    stem = re.sub(r"(?:[~^][0-9]*)+\Z", "", revision)
    steps = revision[len(stem) :]
    if steps and not history and repository.find_commit(stem):
        deepen = sum(int(number or 1) if sign == "~" else 1 for sign, number in re.findall(r"([~^])([0-9]*)", steps))
        return f"git fetch --deepen={deepen} {shlex.quote(remote)}"
    depth = "--unshallow" if history or steps else "--depth=1"
    owner, _, branch = stem.partition("/")
    if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", stem):
        wanted = stem
    elif not stem or stem.startswith("@") or stem == "HEAD" or re.fullmatch(r"[0-9a-f]{7,}", stem):
        return f"git fetch --unshallow {shlex.quote(remote)}"
    elif stem.startswith("refs/"):
        wanted = f"+{stem}:{stem}"
    elif branch and owner in repository.remotes:
        remote, wanted = owner, f"+refs/heads/{branch}:refs/remotes/{stem}"
    elif re.match(r"v?[0-9]", stem):
        wanted = f"+refs/tags/{stem}:refs/tags/{stem}"
    else:
        wanted = f"{stem}:{stem}"
    return f"git fetch {depth} {shlex.quote(remote)} {shlex.quote(wanted)}"


def find_remotes(directory: str) -> tuple[str, ...]:
    """URLs of the remotes of the checkout at `directory`, sorted, without credentials; none where git is absent or refuses."""
    return tuple(sorted(set(GitRepository(directory).remotes.values())))


def without_credentials(url: str) -> str:
    """`url` less user and password. The user of an SSH address is no secret and stays: `git@host:owner/name`."""
    return re.sub(
        r"^([a-z][a-z0-9+.-]*://)([^/@]*@(?=[^/]*))+",
        lambda m: m[1] + (f"{m[2].partition(':')[0].rstrip('@')}@" if "ssh" in m[1].lower() else ""),
        url,
        flags=re.IGNORECASE,
    )
