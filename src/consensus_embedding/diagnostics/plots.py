"""
Pictures of a check of an embedding, each on axes of matplotlib, which this module alone needs.

Colours are safe for colour-blind eyes, and each category has a marker of its own.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from consensus_embedding.diagnostics.fidelity import METRICS
from consensus_embedding.diagnostics.page import label_counts, largest, on_picture
from consensus_embedding.diagnostics.summary import answer_sentences
from consensus_embedding.utils.colours import (
    FEW_LABELS,
    LINES,
    NUMBERED_LABELS,
    OTHER,
    STABILITY,
    STABILITY_MARKERS,
    look_of_label,
)
from consensus_embedding.utils.extras import missing_package

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise missing_package("A picture of a check", "matplotlib", "plots") from error

if TYPE_CHECKING:
    from consensus_embedding.diagnostics.embedding_check import EmbeddingCheck

# Labels in the pictures of groups and of pairs.
SHOWN_LABELS = 30
# Rows of a legend that a picture has room for.
_LEGEND_ROWS = 4
# Names of users may contain dollar signs, and are no formulas.
_TEXT: Any = {"parse_math": False}
_FIDELITY = {"single run": ("o", LINES[0]), "consensus distances": ("s", LINES[2]), "picture": ("D", LINES[1])}


def plot_points(
    check: EmbeddingCheck, color: str = "stability", ax: Axes | None = None, *, legend: bool = True
) -> Axes:
    """Draw the consensus picture, by "stability", by "label", or by the name of another column of `check.points`."""
    alone, ax = ax is None, _axes(ax, (4.2, 4.2))
    _draw_points(ax, check, check.consensus.embedding, color, legend)
    ax.set(xlabel="consensus 1", ylabel="consensus 2")
    if alone and legend:
        _make_room([ax], _handles(check, color))
    return ax


def plot_runs(
    check: EmbeddingCheck, n_runs: int = 6, color: str = "stability", axes: Sequence[Axes] | np.ndarray | None = None
) -> np.ndarray:
    """Draw the first runs side by side, each rotated, reflected and stretched onto the consensus picture."""
    n_runs, own = min(n_runs, len(check.embeddings)), axes is None
    if axes is None:
        columns = min(n_runs, 3)
        rows = -(-n_runs // columns)
        figure, axes = plt.subplots(rows, columns, figsize=(2.4 * columns, 2.5 * rows + 0.3), squeeze=False,
                                    layout="constrained")  # fmt: skip
        for ax in axes.ravel()[n_runs:]:
            figure.delaxes(ax)
    axes = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()[:n_runs]
    names = check.run_names or [f"run {k + 1}" for k in range(n_runs)]
    runs = [on_picture(run, check.consensus.embedding) for run in check.embeddings[:n_runs]]
    for name, places, ax in zip(names, runs, axes, strict=False):
        _draw_points(ax, check, places, color, legend=False)
        ax.set_title(short(name), fontsize=9, **_TEXT)
        # One scale for all.
        for run in runs:
            ax.update_datalim(run)
        ax.autoscale_view()
    handles = _handles(check, color)
    if handles and len(axes):
        _as_text(
            axes[0].figure.legend(
                handles=handles,
                loc="outside lower center",
                ncols=min(len(handles), _columns(handles, axes[0].figure.get_figwidth())),
                fontsize=7,
            )
        )
    if own:
        _make_room(axes, handles)
    return axes


def plot_label_groups(check: EmbeddingCheck, ax: Axes | None = None) -> Axes:
    """Draw the share of neighbours with the same label, worst label first."""
    _need_labels(check)
    groups = worst_groups(check).head(SHOWN_LABELS).iloc[::-1]
    ax = _axes(ax, (4.6, 0.9 + 0.17 * len(groups)))
    places = np.arange(len(groups))
    errors = [groups.same_label - groups.same_label_low, groups.same_label_high - groups.same_label]
    ax.errorbar(groups.same_label, places, xerr=np.maximum(errors, 0), fmt="o", color=LINES[0], markersize=3.5,
                elinewidth=1, capsize=2, label="mean over runs, interval")  # fmt: skip
    ax.plot(groups.chance, places, "|", color="black", markersize=7, label="shuffled labels")
    ax.set(
        xlim=(-0.02, 1.02), xlabel="share of nearest neighbours\nwith the same label", ylim=(-0.7, len(groups) - 0.3)
    )
    ax.set_yticks(
        places,
        [f"{short(label)} ({n})" for label, n in zip(groups.label, groups.n_points, strict=True)],
        fontsize=7,
        **_TEXT,
    )
    ax.legend(fontsize=6.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


def plot_label_pairs(check: EmbeddingCheck, ax: Axes | None = None) -> Axes:
    """Draw how much the distance between each pair of labels varies from run to run."""
    _need_labels(check)
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
    side = 2.4 + 0.17 * len(names)
    # Constrained alone cuts the labels beside a picture of equal units.
    ax = _axes(ax, (side + 0.8, side), "compressed")
    image = ax.imshow(values, cmap="cividis", vmin=0, vmax=1)
    for (column, row), mark in marks.items():
        light = values[row, column] > 0.6
        ax.text(column, row, mark, ha="center", va="center", fontsize=7, color="black" if light else "white")
    ax.set_xticks(range(len(names)), [short(name, 18) for name in names], rotation=90, fontsize=7, **_TEXT)
    ax.set_yticks(range(len(names)), [short(name, 18) for name in names], fontsize=7, **_TEXT)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, extend="max")
    bar.set_label("instability of\nthe distance\n(0 = the same\nin every run)", fontsize=7)
    bar.ax.tick_params(labelsize=7)
    ax.set_title("× unstable   ? uncertain   – a label is scattered", fontsize=7)
    return ax


def plot_convergence(check: EmbeddingCheck, ax: Axes | None = None) -> Axes:
    """Draw how far the consensus of few runs is from that of infinitely many, with the fit and the tolerance."""
    ax = _axes(ax, (4.2, 2.9))
    fit, curve = check.convergence, check.convergence.curve
    ax.fill_between(curve.n_runs, curve.distance_low, curve.distance_high, color=LINES[0], alpha=0.2, linewidth=0,
                    label="5 to 95% of the subsets")  # fmt: skip
    ax.plot(curve.n_runs, curve.distance, "o", color=LINES[0], markersize=3.5, label="measured (root mean square)")
    grid = np.geomspace(1, max(curve.n_runs.max(), len(check.embeddings)), 100)
    ax.plot(grid, fit.amplitude * grid**-fit.exponent, "--", color=LINES[1], linewidth=1,
            label=f"fit: {fit.amplitude:.2g} / runs to the power {fit.exponent:.2f}")  # fmt: skip
    ax.axhline(fit.tolerance, color="black", linewidth=0.8, linestyle=":", label=f"tolerance ({fit.tolerance:g})")
    if fit.n_enough is not None:
        runs = "1 run" if fit.n_enough == 1 else f"{fit.n_enough} runs"
        ax.axvline(fit.n_enough, color=LINES[2], linewidth=1, label=f"enough: {runs}")
    ax.set(xlabel="number of runs", ylabel="relative distance to the consensus\nof many runs", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=6.5)
    return ax


def plot_fidelity(check: EmbeddingCheck, ax: Axes | None = None) -> Axes:
    """Draw the agreement with the data of single runs, of the consensus distances and of the picture."""
    if check.fidelity is None:
        raise ValueError("The check has no fidelity; pass the data as X, next to the ready embeddings.")
    metrics = [name for name in METRICS if name in set(check.fidelity.metric)]
    ax = _axes(ax, (4.6, 2.6))
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
    return ax


def worst_groups(check: EmbeddingCheck) -> pd.DataFrame:
    """Groups whose points keep together least, first."""
    groups = check.label_groups
    return groups.iloc[np.argsort(groups.same_label.fillna(2.0), kind="stable")]


def short(label: object, most: int = 28) -> str:
    """Cut a label that is too long for a legend."""
    text = " ".join(str(label).split())
    # The ends differ more often than the middles.
    return text if len(text) <= most else f"{text[: most - most // 2 - 1]}…{text[-(most // 2) :]}"


def label_legend(check: EmbeddingCheck, column: str = "label") -> tuple[list[Line2D], bool]:
    """The entries of a legend of the labels, and whether these are few, so that no number leads to them."""
    counts, handles = label_counts(check, column), []
    shown, few = largest(counts, NUMBERED_LABELS), len(counts) <= FEW_LABELS
    for k, label in enumerate(shown):
        colour, marker = look_of_label(k, few)
        handles.append(_handle(marker, colour, short(label) if few else f"{k + 1}  {short(label)}"))
    others = [f"{len(counts) - len(shown)} more labels"] if len(counts) > len(shown) else []
    others += ["no label"] if check.points[column].isna().any() else []
    return [*handles, *([_handle("o", OTHER, " or ".join(others))] if others else [])], few


def _axes(
    ax: Axes | None, size: tuple[float, float], layout: Literal["constrained", "compressed"] = "constrained"
) -> Axes:
    return plt.subplots(figsize=size, layout=layout)[1] if ax is None else ax


def _need_labels(check: EmbeddingCheck) -> None:
    if not len(check.label_groups):
        raise ValueError("The check has no labels; pass them: check_embedding(..., labels=...).")


def _draw_points(ax: Axes, check: EmbeddingCheck, places: np.ndarray, color: str, legend: bool) -> None:
    """Points at some places, by a column of the check."""
    known = {"stability": "category"}
    column = known.get(color, color)
    if column not in check.points:
        raise ValueError(
            f"color must be stability or a column of the points ({', '.join(check.points)}), found {color!r}."
        )
    size = float(np.clip(6000 / len(places), 2.0, 22.0))
    x, y = places[:, 0], places[:, 1] if places.shape[1] > 1 else np.zeros(len(places))
    if column == "category":
        for category, marker in STABILITY_MARKERS.items():
            of = (check.points.category == category).to_numpy()
            cross = marker == "x"
            ax.scatter(x[of], y[of], s=size * (1.3 if cross else 1), c=STABILITY[category], marker=marker,
                       linewidths=0.8 if cross else 0.0)  # fmt: skip
    elif column in _labels(check):
        _draw_labels(ax, check, column, x, y, size)
    else:
        values = _numbers(check, column)
        there = np.isfinite(values)
        ax.scatter(x[~there], y[~there], s=size, c=OTHER, linewidths=0)
        image = ax.scatter(x[there], y[there], s=size, c=values[there], cmap="cividis", linewidths=0)
        if legend:
            ax.figure.colorbar(image, ax=ax, shrink=0.7).set_label(column.replace("_", " "), **_TEXT)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    handles = _handles(check, color) if legend else []
    if handles:
        columns = 3 if column == "category" else _columns(handles, 4.2)
        letters = 7 if column == "category" else 6.5
        place: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.08)}
        _as_text(
            ax.legend(handles=handles, **place, fontsize=letters, ncols=columns, handletextpad=0.2, columnspacing=0.8)
        )


def _columns(handles: list[Line2D], width: float) -> int:
    """How many columns of a legend fit into a figure as wide, in inches."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    return int(np.clip(14 * width // (longest + 5), 1, 5))


