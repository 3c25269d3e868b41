"""Figures of prostate spectra that show voxels and spectra: maps, typical spectra, and components of clusters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure, SubFigure

from replication.papers.tiwari2008.spectra_maps import maps_of
from replication.papers.tiwari2008.spectra_metrics import TRUTHS, VOXELS, per_study
from replication.shared.figures import LINES, legend_below, panel_grid, without
from replication.shared.metric_values import sources

# Called cancer, and the other two clusters; voxels below a threshold are grey.
_CLUSTERS = ListedColormap(["#D55E00", "#56B4E9", "#F0E442", "#BBBBBB"])
# The panels of the paper's Fig. 2.
_MAPS = {
    "lle_5": "(a) LLE, κ = 5",
    "lle_7": "(b) LLE, κ = 7",
    "c_lle": "(c) C-LLE",
    "peak_integration": "(d) peak integration",
    "z_score": "(e) z-score",
    "pca": "(f) PCA",
}
_TISSUES = {"cancer": "cancer", "benign": "benign peripheral zone", "other": "other tissue"}
# Chemical shifts in ppm, and where the names are: neighbours a little apart.
_METABOLITES = {
    "choline": (3.21, 3.25),
    "polyamines": (3.11, 3.115),
    "creatine": (3.02, 2.98),
    "citrate": (2.6, 2.6),
}
# Room for their names above a panel, in points.
_ROOM = 44


def draw_maps(pictures: Mapping[str, np.ndarray], metrics: pd.DataFrame) -> Figure:
    """Fig. 2 of the paper: what each method calls cancer on one axial plane of each study that has maps."""
    studies = maps_of(pictures)
    extents = [np.ptp(maps["positions"], axis=0) + 1 for maps in studies.values()]
    heights = [0.7 + 2 * (0.4 + 2.2 * extent[1] / extent[0]) for extent in extents]
    figure = plt.figure(figsize=(7.2, sum(heights)), layout="constrained")
    parts = figure.subfigures(len(studies), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, (study, maps) in zip(parts, studies.items(), strict=True):
        _draw_study(part, study, sources(metrics), maps)
    return figure


def _draw_study(figure: SubFigure, study: str, source: str, maps: Mapping[str, np.ndarray]) -> None:
    positions = maps["positions"]
    marks = {name: maps[f"label_{name}"].astype(bool) for name in TRUTHS if f"label_{name}" in maps}
    weight = next((mark for mark in reversed(marks.values()) if mark.any()), np.ones(len(positions), dtype=bool))
    planes, sizes = np.unique(positions[weight, 2], return_counts=True)
    z = planes[sizes.argmax()]
    on = positions[:, 2] == z
    low, high = positions.min(axis=0), positions.max(axis=0)
    shape = (high[1] - low[1] + 1, high[0] - low[0] + 1)
    for ax, (method, name) in zip(figure.subplots(2, 3).flat, _MAPS.items(), strict=True):
        _draw_map(ax, maps, method, lambda values: _grid((positions - low)[on], values[on], shape))
        if "box" in marks:
            _outline(ax, _grid((positions - low)[on], marks["box"][on], shape) == 1, color="black", lw=1.8)
        if "voxels" in marks:
            x, y = (positions - low)[on & marks["voxels"], :2].T
            ax.plot(x, y, ls="", marker="o", ms=3.2, mfc="white", mec="black", mew=0.7)
        ax.set_title(f"{name}{_map_scores(maps, method)}", fontsize=8)
        ax.set(xticks=[], yticks=[], aspect="equal", xlim=(-0.7, shape[1] - 0.3), ylim=(shape[0] - 0.3, -0.7))
        ax.spines[:].set_visible(False)
    figure.suptitle(f"{study}, plane z = {z} ({source}); anterior above, patient's right on the left", fontsize=8)
    _explain_maps(figure, marks)


def _explain_maps(figure: SubFigure, marks: Mapping[str, np.ndarray]) -> None:
    """Legend of the maps."""
    handles = {
        name: plt.Rectangle((0, 0), 1, 1, color=_CLUSTERS(c))
        for c, name in enumerate(("called cancer", "second cluster", "third cluster", "not called"))
    }
    if "box" in marks:
        handles["box"] = plt.Line2D([], [], color="black", lw=1.8)
    if "voxels" in marks:
        handles["cancer voxel"] = plt.Line2D([], [], ls="", marker="o", ms=4, mfc="white", mec="black")
    figure.legend(handles.values(), handles.keys(), fontsize=7, loc="outside lower center", ncols=6)


def _grid(positions: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Values of voxels on their plane, rows from anterior to posterior; NaN where there is no voxel."""
    plane = np.full(shape, np.nan)
    plane[positions[:, 1], positions[:, 0]] = values
    return plane


def _outline(ax: plt.Axes, inside: np.ndarray, **style: object) -> None:
    """Edges between the cells of a plane that are inside and those that are not."""
    padded = np.pad(inside, 1)
    for axis in (0, 1):
        for row, column in np.argwhere(np.diff(padded.astype(int), axis=axis) != 0):
            if axis == 0:
                ax.plot([column - 1.5, column - 0.5], [row - 0.5] * 2, **style)
            else:
                ax.plot([column - 0.5] * 2, [row - 1.5, row - 0.5], **style)


