"""Figures of the toy image and of the experiments on the theory, derived from their tidy metrics."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.papers.viswanath2012.method_names import MEASURES, PAPER_METHODS, TOY_METHODS
from replication.papers.viswanath2012.theory_tables import genes_apart
from replication.shared.figures import bare, draw_means, legend_below, log_ticks, look, looks
from replication.shared.statistics import wilson_interval

_NOT_DRAWN = ("consensus_features", "red_blue")
_TOY_GRAPHS = {
    "knn": "nearest neighbours",
    "exponential": "exponential kernel",
    "gaussian": "Gaussian kernel",
    "local_scaling": "locally scaled kernel",
}


def draw_toy_pictures(pictures: Mapping[str, np.ndarray]) -> Figure:
    """Fig. 1 of the paper: clean image, noisy image, and the regions of three methods."""
    panels = {
        "clean": "clean image",
        "noisy": "noisy image",
        **{m: TOY_METHODS[m] for m in ("k_means", "graph_embedding", "consensus")},
    }
    figure, axes = plt.subplots(1, len(panels), figsize=(8.6, 2.0), layout="compressed")
    truth = pictures["truth"].astype(bool)
    for ax, (key, title) in zip(axes, panels.items(), strict=True):
        picture = pictures[key]
        if picture.ndim == 3:
            # Noise exceeds the range of the screen; the channels are spread over it one by one.
            low, high = picture.min(axis=(0, 1)), picture.max(axis=(0, 1))
            ax.imshow((picture - low) / np.where(high > low, high - low, 1.0), interpolation="nearest")
        else:
            region = picture.astype(bool)
            accuracy = np.mean(region == truth)
            ax.imshow(region, cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
            ax.set_xlabel(f"accuracy {accuracy:.2f}", fontsize=7)
        ax.set_title(title, fontsize=8)
        bare(ax)
    return figure


def draw_toy_accuracy(metrics: pd.DataFrame) -> Figure:
    """Accuracy against the noise on green and blue with each graph, at the first size of the noise on red."""
    rows = metrics[metrics["metric"] == "accuracy"]
    graphs = dict(iter(rows[rows["red_noise"] == rows["red_noise"].iloc[0]].groupby("graph", sort=False)))
    n_rows = -(-len(graphs) // 2)
    size = (6.4, 0.7 + 2.1 * n_rows) if len(graphs) > 1 else (4.0, 2.8)
    figure, axes = plt.subplots(n_rows, min(2, len(graphs)), figsize=size, sharex=True, sharey=True, squeeze=False)
    styles = looks([method for method in TOY_METHODS if method not in _NOT_DRAWN], list(PAPER_METHODS))
    for ax, (graph, here) in zip(axes.flat, graphs.items(), strict=False):
        for method, style in styles.items():
            draw_means(ax, here[here["method"] == method], "noise", label=TOY_METHODS[method], **style)
        ax.set_title(f"graph: {_TOY_GRAPHS.get(graph, graph)}")
    for ax in axes.flat[len(graphs) :]:
        ax.remove()
    figure.supxlabel("SD of the noise on green and blue (difference in red = 1)", fontsize=8)
    figure.supylabel("Accuracy (mean ± SD of draws)", fontsize=8)
    figure.tight_layout()
    legend_below(figure, axes[0, 0], ncols=3)
    return figure


def draw_strength(metrics: pd.DataFrame) -> Figure:
    """Strength of the consensus (median, before scaling) against the number of embeddings, by kind of error."""
    errors = list(dict.fromkeys(metrics["error"]))
    rows = metrics[(metrics["metric"] == "strength") & (metrics["method"] == "median")]
    rows = rows[rows["space"] == "consensus"]
    figure, axes = plt.subplots(1, len(errors), figsize=(2.7 * len(errors), 3.0), sharey=True, squeeze=False)
    levels, sizes = (sorted(rows[name].unique()) for name in ("level", "n_embeddings"))
    shades = plt.get_cmap("cividis")(np.linspace(0, 0.9, len(levels)))
    for ax, error in zip(axes[0], errors, strict=True):
        for shade, level in zip(shades, levels, strict=True):
            here = rows[(rows["error"] == error) & (rows["level"] == level)]
            draw_means(ax, here, "n_embeddings", color=shade, marker="o", ms=3, label=f"{level:.2f}")
        ax.axhline(1 / 3, color="0.5", lw=0.7, ls=":")
        log_ticks(ax, sizes)
        ax.set_xlabel("Embeddings combined, K")
        ax.set_title(f"errors: {error}")
    axes[0, 0].set_ylabel("Embedding strength\n(mean ± SD over repetitions; dotted: chance)")
    axes[0, 0].set_ylim(0, 1.02)
    figure.tight_layout()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, title="strength\nof one", fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def draw_error(metrics: pd.DataFrame) -> Figure:
    """Share of repetitions in which the inequality of Proposition 2 holds, with its 95 % interval."""
    rows = metrics[(metrics["metric"] == "holds") & (metrics["error"] != "counterexample")]
    errors = list(dict.fromkeys(rows["error"]))
    arms = [(method, space) for space in ("consensus", "picture") for method in ("mean", "median")]
    normalizations = list(dict.fromkeys(rows["normalization"]))
    figure, axes = plt.subplots(1, len(normalizations), figsize=(7.4, 2.9), sharey=True, squeeze=False)
    for ax, normalization in zip(axes[0], normalizations, strict=True):
        for k, (method, space) in enumerate(arms):
            here = rows[(rows["method"] == method) & (rows["space"] == space)]
            here = here[here["normalization"] == normalization]
            share = here.groupby("error")["value"].agg(["mean", "count"]).loc[errors]
            ends = np.array([wilson_interval(*row) for row in share.to_numpy()])
            # A share of 1 may lie a rounding above its interval.
            away = np.maximum([share["mean"] - ends[:, 0], ends[:, 1] - share["mean"]], 0.0)
            ax.errorbar(
                np.arange(len(errors)) + 0.15 * (k - 1.5), share["mean"], away, ls="", ms=5, capsize=2,
                **look(k), label=f"{method}, {'distances' if space == 'consensus' else 'after scaling'}",
            )  # fmt: skip
        ax.set_xticks(range(len(errors)), [error.replace("_", " ") for error in errors])
        ax.set_title({"none": "distances as they are", "max": "distances divided by their maximum"}[normalization])
        ax.grid(axis="y", lw=0.3)
    axes[0, 0].set_ylabel("Share of repetitions with\nMSE of consensus ≤ mean MSE")
    axes[0, 0].set_ylim(-0.03, 1.05)
    figure.tight_layout()
    legend_below(figure, axes[0, 0], ncols=4)
    return figure


def draw_monotone(metrics: pd.DataFrame) -> Figure:
    """Rank correlations of strength with the other measures, by series; those of genes by reduction."""
    rows = metrics[(metrics["metric"] == "spearman") & (metrics["method"] == "strength")]
    rows = genes_apart(rows)
    series = list(dict.fromkeys(rows["series"]))
    others = [measure for measure in MEASURES if measure in set(rows["compared_with"])]
    names = {
        "noise": "growing\nerror",
        "emphasis": "class axis\nstretched",
        "both": "both",
        "premise": "both,\nclasses apart",
        "real": "brain\nslices",
        "genes graph_embedding": "genes,\nGE",
        "genes pca": "genes,\nPCA",
    }
    figure, ax = plt.subplots(figsize=(max(5.6, 1.1 * len(series)), 3.0))
    for k, other in enumerate(others):
        scores = rows[rows["compared_with"] == other].groupby("series")["value"].agg(["mean", "std"]).loc[series]
        ax.errorbar(
            np.arange(len(series)) + 0.12 * (k - 1), scores["mean"], scores["std"], ls="", ms=5,
            capsize=2, label=MEASURES[other], **look(k),
        )  # fmt: skip
    ax.axhline(0, color="0.5", lw=0.7)
    ax.set_xticks(range(len(series)), [names[name] for name in series])
    ax.set_ylim(-1.05, 1.05)
    # The real series has a value for each brain slice, that of genes one for each draw on each data set.
    ax.set_ylabel(f"Rank correlation with embedding strength\n(mean ± SD over repetitions{_units(series)})")
    ax.legend(title="measure", fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _units(series: list[str]) -> str:
    """What the real series are averaged over, for a label."""
    return ",\nslices, or draws and sets" if any(name.startswith("genes") for name in series) else " or slices"
