"""Panels by data set that figures of gene expression share, and the figure of the thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.papers.viswanath2012.gene_tables import METHODS, of_genes
from replication.papers.viswanath2012.method_names import REDUCTIONS, STRENGTHS
from replication.shared.figures import LINES, WIDTH, legend_below, panel_grid, without

COLOURS = dict(zip(REDUCTIONS, LINES, strict=False))


def panels(rows: pd.DataFrame, height: float, n_rows: int = 1, least: float = 3.4, **options: object) -> tuple:
    """A figure with a column for each data set, named in the titles of the first row."""
    datasets = rows[["dataset", "source"]].drop_duplicates("dataset")
    width = max(least, WIDTH * min(1.0, 0.28 + 0.18 * len(datasets)))
    figure, axes = panel_grid(n_rows, len(datasets), (width, height), **options)
    for ax, name, source in zip(axes[0], datasets["dataset"], datasets["source"], strict=True):
        ax.set_title(f"{name}\n({source})", fontsize=8)
    return figure, axes, list(datasets["dataset"])


def line(ax: plt.Axes, x: Sequence[float], scores: pd.DataFrame, reduction: str, mark: str = "") -> None:
    """Means and bars: colour by reduction, dashed and open if selected without labels, else solid and filled."""
    ax.errorbar(
        x, scores["mean"], scores["std"].fillna(0), color=COLOURS[reduction], marker="s" if mark == "us" else "o",
        mfc="white" if mark == "us" else COLOURS[reduction], ls="--" if mark == "us" else "-", ms=4, lw=1.1,
        capsize=2, label=f"consensus {METHODS[reduction]}, {mark.upper() or 'no selection'}",
    )  # fmt: skip


def draw_sensitivity(metrics: pd.DataFrame) -> Figure:
    """Accuracy against the threshold and against the number of embeddings combined, a column per data set."""
    rows = of_genes(metrics)
    if rows.empty:
        return without("gene expression")
    rows = rows[rows["metric"] == "accuracy"]
    figure, axes, datasets = panels(rows, 5.0, n_rows=2, sharey=True)
    sizes = sorted(rows["n_selected"].dropna().unique())
    for (above, below), dataset in zip(axes.T, datasets, strict=True):
        for k, reduction in enumerate(REDUCTIONS):
            here = rows[(rows["dataset"] == dataset) & (rows["reduction"] == reduction)]
            for j, (strength, mark) in enumerate(STRENGTHS.items()):
                consensus = here[(here["method"] == "consensus") & (here["strength"] == strength)]
                scores = consensus.groupby("theta")["value"].agg(["mean", "std"])
                # A little apart: both strengths give the same consensus where nothing is excluded.
                line(above, scores.index + 0.006 * (2 * k + j - 1.5), scores, reduction, mark)
            at_random = here[here["method"] == "consensus_of_k"]
            scores = at_random.groupby("n_selected")["value"].agg(["mean", "std"])
            places = np.array([sizes.index(n) for n in scores.index]) + 0.12 * (k - 0.5)
            line(below, places, scores, reduction)
            alone = here[here["method"] == "single"]["value"].mean()
            for ax in (above, below):
                ax.axhline(alone, color=COLOURS[reduction], lw=0.8, ls=":", label=f"{METHODS[reduction]} of all genes")
        below.set_xticks(range(len(sizes)), [f"{k:g}" for k in sizes], fontsize=6.5)
        above.set_xlabel("θ (share of maximum)")
        below.set_xlabel("K (at random)")
    for ax in axes[:, 0]:
        ax.set_ylabel("Accuracy on the test samples\n(mean ± SD over draws)")
    legend_below(figure, axes[0, 0], axes[1, 0], ncols=min(4, 2 * len(datasets)))
    return figure
