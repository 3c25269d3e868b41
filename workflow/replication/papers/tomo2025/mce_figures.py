"""Figures of the experiments on median consensus embeddings, from tidy metrics and saved pictures."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.data.digits import read_digits
from replication.papers.tomo2025.margins import MARGINS
from replication.papers.tomo2025.method_names import COMBINATIONS
from replication.platform.methods import with_added
from replication.shared.figures import (
    CLASSES,
    LINES,
    bare,
    draw_down,
    legend_below,
    log_ticks,
    mark_added,
    names_down,
    shown_name,
)

# What a configuration scales runs to -> the unit of their distances.
_UNITS = {"none": "t-SNE units", "unit_norm": "runs of norm 1"}
_DISTANCES = {
    "distance_to_reference": "Mean distance to the reference consensus",
    "pairwise_distance": "Mean distance between repetitions",
}


def scatter_classes(axes: plt.Axes, embedding: np.ndarray, labels: np.ndarray, size: float, names: bool) -> None:
    """Points of an embedding coloured by class, the class written at its median, axes of equal unit."""
    colours = np.array(CLASSES)[labels % len(CLASSES)]
    axes.scatter(*embedding.T, c=colours, s=size, linewidths=0, rasterized=True)
    if names:
        for label in np.unique(labels):
            centre = np.median(embedding[labels == label], axis=0)
            box = {
                "boxstyle": "circle,pad=0.15",
                "fc": "white",
                "ec": CLASSES[label % len(CLASSES)],
                "lw": 0.8,
            }
            axes.text(*centre, str(label), ha="center", va="center", fontsize=7, bbox=box)
    axes.set_aspect("equal")


def draw_reference(
    pictures: Mapping[str, np.ndarray], n_samples: int | None, reference_runs: int, normalize: str
) -> Figure:
    """Fig. 1 of Tomo and Yoneoka 2025: picture of the reference consensus, coloured by digit."""
    figure, axes = plt.subplots(figsize=(4.2, 4.2))
    scatter_classes(axes, pictures["reference"], read_digits(n_samples)[1], 4, names=True)
    axes.set_title(f"Median consensus of {reference_runs} t-SNE runs")
    axes.set_xlabel(f"MDS dimension 1 ({_UNITS[normalize]})")
    axes.set_ylabel(f"MDS dimension 2 ({_UNITS[normalize]})")
    return figure


def draw_repetitions(pictures: Mapping[str, np.ndarray], n_samples: int | None) -> Figure:
    """Fig. 2: repetitions at each number of runs, aligned with the reference; one row per number."""
    labels = read_digits(n_samples)[1]
    rows = {name: array for name, array in pictures.items() if name != "reference"}
    columns = max(len(array) for array in rows.values())
    figure, axes = plt.subplots(
        len(rows), columns, figsize=(1.45 * columns, 1.5 * len(rows)), sharex=True, sharey=True, squeeze=False
    )
    for row, (name, array) in enumerate(rows.items()):
        for r, embedding in enumerate(array):
            ax = axes[row, r]
            scatter_classes(ax, embedding, labels, 1.2, names=False)
            bare(ax)
            if r == 0:
                ax.set_ylabel(f"m = {name[1:]}")
            if row == 0:
                ax.set_title(f"repetition {r + 1}", fontsize=8)
    handles = [
        plt.Line2D([], [], ls="", marker="o", ms=4, color=CLASSES[label % len(CLASSES)], label=str(label))
        for label in np.unique(labels)
    ]
    figure.legend(handles=handles, title="digit", loc="center left", bbox_to_anchor=(0.91, 0.5))
    return figure


def draw_distances(distances_table: pd.DataFrame, normalize: str) -> Figure:
    """Fig. 3: both distances against the number of runs, with error bars, bands, the paper and the picture."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.1))
    for ax, (metric, title) in zip(axes, _DISTANCES.items(), strict=True):
        rows = distances_table[distances_table["distance"] == metric.replace("_", " ")]
        ax.fill_between(
            rows["m"],
            rows["band 5 %"],
            rows["band 95 %"],
            color=LINES[0],
            alpha=0.25,
            lw=0,
            label="5–95 % of redraws",
        )
        ax.errorbar(
            rows["m"], rows["mean"], rows["SD"], color=LINES[0], marker="o", ms=4, capsize=2, lw=1.2,
            label="measured, mean ± SD",
        )  # fmt: skip
        ax.plot(
            rows["m"], rows["mean on the picture"], color=LINES[2], marker="^", ms=4, lw=1, ls=":",
            label="measured on the MDS picture",
        )  # fmt: skip
        if rows["paper"].notna().any():
            ax.plot(rows["m"], rows["paper"], color="black", marker="s", ms=4, lw=1, ls="--", label="paper")
        log_ticks(ax, list(rows["m"]))
        ax.set_ylim(min(1.1 * ax.dataLim.y0, 0))
        ax.set_xlabel("t-SNE runs combined, m")
        ax.set_ylabel(f"Frobenius distance ({_UNITS[normalize]})")
        ax.set_title(title)
    axes[0].legend(fontsize=7)
    figure.tight_layout()
    return figure


