"""Builds RFC 6902 patches that turn one value into another exactly, and proves each by applying it."""

from __future__ import annotations

from dataclasses import dataclass

from kdiff.compare.equality import clone, fingerprint, holds_token, same_value
from kdiff.compare.walk import MAX_DEPTH
from kdiff.documents.sequences import match_sequences
from kdiff.kube.fields import escape_token
from kdiff.model.change import Change
from kdiff.model.value import Value

Operation = dict[str, Value]
Patch = tuple[Operation, ...]


@dataclass(frozen=True)
class _Later:
    """Operations that change the places of list elements: they wait until the elements below are done."""

    operations: list[Operation]


@dataclass(frozen=True)
class _Pair:
    base: Value
    head: Value
    path: str
    depth: int


_Frame = _Later | _Pair


def make_patch(base: Value, head: Value) -> Patch:
    """Operations that turn `base` into `head`, exactly, proven with jsonpatch. None stands for an object that does not exist.

    An addition is `add` at the root, a removal `replace` with null at the root, as RFC 6902 has no removal of the root.
    """
    if base is None:
        return ({"op": "add", "path": "", "value": head},)
    if head is None:
        return ({"op": "replace", "path": "", "value": None},)
    patch = tuple(_operations(base, head))
    if _proven(base, head, patch):
        return patch
    return ({"op": "replace", "path": "", "value": head},)


def reverse_patch(change: Change) -> Patch | None:
    """The patch from head back to base, or None when a Secret's values are missing for it or the report is not live."""
    if change.patch is None or (change.base_value is None and change.head_value is None):
        return None
    patch = make_patch(change.head_value, change.base_value)
    return None if needs_secret(patch) else patch


def needs_secret(patch: Patch) -> bool:
    """True when a value or a path of the patch is masked, so that it could not be applied to the real object."""
    return any(holds_token(operation.get("value")) or holds_token(operation["path"]) for operation in patch)


def _proven(base: Value, head: Value, patch: Patch) -> bool:
    import jsonpatch  # noqa: PLC0415 - 26 ms, only once something differs

    try:
        result = jsonpatch.JsonPatch(list(patch)).apply(clone(base), in_place=True)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, RecursionError):
        return False  # jsonpatch copies the values of operations, which fails for those a thousand levels deep
    return same_value(result, head)


def _operations(base: Value, head: Value) -> list[Operation]:
    done: list[Operation] = []
    stack: list[_Frame] = [_Pair(base, head, "", 0)]
    while stack:
        frame = stack.pop()
        if isinstance(frame, _Later):
            done += frame.operations
            continue
        old, new, at = frame.base, frame.head, frame.path
        if frame.depth == MAX_DEPTH:
            if not same_value(old, new):
                done.append({"op": "replace", "path": at, "value": new})
        elif isinstance(old, dict) and isinstance(new, dict):
            for name in old:
                place = f"{at}/{escape_token(name)}"
                if name not in new:
                    done.append({"op": "remove", "path": place})
                elif old[name] is not new[name]:
                    stack.append(_Pair(old[name], new[name], place, frame.depth + 1))
            done += [{"op": "add", "path": f"{at}/{escape_token(n)}", "value": new[n]} for n in new if n not in old]
        elif isinstance(old, list) and isinstance(new, list):
            stack += _list_frames(old, new, frame)
        elif type(old) is not type(new) or old != new:
            done.append({"op": "replace", "path": at, "value": new})
    return done


def _list_frames(old: list[Value], new: list[Value], frame: _Pair) -> list[_Frame]:
    """Elements that stay are edited at their base places first; then elements go and come from the end to the front."""
    matched = match_sequences([fingerprint(x) for x in old], [fingerprint(x) for x in new])
    at = frame.path
    shifts: list[Operation] = []
    edits: list[_Frame] = []
    ends = [*matched, (len(old), len(new))]
    for (a, b), (c, d) in reversed(list(zip([(-1, -1), *matched], ends, strict=True))):
        both = min(c - a, d - b) - 1
        edits += [_Pair(old[a + 1 + n], new[b + 1 + n], f"{at}/{a + 1 + n}", frame.depth + 1) for n in range(both)]
        shifts += [{"op": "remove", "path": f"{at}/{i}"} for i in range(c - 1, a + both, -1)]
        shifts += [{"op": "add", "path": f"{at}/{a + 1 + both + n}", "value": new[b + 1 + both + n]} for n in range(d - b - 1 - both)]
    if len(shifts) > max(4, (len(old) + len(new)) // 4):
        return [_Later([{"op": "replace", "path": at, "value": new}])]
    return [_Later(shifts), *edits]
