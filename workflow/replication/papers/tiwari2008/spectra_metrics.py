"""What tables and figures on spectra read from the metrics: names, values per study, comparisons."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from replication.shared.metric_values import is_blank

PAPER_METHODS = {
    "c_lle": "C-LLE",
    "lle": "LLE, mean over κ",
    "peak_integration": "peak integration",
    "pca": "PCA",
    "z_score": "z-score",
}
CONTROLS = {
    "c_lle_mean": "C-LLE by the mean",
    "c_lle_median": "C-LLE by the median",
    "features": "spectra, not reduced",
    "peak_integration_literature": "peak integration, literature",
    "discriminant": "linear discriminant (supervised)",
    "random": "random clusters",
    "lle_vote": "LLE, vote over κ",
}
# What is known of the voxels, as calls.
LABELS = {
    "truth": "cancer voxels as a call",
    "any_cancer": "voxels with any cancer as a call",
    "box": "the box as a call",
}
METHODS = {**PAPER_METHODS, **CONTROLS}
# Sensitivity and specificity in percent of Tiwari et al. 2008: Table 1(b) by m, and Table 1(a) with LLE at its m = 4.
PAPER_DIMENSIONS = {
    3: {"c_lle": (83.20, 84.81), "lle": (82.07, 81.89)},
    4: {"c_lle": (86.90, 85.14), "lle": (83.38, 81.77)},
    5: {"c_lle": (84.88, 85.60), "lle": (82.10, 81.70)},
}
PAPER_SCORES = {
    **PAPER_DIMENSIONS[4],
    "peak_integration": (45.29, 76.62),
    "pca": (66.95, 77.89),
    "z_score": (74.74, 49.75),
}
# Share of the variance that five principal components explain (Section 3.5).
PAPER_VARIANCE = 0.98
SCORES = ("sensitivity", "specificity", "balanced_accuracy")
BASELINE_SCORES = SCORES[:2]
# Baseline -> the key of spectra_embedding that says how its spectra are normalised; PCA after LLE, whose spectra name
# the clusters of both.
BASELINE_KEYS = {"lle": "normalization", "pca": "pca_normalization", "z_score": "z_score_normalization"}
BASELINES = (*BASELINE_KEYS, "peak_integration")
# In percent: what counts in the distance of the substitute from the paper, and what does not.
PRINTED = {
    f"{method} {score}": PAPER_SCORES[method][k] for method in BASELINE_KEYS for k, score in enumerate(BASELINE_SCORES)
} | {"pca explained_variance": 100 * PAPER_VARIANCE}
PRINTED_OTHERS = {
    f"peak_integration {score}": PAPER_SCORES["peak_integration"][k] for k, score in enumerate(BASELINE_SCORES)
}
# What calls are compared with: the paper's partial truth, and the voxels themselves.
TRUTHS = ("box", "voxels")
CONDITIONS = ["noise", "linewidth", "contrast"]
AXES = {
    "kappa": "choice of κ",
    "noise": "draw of the noise",
    "clustering": "starts of k-means",
    "kappa_random": "choice of κ in random groups",
}
SPREADS = {f"sd_{score}": f"SD of {score.replace('_', ' ')} (% points)" for score in SCORES}
DISTANCE = "distance of the embeddings"
# LLE has one kappa at a time where its spread is measured.
STEADY_METHODS = {**METHODS, "lle": "LLE, single κ"}
# Whose spectrum is compared with that of the training studies' cancer voxels.
VOXELS = {
    "truth": "cancer voxels",
    "c_lle": "cluster of C-LLE",
    "pca": "cluster of PCA",
    "features": "cluster of the spectra",
    "random": "random voxels",
    "random_as_truth": "random voxels, as many as cancer",
}


def at_conditions(metrics: pd.DataFrame, noise: float = 1, linewidth: float = 1, contrast: float = 1) -> pd.DataFrame:
    """Rows under one condition of the sweep; a condition that is not given is 1, the main one."""
    given = _conditions(metrics)
    keep = (given["noise"] == noise) & (given["linewidth"] == linewidth) & (given["contrast"] == contrast)
    return metrics[keep]


def _conditions(metrics: pd.DataFrame) -> pd.DataFrame:
    return metrics.reindex(columns=CONDITIONS).apply(pd.to_numeric, errors="coerce").fillna(1.0)


def per_study(metrics: pd.DataFrame, metric: str, truth: str | None = None, naming: str = "rule") -> pd.DataFrame:
    """Values of one metric, a row per study and a column per method."""
    rows = metrics[metrics["metric"] == metric]
    if truth is not None:
        rows = rows[rows["truth"] == truth]
    if "kappa" in rows:
        rows = rows[is_blank(rows["kappa"])]
    if "naming" in rows:
        rows = rows[(rows["naming"] == naming) | (is_blank(rows["naming"]) & (naming == "rule"))]
    return rows.astype({"value": float}).pivot_table(index="study", columns="method", values="value", sort=False)


def found_truths(metrics: pd.DataFrame, metric: str = "sensitivity") -> list[str]:
    """Truths under which a metric has rows; none without labels."""
    rows = metrics[(metrics["metric"] == metric) & ~metrics["method"].isin(LABELS)]
    return [truth for truth in TRUTHS if (rows["truth"] == truth).any()] if "truth" in rows else []


def main_truth(metrics: pd.DataFrame) -> str | None:
    """The voxels if they are known, else the box, else None."""
    return found_truths(metrics)[-1] if found_truths(metrics) else None


def over_conditions(metrics: pd.DataFrame) -> Iterator[tuple[dict[str, float], pd.DataFrame]]:
    """Each condition with the balanced accuracy by study and method of the studies that all have, by the main truth."""
    truth = main_truth(metrics)
    rows = metrics[(metrics["metric"] == "balanced_accuracy") & ~metrics["method"].isin(LABELS)]
    cases = []
    for values in _conditions(rows).drop_duplicates().sort_values(CONDITIONS).itertuples(index=False):
        condition = values._asdict()
        wide = per_study(at_conditions(rows, **condition), "balanced_accuracy", truth)
        if len(wide):
            cases.append((condition, wide))
    # The main condition has more studies than the others.
    for condition, wide in cases:
        yield condition, wide[[all(study in other.index for _, other in cases) for study in wide.index]]


def over_dimensions(metrics: pd.DataFrame, score: str, truth: str) -> dict[int, pd.DataFrame]:
    """Number of dimensions m -> values by study and method."""
    sizes = sorted({int(m) for m in metrics["n_components"][~is_blank(metrics["n_components"])]})
    tables = {m: per_study(metrics[metrics["n_components"] == m], score, truth) for m in sizes}
    return {m: wide for m, wide in tables.items() if len(wide)}


def over_axes(metrics: pd.DataFrame) -> Iterator[tuple[str, str, str | None, pd.DataFrame]]:
    """Axis, metric, truth (None for distances) and the values by study and method, in the order of the table."""
    for axis in AXES:
        rows = metrics[metrics["axis"] == axis]
        cases = [(spread, truth) for spread in SPREADS for truth in found_truths(rows, spread)]
        for metric, truth in [*cases, ("distance", None)]:
            wide = per_study(rows, metric, truth)
            if len(wide):
                yield axis, metric, truth, wide


def mean_scores_of(metrics: pd.DataFrame) -> pd.DataFrame:
    """What the lines of the figure are drawn from."""
    rows = metrics[metrics["metric"].isin([*BASELINE_SCORES, "explained_variance"]) & (metrics["truth"] != "box")]
    rows = rows.assign(quantity=rows["method"] + " " + rows["metric"], value=100 * rows["value"].astype(float))
    rows = rows.assign(snr=rows["snr"].astype(float))
    return rows.groupby(["quantity", "snr", "normalization"], sort=False)["value"].mean().reset_index()
