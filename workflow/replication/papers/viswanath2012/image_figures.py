"""Figures of the image experiments, derived from their tidy metrics and saved pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from replication.papers.viswanath2012.image_tables import (
    BASELINES,
    COMBINATION,
    MARGIN,
    first_rows,
    main_scores,
    of_images,
    readings_table,
)
from replication.papers.viswanath2012.method_names import (
    BY_MEAN,
    DETECTORS,
    METHODS,
    PAPER_METHODS,
    READINGS,
    SELECTED,
    method_of_reading,
)
from replication.platform.methods import with_added
from replication.shared.figures import (
    LINES,
    bare,
    cut_to_range,
    draw_choices,
    draw_down,
    draw_means,
    legend_below,
    log_ticks,
    look,
    looks,
    mark_added,
    names_down,
    shown_name,
    without,
)
from replication.shared.statistics import mean_interval

if TYPE_CHECKING:
    from replication.data.readers.volumes import ImageSlice

# Grey matter and white matter of the region maps, apart also in grey; outside the mask white.
REGIONS = ListedColormap(["#BBBBBB", "#D55E00"])


def draw_trend(metrics: pd.DataFrame) -> Figure:
    """Fig. 3 of the paper as paired differences: the consensus minus each other method, a panel each, by noise."""
    rows = main_scores(metrics)
    wide = rows.pivot_table(index=[*COMBINATION, "slice"], columns="method", values="value")
    others = {method: name for method, name in PAPER_METHODS.items() if method != "consensus"}
    levels, fields = (sorted(rows[name].unique()) for name in ("noise", "inhomogeneity"))
    figure, axes = plt.subplots(len(others), 1, figsize=(4.6, 5.6), sharex=True, sharey=True, layout="constrained")
    for ax, (method, name) in zip(axes, others.items(), strict=True):
        grouped = (wide["consensus"] - wide[method]).groupby(level=COMBINATION)
        means, half = grouped.mean(), grouped.agg(_half_interval)
        for k, inhomogeneity in enumerate(fields):
            at = [(noise, inhomogeneity) for noise in levels]
            x = np.arange(len(levels)) + 0.2 * (k - (len(fields) - 1) / 2)
            style = {"ls": "", "ms": 4.5, "lw": 1.2, "capsize": 2, **look(k)}
            ax.errorbar(x, means.reindex(at), half.reindex(at), label=f"non-uniformity {inhomogeneity:g} %", **style)
        ax.axhline(0, color="0.3", lw=0.8, zorder=0)
        ax.set_title(f"consensus GE − {name}", loc="left")
    axes[-1].set_xticks(range(len(levels)), [f"{noise:g}" for noise in levels])
    axes[-1].set_xlabel("Noise (%)")
    label = "Difference of white matter accuracy, 95 % interval over slices\n(above 0: the consensus is ahead)"
    figure.supylabel(label, fontsize=8, ha="center")
    figure.suptitle(_provenance(rows), fontsize=8)
    legend_below(figure, axes[0], ncols=3)
    return figure


def _provenance(rows: pd.DataFrame) -> str:
    return f"{shown_name(rows['dataset'].iloc[0])}, {rows['source'].iloc[0]}"


def draw_region_maps(maps: Mapping[str, Mapping[str, np.ndarray]], combinations: Sequence[tuple[int, int]]) -> Figure:
    """Fig. 2 of the paper: image with the true outline of white matter, and the regions of each method."""
    figure, axes = plt.subplots(
        len(combinations), 1 + len(PAPER_METHODS), figsize=(8.4, 1.95 * len(combinations)), squeeze=False,
        layout="compressed",
    )  # fmt: skip
    for row, (noise, inhomogeneity) in zip(axes, combinations, strict=True):
        of_noise = next(array for name, array in maps.items() if name.endswith(f"_pn{noise}"))
        prefix = f"{inhomogeneity}/"
        arrays = {name.removeprefix(prefix): array for name, array in of_noise.items() if name.startswith(prefix)}
        brain = np.argwhere(arrays["truth"] >= 0)
        crop = tuple(slice(max(low - 4, 0), high + 5) for low, high in zip(brain.min(0), brain.max(0), strict=True))
        image, truth = arrays["image"][crop].T, arrays["truth"][crop].T
        row[0].imshow(image, cmap="gray", origin="lower")
        row[0].contour(truth == 1, levels=[0.5], colors=LINES[4], linewidths=0.5)
        row[0].set_ylabel(f"noise {noise} %\nnon-uniformity {inhomogeneity} %")
        for ax, (method, name) in zip(row[1:], PAPER_METHODS.items(), strict=True):
            regions = arrays[method][crop].T
            ax.imshow(np.ma.masked_less(regions, 0), cmap=REGIONS, vmin=0, vmax=1, origin="lower", interpolation="none")
            ax.contour(truth == 1, levels=[0.5], colors="black", linewidths=0.4)
            accuracy = np.mean(regions[truth >= 0] == truth[truth >= 0])
            ax.set_xlabel(f"accuracy {accuracy:.2f}", fontsize=7)
            if ax in axes[0]:
                ax.set_title(name)
    axes[0, 0].set_title("image, true outline")
    for ax in axes.flat:
        bare(ax)
    handles = [plt.Rectangle((0, 0), 1, 1, color=REGIONS(k), label=name) for k, name in enumerate(("grey", "white"))]
    figure.legend(handles=handles, title="matter", loc="outside right center")
    return figure


def draw_controls(metrics: pd.DataFrame) -> Figure:
    """Mean accuracy of the paper's methods and of all controls, by kind of objects."""
    rows = first_rows(metrics, "accuracy", "draw")
    names = with_added(METHODS, rows["method"])
    methods = [m for m in names if m in set(rows["method"])]
    n_added = len(names) - len(METHODS)
    figure, ax = plt.subplots(figsize=(6.2, 3.6 + 0.25 * n_added))
    for k, kind in enumerate(rows["objects"].unique()):
        per = rows[rows["objects"] == kind].groupby([*COMBINATION, "method"], as_index=False)["value"].mean()
        label = f"{shown_name(kind)} objects"
        draw_down(ax, per, methods, 0.16 * (2 * k - 1), capsize=2, label=label, **look(k))
    ax.axhline(len(PAPER_METHODS) - 0.5, color="0.6", lw=0.6, ls="--")
    mark_added([ax], len(methods), n_added)
    names_down(ax, [names[m] for m in methods])
    ax.set_xlabel("White matter accuracy (mean ± SD over the combinations)")
    ax.set_title(f"The paper's methods (above the line) and controls\n({_provenance(rows)})", fontsize=8)
    figure.tight_layout()
    legend_below(figure, ax, ncols=2)
    return figure


