"""Figures of the experiment on survival, derived from its tidy metrics."""

from __future__ import annotations

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from replication.papers.ginsburg2016.fine_metrics import FINE, as_text
from replication.papers.ginsburg2016.fine_sets import SUBSETS
from replication.papers.ginsburg2016.fine_tables import FITS, by_partition, cohorts
from replication.shared.figures import LINES, legend_below, names_down, panel_grid, without
from replication.shared.metric_values import per_set
from replication.shared.statistics import ALPHA

GROUPS = {"low": LINES[0], "high": LINES[1]}
_CURVES = ("survival", "survival_low", "survival_high", "at_risk")


def at_risk(curve: pd.DataFrame, month: float) -> int:
    """Number of patients without an event or end of follow-up before a month."""
    later = curve[curve.index >= month]
    steps = later.index[later["at_risk"].notna()]
    # Those of the next step of the curve, and who is censored until then.
    if len(steps) == 0:
        return int(later["censored"].sum())
    return int(later["at_risk"][steps[0]] + later["censored"][later.index < steps[0]].sum())


def curve_of(rows: pd.DataFrame, method: str, group: str) -> pd.DataFrame:
    """Kaplan-Meier curve of one group of the first partition."""
    here = rows[(rows["method"] == method) & (rows["group"] == group) & rows["metric"].isin([*_CURVES, "censored"])]
    here = here.assign(months=pd.to_numeric(here["months"]), value=here["value"].astype(float))
    wide = here.pivot_table(index="months", columns="metric", values="value").reindex(columns=[*_CURVES, "censored"])
    wide = wide.sort_index().fillna({"censored": 0})
    return wide.assign(survival=wide["survival"].ffill())


