"""Figures of the experiments on prostate spectra, derived from their tidy metrics and saved pictures."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from replication.papers.tiwari2008.spectra_metrics import (
    AXES,
    BASELINE_SCORES,
    BASELINES,
    CONDITIONS,
    METHODS,
    PAPER_DIMENSIONS,
    PAPER_METHODS,
    PAPER_SCORES,
    PRINTED,
    PRINTED_OTHERS,
    SCORES,
    STEADY_METHODS,
    at_conditions,
    found_truths,
    mean_scores_of,
    over_axes,
    over_conditions,
    over_dimensions,
    per_study,
)
from replication.papers.tiwari2008.spectra_tables import power
from replication.platform.methods import with_added
from replication.shared.figures import (
    CLASSES,
    LINES,
    WIDTH,
    cut_to_range,
    draw_choices,
    legend_below,
    log_ticks,
    mark_added,
    names_down,
    over_tables,
    panel_grid,
    without,
)
from replication.shared.metric_values import compared, highest, is_beyond_chance, is_picked, sources

_STYLES = {
    "c_lle": {"color": LINES[0], "marker": "o"},
    "lle": {"color": LINES[5], "marker": "s"},
    "peak_integration": {"color": LINES[2], "marker": "^"},
    "pca": {"color": LINES[1], "marker": "D"},
    "z_score": {"color": LINES[3], "marker": "v"},
    "features": {"color": LINES[6], "marker": "x", "ls": ":"},
    "discriminant": {"color": "0.35", "marker": "+", "ls": ":"},
}
_ADDED_COLOURS = [LINES[4], CLASSES[7], CLASSES[4]]
_SCORE_STYLES = {
    "sensitivity": {"color": LINES[0], "marker": "o"},
    "specificity": {"color": LINES[1], "marker": "s"},
    "balanced_accuracy": {"color": LINES[2], "marker": "^"},
}
# Of differences, apart from those of the other methods.
_DIFFERENCE_STYLES = {
    "sensitivity": {"color": LINES[2], "marker": "^"},
    "specificity": {"color": LINES[4], "marker": "v"},
}
_TITLES = {
    "box": "against the box\n(the paper's partial truth)",
    "voxels": "against the cancer voxels",
}


def _bars(ax: plt.Axes, values: pd.DataFrame, y: np.ndarray, **style: object) -> None:
    """Mean ± SD over studies in percent of each column, along x."""
    ax.errorbar(100 * values.mean(), y, xerr=100 * values.std().fillna(0), ls="", lw=1, ms=4, **style)


def draw_methods(metrics: pd.DataFrame) -> Figure:
    """Table 1(a) as a figure: sensitivity and specificity by method, a panel per truth and one for the oracle."""
    main = at_conditions(metrics)
    truths = found_truths(main)
    if not truths:
        return without("labels")
    panels = [(truth, "rule") for truth in truths]
    panels += [(truths[-1], "oracle")] if len(per_study(main, "sensitivity", truths[-1], "oracle")) else []
    names = with_added(METHODS, main["method"])
    methods = [name for name in names if name in per_study(main, "sensitivity", truths[0])]
    n_added = len(names) - len(METHODS)
    figure, axes = panel_grid(
        1, len(panels), (1.9 + 1.9 * len(panels), 1.3 + 0.25 * len(methods)), sharex=True, sharey=True
    )
    y = np.arange(len(methods))
    for ax, (truth, naming) in zip(axes[0], panels, strict=True):
        for at, (score, offset) in enumerate((("sensitivity", -0.16), ("specificity", 0.16))):
            style = _SCORE_STYLES[score]
            wide = per_study(main, score, truth, naming).reindex(columns=methods)
            _bars(ax, wide, y + offset, label=score, **style)
            if truth == "box" and sources(metrics) != "own":
                paper = [PAPER_SCORES.get(method, (np.nan, np.nan))[at] for method in methods]
                ax.plot(paper, y + offset, ls="", ms=5.5, mfc="none", zorder=3, label=f"{score}, paper", **style)
        ax.axhline(sum(method in PAPER_METHODS for method in methods) - 0.5, color="0.6", lw=0.7, ls="--")
        names_down(ax, [names[method] for method in methods])
        ax.set_title(_TITLES[truth] + (",\nclusters named by them (oracle)" if naming == "oracle" else ""), fontsize=8)
    mark_added(axes[0], len(methods), n_added)
    axes[0, 0].set_xlim(-3, 103)
    figure.supxlabel(f"Percent of voxels (mean ± SD over {sources(metrics)} studies)", fontsize=8)
    legend_below(figure, *axes[0], ncols=4)
    return figure


def draw_sweep(metrics: pd.DataFrame) -> Figure:
    """Balanced accuracy over noise (a panel per line width) and over contrast, with the highest method of each."""
    cases = list(over_conditions(metrics))
    if not cases:
        return without("labels")
    panels = [("noise", {"linewidth": width, "contrast": 1}) for width in sorted({c["linewidth"] for c, _ in cases})]
    if len({condition["contrast"] for condition, _ in cases}) > 1:
        panels.append(("contrast", {"noise": 1, "linewidth": 1}))
    figure, axes = panel_grid(1, len(panels), (max(3.6, 0.6 + 1.75 * len(panels)), 3.5), sharey=True)
    names = with_added(METHODS, metrics["method"])
    added = [
        {"color": _ADDED_COLOURS[k % 3], "marker": "P*X"[k % 3], "ls": "--"} for k in range(len(names) - len(METHODS))
    ]
    styles = _STYLES | dict(zip([name for name in names if name not in METHODS], added, strict=True))
    for ax, (swept, fixed) in zip(axes[0], panels, strict=True):
        here = [(c[swept], wide) for c, wide in cases if all(c[name] == value for name, value in fixed.items())]
        for k, (method, style) in enumerate(styles.items()):
            scores = 100 * over_tables([wide for _, wide in here], method, "sem")
            x = np.arange(len(here)) + 0.07 * (k - 0.5 * (len(styles) - 1))
            if len(scores) and scores["mean"].notna().any():
                ax.errorbar(x, scores["mean"], scores["sem"].fillna(0), ms=4, lw=1, label=names[method], **style)
        for x, (_, wide) in enumerate(here):
            _mark_highest(ax, x, wide)
        ax.set_xticks(range(len(here)), [f"{value:g}" for value, _ in here])
        ax.set_xlim(-0.5, max(len(here), 1) - 0.5)
        ax.set_xlabel(f"{swept.capitalize()} (multiple)")
        others = [name for name in CONDITIONS if name != swept]
        ax.set_title("\n".join(f"{name} × {fixed[name]:g}" for name in others), fontsize=8, pad=16)
    axes[0, 0].set_ylabel(f"Balanced accuracy (%)\n(mean ± standard error, {sources(metrics)} studies)")
    axes[0, 0].plot([], [], ls="", marker="*", ms=8, color="0.3", label="highest of the paper's, beyond the spread")
    axes[0, 0].plot([], [], ls="", marker="*", ms=8, color="0.3", mfc="white", label="highest, within the spread")
    legend_below(figure, *axes[0], ncols=4 if len(panels) > 2 else 3)
    return figure


def _mark_highest(ax: plt.Axes, x: float, wide: pd.DataFrame) -> None:
    """A star above the panel in the colour of the highest of the paper's methods; filled if beyond the spread."""
    ranked = highest(wide, PAPER_METHODS)
    if ranked:
        beyond = len(ranked) > 1 and is_beyond_chance(compared(wide, *ranked[:2]))
        colour = _STYLES[ranked[0]]["color"]
        where = {"transform": ax.get_xaxis_transform(), "clip_on": False}
        ax.plot(x, 1.05, ls="", marker="*", ms=8, color=colour, mfc=colour if beyond else "white", **where)


