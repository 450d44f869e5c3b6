"""CPU seconds for input that is made to take long, each beside what it may take. Ends with 1 where one takes longer.

    python tests/bench/hostile.py

The tests bound the work of the same cases in lines of Python; what C does meanwhile (JSON, libyaml, regular expressions) shows here
alone. By hand, not part of the test suite.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from kdiff.compare.embedded import look_inside
from kdiff.compare.unified import unified_diff
from kdiff.documents.load import MAX_DEEP_SIZE, MAX_DEPTH, load_document
from kdiff.documents.split import DocumentError
from kdiff.kube.globs import match_path
from kdiff.reports.line_diff import line_hunks


def load(raw: bytes) -> None:
    with contextlib.suppress(DocumentError):
        load_document(raw)


def cases() -> Iterator[tuple[str, float, Callable[[], object]]]:
    """Name, CPU seconds that it may take, and the call."""
    text = "\n".join(f'"x{n % 7}": {{' if n % 3 else f'"id": {n},' for n in range(30_000)) + "\n"
    edited = text.replace("1,", "1.5,")
    yield "long text, edits everywhere", 5, lambda: unified_diff({"text": text}, {"text": edited}, "a", "b")
    yield "the same for people", 5, lambda: line_hunks(text, edited, 3)
    panels = ",".join(f'{{"id": {n}, "title": "panel {n}", "targets": [{{"expr": "rate(x[5m])", "ref": "A"}}]}}' for n in range(4000))
    before = f'{{"panels": [{panels}]}}'
    for replaced in ('"panel 77"', '"panel '):
        after = before.replace(replaced, replaced.replace("panel", "other"))
        yield f"dashboard, {replaced}", 3, lambda after=after: look_inside("d.json", before, after)
    for hostile in ("[" * 100_000, "a: " + "{" * 5000, '{"a":' * 50_000, "- " * 50_000, "&a [*a]\n" * 3):
        yield f"inside a string, {hostile[:8]!r}", 3, lambda s=hostile: look_inside("x.yaml", s + "\n", s + " \n")
    deep = b"".join(b" " * n + b"m:\n" for n in range(1200)) + b" " * 1200 + b"leaf\n# " + b"x" * MAX_DEEP_SIZE
    for raw in (b"- " * (MAX_DEPTH + 1) + b"x\n", b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 200_000 + b"1" + b"}" * 200_000, deep):
        yield f"too deep, {raw[:8]!r}", 3, lambda raw=raw: load(raw)
    bomb = "a: &a0 [x]\n" + "".join(f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    yield "alias bomb", 2, lambda: load(bomb.encode())
    for pattern, path in (
        ("*a" * 60 + "*b", "a" * 5000),
        ("/".join(["**", "a"] * 40), "/".join("a" * 200) + "/b"),
        ("{a,b}" * 40, "a" * 40),
    ):
        yield f"glob, {pattern[:8]}", 2, lambda pattern=pattern, path=path: match_path(pattern, path)


def main() -> int:
    late = 0
    for name, limit, call in cases():
        begun = time.process_time()
        call()
        taken = time.process_time() - begun
        late += taken > limit
        print(f"{taken:8.3f} s of {limit} s  {name}{'  TOO LONG' if taken > limit else ''}")
    return min(late, 1)


if __name__ == "__main__":
    sys.exit(main())
