"""What rendered objects lead to: the hand-over of the followers (Flux, Argo CD) to the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from kdiff.model.failure import Failure, Note
from kdiff.model.object import KubeObject, ObjectKey
from kdiff.model.target import Target
from kdiff.targets.unrendered import Unrendered


@dataclass(frozen=True)
class Followed:
    """All targets that a scope's objects lead to so far, what cannot be built and why, and what was not followed.

    Every tuple is sorted, by target id first. Nothing is in `targets` and `failures` at once.

    `superseded` holds ids of entries that stand for one of `targets`: a Flux root Kustomization that renders itself builds the
    same directory as the entry it was found in, so only the Kustomization counts as a target of the side. The entry's state
    still belongs to what is followed next, since it names the root even when the root fails.

    `elsewhere` holds ids of targets that are declared or made here and not followed: built from another source or revision, made by a
    ResourceSet. `unrendered` holds what is built with a tool that kdiff does not run: what the other side builds under these ids has
    not left. `generated` holds the Applications that ApplicationSets generate, one for each target that renders such a set and not the
    Application itself; they cannot be asked for their value before the pipeline has masked them. `partial` holds the ApplicationSets of
    which some are not known.
    """

    targets: tuple[Target, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[Note, ...] = ()
    superseded: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    unrendered: tuple[Unrendered, ...] = ()
    generated: tuple[KubeObject, ...] = ()
    partial: tuple[ObjectKey, ...] = ()
