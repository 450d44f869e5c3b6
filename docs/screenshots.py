"""Makes pictures of a report for people to look at: text on a terminal of 80 and 200 columns, Markdown as a comment, the HTML page.

    python docs/screenshots.py OUT                       # the example of the README
    python docs/screenshots.py OUT BASE HEAD [OPTIONS]   # any two states, with options of kdiff

Needs the dev extra and a Chromium on PATH. Each picture is OUT/NAME.png. By hand: nothing compares the pictures, a person does.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

from kdiff.cli.main import main
from kdiff.model.report import Report
from kdiff.reports.formats import render_report
from kdiff.reports.style import Style

SHOP = Path(__file__).resolve().parent.parent / "golden" / "trees" / "shop"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PALETTE = {
    "31": "#ff7b72",
    "32": "#7ee787",
    "33": "#e3b341",
    "34": "#79c0ff",
    "35": "#d2a8ff",
    "36": "#76e3ea",
    "97": "#ffffff",
    "41": "#b62324",
}
TERMINAL = """<meta charset=utf-8><style>
body { margin: 0; background: #0d1117; color: #c9d1d9 } pre { margin: 0; padding: 16px; width: max-content; font: 13px/1.35 monospace }
</style><pre>"""
COMMENT = """<meta charset=utf-8><style>
body { font: 14px/1.5 sans-serif; max-width: 860px; margin: 24px; color: #1f2328 }
code, pre { font: 12px/1.45 monospace; background: #f6f8fa; border-radius: 6px } code { padding: .15em .4em }
pre { padding: 12px; overflow: auto } pre code { padding: 0 } table { border-collapse: collapse }
td, th { border: 1px solid #d1d9e0; padding: 4px 12px }
.add { color: #116329; background: #dafbe1 } .del { color: #82071e; background: #ffebe9 } summary { margin: 6px 0 }
</style>"""


def compare(arguments: list[str]) -> Report:
    """The report of a real run of the command."""
    with tempfile.TemporaryDirectory() as scratch:
        saved = Path(scratch) / "report.json"
        if main([*arguments, "-o", f"json={saved}"]) not in (0, 1) and not saved.exists():
            raise SystemExit("kdiff could not compare")
        return Report.from_json(saved.read_text(encoding="utf-8"))


def terminal_page(text: str) -> str:
    """Text with ANSI colours as a dark page."""
    out, opened = [], False
    for part in re.split("(\x1b\\[[0-9;]*m)", text):
        if not part.startswith("\x1b"):
            out.append(html.escape(part))
            continue
        out.append("</span>" * opened)
        codes = part[2:-1].split(";")
        opened = codes != ["0"]
        if opened:
            out.append(f'<span style="{"".join(map(css_of, codes))}">')
    return TERMINAL + "".join(out)


def css_of(code: str) -> str:
    if code == "1":
        return "font-weight:bold;"
    if code == "2":
        return "opacity:.6;"
    return f"{'background' if code == '41' else 'color'}:{PALETTE[code]};"


def comment_page(markdown: str) -> str:
    """Markdown as a platform would draw it: HTML blocks pass, diff lines are coloured."""

    def fence(tokens: list, at: int, *_: object) -> str:
        marks = {"+": "add", "-": "del"}
        lines = tokens[at].content.rstrip("\n").split("\n")
        return (
            "<pre><code>"
            + "".join(f'<div class="{marks.get(line[:1], "")}">{html.escape(line) or " "}</div>' for line in lines)
            + "</code></pre>"
        )

    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.add_render_rule("fence", lambda _self, tokens, at, options, env: fence(tokens, at, options, env))
    return COMMENT + renderer.render(markdown).replace("<details>", "<details open>", 2)


def draw(pages: dict[str, tuple[str, dict]], out: Path) -> None:
    """One picture of each page, as tall as it is."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        raise SystemExit("no Chromium on PATH: apt-get install chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for name, (page_text, options) in pages.items():
            file = Path(scratch) / f"{name}.html"
            file.write_text(page_text, encoding="utf-8")
            page = browser.new_page(**options)
            page.goto(file.as_uri())
            page.screenshot(path=str(out / f"{name}.png"), full_page=True)
            print(out / f"{name}.png")
        browser.close()


def run(out: Path, arguments: list[str]) -> None:
    with contextlib.redirect_stderr(io.StringIO()):
        report = compare(arguments)
    pages: dict[str, tuple[str, dict]] = {}
    for width in (80, 200):
        text = render_report(report, "text", Style(color=True, width=width))
        pages[f"text-{width}"] = terminal_page(text), {"viewport": {"width": 40 + 8 * width, "height": 600}}
    pages["comment"] = comment_page(render_report(report, "markdown", Style())), {"viewport": {"width": 920, "height": 600}}
    page = render_report(report, "html", Style())
    for scheme in ("light", "dark"):
        pages[f"page-{scheme}"] = page, {"viewport": {"width": 1400, "height": 900}, "color_scheme": scheme}
    pages["page-narrow"] = page, {"viewport": {"width": 420, "height": 800}}
    out.mkdir(parents=True, exist_ok=True)
    draw(pages, out)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    run(Path(sys.argv[1]), sys.argv[2:] or [str(SHOP / "base"), str(SHOP / "head")])