def draw_dimensions(metrics: pd.DataFrame) -> Figure:
    """Table 1(b) as a figure, a row per truth; at the right the paired differences."""
    truths = found_truths(metrics)
    if not truths:
        return without("labels")
    figure, axes = panel_grid(len(truths), 3, (WIDTH, 0.8 + 2.1 * len(truths)), sharex=True)
    for row, truth in zip(axes, truths, strict=True):
        for at, score in enumerate(SCORES[:2]):
            by_size = over_dimensions(metrics, score, truth)
            x = np.arange(len(by_size))
            for k, method in enumerate(("c_lle", "lle")):
                values = 100 * over_tables(by_size.values(), method)
                style, shifted = _STYLES[method], x + 0.12 * (2 * k - 1)
                row[at].errorbar(
                    shifted, values["mean"], values["std"].fillna(0), ls="", ms=4, capsize=2, lw=1,
                    label=METHODS[method], **style,
                )  # fmt: skip
                if truth == "box" and sources(metrics) != "own":
                    paper = [PAPER_DIMENSIONS.get(m, {}).get(method, (np.nan,) * 2)[at] for m in by_size]
                    name = f"{METHODS[method]}, paper"
                    row[at].plot(shifted, paper, ls="", ms=6.5, mfc="none", zorder=3, label=name, **style)
            row[at].set_title(f"{score}\n{_TITLES[truth].splitlines()[0]}", fontsize=8)
            _draw_differences(row[2], list(by_size.values()), score, 0.12 * (2 * at - 1))
        row[0].set_ylabel(f"Percent (mean ± SD,\n{sources(metrics)} studies)")
        row[1].sharey(row[0])
        cut_to_range(row[0], 0, 100)
        row[2].axhline(0, color="0.4", lw=0.7)
        row[2].set_title(f"C-LLE minus LLE\n{_TITLES[truth].splitlines()[0]}", fontsize=8)
        row[2].set_ylabel("% points (95 % interval)")
    for ax in axes[-1]:
        ax.set_xticks(range(len(by_size)), [str(m) for m in by_size])
        ax.set_xlim(-0.5, len(by_size) - 0.5)
        ax.set_xlabel("Dimensions, m")
    legend_below(figure, *axes.flat, ncols=3)
    return figure


