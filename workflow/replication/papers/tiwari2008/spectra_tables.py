"""Tables of the experiments on prostate spectra, derived from their tidy metrics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from statsmodels.stats.power import TTestPower

from replication.data.prostate_mrsi import MEASURED_RATIOS
from replication.papers.tiwari2008.spectra_metrics import (
    AXES,
    BASELINE_KEYS,
    CONDITIONS,
    CONTROLS,
    DISTANCE,
    LABELS,
    METHODS,
    PAPER_DIMENSIONS,
    PAPER_METHODS,
    PAPER_SCORES,
    PRINTED,
    PRINTED_OTHERS,
    SCORES,
    SPREADS,
    STEADY_METHODS,
    TRUTHS,
    VOXELS,
    at_conditions,
    found_truths,
    main_truth,
    over_axes,
    over_conditions,
    over_dimensions,
    per_study,
)
from replication.platform.methods import MARK, with_added
from replication.shared.metric_values import compared, highest, is_beyond_chance, is_blank, is_picked, sources
from replication.shared.statistics import Comparison, holm
from replication.shared.substitutes import reached_targets
from replication.shared.tables import difference_cells, format_number, mean_sd, rounded

# The power is given for this difference, about as large as those printed, and for these studies; the paper has 18.
POWER_DIFFERENCE = 0.03
POWER_STUDIES = (6, 10, 18, 25, 36, 50, 75, 100, 150, 200, 300, 500, 700)
# Noncentrality of the test from which on its power is 1.
CERTAIN = 30.0
# How near, in percentage points, counts as reached.
TARGET_MARGIN = 5.0
# Of controls and added methods, from C-LLE.
_FROM_CONSENSUS = ["balanced accuracy minus C-LLE (% points)", "CI low", "CI high", "p (higher than C-LLE)"]
_METHODS_COLUMNS = ["method"]
_METHODS_COLUMNS += [f"{score} (%), {truth}" for truth in TRUTHS for score in SCORES[:2]]
_METHODS_COLUMNS += [f"{score} (%), {truth}, oracle" for truth in TRUTHS for score in SCORES[:2]]
_METHODS_COLUMNS += ["sensitivity (%), paper", "specificity (%), paper", *_FROM_CONSENSUS, "studies", "source"]
_LEAD = ["highest of the paper's", "second", "difference (% points)", "CI low", "CI high", "lead"]
_SWEEP_END = [*_LEAD, "highest, controls included", "studies", "source"]
_TRAINING_COLUMNS = ["training cohort", "noise", "method", *(f"{score.replace('_', ' ')} (%)" for score in SCORES)]
_TRAINING_COLUMNS += ["balanced accuracy (%), first studies", "source"]
_STUDIES = {
    ("all", "n_voxels"): "voxels",
    ("all", "n_box"): "in the box",
    ("all", "n_truth"): "cancer",
    ("pca", "explained_variance"): "variance of the principal components (%)",
}
_RATIO_COLUMNS = ["tissue", "voxels", "simulated", "measured in vivo", "simulated, polyamines added", "source"]
_DIMENSION_COLUMNS = ["truth", "m", "score", "C-LLE (%)", "LLE (%)", "difference (% points)", "CI low", "CI high"]
_DIMENSION_COLUMNS += ["p (C-LLE higher)", "p (Holm)", "C-LLE (%), paper", "LLE (%), paper", "LLE at its best κ (%)"]
_DIMENSION_COLUMNS += ["studies", "source"]
_SHORT = {"c_lle": "C-LLE", "lle": "LLE"}
_STABILITY_COLUMNS = ["varied", "measured", "truth", "method", "mean", "SD over studies", "difference from LLE"]
_STABILITY_COLUMNS += ["CI low", "CI high", "studies", "source"]
_COMPONENT_COLUMNS = ["voxels", "correlation of the component", "correlation of the mean spectrum", "number of voxels"]
_COMPONENT_COLUMNS += ["C-LLE minus these", "CI low", "CI high", "p (C-LLE higher)", "studies", "source"]


def percent(wide: pd.DataFrame, method: str) -> str:
    """Mean ± SD over studies in percent; nothing where the method has no value."""
    return mean_sd(wide[method], 100, 1) if method in wide else ""


def table_1a(metrics: pd.DataFrame) -> pd.DataFrame:
    """Layout of the paper's Table 1(a), against both truths, with the clusters named by the rule and by the truth."""
    main = at_conditions(metrics)
    wide = {
        (score, truth, naming): per_study(main, score, truth, naming)
        for score in SCORES[:2]
        for truth in TRUTHS
        for naming in ("rule", "oracle")
    }
    # A label as a call of itself says nothing.
    for truth, label in (("box", "box"), ("voxels", "truth")):
        for score in SCORES[:2]:
            wide[score, truth, "rule"] = wide[score, truth, "rule"].drop(columns=label, errors="ignore")
    table = []
    names = with_added(METHODS, main["method"])
    balanced = per_study(main, "balanced_accuracy", main_truth(main))
    for method, name in {**names, **LABELS}.items():
        filled = [values[method] for values in wide.values() if method in values]
        if not filled:
            continue
        row = {"method": name}
        for (score, truth, naming), values in wide.items():
            mark = ", oracle" if naming == "oracle" else ""
            row[f"{score} (%), {truth}{mark}"] = percent(values, method)
        # The paper's numbers say nothing of the user's own studies.
        paper = (np.nan, np.nan) if sources(metrics) == "own" else PAPER_SCORES.get(method, (np.nan, np.nan))
        row |= {f"{score} (%), paper": value for score, value in zip(SCORES, paper, strict=False)}
        if method in CONTROLS or method.startswith(MARK):
            cells = difference_cells(balanced, method, "c_lle", 100, _FROM_CONSENSUS[0])
            row |= dict(zip(_FROM_CONSENSUS, cells.values(), strict=True))
        counts = sorted({int(values.count()) for values in filled})
        studies = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        table.append(row | {"studies": studies, "source": sources(metrics)})
    return pd.DataFrame(table, columns=_METHODS_COLUMNS)