def _draw_map(ax: plt.Axes, maps: Mapping, method: str, plane: Callable[[np.ndarray], np.ndarray]) -> None:
    """Clusters of a method, or its calls, as squares."""
    if f"clusters_{method}" in maps:
        shown = plane(np.minimum(maps[f"clusters_{method}"], 2))
    elif f"calls_{method}" in maps:
        shown = plane(np.where(maps[f"calls_{method}"], 0, 3))
    else:
        # The outline of the box may pass there, and is drawn below the words.
        style = {"ha": "center", "va": "center", "transform": ax.transAxes, "zorder": 3}
        ax.text(0.5, 0.9, "no call", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}, **style)
        return
    x, y = np.arange(shown.shape[1] + 1) - 0.5, np.arange(shown.shape[0] + 1) - 0.5
    ax.pcolormesh(x, y, np.ma.masked_invalid(shown), cmap=_CLUSTERS, vmin=0, vmax=3, edgecolors="white", lw=0.4)


def _map_scores(maps: Mapping, method: str) -> str:
    """Sensitivity and specificity in the complete study, against the voxels."""
    if f"calls_{method}" not in maps or "label_voxels" not in maps:
        return ""
    called, truth = maps[f"calls_{method}"].astype(bool), maps["label_voxels"].astype(bool)
    if not truth.any() or truth.all():
        return ""
    return f"\nsensitivity {100 * called[truth].mean():.0f} %, specificity {100 * (~called[~truth]).mean():.0f} %"


def draw_typical(pictures: Mapping[str, np.ndarray], metrics: pd.DataFrame) -> Figure:
    """Spectra of the training studies' voxels by tissue."""
    tissues = [tissue for tissue in _TISSUES if f"mean_{tissue}" in pictures]
    if not tissues:
        return without("voxels of known tissue")
    figure, axes = panel_grid(1, len(tissues), (0.4 + 2.27 * len(tissues), 2.8), sharex=True, sharey=True)
    ppm = pictures["ppm"]
    for ax, tissue in zip(axes[0], tissues, strict=True):
        mean, sd = pictures[f"mean_{tissue}"], pictures[f"sd_{tissue}"]
        ax.fill_between(ppm, mean - sd, mean + sd, color=LINES[5], alpha=0.45, lw=0, label="± SD over voxels")
        ax.plot(ppm, pictures[f"typical_{tissue}"], color=LINES[1], lw=0.8, label="one voxel")
        ax.plot(ppm, mean, color=LINES[0], lw=1.4, label="mean over voxels")
        _ppm_axis(ax, ppm, names=True)
        ax.set_title(_TISSUES[tissue], fontsize=8, pad=_ROOM)
        ax.set_xlabel("Chemical shift (ppm)")
    axes[0, 0].set_ylabel("Signal (au)")
    figure.suptitle(f"Voxels of the training studies ({sources(metrics)})", fontsize=8)
    legend_below(figure, axes[0, 0], ncols=3)
    return figure


def _ppm_axis(ax: plt.Axes, ppm: np.ndarray, names: bool) -> None:
    """Chemical shift falls to the right; metabolites are marked, and named above."""
    ax.set_xlim(ppm.max(), ppm.min())
    for name, (shift, place) in _METABOLITES.items():
        if ppm.min() < shift < ppm.max():
            ax.axvline(shift, color="0.6", lw=0.6, ls=":", zorder=0)
            if names:
                where = {"transform": ax.get_xaxis_transform(), "rotation": 90, "ha": "center", "va": "bottom"}
                ax.text(place, 1.03, name, fontsize=6.5, **where)
    ax.set_yticks([])


def draw_components(metrics: pd.DataFrame, pictures: Mapping[str, np.ndarray]) -> Figure:
    """Fig. 2(g)-(i) of the paper: reference spectrum and components of the clusters, and correlations per study."""
    wide = per_study(metrics, "correlation")
    if not len(wide):
        return without("reference spectrum")
    figure = plt.figure(figsize=(7.2, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.15, 1])
    reference = pictures["reference"]
    of_own = " (or boxes)" if sources(metrics) == "own" else ""
    panels = {
        "reference": (f"mean of the training studies' cancer voxels{of_own}", "black"),
        "ic_c_lle": ("component of C-LLE's cancer cluster", LINES[0]),
        "ic_pca": ("component of PCA's cancer cluster", LINES[1]),
    }
    axes = left.subplots(3, 1, sharex=True)
    for k, (ax, (name, (title, colour))) in enumerate(zip(axes, panels.items(), strict=True)):
        ax.plot(pictures["ppm"], pictures[name], color=colour, lw=1.1)
        if name != "reference":
            title += f", correlation {abs(np.corrcoef(pictures[name], reference)[0, 1]):.2f}"
        _ppm_axis(ax, pictures["ppm"], names=k == 0)
        ax.set_title(f"({'ghi'[k]}) {title}", fontsize=8, loc="left", pad=_ROOM if k == 0 else None)
        ax.set_ylabel("Signal (au)")
    axes[-1].set_xlabel("Chemical shift (ppm)")
    left.suptitle(f"{pictures['study']} ({sources(metrics)})", fontsize=8)
    right.suptitle(f"All {sources(metrics)} studies (grey: each; mean ± SD)", fontsize=8)
    _draw_correlations(right.subplots(), wide)
    return figure


def _draw_correlations(ax: plt.Axes, wide: pd.DataFrame) -> None:
    """Correlation by kind of voxels: a line per study, and mean ± SD."""
    shown = [name for name in VOXELS if name in wide]
    x = np.arange(len(shown))
    ax.plot(x, wide[shown].T, color="0.75", lw=0.6, marker="o", ms=2)
    ax.errorbar(x + 0.1, wide[shown].mean(), wide[shown].std().fillna(0), ls="", marker="D", ms=5, capsize=2,
                color=LINES[0])  # fmt: skip
    ax.set_xticks(x, [textwrap.fill(VOXELS[name], 9) for name in shown], fontsize=7)
    ax.set_xlim(-0.4, len(shown) - 0.6)
    ax.set_ylabel("Correlation of the best component\nwith the spectrum of (g) (absolute)")