def _make_room(axes: Sequence[Axes] | np.ndarray, handles: list[Line2D]) -> None:
    """Make a figure so much higher that its pictures are no smaller for a long legend."""
    figure = axes[0].figure
    if not handles or not isinstance(figure, Figure):
        return
    rows = -(-len(handles) // _columns(handles, figure.get_figwidth()))
    if rows <= _LEGEND_ROWS:
        return
    figure.set_figheight(figure.get_figheight() + 0.13 * (rows - _LEGEND_ROWS))
    # The layout makes room step by step, and limits only grow on the way.
    limits = [(ax, ax.get_xlim(), ax.get_ylim()) for ax in axes]
    figure.draw_without_rendering()
    for ax, x, y in limits:
        ax.set_xlim(*x, auto=True)
        ax.set_ylim(*y, auto=True)


def _as_text(legend: Legend) -> None:
    """No entry of a legend is a formula."""
    for entry in legend.get_texts():
        entry.set(**_TEXT)


def _draw_labels(ax: Axes, check: EmbeddingCheck, column: str, x: np.ndarray, y: np.ndarray, size: float) -> None:
    labels, counts = check.points[column], label_counts(check, column)
    shown, few = largest(counts, NUMBERED_LABELS), len(counts) <= FEW_LABELS
    rest = ~check.points[column].isin(shown).to_numpy() if len(shown) else np.ones(len(x), dtype=bool)
    ax.scatter(x[rest], y[rest], s=size, c=OTHER, linewidths=0)
    for k, label in enumerate(shown):
        of = (labels == label).to_numpy(dtype=bool, na_value=False)
        colour, marker = look_of_label(k, few)
        ax.scatter(x[of], y[of], s=size, c=colour, marker=marker, linewidths=0)
        if not few:
            ax.text(np.median(x[of]), np.median(y[of]), str(k + 1), fontsize=7, fontweight="bold", ha="center",
                    va="center", bbox={"facecolor": "white", "alpha": 0.75, "pad": 0.6, "linewidth": 0})  # fmt: skip


def _labels(check: EmbeddingCheck) -> set[str]:
    """Columns of the points that name groups: the labels, and what is no number."""
    numbers = check.points.select_dtypes(["number", "bool"]).columns
    return {"label", *check.points.columns} - {"category"} - (set(numbers) - {"label"})


def _handles(check: EmbeddingCheck, color: str) -> list[Line2D]:
    if color in ("stability", "category"):
        counts = check.points.category.value_counts()
        return [
            _handle(marker, STABILITY[category], f"{category} ({counts.get(category, 0)})")
            for category, marker in STABILITY_MARKERS.items()
        ]
    if color in _labels(check):
        return label_legend(check, color)[0]
    missing = int((~np.isfinite(_numbers(check, color))).sum())
    return [_handle("o", OTHER, f"missing ({missing})")] if missing else []


def _numbers(check: EmbeddingCheck, column: str) -> np.ndarray:
    return pd.to_numeric(check.points[column]).to_numpy(float, na_value=np.nan)


def _handle(marker: str, colour: str, label: str) -> Line2D:
    return Line2D([], [], marker=marker, color=colour, linestyle="none", markersize=4, label=label)


def png(check: EmbeddingCheck, color: str) -> str:
    """The consensus picture as the address of a PNG file."""
    plot_points(check, color)
    figure, file = plt.gcf(), BytesIO()
    try:
        figure.savefig(file, format="png", dpi=110)
    finally:
        plt.close(figure)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"


def card(check: EmbeddingCheck) -> str:
    """The answer of a check and its picture as HTML."""
    picture = png(check, "stability")
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in answer_sentences(check))
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<img alt="Consensus picture, coloured by stability" src="{picture}" width="380">'
        f'<div style="max-width:30em">{sentences}</div></div>'
    )
