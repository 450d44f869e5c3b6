"""What two sequences have in common."""

from __future__ import annotations

import random
from itertools import pairwise

from kdiff.documents.sequences import match_sequences


def test_matches_are_common_subsequences_in_order():
    rng = random.Random(7)
    for _ in range(200):
        base = [rng.choice("abcdef") for _ in range(rng.randrange(12))]
        head = [rng.choice("abcdef") for _ in range(rng.randrange(12))]
        pairs = match_sequences(base, head)
        assert all(base[i] == head[j] for i, j in pairs)
        assert pairs == sorted(pairs)
        assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
        assert all(a[1] < b[1] for a, b in pairwise(pairs))
        assert (not pairs) == (not set(base) & set(head))
    assert match_sequences("aXbXc", "aYbYc") == [(0, 0), (2, 2), (4, 4)]
