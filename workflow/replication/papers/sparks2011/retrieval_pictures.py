"""Figures of out-of-sample embedding that show the objects: the Swiss roll, and what is retrieved."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.papers.sparks2011.retrieval_metrics import METHODS
from replication.shared.figures import LINES, shown_name, without
from replication.shared.metric_values import per_set, sources

_HALVES = (LINES[0], LINES[4])
_RIGHT, _WRONG = (LINES[2], "-", "✓"), (LINES[1], (0, (2, 1.2)), "✗")
_RETRIEVED = ("nm_ge", "ose_ssl", "dissimilarity")
# Micrometres.
_BAR = 50
# Panels of the roll: row and column.
_EMBEDDINGS = {"ge": (0, 1), "ssge": (0, 2), "nm_ge": (1, 1), "ose_ssl": (1, 2)}


def draw_roll(pictures: Mapping[str, np.ndarray], metrics: pd.DataFrame) -> Figure:
    """The Swiss roll, its plane, and four embeddings in their first two dimensions, coloured by label."""
    labels, training, known = pictures["labels"], pictures["training"].astype(bool), pictures["known"].astype(bool)
    figure = plt.figure(figsize=(5.2, 4.2), layout="constrained")
    grid = figure.add_gridspec(2, 3)
    x, height, z = pictures["X"].T
    roll = figure.add_subplot(grid[0, 0], projection="3d")
    colours = np.array(_HALVES)[labels]
    roll.scatter(x, height, z, c=colours, s=3, linewidths=0, depthshade=False, rasterized=True)
    roll.view_init(elev=12, azim=-70)
    roll.set_box_aspect(None, zoom=1.25)
    roll.set(xticks=[], yticks=[], zticks=[])
    roll.set_title("the roll", fontsize=8)
    plane = figure.add_subplot(grid[1, 0])
    _scatter(plane, pictures["position"], labels, training)
    plane.scatter(
        *pictures["position"][known].T, s=7, facecolors="none", edgecolors="black", linewidths=0.5, rasterized=True
    )
    plane.set_title("the roll, unrolled", fontsize=8)
    plane.set(xlabel="Length along the roll (its unit)", ylabel="Place across (its unit)")
    for method, at in _EMBEDDINGS.items():
        ax = figure.add_subplot(grid[at])
        places = pictures[method][:, :2]
        near = _near(places)
        embedded = training if method in ("nm_ge", "ose_ssl") else np.ones_like(training)
        _scatter(ax, places[near], labels[near], embedded[near])
        ax.set_title(METHODS[method] + ("" if near.all() else f" ({(~near).sum()} outside)"), fontsize=8)
        ax.set(xticks=[], yticks=[], xlabel="Dimension 1", ylabel="Dimension 2")
    shares = f"{100 * training.mean():.0f} % in training, {100 * known[training].mean():.0f} % of them labelled"
    figure.suptitle(f"{len(labels)} objects ({sources(metrics)}); {shares}", fontsize=8)
    _explain_roll(figure)
    return figure


def _near(places: np.ndarray) -> np.ndarray:
    """Whether an object is within ten median deviations of the median: a few far away leave no room for others."""
    deviations = np.abs(places - np.median(places, axis=0))
    return (deviations <= 10 * np.median(deviations, axis=0)).all(axis=1)


def _scatter(ax: plt.Axes, places: np.ndarray, labels: np.ndarray, embedded: np.ndarray) -> None:
    """Dots coloured by label; extrapolated objects are rings."""
    for label, colour in enumerate(_HALVES):
        x, y = places[(labels == label) & embedded].T
        ax.scatter(x, y, s=4, color=colour, linewidths=0, rasterized=True)
        x, y = places[(labels == label) & ~embedded].T
        ax.scatter(x, y, s=7, facecolors="none", edgecolors=colour, linewidths=0.5, alpha=0.7, rasterized=True)


def _explain_roll(figure: Figure) -> None:
    handles = [
        plt.Line2D([], [], ls="", marker="o", ms=4, color=colour, label=f"{name} half")
        for colour, name in zip(_HALVES, ("first", "second"), strict=True)
    ]
    for edge, inside, name in (
        ("0.3", "0.3", "embedded"),
        ("0.3", "none", "extrapolated"),
        ("black", "0.6", "label known (unrolled plane)"),
    ):
        handles.append(plt.Line2D([], [], ls="", marker="o", ms=4, mec=edge, mfc=inside, label=name))
    figure.legend(handles=handles, fontsize=7, loc="outside lower center", ncols=3)


def _centred(outline: np.ndarray) -> np.ndarray:
    """The middle of its bounding box at 0."""
    middle = [0.5 * (part.min() + part.max()) for part in (outline.real, outline.imag)]
    return outline - complex(*middle)


def draw_queries(pictures: Mapping[str, Mapping[str, np.ndarray]], metrics: pd.DataFrame) -> Figure:
    """Fig. 2 of the paper: a query of each data set, and the first items retrieved by each method."""
    shown = {name: of_set for name, of_set in pictures.items() if "query" in of_set}
    if not shown:
        return without("pictures of items (their names are in tables/queries_*.tsv)")
    source_of = {name: source for name, source, _ in per_set(metrics)}
    most = max(len(of_set["nm_ge_labels"]) for of_set in shown.values())
    figure = plt.figure(figsize=(0.8 * (1 + most), 3.6 * len(shown) + 0.2), layout="constrained")
    blocks = np.atleast_1d(figure.subfigures(len(shown), 1))
    for block, (name, of_set) in zip(blocks, shown.items(), strict=True):
        axes = block.subplots(len(_RETRIEVED), 1 + most)
        block.suptitle(f"{shown_name(name)} ({source_of[name]}): nearest first, from left to right", fontsize=9)
        for ax in axes.flat:
            ax.set_axis_off()
        outlines, label = str(of_set["kind"]) == "outlines", str(of_set["query_label"])
        _draw_item(axes[len(axes) // 2, 0], of_set["query"], outlines, label, None)
        axes[len(axes) // 2, 0].set_title("query", fontsize=8)
        for line, method in zip(axes[:, 1:], _RETRIEVED, strict=True):
            items, names = (of_set[f"{method}_{what}"] for what in ("items", "labels"))
            for ax, item, name in zip(line, items, names, strict=False):
                _draw_item(ax, item, outlines, str(name), str(name) == label)
            found = f"{METHODS[method]}: {sum(names == label)} of {len(names)} of its class"
            line[len(names) // 2].set_title(found, fontsize=8)
    _explain_queries(figure, any(str(of_set["kind"]) == "outlines" for of_set in shown.values()))
    return figure


def _draw_item(ax: plt.Axes, item: np.ndarray, outlines: bool, name: str, right: bool | None) -> None:
    """An outline or image, framed by whether it is of the query's class (None: the query itself)."""
    ax.set_axis_on()
    if outlines:
        outline = _centred(item)
        reach = 1.35 * np.abs([outline.real, outline.imag]).max()
        ax.fill(outline.real, outline.imag, fc="0.92", ec="black", lw=0.7)
        ax.set(xticks=[], yticks=[], aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach))
        # A scale bar at the lower right.
        ax.plot([0.92 * reach - _BAR, 0.92 * reach], [-0.86 * reach] * 2, color="black", lw=1.2, solid_capstyle="butt")
    else:
        ax.imshow(item, cmap="gray_r", vmin=0)
        ax.set(xticks=[], yticks=[])
    colour, style, sign = ("black", "-", "") if right is None else _RIGHT if right else _WRONG
    ax.spines[:].set(visible=True, color=colour, linestyle=style, linewidth=1.0 if right is None else 1.5)
    ax.spines[:].set_capstyle("butt")
    text = textwrap.fill(f"{sign} {name.replace('_', ' ')}".strip(), 14)
    ax.set_xlabel(text, fontsize=7, labelpad=1.5)


def _explain_queries(figure: Figure, outlines: bool) -> None:
    handles = [
        plt.Rectangle((0, 0), 1, 1, fc="none", ec=colour, ls=style, lw=1.5, label=f"{sign} {name}")
        for (colour, style, sign), name in ((_RIGHT, "class of the query"), (_WRONG, "another class"))
    ]
    if outlines:
        handles.append(plt.Line2D([], [], color="black", lw=1.2, label=f"{_BAR} µm (outlines fill their frames)"))
    figure.legend(handles=handles, fontsize=8, loc="outside lower center", ncols=3)
