"""
The interactive picture of a check in a real browser: it works by pointer and keyboard, is accessible, and is fast.

It needs what `test_report_in_browser.py` needs, and no report.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import check_embedding

SMALL, LARGE = 60, 100_000
# Whole numbers, small ones among them, over as many values as a column of a page has.
NUMBERS = (np.geomspace(1, 65_535, SMALL) + 2).astype(int)
# And over more: their last digit is not stored.
COUNTS = np.geomspace(500, 600_000, SMALL).astype(int)
# Two differ in capitals alone, and one begins with a blank.
NAMES = ["sample X", *(f"sample {k}" for k in range(1, SMALL - 2)), "sample x", " sample last"]
ENTER, ESCAPE = "\ue007", "\ue00c"
READY = (
    "for (let k = 0; k < 600 && !document.querySelector('.map[data-ready]'); k++)"
    " await new Promise((go) => setTimeout(go, 100)); return !document.querySelector('.map').hidden"
)
TIP = "await new Promise((go) => setTimeout(go, 300)); return document.querySelector('.map-tip').textContent"
# Colours of the picture and how many pixels have them.
PIXELS = """await new Promise((go) => setTimeout(go, 1500));
const canvas = document.querySelector('canvas');
const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, found = {};
for (let k = 0; k < data.length; k += 4) {
  const key = data.slice(k, k + 3).join();
  found[key] = (found[key] ?? 0) + 1;
}
return found"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Files of few points and of very many."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 2) * 20, SMALL // 3, axis=0)
    runs = [centres + rng.normal(size=(SMALL, 2)) for _ in range(6)]
    small = check_embedding(embeddings=runs, labels=np.repeat([*"abc"], SMALL // 3), n_neighbors=5, random_state=0)
    codes = rng.integers(0, 25, LARGE)
    places = rng.normal(size=(25, 2))[codes] * 8 + rng.normal(size=(LARGE, 2))
    points = pd.DataFrame({
        "point": np.arange(LARGE), "label": [f"type {code}" for code in codes], "instability": rng.random(LARGE),
        "neighbor_turnover": rng.random(LARGE), "category": rng.choice(["stable", "uncertain", "unstable"], LARGE),
    })  # fmt: skip
    groups = points.label.value_counts().rename_axis("label").rename("n_points").reset_index().assign(category="mixed")
    large = replace(
        small, consensus=replace(small.consensus, embedding=places), points=points, label_groups=groups,
        embeddings=places + rng.normal(size=(5, LARGE, 2)),
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("pages")
    counted = replace(small, points=small.points.assign(n_genes=NUMBERS, n_counts=COUNTS))
    counted.write_html(folder / "small.html", NAMES)
    # Its sentences and figures are not of these points.
    large.write_html(folder / "large.html")
    return {"small": folder / "small.html", "large": folder / "large.html"}


@pytest.fixture
def small(browser, pages):
    browser.show(pages["small"], 1400, "light")
    assert browser.run(READY)
    return browser


def choose(browser, name, value):
    browser.run(
        f"const one = document.querySelector('[name={name}]'); one.value = value;"
        " for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind))",
        value=value,
    )


def pointer(browser, *moves):
    actions = [{"type": "pointerMove", "duration": time, "x": int(x), "y": int(y)} for x, y, time in moves]
    press = [{"type": "pointerDown", "button": 0}], [{"type": "pointerUp", "button": 0}]
    actions = [actions[0], *press[0], *actions[1:], *press[1]]
    browser.send("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": actions}])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_screen(browser, pages, width, scheme):
    browser.show(pages["small"], width, scheme)
    assert browser.run(READY)
    browser.run("document.querySelector('.map details').open = true; document.querySelector('.map li button').click()")
    assert browser.serious() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("typed", "row"),
    [("sample X", 0), ("sample x", SMALL - 2), ("SAMPLE 7", 7), (" sample last", SMALL - 1), ("sample l", SMALL - 1)],
)
def test_a_name_is_found_as_it_is_typed_else_without_capitals_or_as_a_beginning(small, typed, row):
    choose(small, "find", typed)
    assert small.run(TIP).startswith(f"{NAMES[row]}row {row}stability")


def test_enter_finds_the_same_point_again(small):
    choose(small, "find", "sample 7")
    small.run("document.querySelector('canvas').focus()")
    small.press(ESCAPE)
    assert small.run(TIP) == ""
    small.run("document.querySelector('[name=find]').focus()")
    small.press(ENTER)
    assert small.run(TIP).startswith("sample 7row 7")


def test_a_point_is_found_by_name_and_told(small):
    choose(small, "find", "sample 7")
    told = small.run(TIP)
    assert re.match(r"sample 7row 7stability: \w+label: ainstability: [\d.]+ \[[\d.]+, [\d.]+\]", told)
    choose(small, "find", "nobody")
    assert small.run("return document.querySelector('[name=find]').validationMessage").startswith("No point")


