"""Figures of the experiments on gene expression, derived from their tidy metrics and saved pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from replication.papers.viswanath2012.gene_panels import line, panels
from replication.papers.viswanath2012.gene_tables import (
    METHODS,
    PAPER_METHODS,
    SINGLE_METHODS,
    gene_scores,
    present,
)
from replication.papers.viswanath2012.method_names import BASELINES_SCALED, REDUCTIONS, STRENGTHS, VIEWS
from replication.platform.methods import MARK, with_added
from replication.shared.figures import (
    LINES,
    draw_choices,
    draw_down,
    legend_below,
    mark_added,
    names_down,
    panel_grid,
)
from replication.shared.metric_values import sources

# Of each method of the calibration: colour by reduction, open where nothing is combined.
_CALIBRATED = {
    "consensus_ge_s": {"color": LINES[0], "marker": "o"},
    "graph_embedding": {"color": LINES[0], "marker": "o", "mfc": "white"},
    "consensus_pca_s": {"color": LINES[1], "marker": "s"},
    "pca": {"color": LINES[1], "marker": "s", "mfc": "white"},
    "ssage": {"color": LINES[3], "marker": "D"},
    "knn_ensemble": {"color": LINES[2], "marker": "^"},
    "features": {"color": LINES[2], "marker": "^", "mfc": "white"},
}


def draw_accuracy(metrics: pd.DataFrame) -> Figure:
    """Scores of the paper's methods, of its baselines scaled by training, and of one embedding of all chosen genes."""
    own = {method: METHODS[method] for method in (*PAPER_METHODS, *BASELINES_SCALED, *SINGLE_METHODS)}
    return draw_scores(metrics, with_added(own, metrics["method"]))


def draw_controls(metrics: pd.DataFrame) -> Figure:
    """Scores of all methods, the controls among them."""
    return draw_scores(metrics, with_added(METHODS, metrics["method"]))


def draw_scores(metrics: pd.DataFrame, names: Mapping[str, str]) -> Figure:
    """Accuracy and balanced accuracy of methods, a panel per data set, with the share of the test majority."""
    rows = {name: gene_scores(metrics, name) for name in ("accuracy", "balanced_accuracy")}
    methods = present(rows["accuracy"], names)
    n_added = sum(method.startswith(MARK) for method in methods)
    height = 1.2 + 0.2 * len(methods)
    figure, axes, datasets = panels(rows["accuracy"], height, sharex=True, sharey=True, least=4.6)
    styles = {"accuracy": (LINES[0], LINES[0], -0.16), "balanced_accuracy": (LINES[1], "white", 0.16)}
    for ax, dataset in zip(axes[0], datasets, strict=True):
        for name, (colour, inside, offset) in styles.items():
            here, style = rows[name][rows[name]["dataset"] == dataset], {"marker": "o", "color": colour, "mfc": inside}
            draw_down(ax, here, methods, offset, lw=1, label=name.replace("_", " "), **style)
        _mark_majority(ax, rows["accuracy"][rows["accuracy"]["dataset"] == dataset])
        # Lines below the paper's methods and below their baselines scaled by training.
        for above in (PAPER_METHODS, [*PAPER_METHODS, *BASELINES_SCALED]):
            ax.axhline(len(present(rows["accuracy"], above)) - 0.5, color="0.6", lw=0.7, ls="--")
        mark_added([ax], len(methods), n_added)
        names_down(ax, [names[method] for method in methods])
        ax.xaxis.set_major_locator(MaxNLocator(4))
    figure.supxlabel("Score on the test samples (mean ± SD over draws of the subsets)", fontsize=8)
    legend_below(figure, axes[0, 0], ncols=3)
    return figure


def _mark_majority(ax: plt.Axes, rows: pd.DataFrame) -> None:
    share = rows[rows["method"] == "majority"]["value"].mean()
    if np.isfinite(share):
        ax.axvline(share, color="0.4", lw=0.8, ls=":", label=METHODS["majority"])


