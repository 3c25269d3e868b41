"""Style of all figures, and what figures of several papers share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib
from matplotlib.container import ErrorbarContainer

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from consensus_embedding.utils import colours
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

from replication.shared.metric_values import is_picked, name_of

LINES, CLASSES = colours.LINES, colours.CLASSES
MARKERS = "osD^v<>"
STYLE = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.hashsalt": "consensus-embedding",
    # A name from outside may contain dollar signs; no text of ours is a formula.
    "text.parse_math": False,
}
# Inches of a figure across a printed page.
WIDTH = 7.2
# Inches of a row of a panel.
ROW = 0.15
# Names in titles and labels that differ from those in the tables.
_SHOWN = {
    "brainweb": "BrainWeb",
    "brainweb_resimulated": "BrainWeb anatomy",
    "icbm152": "ICBM 152",
    "icbm152_simulated": "ICBM 152",
    "k_means": "k-means",
    "mean_shift": "mean-shift",
    "swiss_roll": "Swiss roll",
    "umap": "UMAP",
}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class _PowersAsText(LogFormatterSciNotation):
    """Powers of ten as 10⁻⁴, where matplotlib writes a formula."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos).removeprefix("$\\mathdefault{").removesuffix("}$")
        return re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(_SUPERSCRIPTS), text).replace(r"\times", "×")


def styled() -> AbstractContextManager[None]:
    """The common style while figures are drawn; it leaves the style of the caller's own figures alone."""
    return plt.rc_context(STYLE)


def save_figure(figure: Figure, *paths: str | Path) -> None:
    """Write a figure to each path, in the format of its suffix, and close it."""
    with plt.rc_context(STYLE):
        for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
            if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
                axis.set_major_formatter(_PowersAsText())
            if isinstance(axis.get_minor_formatter(), LogFormatterSciNotation):
                axis.set_minor_formatter(_PowersAsText())
        # Laid out and measured once; `bbox_inches="tight"` would draw the figure once more for each file.
        dpi = STYLE["savefig.dpi"]
        figure.set_dpi(dpi)
        layout = figure.get_layout_engine()
        if layout is not None:
            layout.execute(figure)
            figure.set_layout_engine("none")
        box = figure.get_tightbbox().padded(plt.rcParams["savefig.pad_inches"])
        for path in paths:
            # Without the date in it, the same figure is the same file.
            dated = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(Path(path).suffix)
            figure.savefig(path, dpi=dpi, bbox_inches=box, metadata=dated)
    plt.close(figure)


def shown_name(name: str) -> str:
    """Name of a data set, of a kind of runs or of objects as a figure writes it."""
    return _SHOWN.get(name, name)


def without(what: str) -> Figure:
    """A figure that says what the data lack."""
    figure, ax = plt.subplots(figsize=(4.0, 0.8))
    ax.set_axis_off()
    ax.text(0.5, 0.5, f"The data have no {what}: nothing to draw.", ha="center", va="center", fontsize=9)
    return figure


def panel_grid(n_rows: int, n_columns: int, size: tuple[float, float], **options: object) -> tuple[Figure, np.ndarray]:
    """A figure with rows and columns of panels, also if there is one, laid out so that nothing overlaps."""
    return plt.subplots(n_rows, n_columns, figsize=size, squeeze=False, layout="constrained", **options)