def draw_power(metrics: pd.DataFrame) -> Figure:
    """Power of the paired t-test over the number of studies, a panel per score and a line per m."""
    table = power(metrics)
    if table.empty:
        return without("labels of two studies")
    scores = list(table["score"].unique())
    figure, axes = panel_grid(1, len(scores), (5.4, 2.7), sharex=True, sharey=True)
    for ax, score in zip(axes[0], scores, strict=True):
        for k, (m, rows) in enumerate(table[table["score"] == score].groupby("m")):
            label = f"m = {m}"
            ax.plot(rows["studies"], rows["power"], marker="os^Dv"[k % 5], ms=4, lw=1, color=LINES[k], label=label)
        ax.axhline(0.8, color="0.4", lw=0.8, ls="--", label="power of 80 %")
        here = table["measured on"].iloc[0]
        if sources(metrics) == "own":
            label = f"{here} studies, as here"
        else:
            ax.axvline(18, color="0.4", lw=0.8, ls=":")
            label = f"18 studies in the paper, {here} here"
        ax.axvline(here, color="0.4", lw=0.8, ls=":", label=label)
        ax.set_title(score, fontsize=8)
        log_ticks(ax, [n for n in (6, 18, 50, 100, 200, 500) if n <= table["studies"].max()])
        ax.set_ylim(0, 1.03)
    figure.supxlabel("Number of studies", fontsize=8)
    axes[0, 0].set_ylabel("Power to see a difference\nof 3 percentage points")
    legend_below(figure, axes[0, 0], ncols=3)
    return figure


