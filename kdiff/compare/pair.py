"""Pairs the objects of one scope across the two sides: same target, another target, generated name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kdiff.compare.equality import fingerprint
from kdiff.compare.similarity import find_counterparts
from kdiff.documents.load import load_document
from kdiff.documents.split import DocumentError
from kdiff.kube.generated_names import HASHED_KINDS, proves_name, split_generated_name
from kdiff.model.change import Proof
from kdiff.model.object import KubeObject, ObjectKey


@dataclass(frozen=True)
class Pair:
    """One object on both sides, or on one. `proof` is set when the two are joined across a generated name."""

    base: KubeObject | None
    head: KubeObject | None
    base_targets: tuple[str, ...] = ()
    head_targets: tuple[str, ...] = ()
    proof: Proof | None = None

    @property
    def moved(self) -> bool:
        """True when the object stands on both sides and is rendered by other targets."""
        return self.base is not None and self.head is not None and self.base_targets != self.head_targets


def set_equal_aside(base: Sequence[KubeObject], head: Sequence[KubeObject]) -> tuple[int, list[KubeObject], list[KubeObject]]:
    """How many objects of one target have equal bytes on both sides, and the others. Nearly all have, so this is the fast part."""
    common = min(len(base), len(head))
    # in order first: comparing bytes costs a tenth of hashing them, and most streams differ in a few places only
    apart = [n for n in range(common) if base[n].raw != head[n].raw]
    rest_head = [head[n] for n in apart] + list(head[common:])
    waiting: dict[bytes, list[KubeObject]] = defaultdict(list)
    for each in rest_head:
        waiting[each.raw].append(each)
    rest_base = []
    for each in [*(base[n] for n in apart), *base[common:]]:
        found = waiting.get(each.raw)
        if found:
            found.pop()
        else:
            rest_base.append(each)
    rest_head = [o for found in waiting.values() for o in found]
    return len(base) - len(rest_base), rest_base, rest_head


def pair_objects(base: Sequence[KubeObject], head: Sequence[KubeObject]) -> list[Pair]:
    """Every object of one scope in exactly one pair.

    An object that several targets render is paired target by target; one that another target takes over is moved; one that a
    further target renders as well is on one side only, since the first target still has it.
    """
    heads: dict[ObjectKey, list[KubeObject]] = defaultdict(list)
    bases: dict[ObjectKey, list[KubeObject]] = defaultdict(list)
    for side, objects in ((bases, base), (heads, head)):
        for each in objects:
            side[each.key].append(each)
    pairs: list[Pair] = []
    for key in {**bases, **heads}:
        left, right = bases.get(key, ()), heads.get(key, ())
        if len(left) == len(right) == 1 and left[0].target == right[0].target:
            pairs.append(_both(left[0], right[0]))
        else:
            pairs += _pair_same_key(left, right)
    return _join_generated(pairs)


def _both(base: KubeObject, head: KubeObject, proof: Proof | None = None) -> Pair:
    return Pair(base, head, (base.target,), (head.target,), proof)


def _pair_same_key(base: Sequence[KubeObject], head: Sequence[KubeObject]) -> list[Pair]:
    pairs: list[Pair] = []
    rest_base: list[KubeObject] = []
    rest_head: list[KubeObject] = []
    for target in sorted({o.target for o in (*base, *head)}):
        joined, left, right = _pair_lists([o for o in base if o.target == target], [o for o in head if o.target == target])
        pairs += joined
        rest_base += left
        rest_head += right
    moved, rest_base, rest_head = _pair_lists(rest_base, rest_head)
    for one in moved:
        also = [o for o in rest_head if one.head is not None and o.raw == one.head.raw and o.target not in one.head_targets]
        rest_head = [o for o in rest_head if o not in also]
        pairs.append(Pair(one.base, one.head, one.base_targets, tuple(sorted({*one.head_targets, *(o.target for o in also)}))))
    pairs += [Pair(o, None, (o.target,)) for o in rest_base]
    pairs += [Pair(None, o, (), (o.target,)) for o in rest_head]
    return pairs


def _pair_lists(base: list[KubeObject], head: list[KubeObject]) -> tuple[list[Pair], list[KubeObject], list[KubeObject]]:
    """Objects of one key, pairwise, and what is left: equal bytes first, then equal values, then the most similar.

    More than one on a side means a generateName prefix, or copies in several targets.
    """
    pairs: list[Pair] = []
    if len(base) != 1 or len(head) != 1:
        for same in (lambda o: o.raw, lambda o: fingerprint(o.value)):
            places: dict[object, list[KubeObject]] = defaultdict(list)
            if not base or not head:
                break
            for each in head:
                places[same(each)].append(each)
            rest = []
            for each in base:
                found = places.get(same(each))
                if found:
                    partner = found.pop(0)
                    pairs.append(_both(each, partner))
                    head = [o for o in head if o is not partner]
                else:
                    rest.append(each)
            base = rest
    if len(base) == len(head) == 1:
        return [*pairs, _both(base[0], head[0])], [], []
    matches = find_counterparts(base, head, 0.0)
    pairs += [_both(base[i], head[j]) for i, j, _ in matches]
    used_base, used_head = {i for i, _, _ in matches}, {j for _, j, _ in matches}
    return pairs, [o for i, o in enumerate(base) if i not in used_base], [o for j, o in enumerate(head) if j not in used_head]


def _join_generated(pairs: list[Pair]) -> list[Pair]:
    """Join one-sided pairs whose names differ by a content hash only, within one target first, then across targets."""
    alone = [p for p in pairs if p.base is None or p.head is None]
    if not any(p.base for p in alone) or not any(p.head for p in alone):
        return pairs
    families: dict[tuple[str, str, str, str], list[Pair]] = defaultdict(list)
    for one in alone:
        key = _object(one).key
        parts = split_generated_name(key.name)
        families[key.group, key.kind, key.namespace, parts.base if parts else key.name].append(one)
        if parts:  # a name may end in what looks like a hash and be the base of another
            families[key.group, key.kind, key.namespace, key.name].append(one)
    joined: list[Pair] = []
    gone: set[int] = set()
    for family in families.values():
        for target in [*sorted({_object(p).target for p in family}), None]:
            left = [p for p in family if p.base and id(p) not in gone and target in (None, p.base.target)]
            right = [p for p in family if p.head and id(p) not in gone and target in (None, p.head.target)]
            if len(left) != 1 or len(right) != 1 or left[0].base is None or right[0].head is None:
                continue
            proof = _proof(left[0].base, right[0].head)
            if proof is not None:
                joined.append(_both(left[0].base, right[0].head, proof))
                gone |= {id(left[0]), id(right[0])}
    return [p for p in pairs if id(p) not in gone] + joined


def _object(pair: Pair) -> KubeObject:
    found = pair.head or pair.base
    assert found is not None  # noqa: S101 - a pair has a side
    return found


def _proof(base: KubeObject, head: KubeObject) -> Proof | None:
    """How sure it is that `head` is `base` under a new generated name; None when it is not."""
    names = [split_generated_name(o.key.name) for o in (base, head)]
    proven = [_proven(o) for o in (base, head)]
    if all(proven):
        return "hash"
    if names[0] and names[1] and names[0].base == names[1].base:
        return "pattern"
    # a name that gained or lost its hash: the one that has a hash must prove it
    return "hash" if any(proven) else None


def _proven(each: KubeObject) -> bool:
    """Reads the bytes in clear, since the hash is of the unmasked content; nothing of them leaves this function."""
    if each.key.kind not in HASHED_KINDS or each.key.group or split_generated_name(each.key.name) is None:
        return False
    try:
        value = load_document(each.raw)
    except DocumentError:
        return False
    return isinstance(value, dict) and proves_name(value)
