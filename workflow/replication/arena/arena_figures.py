"""Figure of the arena: the mean ranks for each aim."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.arena.arena_names import METHOD_NAMES, SINGLE
from replication.arena.arena_rule import NO_DIFFERENCE
from replication.shared.figures import LINES, ROW, WIDTH

GREY = "#777777"


def draw_critical_difference(advice_table: pd.DataFrame, ranks_table: pd.DataFrame) -> Figure:
    """Mean rank of every contender, a panel per aim; shaded up to the critical difference behind the best."""
    aims = list(advice_table["aim"])
    n_rows = -(-len(aims) // 2)
    most = ranks_table.groupby("aim").size().max()
    figure, axes = plt.subplots(n_rows, 2, figsize=(WIDTH, n_rows * (0.75 + ROW * most)), layout="constrained")
    for ax, row in zip(axes.flat, advice_table.itertuples(), strict=False):
        listed = ranks_table[ranks_table["aim"] == row.aim].reset_index(drop=True)
        named = row.use != NO_DIFFERENCE
        limit = listed["mean rank"].min() + float(advice_table.loc[row.Index, "critical difference"])
        if np.isfinite(limit):
            ax.axvspan(listed["mean rank"].min(), limit, color="#dddddd" if named else "#f2f2f2", lw=0, zorder=0)
        for y, contender in enumerate(listed.itertuples(index=False)):
            mean, low, high = contender[2:5]
            near = named and contender[5] == "yes"
            colour = LINES[1] if contender.method == SINGLE else LINES[0] if near else GREY
            ax.plot([low, high], [y, y], color=colour, lw=1.2, zorder=1)
            ax.plot(mean, y, "o", ms=4.5, mec=colour, mfc=colour if near else "white", zorder=2)
        ax.set_yticks(range(len(listed)), [METHOD_NAMES.get(name, name) for name in listed["method"]], fontsize=7)
        ax.set_ylim(len(listed) - 0.4, -0.6)
        ax.set_xlim(0.5, most + 0.5)
        ax.set_title(row.aim + ("" if named else f": {NO_DIFFERENCE}"), loc="left")
        ax.set_xlabel("Mean rank (1 is best)")
    for ax in axes.flat[len(aims) :]:
        ax.set_axis_off()
        handles = [
            plt.Line2D([], [], color=LINES[0], marker="o", ms=4.5, label="best, or not shown to be worse"),
            plt.Line2D([], [], color=GREY, marker="o", ms=4.5, mfc="white", label="other contender"),
            plt.Line2D([], [], color=LINES[1], marker="o", ms=4.5, mfc="white", label="a random run"),
            plt.Rectangle((0, 0), 1, 1, color="#dddddd", label="critical difference (Nemenyi, 5 %)"),
        ]
        ax.legend(handles=handles, loc="center", fontsize=8, title="Lines: 95 % interval over data sets")
    return figure