def _draw_differences(ax: plt.Axes, tables: list[pd.DataFrame], score: str, offset: float) -> None:
    """Paired differences of C-LLE and LLE with their intervals; no bar where there is no interval."""
    for x, wide in enumerate(tables):
        if {"c_lle", "lle"} <= set(wide):
            test = compared(wide, "c_lle", "lle")
            mean = 100 * (wide["c_lle"] - wide["lle"]).mean()
            half = 0.0 if test is None else 50 * (test.ci_high - test.ci_low)
            style = _DIFFERENCE_STYLES[score] | {"label": None if x else f"difference of {score}"}
            ax.errorbar(x + offset, mean, half, ls="", ms=4, capsize=2, lw=1, **style)


def draw_kappa(metrics: pd.DataFrame) -> Figure:
    """Sensitivity and specificity of LLE against kappa, a line per study, and of C-LLE of all kappas."""
    rows = metrics[metrics["axis"] == "values"]
    truths = found_truths(rows)
    if not truths:
        return without("labels")
    figure, axes = panel_grid(len(truths), 2, (WIDTH, 0.8 + 2.1 * len(truths)), sharex=True, sharey=True)
    for line, truth in zip(axes, truths, strict=True):
        for ax, score in zip(line, SCORES, strict=False):
            single = rows[(rows["method"] == "lle") & (rows["metric"] == score) & (rows["truth"] == truth)]
            values = single.astype({"kappa": float, "value": float})
            wide = 100 * values.pivot_table(index="kappa", columns="study", values="value").sort_index()
            ax.plot(wide.index, wide, color="0.75", lw=0.6)
            ax.plot([], [], color="0.75", lw=0.6, label="LLE, each study")
            ax.plot(wide.index, wide.mean(axis=1), lw=1.4, ms=4, label="LLE, mean", **_STYLES["lle"])
            consensus = 100 * per_study(rows, score, truth)["c_lle"]
            ax.axhline(consensus.mean(), color=LINES[0], lw=1.4, label="C-LLE, mean")
            if len(consensus) > 1:
                low, high = consensus.mean() - consensus.std(), consensus.mean() + consensus.std()
                ax.axhspan(low, high, color=LINES[0], alpha=0.15, lw=0, label="C-LLE, ± SD over studies")
            ax.set_title(f"{score} {_TITLES[truth].splitlines()[0]}", fontsize=8)
        line[0].set_ylabel(f"Percent ({sources(metrics)} studies)")
    cut_to_range(axes[0, 0], 0, 100)
    for ax in axes[-1]:
        ax.set_xlabel("Neighbours, κ")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes[0, 0], ncols=4)
    return figure


def draw_spread(metrics: pd.DataFrame) -> Figure:
    """Standard deviations of the scores (above) and distances of embeddings (below) by method, a column per axis."""
    cases = list(over_axes(metrics))
    if not cases:
        return without("repetitions")
    truth = max((case[2] for case in cases if case[2]), default=None, key=list(_TITLES).index)
    shown = [case for case in cases if case[2] in (truth, None)]
    axes_found = [axis for axis in AXES if any(case[0] == axis for case in shown)]
    kinds = [kind for kind in (False, True) if any((case[1] == "distance") is kind for case in shown)]
    methods = [name for name in METHODS if any(name in case[3] for case in shown)]
    height = 0.9 + len(kinds) * (0.5 + 0.24 * len(methods))
    figure, axes = panel_grid(len(kinds), len(axes_found), (1.4 + 1.95 * len(axes_found), height), sharey=True)
    for row, distances in zip(axes, kinds, strict=True):
        for ax, axis in zip(row, axes_found, strict=True):
            here = [
                (metric, wide)
                for varied, metric, _, wide in shown
                if varied == axis and (metric == "distance") is distances
            ]
            for metric, wide in here:
                score = metric.removeprefix("sd_")
                offset = 0.0 if distances else 0.2 * (list(SCORES).index(score) - 1)
                style = {"color": LINES[6], "marker": "o"} if distances else _SCORE_STYLES[score]
                wide = wide.reindex(columns=methods) * (0.01 if distances else 1.0)
                _bars(ax, wide, np.arange(len(methods)) + offset, label=score.replace("_", " "), **style)
            names_down(ax, [STEADY_METHODS[method] for method in methods])
            # A little room, so that neither a marker at 0, nor the last one, nor a bar that reaches below 0 is cut.
            if ax.dataLim.x1 > 0:
                ax.set_xlim(min(ax.dataLim.x0, 0) - 0.03 * ax.dataLim.x1, 1.04 * ax.dataLim.x1)
            ax.set_visible(bool(here))
            ax.set_title(f"by the {AXES[axis]}", fontsize=8)
            ax.set_xlabel("Distance (norm 1)" if distances else "SD (% points)")
    against = f"; scores {_TITLES[truth].splitlines()[0]}" if truth else ""
    figure.suptitle(f"Mean ± SD over {sources(metrics)} studies{against}", fontsize=8)
    legend_below(figure, *axes.flat, ncols=4)
    return figure


