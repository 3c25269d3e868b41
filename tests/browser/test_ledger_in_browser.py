"""
The table of claims in a real browser, on the site and in the report of the quick study: filters, order, addresses.

    make docs

makes the page of the site; `test_report_in_browser.py` says what else this needs.
"""

import os
from pathlib import Path

import pandas as pd
import pytest
from replication.catalogue.papers import PAPERS
from replication.claims.answers import MARKS, MEASUREMENT, is_hollow, word_of
from replication.report.text import chip

ROOT = Path(__file__).parents[2]
PAGES = {
    "site": Path(os.environ.get("SITE", ROOT / "build" / "docs" / "html")) / "ledger.html",
    "report": ROOT / "results" / "quick" / "report.html",
}
LEDGER = pd.read_csv(ROOT / "resources" / "paper" / "claims.tsv", sep="\t", keep_default_na=False)
SHOWN = "return [...document.querySelectorAll('.ledger tbody tr:not([hidden])')].map((row) => row.cells[0].textContent)"
SAYS = "return document.querySelector('.ledger output').textContent"
ADDRESS = "return location.hash"
SORTED = (
    "return [...document.querySelectorAll('.ledger th[aria-sort]')].map((head) => [head.textContent, head.ariaSort])"
)


@pytest.fixture(params=PAGES)
def ledger(request, browser):
    """Open the page of the site or the report at an address."""

    def opened(address="", width=1400, scheme="light"):
        assert PAGES[request.param].is_file(), "make docs"
        browser.show(PAGES[request.param], width, scheme, address)
        return browser

    return opened


def choose(browser, name, value):
    browser.run(
        "const one = document.querySelector(`.ledger [name=${name}]`); one.value = value;"
        " one.dispatchEvent(new Event('input', { bubbles: true }))",
        name=name,
        value=value,
    )


def press(browser, words):
    find = "[...document.querySelectorAll('.ledger button')].find((one) => one.textContent.trim() === words)"
    browser.run(f"{find}.click(); await new Promise((done) => setTimeout(done, 50))", words=words)


def ids(rows):
    return LEDGER.loc[rows, "id"].tolist()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_screen(ledger, width, scheme):
    # Most answers; axe takes its time over each row.
    browser = ledger("#paper=Viswanath+2012&sort=answer", width, scheme)
    assert browser.serious(".ledger") == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_each_filter_shows_its_rows_and_says_how_many(ledger):
    browser = ledger()
    assert browser.run(SHOWN) == LEDGER["id"].tolist()
    substitute = LEDGER["answer"].map(is_hollow)
    for word in (*MARKS, MEASUREMENT):
        choose(browser, "answer", word)
        of_word = LEDGER["answer"].map(word_of) == word
        assert browser.run(SHOWN) == ids(of_word)
        assert browser.run(SAYS) == f"{of_word.sum()} of {len(LEDGER)} rows shown"
        choose(browser, "data", "a substitute")
        assert browser.run(SHOWN) == ids(of_word & substitute)
        choose(browser, "data", "")
    press(browser, "Show all")
    assert browser.run(SHOWN) == LEDGER["id"].tolist()
    choose(browser, "paper", PAPERS["tomo2025"].short_title)
    assert browser.run(SHOWN) == ids(LEDGER["paper"] == "tomo2025")
    choose(browser, "text", "zebra")
    assert browser.run(SHOWN) == []
    assert "No row" in browser.run(SAYS)


def test_a_filter_has_names_with_the_digits_that_they_begin_with(browser, tmp_path):
    script = (ROOT / "workflow" / "report" / "report_ledger.js").read_text(encoding="utf-8")
    rows = "".join(f"<tr><td>{year} study<td>{chip('holds')}" for year in (2024, 2025))
    page = tmp_path / "page.html"
    page.write_text(
        '<!doctype html><meta charset="utf-8"><div class="ledger" data-filter="paper,answer"><table>'
        f"<thead><tr><th>paper<th>answer<tbody>{rows}</table></div><script>{script}</script>",
        encoding="utf-8",
    )
    browser.show(page, 1400, "light")
    choose(browser, "answer", "holds")
    assert browser.run(SHOWN) == ["2024 study", "2025 study"]
    choose(browser, "paper", "2025 study")
    assert browser.run(SHOWN) == ["2025 study"]


def test_a_heading_sorts_up_then_down_then_not(ledger):
    browser = ledger()
    places = [[*MARKS, MEASUREMENT].index(word_of(answer)) for answer in LEDGER["answer"]]
    up = sorted(range(len(places)), key=places.__getitem__)
    down = sorted(range(len(places)), key=lambda k: -places[k])
    for order, direction in ((up, "ascending"), (down, "descending")):
        press(browser, "answer")
        assert browser.run(SHOWN) == LEDGER["id"].iloc[order].tolist()
        assert browser.run(SORTED) == [["answer", direction]]
    press(browser, "answer")
    assert browser.run(SHOWN) == LEDGER["id"].tolist()
    assert browser.run(SORTED) == []


def test_the_address_carries_the_filters_and_the_order(ledger):
    browser = ledger()
    choose(browser, "answer", "does not hold")
    press(browser, "claim")
    press(browser, "claim")
    address, shown = browser.run(ADDRESS), browser.run(SHOWN)
    assert set(shown) == set(ids(LEDGER["answer"].map(word_of) == "does not hold"))
    assert shown[0].startswith("OS-")
    assert ledger(address).run(SHOWN) == shown
    press(browser, "Show all")
    assert len(browser.run(SHOWN)) == len(LEDGER)
    assert browser.run(SORTED) == [["claim", "descending"]]


def test_back_from_a_filter_shows_the_table_as_it_was(ledger):
    browser = ledger()
    go = "await new Promise((done) => setTimeout(done, 200))"
    browser.run(f"location.hash = '#answer=holds'; {go}")
    assert browser.run(SHOWN) == ids(LEDGER["answer"].map(word_of) == "holds")
    browser.run(f"history.back(); {go}")
    assert browser.run(ADDRESS) == ""
    assert browser.run(SHOWN) == LEDGER["id"].tolist()


def test_every_row_leads_to_the_rows_behind_its_verdict(ledger):
    browser = ledger()
    links = browser.run(
        "return [...document.querySelectorAll('.ledger tbody tr')].map((row) =>"
        " row.cells[row.cells.length - 1].querySelector('a')?.getAttribute('href') ?? '')"
    )
    if links[0].startswith("#"):
        judged = set(pd.read_csv(PAGES["report"].parent / "claim_rows.tsv", sep="\t")["claim"])
        assert links == [f"#rows-{name}" if name in judged else "" for name in LEDGER["id"]]
        assert browser.run("return links.every((one) => !one || document.querySelector(one))", links=links)
    else:
        assert [Path(link).name for link in links] == [f"{name}.tsv.gz" for name in LEDGER["experiment"]]
        assert all((PAGES["site"].parent / link).is_file() for link in links)


def test_without_javascript_the_whole_table_is_there(ledger, browser):
    browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
    ledger()
    browser.devtools("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run(SHOWN) == LEDGER["id"].tolist()
    assert browser.run("return document.querySelectorAll('.ledger :is(form, button)').length") == 0


def test_on_paper_there_is_the_table_and_no_filter(ledger):
    browser = ledger()
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    shown = "return ['form', 'table'].map((one) => getComputedStyle(document.querySelector(`.ledger ${one}`)).display)"
    assert browser.run(shown) == ["none", "table"]
    browser.devtools("Emulation.setEmulatedMedia", media="")