def draw_readings(metrics: pd.DataFrame) -> Figure:
    """Combinations in which the consensus is ahead, and mean accuracies with 95 % intervals, by grey levels."""
    table = readings_table(metrics)
    figure, (counts, means) = plt.subplots(1, 2, figsize=(7.8, 3.6))
    levels = sorted(table["grey levels"].unique())
    x = np.arange(len(levels))
    scores = metrics[metrics["metric"] == "accuracy"]
    per_slice = scores.pivot_table(index=["levels", "slice"], columns="method", values="value")

    def draw_means(method: str, shift: float, **style: object) -> None:
        values = [per_slice.loc[level, method].to_numpy() for level in levels]
        middles = np.array([value.mean() for value in values])
        # One slice has no interval.
        ends = np.array([mean_interval(value) if len(value) > 1 else (np.nan, np.nan) for value in values])
        means.errorbar(x + shift, middles, np.abs(ends.T - middles), elinewidth=0.7, capsize=1.5, **style)

    shown = [name for name in READINGS if method_of_reading(name) in per_slice]
    for k, reading in enumerate(shown):
        style = {"ms": 4, "lw": 1, "label": READINGS[reading], **look(k)}
        # Apart, since two readings may win in all combinations.
        counts.plot(x + 0.06 * (k - 1.5), table[table["theta"] == READINGS[reading]]["highest"], **style)
        draw_means(method_of_reading(reading), 0.06 * (k - 3), **style)
    for k, method in enumerate(BASELINES):
        style = {"ls": ("--", ":", "-.")[k], "lw": 1, "color": "0.4", "label": PAPER_METHODS[method]}
        draw_means(method, 0.06 * (k + 1), **style)
    counts.set_ylim(-0.5, table["combinations"].max() + 0.5)
    counts.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 3, 5, 6, 10]))
    counts.set_ylabel(f"Combinations (of {table['combinations'].max()}) in which consensus GE is highest")
    means.set_ylabel("White matter accuracy\n(95 % interval over slices)")
    cut_to_range(means, 0, 1)
    for ax in (counts, means):
        ax.set_xticks(x, levels)
        ax.set_xlabel("Grey levels")
    figure.suptitle(_provenance(metrics), fontsize=8)
    figure.tight_layout()
    handles, names = means.get_legend_handles_labels()
    n = len(shown)
    for part, left, title in ((slice(n), 0.3, "consensus GE, theta"), (slice(n, None), 0.78, "")):
        place = {"loc": "upper center", "bbox_to_anchor": (left, 0.0), "ncols": 2 if title else 3}
        figure.legend(handles[part], names[part], title=title, title_fontsize=7, fontsize=7, **place)
    return figure


