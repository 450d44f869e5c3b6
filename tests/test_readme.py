"""README and docs show what the command really prints, name only what exists, and every link leads somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kdiff.cli.arguments import diff_parser, parse_call, subcommand_parsers
from kdiff.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"(<!-- example: kdiff (.*?) -->\n)(.*?)(<!-- end of example -->)", re.DOTALL)
EXAMPLES = [(page, match.group(2)) for page in PAGES for match in EXAMPLE.finditer(page.read_text(encoding="utf-8"))]
VERSIONS = re.compile(r"kdiff \S+, kustomize \S+ \(\w+\)")


def page_id(value: object) -> str:
    return value.relative_to(ROOT).as_posix() if isinstance(value, Path) else str(value)


@pytest.mark.parametrize(("page", "words"), EXAMPLES, ids=page_id)
def test_examples_are_real_output(
    page: Path,
    words: str,
    kustomize: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    """Text stands in a fence, Markdown as it is. `--update-golden` rewrites it."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("KDIFF_KUSTOMIZE", kustomize)
    arguments = shlex.split(words)
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    block = printed if "markdown" in arguments else f"```\n{printed}```\n"
    text = page.read_text(encoding="utf-8")
    shown = next(match for match in EXAMPLE.finditer(text) if match.group(2) == words)
    if VERSIONS.sub("", shown.group(3)) == VERSIONS.sub("", block):
        return
    if request.config.getoption("--update-golden"):
        page.write_text(text[: shown.start(3)] + block + text[shown.end(3) :], encoding="utf-8")
        pytest.fail(f"{page.name}: rewritten, read the diff before you commit it")
    assert shown.group(3) == block


def test_the_readme_has_an_example() -> None:
    assert README in {page for page, _ in EXAMPLES}


def code_blocks(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) + re.findall(r"^    (?=\S)(.*)$", text, re.MULTILINE))


CALLS = [
    (page, line.split("#")[0].strip())
    for page in PAGES
    for line in code_blocks(page).split("\n")
    if re.match(r"kdiff (?!completion|\[)", line) and "usage.md" not in page.name
]


@pytest.mark.parametrize(("page", "line"), CALLS, ids=page_id)
def test_every_call_that_is_shown_can_be_made(page: Path, line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    while words and words[-1] in ("&&", "||", "|"):
        words.pop()
    parse_call(words)


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "ci").glob("*.md"))], ids=page_id)
def test_no_option_is_named_that_does_not_exist(page: Path) -> None:
    known = {option for parser in (diff_parser(), *subcommand_parsers().values()) for option in parser._option_string_actions}
    lines = [line for line in page.read_text(encoding="utf-8").split("\n") if "kdiff" in line or "`--" in line]
    assert set(re.findall(r"(?<![\w=-])--[a-z][a-z-]*[a-z](?![\w-])", "\n".join(lines))) <= known


def headings(page: Path) -> set[str]:
    """Anchors of a page, as GitHub and mkdocs make them of headings."""
    titles = re.findall(r"^#+ +(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = EXAMPLE.sub("", text)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        to = (page.parent / name).resolve() if name else page
        assert to.exists(), f"{page.name} links to {link}"
        assert not anchor or anchor in headings(to), f"{page.name} links to {link}, but there is no such heading"
        assert ROOT in to.parents
