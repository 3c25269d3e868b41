"""A picture of the claims ledger: a cell a claim, by paper, with its verdict as colour and mark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from replication.claims.judging import VERDICTS
from replication.claims.verdict_marks import MARKS, PART_MARKS, PARTS, TITLES, Mark
from replication.shared.figures import STYLE, with_style

# In hundredths of an inch, which are pixels where the picture is 900 wide.
_WIDTH, _LEFT, _COLUMNS = 900, 150, 12
_CELL, _HIGH, _GAP = 62, 38, 9
# Verdicts side by side in the legend, the height of a row of them, and that of the line below with the space around.
_SHOWN, _ROW, _NOTE = 3, 17, 27
# Longer names are written smaller, then on two lines, then cut.
_SHORT, _WRAPPED, _LONGEST = 10, 12, 15
# Width of the hatched edge of a cell on a substitute.
_EDGE = 5


@with_style
def draw_ledger(ledger: pd.DataFrame, holds: Mapping[str, float] | None = None) -> Figure:
    """Draw the ledger."""
    unknown = sorted(set(ledger["verdict"]) - set(MARKS))
    if unknown:
        raise ValueError(f"Unknown verdict {unknown[0]!r} in the ledger; known: {', '.join(MARKS)}.")
    groups = [(paper, rows.to_dict("records")) for paper, rows in ledger.groupby("paper", sort=False)]
    lines = [-(-len(rows) // _COLUMNS) for _, rows in groups]
    legend = -(-ledger["verdict"].nunique() // _SHOWN) * _ROW + _NOTE
    height = sum(lines) * (_HIGH + 2) + len(groups) * _GAP + legend
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
    _draw_legend(axes, ledger, top, with_bars=bool(holds))
    return figure


def save_ledger(figure: Figure, *paths: str | Path) -> None:
    """Write the picture at its full size, in the format of each suffix, the same file each time, and close it."""
    for path in paths:
        with plt.rc_context(STYLE):
            figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)


def _write_paper(axes: Axes, paper: str, n_claims: int, top: float) -> None:
    name = TITLES.get(paper, paper).replace(" and ", "\nand ")
    text = f"{name}\n{n_claims} claim{'s' if n_claims > 1 else ''}"
    axes.text(4, top + 2, text, va="top", fontsize=7.5, linespacing=1.15)


def _draw_claim(axes: Axes, corner: tuple[float, float], row: dict, holds: float | None) -> None:
    left, top = corner
    mark = MARKS[row["verdict"]]
    ink = _draw_box(axes, (left, top, _CELL - 3, _HIGH - 1), mark)
    name = row["id"] if len(row["id"]) <= _LONGEST else f"{row['id'][: _LONGEST - 1]}…"
    edge = _EDGE if mark.substitute else 0
    middle = left + edge + (_CELL - 3 - edge) / 2
    style = {"ha": "center", "va": "center", "color": ink}
    head, dash, tail = name.rpartition("-")
    is_wrapped = len(name) > _WRAPPED and head
    words = f"{head}{dash}\n{tail}" if is_wrapped else name
    size = 5.3 if is_wrapped else 6.4 * min(1.0, _SHORT / len(name))
    axes.text(middle, top + (9 if is_wrapped else 8), words, fontsize=size, linespacing=1.0, **style)
    below = top + (25 if is_wrapped else 22)
    axes.text(left + 16, below, mark.sign, fontsize=12, weight="bold", **style)
    for slot, part in enumerate(PARTS):
        sign = PART_MARKS[row[part]].sign if row[part] else "·"
        axes.text(left + _CELL - 33 + slot * 12, below, sign, fontsize=7, **style)
    if holds is not None and not pd.isna(holds):
        width = _CELL - 11
        axes.add_patch(Rectangle((left + 4, top + _HIGH - 7), width, 4, fc="white", ec=ink, lw=0.5, zorder=3))
        axes.add_patch(Rectangle((left + 4, top + _HIGH - 7), width * float(holds), 4, fc="#222222", lw=0, zorder=4))


def _draw_box(axes: Axes, box: tuple[float, float, float, float], mark: Mark) -> str:
    """A filled box, or a hollow one with a hatched edge at the left; returns the colour to write in it."""
    left, top, width, height = box
    if not mark.substitute:
        axes.add_patch(Rectangle((left, top), width, height, fc=mark.colour, ec=mark.colour, lw=1))
        return "white"
    with plt.rc_context({"hatch.linewidth": 0.8}):
        axes.add_patch(Rectangle((left, top), _EDGE, height, fc="white", ec=mark.colour, lw=0, hatch="//////"))
    axes.add_patch(Rectangle((left, top), width, height, fc="none", ec=mark.colour, lw=1.1))
    return mark.colour


def _draw_legend(axes: Axes, ledger: pd.DataFrame, top: float, *, with_bars: bool) -> None:
    counts = ledger["verdict"].value_counts()
    shown = [verdict for verdict in VERDICTS if verdict in counts]
    for k, verdict in enumerate(shown):
        left, line = 6 + k % _SHOWN * 300, top + 2 + k // _SHOWN * _ROW
        ink = _draw_box(axes, (left, line, 22, 13), MARKS[verdict])
        axes.text(left + 13, line + 7, MARKS[verdict].sign, ha="center", va="center", fontsize=8, color=ink)
        axes.text(left + 28, line + 7, f"{counts[verdict]}  {verdict}", va="center", fontsize=8)
    text = "Filled: the paper's data. Hollow, hatched: a substitute. "
    text += "Three small marks: direction, significance, magnitude (·: no such part)."
    text += " Bar: share of universes where it holds." if with_bars else ""
    axes.text(6, top + 4 + -(-len(shown) // _SHOWN) * _ROW + 6, text, va="center", fontsize=7.2, color="#444444")