def draw_calibration(picks: pd.DataFrame) -> Figure:
    """Accuracy of every option of every choice on the calibration slices; a star on the option picked."""
    # Open, since features and MDS are nearly equal.
    styles = {method: {**look(k), "mfc": "none"} for k, method in enumerate(PAPER_METHODS)}
    return draw_choices(picks, styles, PAPER_METHODS, "White matter accuracy on the calibration slices")


def draw_estimators(metrics: pd.DataFrame) -> Figure:
    """Difference of median and mean per combination, with 95 % intervals over slices."""
    rows = main_scores(metrics)
    thetas, levels, fields = (sorted(rows[name].unique()) for name in ("theta", "noise", "inhomogeneity"))
    figure, axes = plt.subplots(1, len(thetas), figsize=(7.6, 3.0), sharey=True, squeeze=False)
    for ax, theta in zip(axes[0], thetas, strict=True):
        wide = rows[rows["theta"] == theta].pivot_table(index=[*COMBINATION, "slice"], columns="method", values="value")
        grouped = (wide["median"] - wide["mean"]).groupby(level=COMBINATION)
        half = grouped.agg(_half_interval)
        for k, inhomogeneity in enumerate(fields):
            means = grouped.mean().xs(inhomogeneity, level="inhomogeneity")
            errors = half.xs(inhomogeneity, level="inhomogeneity")
            ax.errorbar(
                means.index + 0.12 * (k - (len(fields) - 1) / 2), means, errors, ms=4, lw=1, capsize=2,
                label=f"non-uniformity {inhomogeneity:g} %", **look(k),
            )  # fmt: skip
        for limit in (-MARGIN, MARGIN):
            ax.axhline(limit, color="0.6", lw=0.7, ls="--")
        ax.axhline(0, color="0.3", lw=0.6)
        ax.set_xticks(levels)
        ax.set_xlabel("Noise (%)")
        ax.set_title(f"θ = {theta:g} × max")
    axes[0, 0].set_ylabel("Accuracy, median − mean\n(95 % interval over slices)")
    axes[0, -1].legend(fontsize=7)
    figure.tight_layout()
    return figure


def _half_interval(values: pd.Series) -> float:
    """Half the 95 % interval of a mean, as in the table; NaN for a single value."""
    values = values.dropna()
    return np.diff(mean_interval(values)).item() / 2 if len(values) > 1 else np.nan