def draw_substitute(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """Each baseline against the signal-to-noise ratio of the simulator, and the distance from what is printed."""
    figure, axes = plt.subplots(2, 3, figsize=(WIDTH, 4.4), sharex=True, layout="constrained")
    picked = picks[is_picked(picks)].iloc[0]
    means = mean_scores_of(metrics)
    styles = dict(zip(means["normalization"].unique(), ("-", "--", ":"), strict=False))
    printed = PRINTED | PRINTED_OTHERS
    panels = [(METHODS[method], [f"{method} {score}" for score in BASELINE_SCORES]) for method in BASELINES]
    panels += [("variance of five\nprincipal components", ["pca explained_variance"])]
    panels += [("all but\npeak integration", ["distance"])]
    for ax, (title, columns) in zip(axes.flat, panels, strict=True):
        for column in columns:
            style = _SCORE_STYLES.get(column.split()[-1], {"color": "black", "marker": "D"})
            lines = means[means["quantity"] == column].groupby("normalization", sort=False)
            for name, rows in lines if column != "distance" else [("all", picks.assign(value=picks["distance"]))]:
                ax.plot(rows["snr"], rows["value"], **{**style, "ls": styles.get(name, "-")}, ms=3, lw=1)
            ax.plot(picked["snr"], picked[column], ls="", marker="*", ms=11, color=style["color"], mec="black", mew=0.5)
            if column in printed:
                ax.axhline(printed[column], color=style["color"], lw=1.2, alpha=0.5)
        ax.set_title(title, fontsize=8)
        log_ticks(ax, sorted(picks["snr"].unique()), fontsize=7)
    axes[1, 1].set_xlabel("signal-to-noise ratio of the simulator", fontsize=8)
    axes[0, 0].set_ylabel("sensitivity, specificity (%)")
    axes[1, 0].set_ylabel("sensitivity, specificity (%)")
    axes[1, 1].set_ylabel("share of the variance (%)")
    axes[1, 2].set_ylabel("root mean square\ndifference (% points)")
    entries = [
        *[plt.Line2D([], [], **{**_SCORE_STYLES[score], "ls": ""}, label=score) for score in BASELINE_SCORES],
        *[plt.Line2D([], [], color="0.3", ls=style, label=f"normalisation: {name}") for name, style in styles.items()],
        plt.Line2D([], [], color="0.5", lw=2.5, alpha=0.5, label="printed in the paper"),
        plt.Line2D([], [], ls="", marker="*", ms=9, color="0.3", label="picked"),
    ]
    figure.legend(handles=entries, loc="outside lower center", ncols=4, fontsize=7)
    return figure


def draw_calibration(picks: pd.DataFrame, metrics: pd.DataFrame) -> Figure:
    """Balanced accuracy of every option of every choice; a star on the option picked."""
    score = f"Balanced accuracy (%) against the boxes\nof the training studies ({sources(metrics)})"
    return draw_choices(picks, _STYLES, METHODS, score, unit=100.0)
