"""Figures of the multiverse: how often claims hold, which choices move them, and what the universes chose."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from replication.multiverse.sensitivity import numbers_of, values_of
from replication.shared.figures import LINES, ROW, WIDTH, panel_grid, without
from replication.shared.statistics import ALPHA

# The default, and the alternatives in their order.
LEVEL_COLOURS = ["#dddddd", *LINES, "#999933", "#882255"]
# Letters of a label.
LONGEST = 32


def draw_holds(sensitivity_table: pd.DataFrame) -> Figure:
    """Share of the universes in which each claim holds, with its interval and the verdict by default."""
    columns = _columns(sensitivity_table.groupby("family", sort=False).size().to_dict())
    height = max(sum(n + 2 for _, n in column) for column in columns)
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 0.9 + ROW * height), sharex=True)
    for ax, column in zip(axes, columns, strict=True):
        ticks, names, y = [], [], 0
        for family, _ in column:
            rows = sensitivity_table[sensitivity_table["family"] == family]
            ax.text(0, y, f"{family} ({rows['universes'].max():.0f} universes)", va="center", fontweight="bold")
            for row in rows.itertuples():
                y += 1
                ax.plot([row.low, row.high], [y, y], color="#999999", lw=1.5, zorder=1)
                ax.plot(row.holds, y, "o", ms=4.5, color=LINES[0], zorder=2)
                if row.default in (0, 1):
                    ax.plot(row.default, y, "|", ms=9, mew=2, color=LINES[1], zorder=3, clip_on=False)
                ticks.append(y)
                names.append(row.claim)
            y += 2
        ax.set_yticks(ticks, names, fontsize=7)
        ax.set_ylim(height - 0.5, -0.8)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("Share of universes in which the claim holds")
        ax.grid(axis="x", color="#eeeeee", zorder=0)
        ax.set_axisbelow(True)
    handles = [
        plt.Line2D([], [], ls="", marker="o", ms=4.5, color=LINES[0], label="share"),
        plt.Line2D([], [], color="#999999", lw=1.5, label="95 % interval (Wilson)"),
        plt.Line2D([], [], ls="", marker="|", ms=9, mew=2, color=LINES[1], label="by default: 1 holds, 0 does not"),
    ]
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))
    figure.legend(handles=handles, loc="upper center", ncols=3)
    return figure


def draw_variance(variance_table: pd.DataFrame) -> Figure:
    """Each choice that moves a claim, with its share of the variance of every claim's score."""
    moving = variance_table[variance_table["p (Holm)"] < ALPHA]
    if moving.empty:
        return without("choice that moves a claim significantly")
    families = {
        family: dict(tuple(rows.groupby("choice", sort=False))) for family, rows in moving.groupby("family", sort=False)
    }
    heights = [len(choices) + 0.5 for choices in families.values()]
    figure, axes = panel_grid(len(families), 1, (5.2, 0.9 + 0.55 * sum(heights)), sharex=True, height_ratios=heights)
    for ax, (family, choices) in zip(axes[:, 0], families.items(), strict=True):
        here = variance_table[variance_table["family"] == family]
        for y, (choice, rows) in enumerate(choices.items()):
            others = here[(here["choice"] == choice) & ~here.index.isin(rows.index)]
            ax.plot(others["share"], [y] * len(others), "|", color="0.6", ms=6)
            ax.plot(rows["share"], [y] * len(rows), "o", color=LINES[0], ms=5)
            ax.text(1.04, y, textwrap.fill(", ".join(rows.sort_values("share")["claim"]), 26), fontsize=7, va="center")
        details = [textwrap.fill(f"{rows['detail'].iloc[0]} ({choice})", 34) for choice, rows in choices.items()]
        ax.set_yticks(range(len(choices)), details, fontsize=7)
        ax.set_ylim(len(choices) - 0.5, -0.5)
        ax.set_xlim(-0.02, 1.02)
        ax.set_title(family, loc="left")
        ax.grid(axis="y", lw=0.3)
    axes[-1, 0].set_xlabel("Share of the variance of a claim's score")
    handles = [
        plt.Line2D([], [], ls="", marker="o", ms=5, color=LINES[0], label="claim named at the right, p < 0.05"),
        plt.Line2D([], [], ls="", marker="|", ms=6, color="0.6", label="other claim"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def draw_curve(metrics: pd.DataFrame, variance_table: pd.DataFrame) -> Figure:
    """Specification curve: universes by their mean score over claims, and below the level that each choice has."""
    families = list(metrics["family"].unique())
    details = variance_table.drop_duplicates("choice").set_index("choice")["detail"]
    numbers = {family: numbers_of(metrics, family) for family in families}
    figure, axes, grids = _panels({family: table.shape[1] + 7 for family, table in numbers.items()})
    for family, ax, spec in zip(families, axes, grids, strict=True):
        ax.remove()
        n_choices = numbers[family].shape[1]
        upper, lower = (
            figure.add_subplot(part)
            for part in spec.subgridspec(2, 1, height_ratios=[5, max(1, n_choices)], hspace=0.05)
        )
        _draw_universes(upper, lower, metrics, family, numbers[family], details)
    most = max(int(table.to_numpy().max(initial=0)) for table in numbers.values())
    handles = [
        Patch(
            color=LEVEL_COLOURS[level % len(LEVEL_COLOURS)], label="default" if level == 0 else f"alternative {level}"
        )
        for level in range(most + 1)
    ]
    handles.append(plt.Line2D([], [], ls="", marker="D", ms=5, color=LINES[1], label="universe of defaults"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _draw_universes(
    upper: plt.Axes,
    lower: plt.Axes,
    metrics: pd.DataFrame,
    family: str,
    numbers: pd.DataFrame,
    details: Mapping[str, str],
) -> None:
    """One family: the curve, and the levels of the choices in the same order of universes."""
    score = values_of(metrics, family, "score").mean(axis=1).sort_values(kind="stable")
    x = np.arange(len(score))
    upper.plot(x, score, "o", ms=2.5, color=LINES[0])
    if 0 in score.index:
        place = score.index.get_loc(0)
        upper.plot(place, score.loc[0], "D", ms=5, color=LINES[1], zorder=3)
    upper.set_title(family)
    upper.set_ylabel("mean score")
    upper.set_ylim(-0.05, 1.05)
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    lower.set_xlim(-0.5, len(score) - 0.5)
    upper.set_xlim(-0.5, len(score) - 0.5)
    lower.set_xlabel("universes, by mean score")
    lower.set_xticks([])
    if not numbers.shape[1]:
        lower.set_yticks([])
        return
    chosen = numbers.loc[score.index].to_numpy().T
    colours = np.array([to_rgb(colour) for colour in LEVEL_COLOURS])
    lower.imshow(colours[chosen % len(colours)], aspect="auto", interpolation="nearest")
    lower.hlines(np.arange(0.5, len(chosen) - 1), -0.5, len(score) - 0.5, color="white", lw=1.5)
    lower.spines[:].set_visible(False)
    lower.set_yticks(range(len(chosen)), [_short_name(choice, details[choice]) for choice in numbers], fontsize=6)
    lower.tick_params(length=0)


def _short_name(choice: str, detail: str) -> str:
    """A choice in one line: its id and the start of its detail, without asides."""
    start = re.split("[,;:]", re.sub(r" \([^)]*\)", "", detail))[0]
    return f"{choice} {textwrap.shorten(start, LONGEST, placeholder=' …', break_on_hyphens=False)}"


def _columns(sizes: dict[str, int]) -> list[list[tuple[str, int]]]:
    """Families in two columns of about the same number of rows, in their order."""
    names = list(sizes)
    rows = [sizes[name] + 2 for name in names]
    cut = min(range(1, len(names) + 1), key=lambda k: max(sum(rows[:k]), sum(rows[k:])))
    return [[(name, sizes[name]) for name in part] for part in (names[:cut], names[cut:])]


def _panels(rows: dict[str, float]) -> tuple[Figure, list[plt.Axes], list]:
    """One panel per family, two next to each other, as high as the larger of the two needs."""
    heights = list(rows.values())
    pairs = [max(heights[k : k + 2]) for k in range(0, len(heights), 2)] or [2]
    figure = plt.figure(figsize=(WIDTH, 0.8 + (ROW + 0.02) * sum(pairs)), layout="constrained")
    grid = figure.add_gridspec(len(pairs), 2, height_ratios=pairs)
    specs = [grid[k // 2, k % 2] for k in range(len(heights))]
    return figure, [figure.add_subplot(spec) for spec in specs], specs