def draw_sensitivity(metrics: pd.DataFrame) -> Figure:
    """Accuracy against the threshold, and against the number of embeddings combined."""
    accuracy = of_images(metrics)
    if accuracy.empty:
        return without("images")
    accuracy = accuracy[accuracy["metric"] == "accuracy"]
    alone = accuracy[accuracy["method"] == "graph_embedding"].groupby("noise")["value"].mean()
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.0), sharey=True)
    for ax, (method, column) in zip(axes, (("consensus", "theta"), ("consensus_of_k", "n_selected")), strict=True):
        for k, noise in enumerate(sorted(accuracy["noise"].unique())):
            rows = accuracy[(accuracy["method"] == method) & (accuracy["noise"] == noise)]
            means = rows.groupby([column, "repetition"])["value"].mean().reset_index()
            draw_means(ax, means, column, label=f"noise {noise:g} %", **look(k))
            ax.axhline(alone[noise], color=LINES[k], lw=0.8, ls=":")
    axes[0].set_xlabel("Threshold θ (share of the largest strength)")
    axes[0].set_ylabel("White matter accuracy\n(mean ± SD over repetitions)")
    axes[0].set_title("Selection with labels")
    log_ticks(axes[1], sorted(accuracy["n_selected"].dropna().unique()))
    axes[1].set_xlabel("Random embeddings combined, K")
    axes[1].set_title("No selection")
    axes[1].plot([], [], color="0.4", lw=0.8, ls=":", label="GE of all features")
    axes[1].legend(fontsize=7)
    figure.tight_layout()
    return figure


def draw_dimension(metrics: pd.DataFrame) -> Figure:
    """Estimated dimension against noise, of pixels and of objects; then, if there are any, of sets of genes."""
    genes = metrics[metrics["space"] == "genes"]
    panels = 3 if len(genes) else 2
    figure, axes = plt.subplots(1, panels, figsize=(7.6 if len(genes) else 6.6, 2.8))
    axes[1].sharey(axes[0])
    for ax, space in zip(axes[:2], ("pixels", "objects"), strict=True):
        rows = metrics[metrics["space"] == space]
        for k, inhomogeneity in enumerate(sorted(rows["inhomogeneity"].unique())):
            here = rows[rows["inhomogeneity"] == inhomogeneity]
            draw_means(ax, here, "noise", label=f"non-uniformity {inhomogeneity:g} %", **look(k))
        ax.axhline(3, color="0.4", lw=0.8, ls="--")
        ax.set_xlabel("Noise (%)")
        ax.set_title(f"Texture space of the {space}")
    axes[0].set_ylabel("Intrinsic dimension\n(mean ± SD of slices; dashed: paper)")
    axes[0].set_ylim(0)
    axes[1].legend(fontsize=7)
    if len(genes):
        axes[2].plot(range(len(genes)), genes["value"], ls="", marker="o", ms=5, color=LINES[0])
        axes[2].axhline(4, color="0.4", lw=0.8, ls="--")
        axes[2].set_xticks(range(len(genes)), genes["dataset"], rotation=30)
        axes[2].set_xlim(-0.5, len(genes) - 0.5)
        axes[2].set_ylim(0)
        axes[2].set_ylabel("Intrinsic dimension")
        axes[2].set_title("Space of the chosen genes")
    figure.tight_layout()
    return figure