def draw_tail(metrics: pd.DataFrame, normalize: str) -> Figure:
    """Probability of a deviation against the number of runs, one line per level."""
    figure, ax = plt.subplots(figsize=(4.4, 3.3))
    levels = metrics[metrics["metric"] == "epsilon"]
    shades = plt.get_cmap("cividis")(np.linspace(0, 0.85, len(levels)))
    for shade, level in zip(shades, levels.itertuples(), strict=True):
        rows = metrics[(metrics["metric"] == "probability") & (metrics["level"] == level.level)]
        rows = rows[rows["value"] > 0]
        primary = level.level == "primary"
        label = f"{level.value:{'.0f' if normalize == 'none' else '.3g'}}{' (primary)' if primary else ''}"
        ax.plot(
            rows["n_embeddings"],
            rows["value"],
            marker="o",
            ms=3,
            lw=2.2 if primary else 1,
            color=shade,
            label=label,
        )
    ax.set_yscale("log")
    ax.set_xticks(sorted(metrics["n_embeddings"].dropna().unique().astype(int)))
    ax.set_xlabel("t-SNE runs combined, m")
    ax.set_ylabel("Pr(distance to the reference ≥ ε)")
    ax.set_title("Tail of the consensus")
    unit = f"ε ({_UNITS[normalize]})"
    ax.legend(title=unit, title_fontsize=6.5, fontsize=6.5, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def draw_comparison(metrics: pd.DataFrame, normalize: str) -> Figure:
    """Every way to combine the same runs, on four scores: means and standard deviations."""
    panels = {
        "pairwise_distance": f"Distance between repetitions\n({_UNITS[normalize]}; less is more stable)",
        "distance_to_reference": f"Distance to the reference\n({_UNITS[normalize]})",
        "neighborhood_preservation": "Neighbourhood preservation\n(share of neighbours kept)",
        "silhouette": "Silhouette by class\n(−1 to 1)",
    }
    names = with_added(COMBINATIONS, metrics["method"])
    methods = [method for method in names if method in set(metrics["method"])]
    n_added = len(names) - len(COMBINATIONS)
    figure, axes = plt.subplots(1, len(panels), figsize=(9.6, 2.9 + 0.25 * n_added), sharey=True)
    for ax, (metric, title) in zip(axes, panels.items(), strict=True):
        for space, colour, marker, offset in (
            ("consensus", LINES[0], "o", -0.13),
            ("picture", LINES[2], "^", 0.13),
        ):
            rows = metrics[(metrics["metric"] == metric) & (metrics["space"] == space)]
            # Random points show the level of chance of the two scores; their distances are off the scale.
            if metric not in ("neighborhood_preservation", "silhouette"):
                rows = rows[rows["method"] != "random"]
            label = "consensus distances" if space == "consensus" else "MDS picture"
            draw_down(ax, rows, methods, offset, marker=marker, capsize=2, color=colour, label=label)
        names_down(ax, [names[method] for method in methods])
        ax.set_title(title, fontsize=8)
        if metric != "silhouette":
            ax.set_xlim(min(ax.dataLim.x0, 0) - 0.03 * ax.dataLim.x1, 1.08 * ax.dataLim.x1)
    mark_added(axes, len(methods), n_added)
    axes[2].legend(fontsize=7, loc="upper center", bbox_to_anchor=(0, -0.1), ncols=2)
    return figure


def draw_equivalence(metrics: pd.DataFrame) -> Figure:
    """Loss and size of each run by implementation, their differences, and the distances between their consensus."""
    names = {
        "exact": "exact\n(ours)",
        "barnes_hut": "Barnes-Hut\n(ours)",
        "scikit-learn": "scikit-learn\nangle 0.5",
        "scikit-learn-fine": "scikit-learn\nangle 0.1",
    }
    names = {method: name for method, name in names.items() if method in set(metrics["method"])}
    figure, ((loss, size), (within, gap)) = plt.subplots(2, 2, figsize=(7.4, 5.6))
    panels = {
        loss: ("kl_divergence", "KL divergence (nats)", "Loss of each run"),
        size: ("size", "Norm of the distances (t-SNE units)", "Size of each run"),
    }
    for ax, (metric, label, title) in panels.items():
        rows = metrics[metrics["metric"] == metric]
        for x, method in enumerate(names):
            values = rows[rows["method"] == method]["value"].to_numpy()
            ax.plot(
                x + np.linspace(-0.15, 0.15, len(values)),
                values,
                ls="",
                marker="o",
                ms=2.5,
                color=LINES[x],
                alpha=0.6,
            )
            ax.errorbar(x + 0.28, values.mean(), values.std(), marker="_", ms=8, capsize=2, color=LINES[x])
        ax.set_xticks(range(len(names)), names.values(), fontsize=7)
        ax.set_ylabel(label)
        ax.set_title(title)
    _draw_differences(within, metrics)
    short = {
        "exact": "exact",
        "barnes_hut": "Barnes-Hut",
        "scikit-learn": "s.-learn 0.5",
        "scikit-learn-fine": "s.-learn 0.1",
    }
    parts = {
        "consensus_distance": ("measured", "0.25"),
        "consensus_distance_by_chance": ("names swapped", "0.75"),
        "consensus_distance_of_halves": ("halves of the runs named first", "white"),
    }
    ticks = []
    for x, comparison in enumerate(metrics.loc[metrics["metric"] == "consensus_distance", "method"]):
        rows = metrics[metrics["method"] == comparison].set_index("metric")["value"]
        for k, (metric, (label, colour)) in enumerate(parts.items()):
            height = rows.get(metric, np.nan)
            gap.bar(x + 0.25 * (k - 1), height, 0.23, color=colour, ec="0.25", lw=0.6, label=None if x else label)
        first, second = (short[method] for method in comparison.split(" vs "))
        ticks.append(f"{first}\nand {second}\np = {rows['consensus_distance_p_value']:.3f}")
    gap.set_xticks(range(len(ticks)), ticks, fontsize=7)
    gap.set_ylabel("Frobenius distance (t-SNE units)")
    gap.set_title("Distance between two consensus embeddings")
    gap.margins(y=0.4)
    gap.legend(fontsize=7, loc="upper left")
    figure.tight_layout()
    return figure


def _draw_differences(ax: plt.Axes, metrics: pd.DataFrame) -> None:
    """Our Barnes-Hut runs minus scikit-learn's of the same start, in percent, and the margins of equivalence."""
    names = {"kl_divergence": "loss", "size": "size"}
    pair = metrics[metrics["method"] == "scikit-learn vs barnes_hut"].set_index("metric")["value"]
    for x, metric in enumerate(names):
        rows = metrics[metrics["metric"] == metric].set_index("repetition")
        ours, theirs = (rows[rows["method"] == method]["value"] for method in ("barnes_hut", "scikit-learn"))
        differences = 100 * (ours - theirs) / theirs.mean()
        margin = 100 * MARGINS[metric]
        ax.fill_between([x - 0.4, x + 0.4], -margin, margin, color="0.9", lw=0, label=None if x else "margin")
        spread = np.linspace(-0.25, 0.1, len(differences))
        ax.plot(x + spread, differences, ls="", marker="o", ms=2.5, alpha=0.6, color=LINES[1])
        mean, low, high = (100 * pair[f"{metric}_difference{part}"] for part in ("", "_low", "_high"))
        ax.errorbar(x + 0.25, mean, [[mean - low], [high - mean]], marker="_", ms=8, capsize=2, color=LINES[1])
    ax.axhline(0, color="0.5", lw=0.6, zorder=0)
    ax.set_xticks(range(len(names)), names.values())
    ax.set_ylabel("% of scikit-learn's mean")
    ax.set_title("Barnes-Hut (ours) minus scikit-learn")
    ax.legend(fontsize=7)


def draw_extensions(metrics: pd.DataFrame) -> Figure:
    """Single runs against their consensus for other sources of instability."""
    panels = {
        "pairwise_distance": "Distance between repetitions\n(relative to single runs)",
        "neighborhood_preservation": "Share of neighbours kept",
    }
    kinds = list(dict.fromkeys(metrics["kind"]))
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.8))
    for ax, (metric, title) in zip(axes, panels.items(), strict=True):
        looks = {
            "single": ("single run", LINES[1], "s", -0.15),
            "mce": ("median consensus, distances", LINES[0], "o", -0.05),
            "mce_picture": ("median consensus, picture", LINES[2], "^", 0.05),
            "multiscale": ("multiscale t-SNE", LINES[3], "D", 0.15),
        }
        scores = metrics[metrics["metric"] == metric].groupby(["kind", "method"])["value"].agg(["mean", "std"])
        for k, kind in enumerate(kinds):
            unit = scores.loc[(kind, "single"), "mean"] if metric == "pairwise_distance" else 1.0
            for method, (label, colour, marker, offset) in looks.items():
                if (kind, method) not in scores.index:
                    continue
                mean, std = scores.loc[(kind, method)] / unit
                ax.errorbar(k + offset, mean, std, marker=marker, ms=4, capsize=2, color=colour, ls="", label=label)
                looks[method] = (None, colour, marker, offset)
        ax.set_xticks(range(len(kinds)), map(shown_name, kinds))
        ax.set_xlim(-0.5, len(kinds) - 0.5)
        ax.set_ylim(min(1.1 * ax.dataLim.y0, 0), 1.1 * ax.dataLim.y1)
        ax.set_xlabel("What differs between the runs")
        ax.set_ylabel(title)
    figure.tight_layout()
    legend_below(figure, axes[1], ncols=4)
    return figure
