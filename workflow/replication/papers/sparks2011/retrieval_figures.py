"""Figures of the experiments on out-of-sample embedding and retrieval, derived from their tidy metrics."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from replication.papers.sparks2011.retrieval_metrics import (
    LABELLED,
    METHODS,
    METRICS,
    OBJECTS,
    MainRows,
    at_cell,
    changed,
    curve,
    labelled_shares,
    query_cell,
)
from replication.papers.sparks2011.retrieval_tables import (
    ERRORS,
    GROUPS,
    MAIN_SCORES,
    PAPER_ERROR,
    RUNTIMES,
    has_regions,
    needed,
    seconds,
    separations,
    variant_names,
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
    with_style,
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
# Shades of the colour of OSE-SSL.
_SHARE_STYLES = (
    {"color": "#7fb8d8", "marker": "o"},
    {"color": LINES[0], "marker": "s"},
    {"color": "#003557", "marker": "^"},
)
_STYLES = {
    "nm_ge": {"color": LINES[1], "marker": "D"},
    "ose_ssl": {"color": LINES[0], "marker": "s"},
    "ge": {"color": LINES[4], "marker": "v"},
    "ssge": {"color": LINES[2], "marker": "^"},
    "recomputed": {"color": LINES[5], "marker": "P"},
    "dissimilarity": {"color": "0.35", "marker": "x", "ls": "-."},
    "random": {"color": "black", "marker": ".", "ls": ":"},
}
_AXES = {"si": "Silhouette index", "auprc": "AUPRC (over classes)"}
_GROUP_STYLES = {
    "all": {"color": LINES[0], "marker": "o", "ms": 5},
    "extrapolated": {"color": LINES[1], "marker": "s", "ms": 5, "mfc": "white"},
}
# Where NM-GE is drawn, left of the labelled shares, which are at 1, 2 and so on.
_BARE = -0.6
_PAPER = {"color": "black", "marker": "*", "ms": 7, "ls": "", "zorder": 3}


def drawn_shares(metrics: pd.DataFrame) -> list[float]:
    """The labelled shares nearest to 30, 60 and 90 %, each once."""
    shares = labelled_shares(metrics)
    return sorted({min(shares, key=lambda share: abs(share - wanted)) for wanted in _DRAWN_SHARES}) if shares else []


def _of_score(rows: pd.DataFrame, score: str) -> pd.DataFrame:
    return rows[rows["metric"] == score]


def _mean_line(ax: plt.Axes, wide: pd.DataFrame, label: str, band: bool = True, **style: object) -> None:
    """Mean over the draws against M in percent, with a band of one SD."""
    if wide.empty:
        return
    x, mean, spread = 100 * np.array(wide.columns), wide.mean(), wide.std().fillna(0)
    style = {"ms": 3.5, "lw": 1.2, **style}
    if band:
        ax.fill_between(x, mean - spread, mean + spread, color=style["color"], alpha=0.2, lw=0)
    ax.plot(x, mean, label=label, **style)


@with_style
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
        _mean_line(ax, wide, f"{OBJECTS[objects]} (mean ± SD)", **style | {"ms": 3})
    for name, at, label, style in (
        (full, {"labelled": share}, "all embedded together", {"color": "black", "ls": "--"}),
        ("random", {}, METHODS["random"], {"color": "0.35", "ls": ":"}),
    ):
        _mean_line(ax, curve(rows, score, name, objects="all", **at), label, band=False, **style)


@with_style
def draw_needed(metrics: pd.DataFrame) -> Figure:
    """The smallest sufficient share of training objects against the share of labels, with the paper's."""
    table = needed(metrics)
    table = table[table["reference"] != METHODS["recomputed"]]
    if table["needed M (%)"].isna().all():
        return without("two draws to compare")
    sets = [(name, source) for name, source, _ in per_set(metrics)]
    figure, axes = panel_grid(len(sets), 2, (WIDTH, 0.6 + 2.1 * len(sets)), sharey=True)
    for line, (name, source) in zip(axes, sets, strict=True):
        for ax, score in zip(line, MAIN_SCORES, strict=True):
            _draw_needed(ax, table[(table["data set"] == name) & (table["score"] == METRICS[score])])
            ax.set_title(f"{METRICS[score]}: {shown_name(name)} ({source})", fontsize=8)
        line[0].set_ylabel("Smallest sufficient M (%)")
    for ax in axes[-1]:
        ax.set_xlabel("Labelled, S (% of the training objects)")
    axes[0, 0].set_yticks([0, 20, 40, 60, 80, 100], ["0", "20", "40", "60", "80", "none\n< 100"])
    axes[0, 0].set_ylim(0, 106)
    legend_below(figure, *axes.flat, ncols=4)
    return figure