def draw_real_slices(metrics: pd.DataFrame, slices: Mapping[str, np.ndarray]) -> Figure:
    """Real slice, its re-simulation, and the accuracy of every method on both."""
    z = min(int(name.split("/")[1]) for name in slices)
    figure, axes = plt.subplots(1, 3, figsize=(8.8, 3.2), width_ratios=[1, 1, 1.15], layout="compressed")
    inside = slices[f"labels/{z}"] > 0
    limits = np.percentile(slices[f"original/{z}"][inside], [1, 99.5])
    for ax, source, name in zip(axes, ("original", "simulated"), ("real", "simulated here"), strict=False):
        ax.imshow(slices[f"{source}/{z}"].T, cmap="gray", origin="lower", vmin=limits[0], vmax=limits[1])
        ax.set_title(f"{name} (z = {z}, 3 %, 20 %)")
        ax.axis("off")
    rows = metrics[metrics["metric"] == "accuracy"]
    methods = [m for m in METHODS if m in set(rows["method"])]
    for k, (source, label) in enumerate((("original", "real"), ("simulated", "simulated"))):
        here = rows[rows["source"] == source]
        draw_down(axes[2], here, methods, 0.16 * (2 * k - 1), capsize=2, label=label, **look(k))
    names_down(axes[2], [METHODS[m] for m in methods], fontsize=7)
    axes[2].yaxis.tick_right()
    axes[2].set_xlabel("White matter accuracy (mean ± SD of slices)")
    axes[2].legend(fontsize=7)
    return figure


def draw_runtime(metrics: pd.DataFrame) -> Figure:
    """Seconds of each step of ConsEmbedMS on a complete slice."""
    rows = metrics[(metrics["n_objects"] != metrics["n_pixels"]) & (metrics["metric"] == "seconds")]
    steps = [step for step in rows["method"].unique() if step != "total"]
    figure, ax = plt.subplots(figsize=(5.2, 2.4))
    scores = rows.groupby("method")["value"].agg(["mean", "std"]).loc[steps]
    names = {"create": "CreateEmbed", "select": "SelEmbed", "combine": "CalcConsEmbed", "subsampling": "mean shift"}
    ax.barh(range(len(steps)), scores["mean"], xerr=scores["std"], color=LINES[0], height=0.6, capsize=2)
    ax.set_yticks(range(len(steps)), [names.get(step, step) for step in steps])
    ax.invert_yaxis()
    total = rows[rows["method"] == "total"]["value"].mean()
    ax.set_xlabel("Seconds (mean ± SD over repetitions)")
    ax.set_title(f"ConsEmbedMS on {int(rows['n_pixels'].iloc[0])} pixels: {total:.2f} s (paper: 119 s)")
    figure.tight_layout()
    return figure


def draw_detection(metrics: pd.DataFrame) -> Figure:
    """Fig. 5 of the paper on the simulated prostate: scores against the contrast of the lesions."""
    scores = ["accuracy", "sensitivity", "specificity", "balanced_accuracy"]
    figure, axes = plt.subplots(1, len(scores), figsize=(9.2, 2.8), sharey=True)
    rows = metrics[metrics["scheme"] == "slice"]
    # Further readings of theta are in the table.
    contrasts = sorted(rows["contrast"].unique())
    drawn = {method: name for method, name in DETECTORS.items() if method not in SELECTED | BY_MEAN}
    styles = looks(drawn, list(PAPER_METHODS))
    for ax, score in zip(axes, scores, strict=True):
        for k, (method, name) in enumerate(drawn.items()):
            here = rows[(rows["metric"] == score) & (rows["method"] == method)]
            # Apart, since several are equal where nothing is found.
            here = here.assign(place=here["contrast"].map(contrasts.index) + 0.09 * (k - 0.5 * (len(drawn) - 1)))
            draw_means(ax, here, "place", "sem", lw=1.1, label=name, **styles[method])
        ax.set_xticks(range(len(contrasts)), [f"{contrast:g}" for contrast in contrasts])
        ax.set_xlim(-0.5, len(contrasts) - 0.5)
        ax.set_xlabel("Lesion contrast")
        ax.set_title(score.replace("_", " "))
        ax.set_ylim(-0.03, 1.03)
    counts = rows.groupby("contrast")[["gland", "slice"]].apply(lambda at: len(at.drop_duplicates()))
    axes[0].set_ylabel(f"Mean ± standard error\nover {' or '.join(map(str, counts.unique()))} slices")
    figure.tight_layout()
    legend_below(figure, axes[0], ncols=3)
    return figure