def ratios(metrics: pd.DataFrame) -> pd.DataFrame:
    """Noise-free (choline + creatine) / citrate of the simulated voxels, compared with measurements in vivo."""
    rows = metrics[metrics["method"] == "simulator"].astype({"value": float})
    wide = rows.pivot_table(index="truth", columns="metric", values="value", sort=False)
    table = [
        {
            "tissue": tissue,
            "voxels": int(row["ratio_n_voxels"]),
            "simulated": f"{row['ratio_mean']:.2f} ± {row['ratio_sd']:.2f}",
            "measured in vivo": f"{row['ratio_measured_mean']:.2f} ± {row['ratio_measured_sd']:.2f}",
            "simulated, polyamines added": f"{row['ratio_mean_with_polyamines']:.2f}",
            "source": sources(metrics),
        }
        for tissue, row in wide.iterrows()
    ]
    return pd.DataFrame(table, columns=_RATIO_COLUMNS)


def training(metrics: pd.DataFrame) -> pd.DataFrame:
    """What methods reach that were learnt on other training studies (CH-96): means over the studies, by the truth."""
    rows = metrics[~is_blank(metrics["cohort"])]
    rows = rows[rows["truth"].isin(found_truths(metrics)[-1:])]
    keys = {"cohort": "training cohort", "noise": "noise", "method": "method"}
    names = {f"mean_{score}": f"{score.replace('_', ' ')} (%)" for score in SCORES}
    names["first_balanced_accuracy"] = "balanced accuracy (%), first studies"
    rows = rows[rows["metric"].isin(names)].assign(value=lambda of: 100 * of["value"].astype(float))
    rows = rows.astype({"cohort": int}).replace({"method": METHODS})
    table = rows.pivot_table(index=[*keys], columns="metric", values="value", sort=False).round(2).reset_index()
    return table.rename(columns=keys | names).assign(source=sources(metrics)).reindex(columns=_TRAINING_COLUMNS)


def lead_words(comparison: Comparison | None) -> str:
    """How a mean difference compares with its spread over studies."""
    return {None: "", True: "beyond the spread", False: "within the spread"}[is_beyond_chance(comparison)]


