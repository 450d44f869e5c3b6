"""Makes a Change of a pair: its fields, patch and text, with nothing secret in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kdiff.compare.embedded import look_inside
from kdiff.compare.equality import holds_token
from kdiff.compare.field_kinds import FieldKinds
from kdiff.compare.ignore import Ignoring
from kdiff.compare.pair import Pair
from kdiff.compare.patch import make_patch, needs_secret
from kdiff.compare.unified import unified_diff
from kdiff.compare.walk import Difference, UserKeys, Walked, walk
from kdiff.kube.fields import unescape_token
from kdiff.kube.helm import is_chart_value
from kdiff.kube.list_keys import user_list_keys
from kdiff.model.change import Change, ChangeTargets, Counterpart, FieldChange, Move, ObjectRef
from kdiff.model.codec import ABSENT, Absent
from kdiff.model.mask import MASKED, TOKEN
from kdiff.model.object import KubeObject
from kdiff.model.options import Options
from kdiff.model.value import Value


@dataclass(frozen=True)
class Comparing:
    """What every comparison of a run needs."""

    options: Options
    kinds: FieldKinds
    ignoring: Ignoring


def compare_pair(scope: str, base: KubeObject, head: KubeObject, pair: Pair, how: Comparing) -> tuple[Change | None, Walked]:
    """The change of an object that stands on both sides, or None when nothing differs that means anything.

    `Walked` tells what differs in spelling only.
    """
    key = head.key
    kind = how.kinds.of(key.group, head.version, key.kind)
    keys: UserKeys = user_list_keys(how.options.list_keys, key.group, key.kind)
    seen_base, seen_head = how.ignoring.without_ignored(base, head) if how.ignoring else (base.value, head.value)
    walked = walk(seen_base, seen_head, kind, keys)
    told = tuple(replace(d, class_="value") for d in walked.spellings if is_chart_value(key.group, key.kind, d.pointer))
    if told:
        spellings = tuple(d for d in walked.spellings if not is_chart_value(key.group, key.kind, d.pointer))
        walked = replace(walked, differences=tuple(sorted((*walked.differences, *told), key=lambda d: d.pointer)), spellings=spellings)
    differences = walked.differences
    if pair.proof:  # said by the two ids
        differences = tuple(d for d in differences if d.pointer != "/metadata/name")
    if how.options.show_format:
        differences = tuple(sorted((*differences, *walked.spellings), key=lambda d: (d.pointer, d.base_pointer, d.op)))
    if not differences and not pair.proof and not pair.moved:
        return None, walked
    patch = make_patch(base.value, head.value)
    secret = needs_secret(patch)
    change = Change(
        id=head.id,
        base_id=base.id,
        status="renamed" if pair.proof else "changed" if differences else "moved",
        scope=scope,
        object=_ref(head),
        base_object=_ref(base),
        targets=ChangeTargets(pair.base_targets, pair.head_targets),
        pairing="generated-name" if pair.proof else "key" if base.version == head.version else "api-version",
        proof=pair.proof,
        moved=Move(pair.base_targets, pair.head_targets) if pair.moved else None,
        fields=tuple(_field(d) for d in differences),
        patch=None if secret else patch,
        patch_withheld="secret" if secret else None,
        unified=_unified(seen_base, seen_head, base.id, head.id, how.options),
        base_value=base.value,
        head_value=head.value,
    )
    return change, walked


def added(scope: str, head: KubeObject, targets: tuple[str, ...], counterpart: Counterpart | None, options: Options) -> Change:
    """The change of an object that only head has."""
    patch = make_patch(None, head.value)
    secret = needs_secret(patch)
    return Change(
        id=head.id,
        base_id=None,
        status="added",
        scope=scope,
        object=_ref(head),
        base_object=None,
        targets=ChangeTargets((), targets),
        counterpart=counterpart,
        patch=None if secret else patch,
        patch_withheld="secret" if secret else None,
        unified=_unified(None, head.value, head.id, head.id, options),
        head_value=head.value,
    )


def removed(scope: str, base: KubeObject, targets: tuple[str, ...], counterpart: Counterpart | None, options: Options) -> Change:
    """The change of an object that only base has."""
    return Change(
        id=base.id,
        base_id=base.id,
        status="removed",
        scope=scope,
        object=_ref(base),
        base_object=_ref(base),
        targets=ChangeTargets(targets, ()),
        counterpart=counterpart,
        patch=make_patch(base.value, None),
        unified=_unified(base.value, None, base.id, base.id, options),
        base_value=base.value,
    )


def equivalence(walked: Walked) -> str | None:
    """Where two values that mean the same differ, for a note; None when they do not."""
    places = [f"the spelling of {d.path}" for d in walked.spellings] + [f"the order of {path}" for path in walked.reordered]
    if not places:
        return None
    shown = [TOKEN.sub(MASKED, p) for p in places[:3]]
    return ", ".join(shown) + (f" and {len(places) - 3} more" if len(places) > 3 else "")


def _ref(each: KubeObject) -> ObjectRef:
    key = each.key
    return ObjectRef(key.group, each.version, key.kind, key.namespace or None, key.name)


def _unified(base: Value, head: Value, base_id: str, head_id: str, options: Options) -> str:
    return unified_diff(base, head, base_id, head_id, digests=options.mask_key is not None)


def _field(difference: Difference) -> FieldChange:
    path, pointer, base_pointer = (TOKEN.sub(MASKED, t) for t in (difference.path, difference.pointer, difference.base_pointer))
    before, after = difference.before, difference.after
    class_, inner = difference.class_, None
    if isinstance(before, str) and isinstance(after, str) and class_ == "value":
        name = unescape_token(difference.pointer.rpartition("/")[2])
        inner = look_inside(name, before, after)
        if inner is not None and inner.same_meaning:
            class_ = "format"
    redacted = any(not isinstance(v, Absent) and holds_token(v) for v in (before, after))
    if redacted:
        before, after = ABSENT, ABSENT
    return FieldChange(
        pointer, base_pointer, path, difference.op, before, after, class_, redacted=redacted, inner=inner.changes if inner else ()
    )