def draw_variants(metrics: pd.DataFrame) -> Figure:
    """Accuracy with the main preparation, and what each other one adds to it, by method and data set."""
    main, *others = metrics["variant"].unique()
    methods = present(metrics, [*PAPER_METHODS, *SINGLE_METHODS])
    datasets = list(metrics["dataset"].unique())
    keys = ["method", "dataset", "repetition"]
    scores = {
        variant: 100 * gene_scores(metrics, variant=variant).set_index(keys)["value"].sort_index()
        for variant in (main, *others)
    }
    columns = min(3, len(scores))
    n_rows = -(-len(scores) // columns)
    size = (1.9 + columns * max(1.4, 0.1 + 0.45 * len(datasets)), 0.7 + n_rows * (0.7 + 0.19 * len(methods)))
    figure, axes = panel_grid(n_rows, columns, size, sharex=True, sharey=True)
    for ax, (variant, values) in zip(axes.flat, scores.items(), strict=False):
        added = (values - scores[main]).groupby(level=[0, 1])
        mean, spread = (part.unstack().reindex(index=methods, columns=datasets) for part in (added.mean(), added.std()))
        ax.imshow(mean, cmap="PuOr", vmin=-80, vmax=80, aspect="auto")
        for (method, dataset), change in mean.stack().items():
            text = f"{change:+.0f}" if round(change) else "0"
            if variant == main:
                text = f"{values[method, dataset].mean():.0f}"
            elif round(change) and abs(change) <= spread.loc[method, dataset]:
                text = f"({text})"
            ax.text(datasets.index(dataset), methods.index(method), text, ha="center", va="center", fontsize=7)
        ax.set_title(f"{main}: accuracy (%)" if variant == main else textwrap.fill(variant, 27), fontsize=8)
        ax.tick_params(length=0, labelbottom=True)
        ax.spines[:].set_visible(False)
    for ax in axes.flat[len(scores) :]:
        ax.set_visible(False)
    axes[0, 0].set_yticks(range(len(methods)), [METHODS[method] for method in methods])
    axes[0, 0].set_xticks(range(len(datasets)), datasets)
    figure.suptitle(f"Data: {sources(metrics)}", fontsize=8)
    return figure


def _groups(pictures: Mapping[str, np.ndarray], method: str) -> list[tuple[np.ndarray, dict]]:
    """Samples of each true and called class, and how they are drawn: colour true, marker called, errors outlined."""
    positive, called = pictures["positive"].astype(bool), pictures[f"{method}/called"].astype(bool)
    names = [str(name) for name in pictures["class_names"]]
    groups = []
    for truth in (True, False):
        for call in (True, False):
            right = truth == call
            style = {
                "color": LINES[0] if truth else LINES[4],
                "marker": "o" if call else "^",
                "edgecolors": "none" if right else "black",
                "s": 12 if right else 26,
                "zorder": 2 if right else 3,
                "label": f"{names[truth]}, called {names[call]}",
            }
            groups.append(((positive == truth) & (called == call), style))
    return groups


def _panel_label(pictures: Mapping[str, np.ndarray], method: str) -> str:
    positive, called = pictures["positive"].astype(bool), pictures[f"{method}/called"].astype(bool)
    silhouette = pictures[f"{method}/silhouette"]
    return f"{METHODS[method]}: accuracy {np.mean(called == positive):.3f}, silhouette {silhouette:.2f}"


def _shown(pictures: Mapping[str, np.ndarray]) -> list[str]:
    return [method for method in VIEWS if f"{method}/embedding" in pictures]


def _group_handles(pictures: Mapping[str, np.ndarray]) -> list[plt.Line2D]:
    handles = []
    for _, style in _groups(pictures, _shown(pictures)[0]):
        edge = style["color"] if style["edgecolors"] == "none" else "black"
        handles.append(
            plt.Line2D([], [], ls="", marker=style["marker"], mfc=style["color"], mec=edge, ms=5, label=style["label"])
        )
    return handles


def draw_views(pictures: Mapping[str, np.ndarray]) -> Figure:
    """Fig. 6 of the paper: the first three dimensions of SSAGE and of the consensus embeddings, a row each."""
    methods = _shown(pictures)
    figure, axes = panel_grid(len(methods), 2, (4.8, 0.8 + 1.5 * len(methods)), sharex="row")
    for row, method in zip(axes, methods, strict=True):
        space = pictures[f"{method}/embedding"]
        for ax, second in zip(row, (1, 2), strict=True):
            for members, style in _groups(pictures, method):
                ax.scatter(space[members, 0], space[members, second], linewidths=0.6, **style)
            ax.set(xlabel="dimension 1", ylabel=f"dimension {second + 1}")
            ax.locator_params(nbins=4)
        row[0].set_title(_panel_label(pictures, method), fontsize=8, loc="left")
    figure.legend(handles=_group_handles(pictures), fontsize=8, loc="outside lower center", ncols=2)
    return figure


def draw_m_sensitivity(metrics: pd.DataFrame) -> Figure:
    """Accuracy against the number of base embeddings, by reduction and strength, a panel per data set."""
    rows = metrics[metrics["metric"] == "accuracy"]
    figure, axes, datasets = panels(rows, 3.0, sharey=True)
    sizes = sorted(rows["n_embeddings"].unique())
    for ax, dataset in zip(axes[0], datasets, strict=True):
        here = rows[rows["dataset"] == dataset]
        for k, (reduction, mark) in enumerate((r, m) for r in REDUCTIONS for m in STRENGTHS.values()):
            consensus = here[here["method"] == f"consensus_{REDUCTIONS[reduction]}_{mark}"]
            scores = consensus.groupby("n_embeddings")["value"].agg(["mean", "std"])
            # Numbers are at equal distances, lines a little apart.
            places = np.array([sizes.index(m) for m in scores.index]) + 0.08 * (k - 1.5)
            line(ax, places, scores, reduction, mark)
        ax.set_xticks(range(len(sizes)), [f"{m:g}" for m in sizes])
        ax.set_xlim(-0.4, len(sizes) - 0.6)
    figure.supxlabel("Base embeddings, M", fontsize=8)
    axes[0, 0].set_ylabel("Accuracy on the test samples\n(mean ± SD over draws)")
    legend_below(figure, axes[0, 0], ncols=min(4, 2 * len(datasets)))
    return figure


def draw_calibration(picks: pd.DataFrame) -> Figure:
    """Balanced accuracy of every option of every choice; a star on the option picked."""
    score = "Balanced accuracy on held-out halves of the training splits"
    return draw_choices(picks, _CALIBRATED, METHODS, score)
