"""Outputs on disk."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kdiff.model.options import Options
from kdiff.render.cache import OutputCache, open_cache

DIGESTS = [f"{n:064x}" for n in range(1 << 248, (1 << 248) + 40)]
OUTPUT = b"apiVersion: v1\nkind: ConfigMap\n"


def files(cache: OutputCache) -> list[Path]:
    return [path for path in cache.directory.rglob("*") if path.is_file()]


@pytest.mark.parametrize("output", [b"", OUTPUT, b"\n\n", bytes(range(256))])
def test_what_is_put_is_got(tmp_path: Path, output: bytes) -> None:
    cache = OutputCache(tmp_path / "cache", 10_000)
    assert cache.get(DIGESTS[0]) is None
    cache.put(DIGESTS[0], output)
    assert cache.get(DIGESTS[0]) == output
    assert cache.get(DIGESTS[1]) is None


@pytest.mark.parametrize(
    ("output", "stored"),
    [
        (b"kind: Secret\n", False),
        (b"kind: 'Secret'\n", False),
        (b'{"kind": "Secret"}\n', False),
        (b"data:\n  x: |\n    kind:   Secret\n", False),
        (b'data:\n  x: "{\\"kind\\":\\"Secret\\"}"\n', False),
        (b"kind: SecretList\n", False),
        (b"kind: ExternalSecret\n", True),
        (b"kind: SecretStore\n", True),
        (b"kind: SealedSecret\n", True),
    ],
)
def test_outputs_that_hold_secrets_are_never_stored(tmp_path: Path, output: bytes, stored: bool) -> None:
    cache = OutputCache(tmp_path, 10_000)
    cache.put(DIGESTS[0], output)
    assert bool(files(cache)) is stored


@pytest.mark.parametrize("damage", [b"", b"garbage", OUTPUT, b"0" * 64 + b"\n" + OUTPUT])
def test_a_damaged_entry_is_not_there(tmp_path: Path, damage: bytes) -> None:
    cache = OutputCache(tmp_path, 10_000)
    cache.put(DIGESTS[0], OUTPUT)
    files(cache)[0].write_bytes(damage)
    assert cache.get(DIGESTS[0]) is None
    assert files(cache) == []
    cache.put(DIGESTS[0], OUTPUT)
    assert cache.get(DIGESTS[0]) == OUTPUT


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path, 3_500)
    for age, digest in enumerate(DIGESTS[:5]):
        cache.put(digest, b"x" * 1000)
        os.utime(next(path for path in files(cache) if digest in path.name), (1_000 + age, 1_000 + age))
    cache.get(DIGESTS[0])  # used again, so it is the newest now
    cache.evict()
    assert [cache.get(digest) is not None for digest in DIGESTS[:5]] == [True, False, False, True, True]


def test_one_output_may_not_fill_the_cache(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path, 1_000)
    cache.put(DIGESTS[0], b"x" * 501)
    assert files(cache) == []


def test_half_written_files_of_dead_runs_are_removed(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path, 10_000)
    cache.put(DIGESTS[0], OUTPUT)
    old, new = (files(cache)[0].parent / name for name in ("old.part", "new.part"))
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (1_000, 1_000))
    cache.evict()
    assert (old.exists(), new.exists(), cache.get(DIGESTS[0])) == (False, True, OUTPUT)


def test_a_cache_that_cannot_be_written_is_passed_over(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    cache = OutputCache(blocked / "cache", 10_000)
    cache.put(DIGESTS[0], OUTPUT)
    cache.evict()
    assert cache.get(DIGESTS[0]) is None


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    cache = OutputCache(tmp_path, 10_000)
    monkeypatch.setattr(Path, "replace", full)
    cache.put(DIGESTS[0], OUTPUT)
    assert files(cache) == []


def test_many_runs_share_one_cache(tmp_path: Path) -> None:
    def work(number: int) -> None:
        cache = OutputCache(tmp_path, 4_000)
        for digest in DIGESTS:
            cache.put(digest, digest.encode() * 5)
            assert cache.get(digest) in (None, digest.encode() * 5)
            if number % 2:
                cache.evict()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))


def test_entries_are_for_their_owner_alone(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path / "cache", 10_000)
    cache.put(DIGESTS[0], OUTPUT)
    assert files(cache)[0].stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("options", "xdg", "expected"),
    [
        ({"cache": False}, "/x", None),
        ({"cache_size": 0}, "/x", None),
        ({"cache_dir": "/here"}, "/x", "/here/outputs"),
        ({}, "/x", "/x/kdiff/outputs"),
        ({}, "relative", "/home/me/.cache/kdiff/outputs"),
        ({}, "", "/home/me/.cache/kdiff/outputs"),
    ],
)
def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, options: dict[str, object], xdg: str, expected: str | None) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    monkeypatch.setenv("HOME", "/home/me")
    cache = open_cache(Options(**options))  # type: ignore[arg-type]
    assert (str(cache.directory) if cache else None) == expected