def draw_curves(metrics: pd.DataFrame) -> Figure:
    """Fig. 6 of the paper: survival of two risk groups, cross-fitted, a panel for FINE reductions alike."""
    panels = []
    for name, source, rows in per_set(metrics):
        cohort = cohorts(rows)[0]
        here = rows[(as_text(rows["cohort"]) == cohort) & (rows["fit"] == "cross-fitted")]
        alike = {}
        for method in (method for method in FINE if len(curve_of(here, method, "low"))):
            alike.setdefault(tuple(curve_of(here, method, group).to_csv() for group in GROUPS), []).append(method)
        panels += [(name, source, here, methods) for methods in alike.values()]
    if not panels:
        return without("survival curves")
    columns = min(2, len(panels))
    n_rows = -(-len(panels) // columns)
    figure, axes = panel_grid(2 * n_rows, columns, (0.4 + 3.4 * columns, 2.9 * n_rows), height_ratios=[5, 1] * n_rows)
    lasts = {
        name: max(curve_of(rows, method, group).index.max() for dataset, _, rows, (method, *_) in panels
                  if dataset == name
                  for group in GROUPS)
        for name, _, _, _ in panels
    }  # fmt: skip
    for k, (name, source, rows, (method, *others)) in enumerate(panels):
        ax, below = axes[2 * (k // columns), k % columns], axes[2 * (k // columns) + 1, k % columns]
        last = lasts[name]
        ticks = [tick for tick in MaxNLocator(6, steps=[1, 1.2, 2.4, 3.6, 6, 10]).tick_values(0, last) if tick <= last]
        _draw_groups(ax, rows, method)
        _write_at_risk(below, rows, method, ticks)
        names = ", ".join([FINE[method], *(FINE[other].removeprefix("FINE ") for other in others)])
        ax.set_title(f"{names}: {name} ({source})\n{_findings(rows, method)}", fontsize=8)
        for panel in (ax, below):
            panel.set_xticks(ticks)
            panel.set_xlim(-0.02 * last, 1.02 * last)
        ax.tick_params(labelbottom=True)
        ax.set_xlabel("Months", labelpad=0)
        if k % columns == 0:
            ax.set_ylabel("Share without the event")
    for k in range(len(panels), n_rows * columns):
        for ax in axes[2 * (k // columns) : 2 * (k // columns) + 2, k % columns]:
            ax.set_visible(False)
    figure.suptitle("Cross-fitted, first partition; bands: 95 % intervals; ticks: end of follow-up", fontsize=8)
    legend_below(figure, axes[0, 0], ncols=2)
    return figure


def _draw_groups(ax: plt.Axes, rows: pd.DataFrame, method: str) -> None:
    """Steps, bands and ticks of both groups, and the p-value of their difference."""
    for group, colour in GROUPS.items():
        curve = curve_of(rows, method, group)
        if curve.empty:
            continue
        style = {"color": colour, "lw": 1.2, "ls": "-" if group == "low" else "--"}
        ax.step(curve.index, curve["survival"], where="post", label=f"{group} risk", **style)
        # A band lasts until the next step, also where that has none; before the first event there is none.
        low, high = (curve[name].where(curve["at_risk"].isna() | curve[name].notna(), np.inf).ffill()
                     .replace(np.inf, np.nan) for name in ("survival_low", "survival_high"))  # fmt: skip
        ax.fill_between(curve.index, low, high, step="post", color=colour, alpha=0.15, lw=0)
        ended = curve[curve["censored"] > 0]
        ax.plot(ended.index, ended["survival"], ls="", marker="|", ms=4, mew=0.7, color=colour)
    ax.set_ylim(0, 1.03)


def _findings(rows: pd.DataFrame, method: str) -> str:
    """The p-value of the difference and the numbers of events."""
    parts = [f"log-rank p = {p:.2g}" for p in _first(rows, method, "log_rank_p")]
    counts = [f"{group} {n:.0f}" for group in GROUPS for n in _first(rows[rows["group"] == group], method, "n_events")]
    return "; ".join([*parts, *([f"events: {', '.join(counts)}"] if counts else [])])


def _first(rows: pd.DataFrame, method: str, metric: str) -> list[float]:
    """The reported values of the first partition: one number or none."""
    here = rows[(rows["method"] == method) & (rows["metric"] == metric) & (rows["repetition"].astype(str) == "0")]
    return list(here["value"].astype(float).dropna())


def _write_at_risk(ax: plt.Axes, rows: pd.DataFrame, method: str, ticks: list[float]) -> None:
    """Numbers at risk below the months, a line per group."""
    ax.set_ylim(-0.6, 1.6)
    for y, (group, colour) in enumerate(reversed(GROUPS.items())):
        curve = curve_of(rows, method, group)
        for month in ticks if len(curve) else ():
            ax.text(month, y, str(at_risk(curve, month)), color=colour, ha="center", va="center", fontsize=7)
    ax.set_yticks(range(len(GROUPS)), [f"{group} risk" for group in reversed(GROUPS)], fontsize=7)
    ax.tick_params(length=0, labelbottom=False)
    # The first numbers are centred at month 0, which is near the edge.
    ax.tick_params(axis="y", pad=10)
    ax.spines[:].set_visible(False)
    ax.set_title("Number at risk", fontsize=7, loc="left", pad=1)


def draw_p_values(metrics: pd.DataFrame) -> Figure:
    """Log-rank p over partitions by method, a row per cohort, with and without cross-fitting."""
    cases = [(name, source, by_partition(rows), cohort) for name, source, rows in per_set(metrics)
             for cohort in cohorts(rows)]  # fmt: skip
    methods = [name for name in SUBSETS if any((partitions["method"] == name).any() for _, _, partitions, _ in cases)]
    figure, axes = panel_grid(
        len(cases), len(FITS), (6.8, 0.7 + len(cases) * (0.5 + 0.2 * len(methods))), sharex=True, sharey=True
    )
    for ax, ((name, source, partitions, cohort), (fit, words)) in zip(
        axes.flat, product(cases, FITS.items()), strict=True
    ):
        here = partitions[(partitions["cohort"] == cohort) & (partitions["fit"] == fit)]
        for y, method in enumerate(methods):
            p = here["log_rank_p"][here["method"] == method].dropna()
            spread = y + np.linspace(-0.25, 0.25, len(p)) if len(p) > 1 else [y] * len(p)
            colour = LINES[0] if method in FINE else "0.35"
            ax.plot(p, spread, ls="", marker=".", ms=5, color=colour, alpha=0.7, mew=0)
            ax.plot([p.median()] * 2, [y - 0.36, y + 0.36], color="black", lw=1.4, label="median" if y == 0 else None)
        ax.axvline(ALPHA, color=LINES[1], lw=0.9, ls="--", label=f"p = {ALPHA:g}")
        size = "all patients" if cohort == "all" else f"{cohort} patients"
        ax.set_title(f"{name} ({source}), {size}:\n{words}", fontsize=8)
        names_down(ax, [SUBSETS[method] for method in methods])
        ax.tick_params(axis="y", labelsize=7)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes[0, 0].set_xlim(right=1.3)
    figure.supxlabel("p of the log-rank test, a dot per partition", fontsize=8)
    axes[0, 0].plot([], [], ls="", marker=".", color=LINES[0], label="FINE")
    axes[0, 0].plot([], [], ls="", marker=".", color="0.35", label="filters and control")
    legend_below(figure, axes[0, 0], ncols=4)
    return figure