def _draw_needed(ax: plt.Axes, rows: pd.DataFrame) -> None:
    """Of one data set and score; NM-GE, which has no labels, is at the left."""
    shares = sorted(rows["S (%)"].dropna().unique())
    place = {share: k + 1 for k, share in enumerate(shares)}
    for objects, offset in (("all", -0.14), ("extrapolated", 0.14)):
        here = rows[rows["objects"] == OBJECTS[objects]]
        known = here[here["S (%)"].notna()]
        style = _GROUP_STYLES[objects]
        x = known["S (%)"].map(place) + offset
        ax.plot(x, known["needed M (%)"], lw=0.8, label=OBJECTS[objects], **style)
        bare = here.loc[here["S (%)"].isna(), "needed M (%)"]
        ax.plot([_BARE + offset] * len(bare), bare, ls="", **style)
    _mark_paper(ax, rows[rows["objects"] == OBJECTS["all"]], place)
    ax.axvline(0.5 * (_BARE + 1), color="0.8", lw=0.7)
    ax.grid(axis="y", lw=0.3)
    ax.set_xticks([_BARE, *place.values()], ["NM-GE", *(f"{share:g}" for share in shares)])
    ax.set_xlim(_BARE - 0.8, len(shares) + 0.6)


def _mark_paper(ax: plt.Axes, rows: pd.DataFrame, place: Mapping[float, int]) -> None:
    """The paper's numbers: stars, or an area where it says more than 90 %."""
    paper = rows[rows["needed M (%), paper"] != ""]
    x = paper["S (%)"].map(place).fillna(_BARE).to_numpy()
    above = paper["needed M (%), paper"].str.startswith(">").to_numpy(dtype=bool)
    if (~above).any():
        ax.plot(x[~above], paper["needed M (%), paper"][~above].astype(float), label="paper", **_PAPER)
    if above.any():
        low = float(paper["needed M (%), paper"][above].iloc[0].removeprefix("> "))
        ax.fill_between(
            [x[above].min() - 0.5, x[above].max() + 0.5], low, 100, color="0.75", alpha=0.5, lw=0,
            label=f"paper (its own glands): more than {low:g} %",
        )  # fmt: skip


@with_style
def draw_errors(metrics: pd.DataFrame) -> Figure:
    """Approximation error against the share of training objects by three denominators, with that of zeros."""
    sets = list(per_set(metrics))
    # As printed first.
    kinds = list(reversed(ERRORS))
    figure, axes = panel_grid(len(sets), len(kinds), (WIDTH, 0.6 + 2.2 * len(sets)), sharex=True)
    for line, (name, source, rows) in zip(axes, sets, strict=True):
        for ax, metric in zip(line, kinds, strict=True):
            here = MainRows(_of_score(rows, metric))
            _draw_error(ax, here, metric, "nm_ge", "", METHODS["nm_ge"], _STYLES["nm_ge"])
            for share, style in zip(drawn_shares(rows), _SHARE_STYLES, strict=False):
                _draw_error(ax, here, metric, "ose_ssl", share, f"OSE-SSL, S = {100 * share:.0f} %", style)
            if metric == "error_relative":
                ax.axhline(1, color="black", lw=1, ls=":")
            if metric == "error_l1" and source != "own":
                ax.axhline(PAPER_ERROR, color="black", lw=0.9, ls="--", label="paper: order of 10⁻⁴")
            ax.set_yscale("log")
            if metric == "error_relative":
                ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ax.yaxis.set_major_formatter("{x:g}")
                ax.yaxis.set_minor_formatter(NullFormatter())
            ax.set_title(ERRORS[metric], fontsize=8)
        line[0].set_ylabel(f"Approximation error,\n{shown_name(name)} ({source})")
    for ax in axes[-1]:
        ax.set_xlabel("Training objects, M (%)")
        ax.set_xlim(0, 100)
    axes[0, 0].plot([], [], color="black", lw=1, ls=":", label="zero matrix, in the colour of its method")
    legend_below(figure, *axes.flat, ncols=3)
    return figure


def _draw_error(
    ax: plt.Axes, rows: MainRows, metric: str, method: str, share: float | str, label: str, style: Mapping
) -> None:
    """Mean over the draws with their range, which unlike an SD stays above 0, and the error of zeros, dotted."""
    wide = curve(rows, metric, method, objects="", labelled=share)
    if wide.empty:
        return
    x = 100 * np.array(wide.columns)
    ax.fill_between(x, wide.min(), wide.max(), color=style["color"], alpha=0.2, lw=0)
    ax.plot(x, wide.mean(), lw=1.2, ms=3.5, label=label, **style)
    zero = curve(rows, metric, "zero", objects="", labelled=share)
    if not zero.empty:
        ax.plot(100 * np.array(zero.columns), zero.mean(), color=style["color"], lw=1, ls=":")


