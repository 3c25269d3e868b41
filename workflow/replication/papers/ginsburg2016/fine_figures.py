"""Figures of the experiments on FINE, derived from their tidy metrics."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter

from replication.papers.ginsburg2016.fine_metrics import (
    CLASSIFIERS,
    CONTROLS,
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    REDUCTIONS,
)
from replication.papers.ginsburg2016.fine_sets import (
    RANKED,
    SELECTORS,
    SUBSETS,
    FineSet,
    fine_sets,
    jaccard_at_five,
    variant_means,
)
from replication.shared.figures import (
    LINES,
    WIDTH,
    draw_choices,
    legend_below,
    names_down,
    panel_grid,
    without,
)
from replication.shared.metric_values import is_picked, name_of, per_set

# FINE filled, filters open; embedding vectors have the colour of their reduction.
COLOURS = dict(zip((*FINE, *FILTERS), (*(LINES[k] for k in (0, 5, 2, 3)), *(LINES[k] for k in (1, 4, 6))), strict=True))
COLOURS |= {"variance": "0.35", "random": "0.6", "permutation": "0.35"}
COLOURS |= {f"embedding_{key}": COLOURS[f"fine_{key}"] for key in REDUCTIONS}
_FAMILIES = {
    "FINE": (FINE, {"color": LINES[0], "marker": "o"}),
    "filters": (FILTERS, {"color": LINES[1], "marker": "s"}),
    "controls": (CONTROLS, {"color": "0.4", "marker": "D"}),
}
_VECTORS = {"color": LINES[2], "marker": "^", "mfc": "white"}
_PLACES = {name: y for y, name in enumerate(SUBSETS)}
# Forests are scored in a few of the rounds.
_SCORED = [name for name in CLASSIFIERS if name != "random_forest"]
_LINE_MARKERS = dict(zip(RANKED, ("o", "s", "^", "D", "v", "P", "X", "x", ".", "*"), strict=True))
_CHANCE = {"color": "0.6", "lw": 0.8, "ls": ":", "zorder": 0}


def face(method: str) -> str:
    """Colour inside a marker: filters are open."""
    return "white" if method in FILTERS else COLOURS[method]


def line_style(method: str) -> dict:
    """Line and marker of a ranking: FINE solid, filters dashed and open, controls dotted, permutation dash-dotted."""
    dashes = "-" if method in FINE else "--" if method in FILTERS else "-." if method == "permutation" else ":"
    return {"color": COLOURS[method], "marker": _LINE_MARKERS[method], "mfc": face(method), "ls": dashes}


def draw_panels(metrics: pd.DataFrame) -> Figure:
    """Figs. 3 and 4 of the paper: Jaccard index and AUC at five features, a row per data set, a line per method."""
    sets = list(fine_sets(metrics))
    figure, axes = panel_grid(len(sets), 2, (4.8, 0.7 + 1.75 * len(sets)), sharex="col", sharey=True)
    for (left, right), fine_set in zip(axes, sets, strict=True):
        stable, area = jaccard_at_five(fine_set), fine_set.per_unit("auc", classifiers=_SCORED)
        for family, (methods, style) in _FAMILIES.items():
            names = [name for name in methods if name in stable.index]
            bars = np.hstack([np.empty((2, 0)), *(_interval(stable, name)[1] for name in names)])
            places = [_PLACES[name] for name in names]
            left.errorbar(stable["mean"][names], places, xerr=bars, ls="", ms=4.5, lw=1.1, label=family, **style)
            _draw_areas(right, area, dict(zip(names, places, strict=True)), **style)
        vectors = {f"embedding_{key}": _PLACES[f"fine_{key}"] + 0.25 for key in REDUCTIONS}
        _draw_areas(right, area, vectors, label="embedding vectors of the reduction", **_VECTORS)
        chance = fine_set.per_unit("jaccard_chance")
        if chance.size:
            left.axvline(chance.mean().mean(), **_CHANCE)
        right.axvline(0.5, **_CHANCE)
        left.plot([], [], **_CHANCE, label="chance")
        left.set_title(fine_set.title, loc="left")
        for ax in (left, right):
            ax.grid(axis="y", lw=0.3)
    axes[0, 0].set_yticks(range(len(_PLACES)), [SUBSETS[name] for name in _PLACES])
    axes[0, 0].set_ylim(len(_PLACES) - 0.4, -0.6)
    axes[0, 0].set_xlim(-0.03, 1.03)
    by_cohort = all(fine_set.by_cohort for fine_set in sets)
    bars = "± SD over cohorts" if by_cohort else "bars: 95 % interval of the jackknife"
    axes[-1, 0].set_xlabel(f"Jaccard index of the top {MARKED}\n({bars})")
    axes[-1, 1].set_xlabel(f"AUC, mean of LR and SVM\n(± SD over {'cohorts' if by_cohort else 'rounds'})")
    legend_below(figure, axes[0, 0], axes[0, 1], ncols=3)
    return figure


def _draw_areas(ax: plt.Axes, area: pd.DataFrame, places: Mapping[str, float], **style: object) -> None:
    """Mean ± SD over units of each method, at its place."""
    names = [name for name in places if name in area]
    spread = np.nan_to_num(area[names].std())
    ax.errorbar(area[names].mean(), [places[name] for name in names], xerr=spread, ls="", ms=4.5, lw=1.1, **style)


def _interval(stable: pd.DataFrame, method: str) -> tuple[float, np.ndarray]:
    """Mean, and bars of shape (2, 1) below and above it; none where there is no interval."""
    mean, low, high = stable.loc[method]
    return mean, np.nan_to_num([[mean - low], [high - mean]]).clip(0)


def draw_substitute(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """Area under the ROC curve of the filters on each public set against the noise, a panel a private study."""
    studies, sets = list(picks["study"].unique()), list(picks["features"].unique())
    styles = {name: {"color": LINES[k], "marker": "osD^v"[k % 5]} for k, name in enumerate(sets)}
    per_cohort = metrics.groupby(["dataset", "features", "noise", "cohort"])["value"].mean()
    spread = per_cohort.groupby(level=["dataset", "features", "noise"]).std().fillna(0)
    figure, axes = panel_grid(1, len(studies), (0.6 + 2.2 * len(studies), 2.7), sharey=True)
    for ax, study in zip(axes[0], studies, strict=True):
        rows = picks[picks["study"] == study]
        for name, line in rows.groupby("features", sort=False):
            bars = [spread[study, name, noise] for noise in line["noise"]]
            ax.errorbar(
                line["noise"], line["reached"], yerr=bars, ms=4, lw=1, elinewidth=0.6, label=name, **styles[name]
            )
        ax.axhline(rows["printed"].iloc[0], color="0.3", lw=1.2, ls="--", label="printed in the paper")
        chosen = rows[is_picked(rows)].iloc[0]
        colour = styles[chosen["features"]]["color"]
        ax.plot(
            chosen["noise"], chosen["reached"], ls="", marker="*", ms=13, color=colour, mec="black", mew=0.5, zorder=5
        )
        ax.axhline(0.5, **_CHANCE, label="chance")
        ax.plot([], [], ls="", marker="*", ms=10, color="white", mec="black", mew=0.8, label="noise picked")
        ax.set_title(study.upper(), fontsize=8)
        ax.set_xlabel("noise (SD of each feature)", fontsize=8)
    axes[0, 0].set_ylabel("AUC of the filters", fontsize=8)
    legend_below(figure, axes[0, 0], ncols=5)
    return figure


def draw_sweep(metrics: pd.DataFrame) -> Figure:
    """Jaccard index and AUC by classifier against the number of features, a row per data set."""
    sets = list(fine_sets(metrics))
    figure, axes = panel_grid(len(sets), 1 + len(CLASSIFIERS), (WIDTH, 0.6 + 1.75 * len(sets)), sharex=True)
    for line, fine_set in zip(axes, sets, strict=True):
        stable = fine_set.per_count("jaccard")
        _draw_counts(line[0], stable)
        interval = jaccard_at_five(fine_set)
        for method in (name for name in SELECTORS if name in interval.index):
            mean, bars = _interval(interval, method)
            line[0].errorbar(MARKED, mean, bars, color=COLOURS[method], lw=0.8, ls="")
        chance = {count: wide.mean().mean() for count, wide in fine_set.per_count("jaccard_chance").items()}
        line[0].plot(list(chance), list(chance.values()), **_CHANCE | {"lw": 1.2}, label="chance")
        line[0].set_ylabel(f"{fine_set.name}\n({textwrap.fill(fine_set.source, 22)})")
        for k, (ax, key) in enumerate(zip(line[1:], CLASSIFIERS, strict=True)):
            if k:
                # Before anything is drawn: later it would keep the limits of the first classifier.
                ax.sharey(line[1])
            _draw_counts(ax, fine_set.per_count("auc", key), bars=True)
            ax.axhline(0.5, **_CHANCE)
        for ax in line:
            ax.axvline(MARKED, color="0.85", lw=3, zorder=0)
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(FixedLocator([1, 5, 20, 100]))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.tick_params(axis="x", labelsize=7)
    for ax, title in zip(axes[0], ("Jaccard index", *(f"AUC, {name}" for name in CLASSIFIERS.values())), strict=True):
        ax.set_title(title, fontsize=8)
    figure.supxlabel("Number of features", fontsize=8)
    legend_below(figure, *axes[:, 0], ncols=4)
    return figure


def _draw_counts(ax: plt.Axes, by_count: Mapping[int, pd.DataFrame], bars: bool = False) -> None:
    """A line per method over numbers of features; bars: ± SD at the marked one."""
    for k, (method, name) in enumerate(SELECTORS.items()):
        means = {count: wide[method].mean() for count, wide in by_count.items() if method in wide}
        # Apart, since t-test and Fisher score are nearly equal.
        apart = 1.03 ** (k - 0.5 * (len(SELECTORS) - 1))
        if means:
            at = [apart * count for count in means]
            ax.plot(at, list(means.values()), lw=0.9, ms=2.5, label=name, **line_style(method))
        if bars and MARKED in means:
            spread = np.nan_to_num(by_count[MARKED][method].std())
            ax.errorbar(apart * MARKED, means[MARKED], spread, color=COLOURS[method], lw=0.8, ls="")


def draw_variants(metrics: pd.DataFrame) -> Figure:
    """Change of Jaccard index and AUC at five features by each detail, a row per data set, FINE and filters apart."""
    sets = list(fine_sets(metrics))
    names = list(dict.fromkeys(name for fine_set in sets for name in fine_set.variants))
    if not names:
        return without("run with a detail changed")
    figure, axes = panel_grid(
        len(sets), 2, (4.8, 0.7 + len(sets) * (0.4 + 0.19 * len(names))), sharex="col", sharey=True
    )
    for line, fine_set in zip(axes, sets, strict=True):
        for ax, metric in zip(line, ("jaccard", "auc"), strict=True):
            for k, (family, (methods, style)) in enumerate(list(_FAMILIES.items())[:2]):
                changes = [_change(fine_set, metric, tuple(methods), name) for name in names]
                means, spread = np.transpose(changes)
                y = np.arange(len(names)) + 0.3 * (k - 0.5)
                ax.errorbar(means, y, xerr=np.nan_to_num(spread), ls="", ms=4, lw=1.1, label=family, **style)
            ax.axvline(0, color="0.3", lw=0.8, zorder=0)
            names_down(ax, [textwrap.fill(name, 34) for name in names])
        line[0].set_title(fine_set.title, loc="left")
    axes[-1, 0].set_xlabel("Change of the Jaccard index")
    axes[-1, 1].set_xlabel("Change of the AUC")
    legend_below(figure, axes[0, 0], ncols=2)
    return figure


def _change(fine_set: FineSet, metric: str, methods: Sequence[str], variant: str) -> tuple[float, float]:
    """Mean and SD over units of what a changed detail does to the mean over methods; NaN where it was not run."""
    changed, main = variant_means(fine_set, metric, methods, variant)
    difference = changed - main
    return difference.mean(), difference.std()


def draw_ranking(metrics: pd.DataFrame) -> Figure:
    """AUC of the ranking of planted features against the effect, a panel per structure and scale of the nuisance."""
    name, source, rows = next(per_set(metrics))
    rows = rows[rows["metric"] == "ranking_auc"].astype({"value": float})
    structures, nuisances = (list(dict.fromkeys(rows[key])) for key in ("structure", "nuisance"))
    figure, axes = panel_grid(
        len(structures), len(nuisances), (1.0 + 3.0 * len(nuisances), 0.7 + 1.9 * len(structures)), sharey=True
    )
    for line, structure in zip(axes, structures, strict=True):
        for ax, nuisance in zip(line, nuisances, strict=True):
            here = rows[(rows["structure"] == structure) & (rows["nuisance"] == nuisance)]
            _draw_rankings(ax, here)
            ax.set_title(f"{structure}, nuisance SD {name_of(nuisance)}", fontsize=8)
        line[0].set_ylabel("Ranking AUC")
    for ax in axes[-1]:
        ax.set_xlabel("Effect (SD)")
    sizes = ", ".join(name_of(n) for n in dict.fromkeys(rows["n_samples"]))
    figure.suptitle(f"{name} ({source}), {sizes} samples; mean ± SD over draws", fontsize=8)
    legend_below(figure, axes[0, 0], ncols=5)
    return figure


def _draw_rankings(ax: plt.Axes, rows: pd.DataFrame) -> None:
    """Mean ± SD over draws against the effect, a line per method."""
    effects = sorted(rows["effect"].unique())
    for k, (method, name) in enumerate(RANKED.items()):
        scores = rows[rows["method"] == method].groupby("effect")["value"].agg(["mean", "std"]).reindex(effects)
        if scores["mean"].notna().any():
            x = np.arange(len(effects)) + 0.06 * (k - 0.5 * (len(RANKED) - 1))
            style = {"ms": 3.5, "lw": 0.9, "elinewidth": 0.6} | line_style(method)
            ax.errorbar(x, scores["mean"], scores["std"].fillna(0), label=name, **style)
    ax.axhline(0.5, **_CHANCE, label="chance")
    ax.set_xticks(range(len(effects)), [f"{effect:g}" for effect in effects])
    ax.set_xlim(-0.5, len(effects) - 0.5)


def draw_calibration(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """AUC of every option of every choice, averaged over the data sets; a star on the option picked."""
    styles = {}
    for method in METHODS:
        mark = {"marker": "_", "ms": 7} if method.startswith("embedding") else {"marker": _LINE_MARKERS[method]}
        styles[method] = {"color": COLOURS[method], "mfc": face(method), **mark}
    score = f"AUC at {MARKED} features, samples left out of a round of training samples"
    figure = draw_choices(picks, styles, METHODS, score)
    origin = ", ".join(f"{name} ({source})" for name, source, _ in per_set(metrics))
    figure.suptitle(textwrap.fill(origin, 80), fontsize=8)
    return figure
