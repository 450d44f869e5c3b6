"""The HTML report in real headless Chromium: what it shows, how it filters, and that hostile text does nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from kdiff.model.change import ChangeTargets
from kdiff.model.hazard import Hazard
from kdiff.model.impact import Dependents, Impact
from kdiff.reports.html import render_html
from kdiff.reports.style import Style

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium. In CI its absence is a failure, elsewhere a skip that names it."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium: apt-get install chromium")
        pytest.skip("no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser, tmp_path) -> Iterator[Callable[..., Any]]:
    """Opens a report from disk. At the end nothing may have been said on the console, asked of the network, or asked of the user."""
    said: list[str] = []
    pages = []

    def opened(report, **options):
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(render_html(report, Style()), encoding="utf-8", newline="\n")
        page = browser.new_page(viewport={"width": 1400, "height": 900}, **options)
        page.set_default_timeout(10_000)
        pages.append(page)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: said.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for page in pages:
        page.close()
    assert said == []


def listed(page) -> list[str]:
    """Names of the rows that are to be seen."""
    return page.locator(".change:visible .name").all_inner_texts()


def test_filters_narrow_rows_tree_and_picture(show, full_report) -> None:
    page = show(full_report)
    everything = listed(page)
    assert len(everything) == 7
    page.get_by_role("button", name="removed").click()
    assert listed(page) == ["shop/old"]
    assert page.locator(".leaf:visible").count() == 1
    assert page.locator(".chip[data-object]:not(.dim)").count() == 1
    assert page.locator("#counter").inner_text() == f"1 of {len(full_report.changes)}"
    page.get_by_role("button", name="added").click()
    assert sorted(listed(page)) == ["shop/new", "shop/old"]
    page.locator("#reset").click()
    assert listed(page) == everything
    page.select_option("select[data-filter=kind]", "Deployment")
    assert sorted(listed(page)) == ["api/api", "shop/web"]
    page.select_option("select[data-filter=namespace]", "api")
    assert listed(page) == ["api/api"]
    page.select_option("select[data-filter=target]", "apps/api/overlays/t03")
    assert listed(page) == ["api/api"]
    assert page.locator("#counter").inner_text().startswith("1 of "), "one of the twelve objects of the row"
    page.locator("#reset").click()
    page.locator(".toggle[data-value=blocking]").click()
    assert listed(page) == ["shop"]
    page.select_option("select[data-filter=kind]", "Service")
    assert listed(page) == []
    assert page.locator("#nothing").is_visible()


def test_search_finds_names_and_words_of_diffs(show, full_report) -> None:
    page = show(full_report)
    for words, names in [("cfg-b", ["shop/cfg-b", "shop/web"]), ("1.3.0 WEB", ["shop/web"]), ("nowhere", []), ("", None)]:
        page.fill("#search", words)
        page.wait_for_timeout(150)
        assert sorted(listed(page)) == names if names is not None else len(listed(page)) == 7


def test_views_of_a_diff(show, full_report) -> None:
    page = show(full_report)
    web = page.locator(".change", has_text="shop/web").first
    web.locator("summary").first.click()
    assert web.locator("table.diff:not(.split) td.minus").inner_text().endswith("d: 4·")
    assert web.locator("td.minus mark").all_inner_texts() == ["4·"]
    assert web.locator("td.plus mark").all_inner_texts() == ["5"]
    page.get_by_role("button", name="side by side").click()
    row = web.locator("table.split tr", has=page.locator("td.minus"))
    assert row.locator("td.plus").count() == 1, "the new line stands beside the old one"
    assert [cell.strip() for cell in row.locator("td.n").all_inner_texts()] == ["4", "4"]
    page.get_by_role("button", name="fields", exact=True).click()
    assert web.locator("table.fields td").all_inner_texts()[:3] == ["~", "spec.replicas", "2 → 3"]
    assert web.locator("table.fields tr", has_text="containerPort").locator("ins").inner_text() == '"8080"'


def test_equal_edits_name_their_objects(show, full_report) -> None:
    page = show(full_report)
    api = page.locator(".change", has_text="and 11 more objects")
    api.locator("summary").first.click()
    api.locator("details summary").click()
    assert "apps/api/overlays/t11" in api.locator("ul").last.inner_text()


def test_keyboard(show, full_report) -> None:
    page = show(full_report)
    focused = "document.activeElement.closest('.change')?.id ?? document.activeElement.id"
    rows = page.locator(".change").evaluate_all("all => all.map((one) => one.id)")
    for key, expected in [("j", rows[0]), ("j", rows[1]), ("j", rows[2]), ("k", rows[1])]:
        page.keyboard.press(key)
        assert page.evaluate(focused) == expected
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#{rows[1]} .body > *")
    page.keyboard.press("s")
    assert page.locator("[data-view=split]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("/")
    assert page.evaluate(focused) == "search"
    page.keyboard.type("jk/")
    assert page.input_value("#search") == "jk/", "in the search box keys are text"
    page.keyboard.press("Escape")
    page.wait_for_selector("#reset", state="hidden")
    assert len(listed(page)) == 7, "Escape leaves and empties the search"
    page.keyboard.press("e")
    assert page.locator(".change:not([open])").count() == 0


def test_a_hazard_and_the_tree_lead_to_the_object(show, full_report) -> None:
    page = show(full_report)
    page.locator("#hazards .subject a").first.click()
    assert page.locator(".change[open] .name").all_inner_texts() == ["shop"]
    page.locator(".leaf", has_text="shop/web").click()
    assert "shop/web" in page.locator(".change[open] .name").all_inner_texts()
    page.locator("#hazards .rule a").first.click()
    assert page.get_by_role("heading", name="Why it hurts").count() == 1  # of the page that was opened; the others are closed


def test_the_picture_traces_what_depends(show, full_report) -> None:
    page = show(full_report)
    page.locator("#graph").scroll_into_view_if_needed()
    page.locator(".chip.renamed").hover()
    assert page.locator(".edge.lit").count() == 1
    assert page.locator(".chip.lit").count() == 2
    before = page.locator("#graph").get_attribute("viewBox")
    page.locator("#zoom-in").click()
    assert page.locator("#graph").get_attribute("viewBox") != before
    page.locator("#zoom-fit").click()
    assert page.locator("#graph").get_attribute("viewBox") == before
    page.locator(".chip.renamed a").click()
    assert page.locator(".change[open] .name").all_inner_texts() == ["shop/cfg-b"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(show, full_report, scheme) -> None:
    page = show(full_report, color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    first = page.evaluate(ground)
    assert (sum(map(int, first[4:-1].split(","))) > 384) == (scheme == "light")
    page.locator("#theme").click()
    second = page.evaluate(ground)
    assert (sum(map(int, second[4:-1].split(","))) > 384) == (scheme == "dark")


def test_print_opens_every_diff(show, full_report) -> None:
    page = show(full_report)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".change:not([open])").count() == 0
    assert page.locator("td.minus:visible").count() > 0
    for control in (".side", ".views", ".zoom", "#theme"):
        assert not page.locator(control).is_visible(), "paper has no controls"


HOSTILE = [
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "javascript:alert(1)//",
    "<!--<script>",
    "${alert(1)}{{7*7}}",
    "&lt;b&gt;",
]


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_names_and_values_are_inert(show, build, bad) -> None:
    obj = build.ref(bad, bad, bad)
    change = build.change(obj, scope=bad, fields=(build.replaced(bad, bad, bad + "x"),), unified=f"@@ -1 +1 @@\n-a: {bad}\n+a: {bad}x\n")
    page = show(build.report(change, hazards=(Hazard("removed-pvc", "blocking", bad, bad, bad, object=obj.id, scope=bad),)))
    page.keyboard.press("e")
    for view in ("split", "fields", "unified"):
        page.locator(f"[data-view={view}]").click()
    page.locator("#theme").click()
    page.fill("#search", bad)
    page.wait_for_timeout(150)
    assert listed(page) == [f"{bad}/{bad}"]
    page.select_option("select[data-filter=kind]", bad)
    assert listed(page) == [f"{bad}/{bad}"]
    assert page.locator("td.minus").inner_text().endswith(f"a: {bad}")
    page.locator("#hazards .subject a").click()
    assert page.locator("img, iframe, svg[onload]").count() == 0
    assert page.locator("script").count() == 2


def test_a_large_report_is_small_enough_and_usable(show, build) -> None:
    """1,200 changed objects."""
    text = "@@ -1,40 +1,40 @@\n" + "".join(f" line{n}: some value of it\n" for n in range(40)) + "-image: web:1.2.0\n+image: web:1.3.0\n"
    changes = []
    for n in range(1200):
        target = f"Kustomization flux-system/t{n // 40:02}"
        changes.append(
            replace(
                build.change(build.ref("Deployment", f"web-{n}", f"ns{n % 20}", "apps"), scope="clusters/prod", unified=text),
                fields=(build.replaced("spec.replicas", n, n + 1),),
                targets=ChangeTargets((target,), (target,)),
            )
        )
    direct = tuple(change.id for change in changes[1:400])
    report = build.report(*changes, impact=Impact(dependents=(Dependents(changes[0].id, direct, 0, "clusters/prod"),)))
    assert len(render_html(report, Style()).encode()) < 10_000_000
    page = show(report)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".change[open] td.plus")
    page.fill("#search", "web-1199")
    page.wait_for_selector("#shown:has-text('1 of 1200')")
    assert listed(page) == ["ns19/web-1199"]
