"""Figures of a check of an embedding."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck
from consensus_embedding.diagnostics.fidelity import METRICS
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from replication.shared.figures import CLASSES, LINES, with_style

# Most labels that shape and colour can distinguish; of more labels, this many get a number, the others are grey.
FEW_LABELS, NUMBERED_LABELS = 10, 30
# Labels in the figures of groups and of pairs.
SHOWN_LABELS = 30
_MARKERS = "osD^vPX<>*"
_GREY = "#bbbbbb"
_STABILITY = {"stable": ("o", LINES[0]), "uncertain": ("^", LINES[4]), "unstable": ("x", LINES[1])}
_FIDELITY = {"single run": ("o", LINES[0]), "consensus distances": ("s", LINES[2]), "picture": ("D", LINES[1])}


@with_style
def draw_pictures(check: EmbeddingCheck) -> Figure:
    """Consensus picture, by label if there are any, and by stability."""
    points = check.points
    labelled = bool(len(check.label_groups))
    width = 7.2 if labelled else 4.0
    figure, axes = plt.subplots(1, 1 + labelled, figsize=(width, 3.7), squeeze=False, layout="constrained")
    if labelled:
        _draw_labels(axes[0, 0], points, check.label_groups)
        axes[0, 0].set_title("Coloured by label")
    _draw_stability(axes[0, -1], points)
    axes[0, -1].set_title("Coloured by stability")
    for ax in axes[0]:
        ax.set_aspect("equal", adjustable="datalim")
        ax.set(xticks=[], yticks=[], xlabel="consensus 1", ylabel="consensus 2")
    return figure


def _size(n: int) -> float:
    return float(np.clip(6000 / n, 2.0, 22.0))


def _draw_labels(ax: plt.Axes, points: pd.DataFrame, groups: pd.DataFrame) -> None:
    size = _size(len(points))
    named = groups.label.tolist()
    large = groups.sort_values("n_points", ascending=False, kind="stable").label.tolist()[:NUMBERED_LABELS]
    shown = [label for label in named if label in set(large)]
    handles = []
    rest = points[~points.label.isin(shown)]
    if len(rest):
        ax.scatter(rest.x, rest.y, s=size, c=_GREY, linewidths=0)
        others = [f"{len(named) - len(shown)} more labels"] if len(named) > len(shown) else []
        others += ["no label"] if points.label.isna().any() else []
        handles.append(_handle("o", _GREY, " or ".join(others)))
    few = len(named) <= FEW_LABELS
    for k, label in enumerate(shown):
        group = points[points.label == label]
        colour = CLASSES[k % len(CLASSES)]
        marker = _MARKERS[k] if few else "o"
        ax.scatter(group.x, group.y, s=size, c=colour, marker=marker, linewidths=0)
        if not few:
            ax.text(group.x.median(), group.y.median(), str(k + 1), fontsize=7, fontweight="bold", ha="center",
                    va="center", bbox={"facecolor": "white", "alpha": 0.75, "pad": 0.6, "linewidth": 0})  # fmt: skip
        handles.insert(k, _handle(marker, colour, short(label) if few else f"{k + 1}  {short(label)}"))
    longest = max(len(handle.get_label()) for handle in handles)
    style = {"handles": handles, "loc": "upper center", "fontsize": 6.5, "handletextpad": 0.2, "columnspacing": 0.8}
    if few:
        ax.legend(bbox_to_anchor=(0.5, -0.08), ncols=int(np.clip(58 // (longest + 5), 1, 5)), **style)
    else:
        # Below both pictures: a long list would take the room of one.
        columns = int(np.clip(125 // (longest + 5), 1, 6))
        ax.figure.legend(bbox_to_anchor=(0.5, -0.02), ncols=columns, **style)


def _draw_stability(ax: plt.Axes, points: pd.DataFrame) -> None:
    size = _size(len(points))
    handles = []
    for category, (marker, colour) in _STABILITY.items():
        group = points[points.category == category]
        width = 0.8 if marker == "x" else 0.0
        ax.scatter(group.x, group.y, s=size * (1.3 if marker == "x" else 1), c=colour, marker=marker, linewidths=width)
        handles.append(_handle(marker, colour, f"{category} ({len(group)})"))
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.08), fontsize=7, ncols=3, handletextpad=0.2,
        columnspacing=0.8,
    )  # fmt: skip


def _handle(marker: str, colour: str, label: str) -> Line2D:
    return Line2D([], [], marker=marker, color=colour, linestyle="none", markersize=4, label=label)


def short(label: object, most: int = 28) -> str:
    """Cut a label that is too long for a legend."""
    text = " ".join(str(label).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


@with_style
def draw_convergence(check: EmbeddingCheck) -> Figure:
    """Distance of the consensus of few runs to that of infinitely many, with the fit and the tolerance."""
    fit, curve = check.convergence, check.convergence.curve
    figure, ax = plt.subplots(figsize=(4.2, 2.9), layout="constrained")
    ax.fill_between(curve.n_runs, curve.distance_low, curve.distance_high, color=LINES[0], alpha=0.2, linewidth=0,
                    label="5 to 95% of the subsets")  # fmt: skip
    ax.plot(curve.n_runs, curve.distance, "o", color=LINES[0], markersize=3.5, label="measured (root mean square)")
    end = max(curve.n_runs.max(), len(check.embeddings))
    grid = np.geomspace(1, end, 100)
    ax.plot(grid, fit.amplitude * grid**-fit.exponent, "--", color=LINES[1], linewidth=1,
            label=f"fit: {fit.amplitude:.2g} / runs to the power {fit.exponent:.2f}")  # fmt: skip
    ax.axhline(fit.tolerance, color="black", linewidth=0.8, linestyle=":", label=f"tolerance ({fit.tolerance:g})")
    if fit.n_enough is not None:
        runs = "1 run" if fit.n_enough == 1 else f"{fit.n_enough} runs"
        ax.axvline(fit.n_enough, color=LINES[2], linewidth=1, label=f"enough: {runs}")
    ax.set(xlabel="number of runs", ylabel="relative distance to the consensus\nof many runs", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=6.5)
    return figure


@with_style
def draw_label_groups(check: EmbeddingCheck) -> Figure:
    """Share of neighbours with the same label by label, worst first."""
    groups = worst_groups(check).head(SHOWN_LABELS).iloc[::-1]
    figure, ax = plt.subplots(figsize=(4.6, 0.9 + 0.17 * len(groups)), layout="constrained")
    places = np.arange(len(groups))
    errors = [groups.same_label - groups.same_label_low, groups.same_label_high - groups.same_label]
    ax.errorbar(groups.same_label, places, xerr=np.maximum(errors, 0), fmt="o", color=LINES[0], markersize=3.5,
                elinewidth=1, capsize=2, label="mean over runs, interval")  # fmt: skip
    ax.plot(groups.chance, places, "|", color="black", markersize=7, label="shuffled labels")
    ax.set(xlim=(-0.02, 1.02), xlabel="share of nearest neighbours with the same label", ylim=(-0.7, len(groups) - 0.3))
    ax.set_yticks(places, [f"{short(label)} ({n})" for label, n in zip(groups.label, groups.n_points, strict=True)])
    ax.legend(fontsize=6.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


@with_style
def draw_label_pairs(check: EmbeddingCheck) -> Figure:
    """Instability of the distance between each pair of labels."""
    groups = check.label_groups
    large = set(groups.sort_values("n_points", ascending=False, kind="stable").label.head(SHOWN_LABELS))
    names = [label for label in groups.label if label in large]
    place = {name: k for k, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    marks = {}
    for pair in check.label_pairs.itertuples(index=False):
        if pair.first in place and pair.second in place:
            row, column = sorted((place[pair.first], place[pair.second]), reverse=True)
            values[row, column] = pair.instability
            marks[column, row] = {"unstable": "×", "uncertain": "?", "scattered": "–"}.get(pair.category, "")
    side = 2.2 + 0.17 * len(names)
    figure, ax = plt.subplots(figsize=(side + 0.6, side), layout="constrained")
    image = ax.imshow(values, cmap="cividis", vmin=0, vmax=1)
    for (column, row), mark in marks.items():
        light = values[row, column] > 0.6
        ax.text(column, row, mark, ha="center", va="center", fontsize=7, color="black" if light else "white")
    ax.set_xticks(range(len(names)), [short(name, 18) for name in names], rotation=90, fontsize=7)
    ax.set_yticks(range(len(names)), [short(name, 18) for name in names], fontsize=7)
    figure.colorbar(
        image, ax=ax, shrink=0.7, label="instability of the distance (0 = the same in every run)", extend="max"
    )
    ax.set_title("× unstable   ? uncertain   – a label is scattered", fontsize=7)
    return figure


@with_style
def draw_fidelity(check: EmbeddingCheck) -> Figure:
    """Agreement with the data of single runs, of the consensus distances and of the picture."""
    metrics = [name for name in METRICS if name in set(check.fidelity.metric)]
    figure, ax = plt.subplots(figsize=(4.6, 2.6), layout="constrained")
    for k, (compared, (marker, colour)) in enumerate(_FIDELITY.items()):
        rows = check.fidelity[check.fidelity.of == compared].set_index("metric").loc[metrics]
        places = np.arange(len(metrics)) + 0.22 * (k - 1)
        label = "single run: mean and interval" if rows.low.notna().any() else compared
        errors = np.nan_to_num(np.maximum([rows.value - rows.low, rows.high - rows.value], 0))
        ax.errorbar(rows.value, places, xerr=errors, fmt=marker, color=colour, markersize=4.5, elinewidth=1, capsize=2,
                    label=label)  # fmt: skip
        ax.plot(rows.chance, places, "|", color="black", markersize=6, label=None if k else "random places")
    ax.set_yticks(range(len(metrics)), [METRICS[name] for name in metrics])
    ax.invert_yaxis()
    ax.set(xlabel="agreement with the data (1 = perfect)", xlim=(min(-0.02, ax.get_xlim()[0]), 1.02))
    ax.legend(fontsize=6.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def worst_groups(check: EmbeddingCheck) -> pd.DataFrame:
    """Groups whose points keep together least, first."""
    groups = check.label_groups
    return groups.iloc[np.argsort(groups.same_label.fillna(2.0), kind="stable")]


def worst_pairs(check: EmbeddingCheck) -> pd.DataFrame:
    """Pairs of labels whose distance changes most, first."""
    return check.label_pairs.sort_values("instability", ascending=False, kind="stable")