def bare(ax: plt.Axes) -> None:
    """A panel with a picture, which has no coordinates to read."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def log_ticks(ax: plt.Axes, places: Sequence[float], **options: object) -> None:
    """A logarithmic x-axis that is marked at some numbers alone."""
    ax.set_xscale("log")
    ax.set_xticks(places, [f"{place:g}" for place in places], **options)
    ax.minorticks_off()


def legend_below(figure: Figure, *axes: plt.Axes, **options: object) -> None:
    """One legend below the figure, each entry once, means with error bars first."""
    entries = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    labels = sorted(entries, key=lambda label: not isinstance(entries[label], ErrorbarContainer))
    handles = [entries[label] for label in labels]
    figure.legend(handles, labels, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 0.0), **options)


def look(k: int) -> dict[str, str]:
    """Colour and marker of the k-th line."""
    return {"color": LINES[k], "marker": MARKERS[k]}


def looks(methods: Iterable[str], own: Sequence[str]) -> dict[str, dict[str, str]]:
    """Look of each method: those of the paper have the same in all its figures, others what these leave."""
    drawn, places = list(methods), {method: k for k, method in enumerate(own)}
    free = iter([*range(len(own), len(LINES)), *(k for method, k in places.items() if method not in drawn)])
    return {method: look(places[method] if method in places else next(free)) for method in drawn}


def draw_means(ax: plt.Axes, rows: pd.DataFrame, by: str, spread: str = "std", **style: object) -> None:
    """Mean of the values against a column, with a bar of one standard deviation, or error ("sem"), each way."""
    scores = rows.groupby(by)["value"].agg(["mean", spread])
    ax.errorbar(scores.index, scores["mean"], scores[spread], **{"ms": 4, "lw": 1.2, "capsize": 2, **style})


def draw_down(ax: plt.Axes, rows: pd.DataFrame, methods: Sequence[str], offset: float, **style: object) -> None:
    """Mean of the values of each method along x, with a bar of one standard deviation; a line each, as `names_down`."""
    scores = rows.groupby("method")["value"].agg(["mean", "std"]).reindex(methods)
    scores = scores.assign(y=np.arange(len(methods)) + offset).dropna(subset="mean")
    ax.errorbar(scores["mean"], scores["y"], xerr=scores["std"].fillna(0), **{"ls": "", "ms": 4, **style})


def names_down(ax: plt.Axes, names: Sequence[str], **options: object) -> None:
    """Names at the y-axis, the first above, and a thin line at each."""
    ax.set_yticks(range(len(names)), names, **options)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", lw=0.3)


def cut_to_range(ax: plt.Axes, low: float, high: float) -> None:
    """End the y-axis at what a score can be, beyond which bars of few values reach."""
    bottom, top = ax.get_ylim()
    margin = 0.02 * (high - low)
    ax.set_ylim(max(bottom, low - margin), min(top, high + margin))


def over_tables(tables: Iterable[pd.DataFrame], method: str, spread: str = "std") -> pd.DataFrame:
    """Mean and spread of the column of a method, a row per table; NaN where a table lacks it."""
    return pd.DataFrame([table.reindex(columns=[method])[method].agg(["mean", spread]) for table in tables])


def mark_added(axes: Iterable[plt.Axes], n_methods: int, n_added: int) -> None:
    """A dotted line below the project's own methods, above those that a configuration added, if any."""
    for ax in axes if n_added else ():
        ax.axhline(n_methods - n_added - 0.5, color="0.3", lw=0.8, ls=":")


def draw_choices(
    picks: pd.DataFrame,
    styles: Mapping[str, Mapping[str, object]],
    names: Mapping[str, str],
    score: str,
    unit: float = 1.0,
) -> Figure:
    """A calibration: a panel per choice, by its name, below one another; many of them in two columns."""
    styles = {method: style for method, style in styles.items() if method in picks}
    blocks = [(choice.replace("_", " "), rows) for choice, rows in picks.groupby("choice", sort=False)]
    columns, width, ncols = (1, 4.8, 3) if len(blocks) < 8 else (2, WIDTH, 5)
    # Choices side by side are as high as the longer one.
    heights = [max(len(rows) for _, rows in blocks[k : k + columns]) for k in range(0, len(blocks), columns)]
    figure, axes = panel_grid(
        len(heights),
        columns,
        (width, 0.9 + 0.32 * len(heights) + 0.2 * sum(heights)),
        sharex=True,
        height_ratios=[height + 0.4 for height in heights],
    )
    for ax, (title, rows) in zip(axes.flat, blocks, strict=False):
        y, mean, picked = np.arange(len(rows)), unit * rows["mean"], is_picked(rows).to_numpy()
        for method, style in styles.items():
            ax.plot(unit * rows[method], y, **{"ms": 4, **style, "ls": ""}, label=names[method])
        ax.plot(mean, y, ls="", marker="|", ms=11, mew=1.6, color="black", label="mean")
        ax.plot(mean[picked], y[picked], ls="", marker="*", ms=9, color="black", label="mean, picked")
        ax.set_yticks(y, [name_of(option).replace("_", " ") for option in rows["option"]], fontsize=7)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_title(title, fontsize=8, loc="left")
        ax.grid(axis="y", lw=0.3)
    for ax in axes.flat[len(blocks) :]:
        ax.remove()
        # The axis above takes over the numbers of the column.
        axes[-2, -1].tick_params(labelbottom=True)
    figure.supxlabel(score, fontsize=8)
    legend_below(figure, axes[0, 0], ncols=ncols)
    return figure