@with_style
def draw_variants(metrics: pd.DataFrame) -> Figure:
    """SI and AUPRC of extrapolated objects at the query cell, with one detail changed."""
    sets = [(name, source, rows, query_cell(rows), variant_names(rows)) for name, source, rows in per_set(metrics)]
    sets = [case for case in sets if case[3] and case[4]]
    if not sets:
        return without("run with a detail changed")
    counts = [1 + len(names) for *_, names in sets]
    figure, axes = panel_grid(
        len(sets),
        2,
        (WIDTH, 0.7 + 0.45 * len(sets) + 0.36 * sum(counts)),
        sharex="col",
        height_ratios=[count + 0.6 for count in counts],
    )
    for line, (name, source, rows, cell, names) in zip(axes, sets, strict=True):
        for ax, score in zip(line, MAIN_SCORES, strict=True):
            wide = [at_cell(changed(_of_score(rows, score), variant=variant), cell, score) for variant in ("", *names)]
            _draw_rows(ax, wide, ("nm_ge", "ose_ssl", "ge", "ssge", "dissimilarity"))
            if "ose_ssl" in wide[0]:
                ax.axvline(wide[0]["ose_ssl"].mean(), color=_STYLES["ose_ssl"]["color"], lw=0.7, ls=":")
            ax.set_yticks(
                range(len(wide)), ["none"] + [textwrap.fill(variant, 30) for variant in names] if ax is line[0] else []
            )
            ax.set_title(
                f"{shown_name(name)} ({source})\nM = {100 * cell.training:g} %, S = {100 * cell.labelled:g} %",
                fontsize=8,
            )
    for ax, score in zip(axes[-1], MAIN_SCORES, strict=True):
        ax.set_xlabel(f"{_AXES[score]}, extrapolated\n(mean ± SD over draws)")
    figure.supylabel("Detail changed", fontsize=8)
    legend_below(figure, *axes.flat, ncols=5)
    return figure


def _draw_rows(ax: plt.Axes, wide: Sequence[pd.DataFrame], methods: Sequence[str]) -> None:
    """Mean ± SD of methods along x, one table of draws a row."""
    for k, method in enumerate(methods):
        values = over_tables(wide, method)
        if values["mean"].notna().any():
            y = np.arange(len(wide)) + 0.13 * (k - 0.5 * (len(methods) - 1))
            style = _STYLES[method] | {"ls": ""}
            ax.errorbar(values["mean"], y, xerr=values["std"].fillna(0), ms=4, lw=1, label=METHODS[method], **style)
    for k in range(1, len(wide)):
        ax.axhline(k - 0.5, color="0.85", lw=0.5)
    ax.set_ylim(len(wide) - 0.5, -0.5)


@with_style
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
            here = _of_score(rows, score)
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


@with_style
def draw_regions(metrics: pd.DataFrame) -> Figure:
    """SI and AUPRC of extrapolated objects with training drawn object by object, and region by region."""
    sets = [case for case in per_set(metrics) if has_regions(case[2])]
    if not sets:
        return without("split by regions")
    figure, axes = panel_grid(len(sets), 2, (WIDTH, 0.6 + 2.3 * len(sets)), sharex=True)
    for line, (name, source, rows) in zip(axes, sets, strict=True):
        for ax, score in zip(line, MAIN_SCORES, strict=True):
            for split, look in (("objects", {}), ("regions", {"ls": "--", "mfc": "white"})):
                here = MainRows(changed(_of_score(rows, score), split=split))
                # Drawn by regions there is one labelled share.
                shares = labelled_shares(changed(_of_score(rows, score), split="regions"))
                for method in ("ose_ssl", "nm_ge"):
                    for share in shares if method in LABELLED else [""]:
                        wide = curve(here, score, method, objects="extrapolated", labelled=share)
                        share_text = "" if share == "" else f", S = {100 * share:.0f} %"
                        label = f"{METHODS[method]}{share_text}, by {split}"
                        _mean_line(ax, wide, label, **_STYLES[method] | look)
            chance = curve(MainRows(_of_score(rows, score)), score, "random", objects="extrapolated")
            _mean_line(ax, chance, METHODS["random"], band=False, color="black", ls=":", lw=1)
            ax.set_ylabel(_AXES[score])
            ax.set_title(f"{shown_name(name)} ({source}): {OBJECTS['extrapolated']}", fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("Training objects, M (%)")
        ax.set_xlim(0, 100)
    legend_below(figure, *axes.flat, ncols=3)
    return figure


@with_style
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


@with_style
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


@with_style
def draw_calibration(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """AUPRC of every option of every choice, data set by data set; a star on the option picked."""
    origin = {name: source for name, source, _ in per_set(metrics)}
    styles = {method: _STYLES[method] for method in METHODS if method in picks}
    blocks = []
    for (dataset, choice), rows in picks.groupby(["dataset", "choice"], sort=False):
        name = name_of(dataset)
        blocks.append((f"{name} ({origin[name]}): {choice.replace('_', ' ')}", rows))
    figure = draw_choices(blocks, styles, METHODS)
    figure.supxlabel("AUPRC (over classes) of extrapolated objects for calibration", fontsize=8)
    return figure