def sweep(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    Balanced accuracy of every method under every condition, and which of the paper's methods is highest.

    No rows for spectra of your own, which have one condition, and none of the simulator's.
    """
    names, table = with_added(METHODS, metrics["method"]), []
    for condition, wide in over_conditions(metrics) if sources(metrics) != "own" else ():
        row = {**condition, "truth": main_truth(metrics)}
        row |= {name: percent(wide, method) for method, name in names.items()}
        ranked = highest(wide, PAPER_METHODS)
        row["highest of the paper's"] = METHODS[ranked[0]] if ranked else ""
        if len(ranked) > 1:
            cells = difference_cells(wide, *ranked[:2], 100, "difference (% points)")
            row |= cells | {"second": METHODS[ranked[1]], "lead": lead_words(compared(wide, *ranked[:2]))}
        row["highest, controls included"] = METHODS[highest(wide, METHODS)[0]]
        table.append(row | {"studies": len(wide), "source": sources(metrics)})
    return pd.DataFrame(table, columns=[*CONDITIONS, "truth", *names.values(), *_SWEEP_END])


def studies(metrics: pd.DataFrame) -> pd.DataFrame:
    """Size of every study, and the kappas at which its neighbourhood graph is one piece."""
    main = at_conditions(metrics)
    main = main[~is_blank(main["study"])]
    table = []
    for (dataset, source, study), rows in main.groupby(["dataset", "source", "study"], sort=False):
        row = {"study": study}
        for (method, metric), name in _STUDIES.items():
            values = rows[(rows["method"] == method) & (rows["metric"] == metric)]["value"].astype(float)
            row[name] = round(values.mean() * (100 if metric == "explained_variance" else 1), 1)
        at = {metric: rows[rows["metric"] == metric] for metric in ("connected", "closed_groups")}
        connected, groups = (flags["kappa"].astype(int)[flags["value"].astype(float) == 1] for flags in at.values())
        row["κ, connected"] = _spans(connected)
        row["κ, several closed groups"] = _spans(set(at["closed_groups"]["kappa"].astype(int)) - set(groups))
        table.append(row | {"data set": dataset, "source": source})
    columns = ["study", *_STUDIES.values(), "κ, connected", "κ, several closed groups", "data set", "source"]
    return pd.DataFrame(table, columns=columns)


def _spans(numbers: Iterable[int]) -> str:
    """Integers as spans: 3, 5 to 8."""
    listed = sorted(set(numbers))
    starts = [n for n in listed if n - 1 not in listed]
    ends = [n for n in listed if n + 1 not in listed]
    return ", ".join(f"{low}" if low == high else f"{low} to {high}" for low, high in zip(starts, ends, strict=True))


def table_1b(metrics: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 1(b), a row per truth, score and number of dimensions m."""
    table = []
    for truth in found_truths(metrics):
        for at, score in enumerate(SCORES):
            rows = []
            for m, wide in over_dimensions(metrics, score, truth).items():
                row = {"truth": truth, "m": m, "score": score.replace("_", " ")}
                row |= {"C-LLE (%)": percent(wide, "c_lle"), "LLE (%)": percent(wide, "lle")}
                row |= difference_cells(wide, "c_lle", "lle", 100, "difference (% points)")
                row["LLE at its best κ (%)"] = percent(wide, "lle_best_kappa")
                is_printed = truth == "box" and score != "balanced_accuracy" and sources(metrics) != "own"
                paper = PAPER_DIMENSIONS.get(m, {}) if is_printed else {}
                row |= {f"{_SHORT[method]} (%), paper": both[at] for method, both in paper.items()}
                rows.append(row | {"studies": len(wide), "source": sources(metrics)})
            made = [row for row in rows if not np.isnan(row["p"])]
            for row, adjusted in zip(made, holm([row["p"] for row in made]), strict=True):
                row["p (Holm)"] = rounded(adjusted)
            table += rows
    return pd.DataFrame(table).rename(columns={"p": "p (C-LLE higher)"}).reindex(columns=_DIMENSION_COLUMNS)


def power(metrics: pd.DataFrame) -> pd.DataFrame:
    """Power of the paired one-sided t-test to see a difference of 3 percentage points, over the number of studies."""
    truth, table = main_truth(metrics), []
    for score in SCORES[:2] if truth else ():
        for m, wide in over_dimensions(metrics, score, truth).items():
            spread = (wide["c_lle"] - wide["lle"]).std()
            for n in POWER_STUDIES if spread > 0 else ():
                size = POWER_DIFFERENCE / spread
                # Far beyond 1 - 1e-12, where the noncentral distribution fails.
                certain = size * np.sqrt(n) > CERTAIN
                achieved = 1.0 if certain else TTestPower().power(size, n, 0.05, alternative="larger")
                row = {
                    "truth": truth,
                    "m": m,
                    "score": score,
                    "SD of the differences (% points)": round(100 * spread, 2),
                }
                table.append(row | {"studies": n, "power": round(float(achieved), 3), "measured on": len(wide)})
    columns = ["truth", "m", "score", "SD of the differences (% points)", "studies", "power", "measured on", "source"]
    return pd.DataFrame(table).assign(source=sources(metrics)).reindex(columns=columns)


def stability(metrics: pd.DataFrame) -> pd.DataFrame:
    """How far results move with the choice of kappa, the noise and the repetition of the clustering."""
    table = []
    for axis, metric, truth, wide in over_axes(metrics):
        unit = 1.0 if metric == "distance" else 100.0
        for method in (name for name in METHODS if name in wide):
            row = {"varied": AXES[axis], "measured": SPREADS.get(metric, DISTANCE), "truth": truth or ""}
            values = unit * wide[method].dropna()
            row |= {"method": STEADY_METHODS[method], "mean": round(values.mean(), 4)}
            row |= {"SD over studies": round(values.std(), 4), "studies": len(values), "source": sources(metrics)}
            if method != "lle":
                row |= difference_cells(wide, method, "lle", unit, "difference from LLE")
            table.append(row)
    return pd.DataFrame(table, columns=_STABILITY_COLUMNS)


def correlations(metrics: pd.DataFrame) -> pd.DataFrame:
    """Correlation of clusters with the mean spectrum of the training studies' cancer voxels."""
    names = ("correlation", "correlation_mean", "n_voxels")
    component, mean, n_voxels = (per_study(metrics, name) for name in names)
    table = []
    for method, name in VOXELS.items():
        if method not in component:
            continue
        row = {"voxels": name, "correlation of the component": mean_sd(component[method])}
        row["correlation of the mean spectrum"] = mean_sd(mean[method]) if method in mean else ""
        row["number of voxels"] = format_number(n_voxels[method].mean().round()) if method in n_voxels else ""
        if method != "c_lle":
            row |= difference_cells(component, "c_lle", method, 1.0, "C-LLE minus these")
        table.append(row | {"studies": int(component[method].count()), "source": sources(metrics)})
    return pd.DataFrame(table).rename(columns={"p": "p (C-LLE higher)"}).reindex(columns=_COMPONENT_COLUMNS)


def _standard_error(metrics: pd.DataFrame, picks: pd.DataFrame, quantity: str) -> float:
    """Of the mean over the studies at the picked setting, in percentage points."""
    method, metric = quantity.split()
    (picked,) = picks[is_picked(picks)].to_dict("records")
    rows = metrics[(metrics["method"] == method) & (metrics["metric"] == metric) & (metrics["truth"] != "box")]
    normalization = picked[BASELINE_KEYS.get(method, BASELINE_KEYS["lle"])]
    at = (rows["snr"].astype(float) == picked["snr"]) & (rows["normalization"] == normalization)
    return 100 * rows.loc[at, "value"].astype(float).sem()


def substitute_targets(picks: pd.DataFrame, metrics: pd.DataFrame) -> pd.DataFrame:
    """What the picked setting of the simulator reaches of the paper's baselines."""
    table = reached_targets(picks, PRINTED, TARGET_MARGIN, PRINTED_OTHERS)
    table["standard error"] = [_standard_error(metrics, picks, name) for name in table["quantity"]]
    table["counts in the distance"] = ["no" if name in PRINTED_OTHERS else "yes" for name in table["quantity"]]
    ratio = metrics[(metrics["metric"] == "ratio") & (metrics["truth"] == "cancer")]
    picked = picks.loc[is_picked(picks), "contrast"].iloc[0]
    reached = float(ratio.loc[ratio["contrast"].astype(float) == picked, "value"].iloc[0])
    mean, sd = MEASURED_RATIOS["cancer"]
    row = {
        "quantity": "(choline + creatine) / citrate in cancer",
        "measured in vivo": mean,
        "reached": reached,
        "difference": reached - mean,
        "within the margin": "yes" if abs(reached - mean) <= sd / 2 else "no",
        "counts in the distance": "no: sets the contrast",
    }
    return pd.concat([table, pd.DataFrame([row])], ignore_index=True).round(2)