@pytest.mark.parametrize(("column", "numbers", "unit"), [("n genes", NUMBERS, 1), ("n counts", COUNTS, 10)])
def test_whole_numbers_are_told_in_the_digits_that_are_stored(small, column, numbers, unit):
    columns = small.run("return [...document.querySelectorAll('[name=colour] option')].map((one) => one.textContent)")
    choose(small, "colour", columns.index(column))
    for point in range(1, SMALL, 8):
        choose(small, "find", f"sample {point}")
        told = int(re.search(rf"{column}: (\d+)Lines", small.run(TIP))[1])
        assert told % unit == 0
        assert abs(told - numbers[point]) < unit


def test_the_keyboard_moves_zooms_and_reads_points_out(small):
    # Whoever uses the keyboard, here the tabulator, sees where they are.
    small.press("\ue004")
    small.run("document.querySelector('canvas').focus()")
    assert small.run("return getComputedStyle(document.querySelector('canvas')).outlineStyle") == "solid"
    before = small.run(PIXELS)
    small.press("+")
    assert small.run(TIP).lstrip().startswith("sample ")
    small.press(ENTER)
    assert small.run(TIP).endswith("its places in 6 runs.")
    small.press("\ue014")
    assert small.run(PIXELS) != before
    small.press("0")
    small.press(ESCAPE)
    assert small.run(PIXELS) == before


def test_the_legend_fades_all_others(small):
    blue, orange, green = "51,34,136", "136,204,238", "68,170,153"

    def near(found, colour):
        # Markers are drawn at nine tenths.
        wanted = [0.9 * int(part) + 25.5 for part in colour.split(",")]
        return sum(count for key, count in found.items() if np.allclose([*map(int, key.split(","))], wanted, atol=4))

    def solid():
        found = small.run(PIXELS)
        return [near(found, colour) > 20 for colour in (blue, orange, green)]

    choose(small, "colour", 1)
    assert solid() == [True, True, True]
    small.run("document.querySelectorAll('.map-legend li button')[1].click()")
    assert solid() == [False, True, False]
    pressed = "return [...document.querySelectorAll('.map-legend li button')].map((one) => one.ariaPressed)"
    assert small.run(pressed) == ["false", "true", "false"]
    small.run("document.querySelector('.map-legend > button').click()")
    assert solid() == [True, True, True]


def test_the_slider_moves_the_points_to_a_run_and_back(small):
    before = small.run(PIXELS)
    choose(small, "run", 2)
    assert small.run("return document.querySelector('.map-runs output').textContent") == "run 2"
    assert small.run(PIXELS) != before
    choose(small, "run", 0)
    assert small.run(PIXELS) == before


def test_a_click_shows_the_places_of_a_point_in_all_runs(small):
    x, y = small.run(
        "const canvas = document.querySelector('canvas'); canvas.scrollIntoView();"
        " const area = canvas.getBoundingClientRect(), context = canvas.getContext('2d');"
        " const seen = context.getImageData(0, 0, canvas.width, canvas.height).data;"
        " let k = 0; while (seen[k] === 255) k += 4; k /= 4;"
        " return [area.x + k % canvas.width, area.y + Math.floor(k / canvas.width) + 2]"
    )
    pointer(small, (x, y, 0))
    assert small.run(TIP).endswith("its places in 6 runs.")
    small.run("document.querySelector('canvas').focus()")
    small.press(ESCAPE)
    assert small.run(TIP) == ""


def test_print_shows_the_static_picture_in_its_place(small):
    shown = "return ['.map', '.still'].map((name) => getComputedStyle(document.querySelector(name)).display !== 'none')"
    assert small.run(shown) == [True, False]
    small.devtools("Emulation.setEmulatedMedia", media="print")
    assert small.run(shown) == [False, True]
    small.devtools("Emulation.setEmulatedMedia", media="")


def test_without_javascript_the_static_picture_is_there(browser, pages):
    browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
    browser.show(pages["small"], 1400, "light")
    browser.devtools("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("return document.querySelector('.map').hidden && document.querySelector('.still img').width > 0")


def test_a_hundred_thousand_points_are_panned_at_thirty_frames_a_second(browser, pages, capsys):
    browser.show(pages["large"], 1400, "light")
    assert browser.run(READY)
    browser.devtools("Performance.enable", timeDomain="threadTicks")

    def busy():
        metrics = browser.devtools("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    # A step to and fro in each frame, so that all points are drawn and searched for the nearest.
    before = busy()
    times = browser.run(
        "const canvas = document.querySelector('canvas'), times = []; canvas.scrollIntoView();"
        " const frame = () => new Promise(requestAnimationFrame);"
        " for (let k = 0; k < 100; k++) { times.push(await frame()); canvas.dispatchEvent(new KeyboardEvent("
        " 'keydown', { key: k % 2 ? 'ArrowLeft' : 'ArrowRight' })); } return times"
    )
    # Processor time of the page's thread, so that other work on the machine does not count.
    each = 1000 * (busy() - before) / len(times)
    rate = 1000 / np.median(np.diff(times))
    with capsys.disabled():
        print(f"\npanning {LARGE} points: median {rate:.0f} frames a second, {each:.0f} ms of the processor each")
    assert each < 1000 / 30
    assert pages["large"].stat().st_size < 8_000_000
    assert (
        browser.run(
            "return performance.getEntriesByType('resource').filter((one) => !one.name.startsWith('data:')).length"
        )
        == 0
    )