def draw_detection_maps(maps: Mapping[str, np.ndarray]) -> Figure:
    """Fig. 4 of the paper on the simulated prostate: lesion outline and detected pixels."""
    columns = {
        "image": "image, true lesion",
        "graph_embedding": "GE",
        "consensus": "consensus GE",
        "consensus_strict": "consensus GE, strict",
    }
    rows = sorted(dict.fromkeys(name.rpartition("/")[0] for name in maps), key=lambda row: float(row.split("/")[0]))
    # The hardest and the easiest contrast show enough.
    ends = {rows[0].split("/")[0], rows[-1].split("/")[0]}
    rows = [row for row in rows if row.split("/")[0] in ends]
    figure, axes = plt.subplots(
        len(rows), len(columns), figsize=(6.6, 1.7 * len(rows)), squeeze=False, layout="compressed"
    )
    for line, row in zip(axes, rows, strict=True):
        contrast, gland = row.split("/")
        gland_at = np.argwhere(np.isfinite(maps[f"{row}/consensus"]))
        crop = tuple(
            slice(max(low - 3, 0), high + 4) for low, high in zip(gland_at.min(0), gland_at.max(0), strict=True)
        )
        lesion = (maps[f"{row}/lesion"] == 1)[crop]
        for ax, (key, title) in zip(line, columns.items(), strict=True):
            picture = maps[f"{row}/{key}"][crop]
            if key == "image":
                ax.imshow(picture, cmap="gray")
            else:
                ax.imshow(picture, cmap=REGIONS, vmin=0, vmax=1, interpolation="none")
            ax.contour(lesion, levels=[0.5], colors=LINES[4] if key == "image" else "black", linewidths=0.7)
            bare(ax)
            if row == rows[0]:
                ax.set_title(title)
        line[0].set_ylabel(f"contrast {contrast}\ngland {int(gland) + 1}")
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=REGIONS(k), label=name) for k, name in enumerate(("other", "detected"))
    ]
    figure.legend(handles=handles, loc="outside right center")
    return figure


def draw_own_regions(
    slices: Sequence[ImageSlice], maps: Sequence[np.ndarray], sizes: Sequence[float] = (1.0, 1.0)
) -> Figure:
    """Slices and their region maps, at most six of them, spread evenly; `sizes` of a pixel along axes 0 and 1."""
    shown = np.unique(np.linspace(0, len(slices) - 1, min(6, len(slices))).astype(int))
    figure, axes = plt.subplots(
        2, len(shown), figsize=(2.6 * len(shown) + 0.6, 5.0), squeeze=False, layout="compressed"
    )
    n_regions = max(int(drawn.max()) for drawn in maps)
    # The last colour is black, as the outline is. Regions are in the order of their intensity.
    scale = plt.get_cmap("viridis")(np.linspace(0.1, 1, n_regions))
    colours = ListedColormap(LINES[:n_regions] if n_regions < len(LINES) else scale)
    shape = {"origin": "lower", "aspect": sizes[1] / sizes[0] if all(sizes) else 1.0}
    for column, k in zip(axes.T, shown, strict=True):
        image_slice = slices[k]
        inside = np.ma.masked_array(image_slice.image, ~image_slice.mask)
        column[0].imshow(inside.T, cmap="gray", **shape)
        column[0].set_title(image_slice.name)
        regions = np.ma.masked_less(maps[k], 1)
        column[1].imshow(regions.T, cmap=colours, vmin=1, vmax=n_regions, interpolation="none", **shape)
        if image_slice.labels is not None:
            for ax in column:
                ax.contour((image_slice.labels > 0).T, levels=[0.5], colors="black", linewidths=0.4)
    for ax in axes.flat:
        ax.axis("off")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours(k), label=str(k + 1)) for k in range(n_regions)]
    figure.legend(handles=handles, title="region", loc="outside right center")
    return figure
