"""Figures of the experiments on out-of-sample embedding and retrieval, derived from their tidy metrics."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.papers.sparks2011.retrieval_metrics import (
    METHODS,
    OBJECTS,
    MainRows,
    at_cell,
    changed,
    curve,
    labelled_shares,
    query_cell,
)
from replication.papers.sparks2011.retrieval_tables import (
    GROUPS,
    MAIN_SCORES,
    RUNTIMES,
    seconds,
    separations,
)
from replication.shared.figures import (
    LINES,
    WIDTH,
    draw_choices,
    legend_below,
    log_ticks,
    over_tables,
    panel_grid,
    shown_name,
    without,
)
from replication.shared.metric_values import is_picked, name_of, per_set, sources

_SET_BY = {
    "radius": "neighbourhood radius (unit of the roll)",
    "separation": "separation of the classes",
    "noise": "SD of the noise (pixels 0 to 16)",
}
# Of a figure whose text is legible on a phone.
_NARROW = 4.8
# Shares of labels of the curves; the nearest that are there are drawn.
_DRAWN_SHARES = (0.3, 0.6, 0.9)
_STYLES = {
    "nm_ge": {"color": LINES[1], "marker": "D"},
    "ose_ssl": {"color": LINES[0], "marker": "s"},
    "recomputed": {"color": LINES[5], "marker": "P"},
    "dissimilarity": {"color": "0.35", "marker": "x", "ls": "-."},
    "random": {"color": "black", "marker": ".", "ls": ":"},
}
_AXES = {"si": "Silhouette index", "auprc": "AUPRC (over classes)"}
_GROUP_STYLES = {
    "all": {"color": LINES[0], "marker": "o", "ms": 3},
    "extrapolated": {"color": LINES[1], "marker": "s", "ms": 3, "mfc": "white"},
}


def drawn_shares(metrics: pd.DataFrame) -> list[float]:
    """The labelled shares nearest to 30, 60 and 90 %, each once."""
    shares = labelled_shares(metrics)
    return sorted({min(shares, key=lambda share: abs(share - wanted)) for wanted in _DRAWN_SHARES}) if shares else []


def _mean_line(ax: plt.Axes, wide: pd.DataFrame, label: str, band: bool = True, **style: object) -> None:
    """Mean over the draws against M in percent, with a band of one SD."""
    if wide.empty:
        return
    x, mean, spread = 100 * np.array(wide.columns), wide.mean(), wide.std().fillna(0)
    style = {"ms": 3.5, "lw": 1.2, **style}
    if band:
        ax.fill_between(x, mean - spread, mean + spread, color=style["color"], alpha=0.2, lw=0)
    ax.plot(x, mean, label=label, **style)


def draw_curves(metrics: pd.DataFrame) -> Figure:
    """Fig. 1 of the paper: SI and AUPRC against the share of training objects, by method and share of labels."""
    columns = [("nm_ge", "ge", ""), *(("ose_ssl", "ssge", share) for share in drawn_shares(metrics))]
    sets = [(name, source, MainRows(rows)) for name, source, rows in per_set(metrics)]
    figure, axes = panel_grid(2 * len(sets), len(columns), (_NARROW, 0.9 + 2.3 * len(sets)), sharex=True, sharey="row")
    for score, block in zip(MAIN_SCORES, np.split(axes, len(MAIN_SCORES)), strict=True):
        for line, (name, source, rows) in zip(block, sets, strict=True):
            for ax, column in zip(line, columns, strict=True):
                _draw_curves(ax, rows, score, *column)
            line[0].set_ylabel(f"{_AXES[score].split(' (')[0]}\n{shown_name(name)}\n({source})")
        low, high = np.transpose([line[0].get_ylim() for line in block])
        for line in block:
            line[0].set_ylim(low.min(), high.max())
    for ax, (method, _, share) in zip(axes[0], columns, strict=True):
        ax.set_title(f"{METHODS[method]}\n" + (f"S = {100 * share:.0f} %" if share else "no labels"), fontsize=8)
    axes[0, 0].set_xlim(0, 102)
    axes[0, 0].set_xticks([0, 50, 100])
    figure.supxlabel("Training objects, M (%)", fontsize=8)
    legend_below(figure, *axes.flat, ncols=2)
    return figure


def _draw_curves(ax: plt.Axes, rows: MainRows, score: str, method: str, full: str, share: float | str) -> None:
    for objects, style in _GROUP_STYLES.items():
        wide = curve(rows, score, method, objects=objects, labelled=share)
        _mean_line(ax, wide, f"{OBJECTS[objects]} (mean ± SD)", **style)
    for name, at, label, style in (
        (full, {"labelled": share}, "all embedded together", {"color": "black", "ls": "--"}),
        ("random", {}, METHODS["random"], {"color": "0.35", "ls": ":"}),
    ):
        _mean_line(ax, curve(rows, score, name, objects="all", **at), label, band=False, **style)


def draw_separation(metrics: pd.DataFrame) -> Figure:
    """SI and AUPRC at the query cell against the separation of the classes."""
    sets = [(name, source, rows, query_cell(rows), separations(rows)) for name, source, rows in per_set(metrics)]
    sets = [case for case in sets if case[3] and case[4]]
    if not sets:
        return without("sweep of the separation of the classes")
    cases = [(*case, objects) for case in sets for objects in GROUPS]
    figure, axes = panel_grid(len(cases), 2, (WIDTH, 0.6 + 2.0 * len(cases)), sharex=True, sharey="col")
    for line, (name, source, rows, cell, levels, objects) in zip(axes, cases, strict=True):
        for ax, score in zip(line, MAIN_SCORES, strict=True):
            here = rows[rows["metric"] == score]
            wide = [at_cell(changed(here, separation=at), cell, score, objects=objects) for at in levels]
            for method in ("ose_ssl", "nm_ge", "recomputed", "dissimilarity", "random"):
                values = over_tables(wide, method)
                style = {"ms": 4, "lw": 1.1, "capsize": 2} | _STYLES[method]
                ax.errorbar(levels, values["mean"], values["std"].fillna(0), label=METHODS[method], **style)
            for judged in rows.loc[rows["metric"] == "separation", "value"]:
                ax.axvline(judged, color="0.8", lw=0.7, zorder=0)
            ax.set_title(f"{shown_name(name)} ({source}): {OBJECTS[objects]}", fontsize=8)
            ax.set_ylabel(_AXES[score])
    shares = f"M = {100 * sets[0][3].training:g} %, S = {100 * sets[0][3].labelled:g} %"
    figure.suptitle(f"{shares}; mean ± SD over draws", fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("Separation of the class means")
        ax.set_xticks(sets[0][4], [f"{at:g}" for at in sets[0][4]])
    legend_below(figure, *axes.flat, ncols=5)
    return figure


def draw_runtime(metrics: pd.DataFrame) -> Figure:
    """Seconds to place a new sample against N, by extrapolation and by embedding everything again."""
    figure, ax = plt.subplots(figsize=(4.6, 3.3), layout="constrained")
    table = seconds(metrics)
    styles = {
        "extrapolation": _STYLES["ose_ssl"],
        "batch": {**_STYLES["ose_ssl"], "ls": ":", "mfc": "white"},
        "recomputation": {**_STYLES["recomputed"], "ls": "--"},
    }
    for method, style in styles.items():
        if method in table:
            timings = table[method].groupby("n_samples").agg(["mean", "min", "max"])
            bars = [timings["mean"] - timings["min"], timings["max"] - timings["mean"]]
            ax.errorbar(timings.index, timings["mean"], bars, ms=4, lw=1.2, capsize=2, label=RUNTIMES[method], **style)
    ax.set_yscale("log")
    log_ticks(ax, sorted(table.index.get_level_values("n_samples").unique()))
    ax.grid(lw=0.3)
    ax.set_xlabel("Samples in the embedding, N")
    ax.set_ylabel("Seconds (mean and range of repetitions)")
    ax.set_title(f"Swiss roll ({sources(metrics)})", fontsize=8)
    legend_below(figure, ax, ncols=3)
    return figure


def draw_substitute(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """What NM-GE reaches at each setting of each data set, the printed number, and the setting picked."""
    names, colour = list(picks["dataset"].unique()), _STYLES["nm_ge"]["color"]
    figure, axes = panel_grid(1, len(names), (7.2, 2.6))
    for ax, name in zip(axes[0], names, strict=True):
        rows = picks[picks["dataset"] == name]
        (quantity,) = rows["quantity"].unique()
        if quantity == "auprc":
            single = metrics[
                (metrics["dataset"] == name) & (metrics["method"] == "nm_ge") & (metrics["metric"] == quantity)
            ]
            ax.plot(single["setting"].astype(float), single["value"], ls="", marker=".", ms=4, color="0.6")
        ax.plot(rows["setting"], rows["reached"], marker="o", ms=4, color=colour)
        ax.axhline(rows["printed"].iloc[0], color="black", lw=1.2)
        chosen = rows[is_picked(rows)]
        ax.plot(chosen["setting"], chosen["reached"], ls="", marker="*", ms=12, color=colour, mec="black", mew=0.5)
        ax.set_title(shown_name(name_of(name)), fontsize=8)
        ax.set_xlabel(_SET_BY[rows["parameter"].iloc[0]], fontsize=8)
        ax.set_ylabel({"auprc": "AUPRC of NM-GE, over classes"}.get(quantity, f"NM-GE: {quantity}"), fontsize=8)
    entries = [
        plt.Line2D([], [], color=colour, marker="o", ms=4, label="NM-GE, mean"),
        plt.Line2D([], [], ls="", color="0.6", marker=".", label="one draw"),
        plt.Line2D([], [], color="black", label="printed in the paper"),
        plt.Line2D([], [], ls="", color=colour, marker="*", ms=10, mec="black", mew=0.5, label="picked"),
    ]
    figure.legend(handles=entries, loc="outside lower center", ncols=4, fontsize=7)
    return figure


def draw_calibration(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """AUPRC of every option of every choice, data set by data set; a star on the option picked."""
    origin = {name: source for name, source, _ in per_set(metrics)}
    sets = picks["dataset"].map(name_of)
    titles = sets.map(shown_name) + " (" + sets.map(origin) + "): " + picks["choice"]
    score = "AUPRC (over classes) of extrapolated objects for calibration"
    return draw_choices(picks.assign(choice=titles), _STYLES, METHODS, score)
