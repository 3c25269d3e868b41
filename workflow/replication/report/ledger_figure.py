"""A picture of the claims ledger: a cell a claim, by paper, with its answer as colour and sign."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from replication.catalogue.papers import PAPERS
from replication.claims.answers import MARKS, MEASUREMENT, ON_SUBSTITUTE, count_answers, is_hollow, word_of
from replication.shared.figures import STYLE

# In hundredths of an inch, which are pixels where the picture is 900 wide.
_WIDTH, _LEFT, _COLUMNS = 900, 150, 12
_CELL, _HIGH, _GAP = 62, 38, 9
# A row of the legend, the space around its two rows, and the line below them.
_ROW, _SPACE, _NOTE = 17, 5, 15
# Longer names are written smaller, then on two lines, then cut.
_SHORT, _WRAPPED, _LONGEST = 10, 12, 15
# Width of the hatched edge of a cell on a substitute.
_EDGE = 5


def draw_ledger(ledger: pd.DataFrame, holds: Mapping[str, float] | None = None) -> Figure:
    """Draw the claims of a ledger; `holds` has the share of universes in which a claim holds."""
    ledger = ledger[(ledger["answer"] != MEASUREMENT) & (ledger["reading_of"] == "")]
    groups = [(paper, rows.to_dict("records")) for paper, rows in ledger.groupby("paper", sort=False)]
    lines = [-(-len(rows) // _COLUMNS) for _, rows in groups]
    height = sum(lines) * (_HIGH + 2) + len(groups) * _GAP + 2 * _ROW + _SPACE + (_NOTE if holds else 0)
    figure = plt.figure(figsize=(_WIDTH / 100, height / 100))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, _WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    top = 3.0
    for (paper, rows), n_lines in zip(groups, lines, strict=True):
        _write_paper(axes, paper, len(rows), top)
        for k, row in enumerate(rows):
            corner = (_LEFT + k % _COLUMNS * _CELL, top + k // _COLUMNS * (_HIGH + 2))
            _draw_claim(axes, corner, row, (holds or {}).get(row["id"]))
        top += n_lines * (_HIGH + 2) + _GAP
    _draw_legend(axes, ledger["answer"], top, with_bars=bool(holds))
    return figure


def draw_sign(answer: str) -> Figure:
    """Draw the sign of an answer as the legend of the ledger has it, for pages that cannot colour text."""
    width, height, edge = 22, 16, _EDGE if is_hollow(answer) else 0
    figure = plt.figure(figsize=(width / 100, height / 100))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    ink = _draw_box(axes, (0.6, 0.6, width - 1.2, height - 1.2), answer)
    style = {"ha": "center", "va": "center", "fontsize": 9, "color": ink}
    axes.text((width + edge) / 2, height / 2, MARKS[word_of(answer)].sign, **style)
    return figure


def save_ledger(figure: Figure, *paths: str | Path) -> None:
    """Write the picture at its full size, in the format of each suffix, the same file each time, and close it."""
    for path in paths:
        with plt.rc_context(STYLE):
            figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)


def _write_paper(axes: Axes, paper: str, n_claims: int, top: float) -> None:
    if paper in PAPERS:
        name = PAPERS[paper].title.replace(" and ", "\nand ")
    else:
        name = "\n".join(textwrap.wrap(paper, 26, max_lines=2, placeholder="…"))
    text = f"{name}\n{n_claims} claim{'s' if n_claims > 1 else ''}"
    axes.text(4, top + 2, text, va="top", fontsize=7.5, linespacing=1.15)


def _draw_claim(axes: Axes, corner: tuple[float, float], row: dict, holds: float | None) -> None:
    left, top = corner
    ink = _draw_box(axes, (left, top, _CELL - 3, _HIGH - 1), row["answer"])
    name = row["id"] if len(row["id"]) <= _LONGEST else f"{row['id'][: _LONGEST - 1]}…"
    edge = _EDGE if is_hollow(row["answer"]) else 0
    style = {"ha": "center", "va": "center", "color": ink, "x": left + edge + (_CELL - 3 - edge) / 2}
    head, dash, tail = name.rpartition("-")
    is_wrapped = len(name) > _WRAPPED and head
    words = f"{head}{dash}\n{tail}" if is_wrapped else name
    size = 5.3 if is_wrapped else 6.4 * min(1.0, _SHORT / len(name))
    axes.text(y=top + (9 if is_wrapped else 8), s=words, fontsize=size, linespacing=1.0, **style)
    sign = MARKS[word_of(row["answer"])].sign
    axes.text(y=top + (25 if is_wrapped else 22), s=sign, fontsize=12, weight="bold", **style)
    if holds is not None and not pd.isna(holds):
        width = _CELL - 11
        axes.add_patch(Rectangle((left + 4, top + _HIGH - 7), width, 4, fc="white", ec=ink, lw=0.5, zorder=3))
        axes.add_patch(Rectangle((left + 4, top + _HIGH - 7), width * float(holds), 4, fc="#222222", lw=0, zorder=4))


def _draw_box(axes: Axes, box: tuple[float, float, float, float], answer: str) -> str:
    """A filled box, or a hollow one with a hatched edge at the left; returns the colour to write in it."""
    left, top, width, height = box
    mark = MARKS[word_of(answer)]
    if not is_hollow(answer):
        axes.add_patch(Rectangle((left, top), width, height, fc=mark.fill, ec=mark.fill, lw=1))
        return mark.ink
    with plt.rc_context({"hatch.linewidth": 0.8}):
        axes.add_patch(Rectangle((left, top), _EDGE, height, fc="white", ec=mark.colour, lw=0, hatch="//////"))
    axes.add_patch(Rectangle((left, top), width, height, fc="none", ec=mark.colour, lw=1.1))
    return mark.colour


def _draw_legend(axes: Axes, answers: pd.Series, top: float, *, with_bars: bool) -> None:
    """The five words with the numbers of claims: a row for the paper's data, one for substitutes."""
    counts = count_answers(answers)
    style = {"va": "center", "fontsize": 7.5}
    for row, (of_data, ending) in enumerate(
        {"Filled: the paper's data": "", "Hollow: a substitute": ON_SUBSTITUTE}.items()
    ):
        line = top + 3 + row * _ROW
        axes.text(4, line + 7, of_data, **style)
        for k, (word, mark) in enumerate(MARKS.items()):
            n, hollow = counts.get(word, (0, 0))
            left = _LEFT + k * _COLUMNS * _CELL / len(MARKS)
            ink = _draw_box(axes, (left, line, 22, 13), word + ending)
            axes.text(left + 13, line + 7, mark.sign, ha="center", color=ink, **style)
            axes.text(left + 28, line + 7, f"{hollow if ending else n - hollow}  {word}", **style)
    if with_bars:
        text = "Bar: share of universes, other choices of what the paper leaves open, in which the claim holds."
        axes.text(_LEFT, top + 3 + 2 * _ROW + 6, text, color="#444444", **style)
