"""
The report of the quick study in a real browser: accessible, within its width, and it works with the keyboard.

    make
    npm install --no-save --no-package-lock axe-core@4
    .venv/bin/python -m pytest -q tests/browser

Needs Chromium with chromedriver; `make test` leaves these tests out, CI runs them every night.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "results" / "quick" / "report.html"
WIDTHS, SCHEMES = (1400, 390), ("light", "dark")
OPEN_ALL = "for (const box of document.querySelectorAll('main details')) box.open = true;"
TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "open"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious(browser, width, scheme, folded):
    browser.show(REPORT, width, scheme)
    if not folded:
        browser.run(OPEN_ALL)
    assert browser.serious() == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_no_wider_than_the_screen_and_not_endless(browser, width):
    browser.show(REPORT, width, "light")
    page_width, height = browser.run("const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]")
    assert page_width <= width
    assert height < 25_000
    browser.run(OPEN_ALL)
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_the_first_screen_says_of_every_paper_what_holds(browser):
    browser.show(REPORT, 1400, "light")
    bottoms = browser.run(
        "return [...document.querySelectorAll('.short > div')].map((row) => row.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) == 5
    assert max(bottoms) < 900


def test_every_paper_has_its_question_answer_and_picture(browser):
    browser.show(REPORT, 1400, "light")
    seen = browser.run(
        "return [...document.querySelectorAll('.cards > li')].map((card) => ["
        " card.querySelector('.question + p').innerText.length, card.querySelector('img').naturalWidth])"
    )
    assert len(seen) == 5
    assert all(length > 100 and width > 100 for length, width in seen)


def test_a_link_to_a_claim_that_the_filters_hide_shows_it(browser):
    browser.show(REPORT, 1400, "light", "#text=zebra")
    hidden = "return document.getElementById('CE-02').closest('tr').hidden"
    assert browser.run(hidden)
    browser.run("location.hash = '#CE-02'; await new Promise((resolve) => setTimeout(resolve, 200))")
    assert not browser.run(hidden)
    assert browser.run("return document.getElementById('CE-02').open")
    assert browser.run("return document.querySelector('[name=text]').value") == ""


def test_the_number_of_an_answer_leads_to_its_claims_each_time(browser):
    browser.show(REPORT, 1400, "light")
    tops = browser.run(
        "const tops = []; for (let k = 0; k < 2; k++) { scrollTo(0, 0);"
        " document.querySelector('a[data-state]').click(); await new Promise((resolve) => setTimeout(resolve, 300));"
        " tops.push(document.querySelector('.ledger').getBoundingClientRect().top) } return tops"
    )
    assert all(0 <= top < 900 for top in tops)


def test_a_number_leads_to_the_rows_behind_it_in_folded_parts(browser):
    browser.show(REPORT, 1400, "light")
    found = browser.run(
        "const link = document.querySelector('dd a[href^=\"#rows-\"]'); location.hash = link.getAttribute('href');"
        " await new Promise((resolve) => setTimeout(resolve, 300));"
        " const rows = document.getElementById(decodeURIComponent(location.hash.slice(1)));"
        " const box = rows.getBoundingClientRect(); return [rows.open, box.top, box.height]"
    )
    assert found[0] is True
    assert 0 < found[1] < 900
    assert found[2] > 0


def test_the_keyboard_reaches_the_contents_and_the_cells(browser):
    focused = "return document.activeElement.textContent.trim()"
    browser.show(REPORT, 390, "light")
    browser.press(TAB)
    assert browser.run(focused) == "Skip the contents"
    browser.press(TAB)
    assert browser.run(focused) == "Contents"
    menu = "return document.querySelector('.menu').open"
    assert browser.run(menu) is False
    browser.press(ENTER)
    assert browser.run(menu) is True
    browser.press(ESCAPE)
    assert browser.run(menu) is False
    assert browser.run("document.querySelector('.cell').focus(); return document.activeElement.className").startswith(
        "cell"
    )
    browser.press(ENTER)
    browser.run("await new Promise((resolve) => setTimeout(resolve, 200))")
    assert browser.run("return document.querySelector('.claim[open]').id") == browser.run(
        "return document.querySelector('.cell').getAttribute('href').slice(1)"
    )


def test_the_contents_stay_in_reach(browser):
    for width in WIDTHS:
        browser.show(REPORT, width, "light", "#versions")
        top = browser.run("return document.querySelector('nav').getBoundingClientRect().top")
        assert abs(top) < 1, f"at {width} pixels the contents have scrolled away"


def test_nothing_is_asked_of_the_network(browser):
    browser.show(REPORT, 1400, "light")
    asked = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [name for name in asked if not name.startswith("data:")] == []
    assert REPORT.stat().st_size < 3_000_000
