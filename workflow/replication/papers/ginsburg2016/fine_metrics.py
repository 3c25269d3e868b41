"""What verdicts, tables and figures on FINE read from the metrics: names, AUC by number of features, stability."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd
from scipy.special import stdtr, stdtrit

from replication.shared.judgements import has_value, note_rows
from replication.shared.metric_values import is_blank
from replication.shared.statistics import CONFIDENCE, jackknife_error

REDUCTIONS = {"pca": "PCA", "isomap": "Isomap", "le": "LE", "lle": "LLE"}
FINE = {f"fine_{key}": f"FINE {name}" for key, name in REDUCTIONS.items()}
FILTERS = {"t_test": "t-test", "fisher": "Fisher score", "gini": "Gini index"}
CONTROLS = {"variance": "variance alone", "random": "random"}
EMBEDDINGS = {f"embedding_{key}": f"{name} vectors" for key, name in REDUCTIONS.items()}
METHODS = {**FINE, **FILTERS, **CONTROLS, **EMBEDDINGS}
_GROUPS = {"fine": FINE, "filters": FILTERS, "embeddings": EMBEDDINGS}
CLASSIFIERS = {"logistic_regression": "LR", "svm": "SVM", "random_forest": "RF"}
# Number of features of the captions of Figs. 3 and 4.
MARKED = 5
# AUC of the embedding vectors with one factor for all components (CH-95).
AUC_ONE_FACTOR = "auc_common_factor"
# Replaces the number of features where the embedding vectors themselves are classified.
VECTORS = 0
_UNITS = ["cohort", "repetition"]


def methods_in(names: Iterable[str]) -> list[str]:
    """Methods that a claim names, one by one or as a group (fine, filters, embeddings)."""
    methods = [method for name in names for method in _GROUPS.get(name, (name,))]
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise ValueError(f"Unknown method {unknown[0]!r} in a claim; known: {', '.join([*_GROUPS, *METHODS])}.")
    return methods


def of_variant(metrics: pd.DataFrame, variant: str = "") -> pd.DataFrame:
    """Rows of one variant; "" is the main study."""
    return metrics[has_value(metrics["variant"], variant)]


def as_text(column: pd.Series) -> pd.Series:
    """Numbers as text, integers without a decimal point, and NaN as ""; a file may have made numbers of them."""

    def text(entry: object) -> str:
        if isinstance(entry, str):
            return entry
        return str(int(entry)) if float(entry).is_integer() else str(entry)

    # Each different entry once: the columns are long and have few.
    places, entries = pd.factorize(column.where(~is_blank(column), ""))
    return pd.Series([text(entry) for entry in entries], dtype=object).take(places).set_axis(column.index)


def auc_cells(metrics: pd.DataFrame, variant: str = "") -> pd.DataFrame:
    """AUC of every method, classifier and number of features in every round."""
    return _wide(of_variant(metrics, variant), "auc", ["method", "classifier", "n_features"])


def best_counts(cells: pd.DataFrame) -> pd.Series:
    """Number of features with the highest mean AUC over all rounds; the smallest of several."""
    best = cells.mean().groupby(level=["method", "classifier"], sort=False).idxmax()
    return best.map(lambda cell: int(cell[2])) if len(best) else pd.Series(dtype=int)


def at_best(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells at the best number of features of each method and classifier; columns method and classifier."""
    counts = best_counts(cells)
    return _without_counts(cells[[(method, classifier, count) for (method, classifier), count in counts.items()]])


def at_count(cells: pd.DataFrame, count: int = MARKED) -> pd.DataFrame:
    """The cells at one number of features, with the embedding vectors; columns method and classifier."""
    return _without_counts(cells.loc[:, cells.columns.get_level_values("n_features").isin([VECTORS, count])])


def stability(metrics: pd.DataFrame, metric: str = "jaccard", variant: str = "") -> pd.DataFrame:
    """Stability of the five chosen features over the rounds."""
    rows = of_variant(metrics, variant)
    rows = rows[pd.to_numeric(rows["n_features"], errors="coerce") == MARKED]
    return _wide(rows, metric, ["method"]).droplevel("repetition")


@dataclass(frozen=True)
class Jackknife:
    """Difference of two methods' mean Jaccard index, with its 95 % t interval by the jackknife over the rounds."""

    difference: float
    low: float
    high: float
    lower: float  # one-sided 95 % bound
    n: int  # rounds

    @property
    def below_p(self) -> float:
        """Two-sided p-value of a difference below 0; 1 if it is above."""
        if not self.difference < 0:
            return 1.0
        error = (self.high - self.low) / (2 * stdtrit(self.n - 1, (1 + CONFIDENCE) / 2))
        return float(2 * stdtr(self.n - 1, self.difference / error)) if error > 0 else 0.0


def stability_difference(metrics: pd.DataFrame, first: str, second: str) -> Jackknife | None:
    """
    How much stabler one method is than another at five features: paired jackknife over the rounds.

    The mean Jaccard index over all pairs of rounds is a U-statistic. Its jackknife (Arvesen 1969) leaves out one round
    at a time, the same for both methods, since they share their rounds. It shows how the difference would change with
    other rounds from the same samples, not with other samples.
    """
    rows = of_variant(metrics)
    rows = rows[pd.to_numeric(rows["n_features"], errors="coerce") == MARKED]
    # Rounds of several cohorts have the same numbers, and so are seen.
    rows = rows.assign(cohort="")
    without = _wide(rows, "jaccard_left_out", ["method"])
    if not {first, second} <= set(without):
        return None
    differences = (without[first] - without[second]).dropna().to_numpy()
    n = len(differences)
    if n < 3:
        return None
    # Each pair of rounds is left out twice: the mean over the rounds left out is the mean over all pairs.
    mean = float(differences.mean())
    error = jackknife_error(differences)
    half = error * stdtrit(n - 1, 0.5 * (1 + CONFIDENCE))
    return Jackknife(mean, mean - half, mean + half, mean - error * stdtrit(n - 1, CONFIDENCE), n)


def mean_dimensions(metrics: pd.DataFrame, variant: str = "") -> pd.Series:
    """Mean number of embedding dimensions h over all rounds; index reduction, in the order of `REDUCTIONS`."""
    means = _wide(of_variant(metrics, variant), "n_components", ["method"]).mean()
    return pd.Series(
        {name: means[f"embedding_{name}"] for name in REDUCTIONS if f"embedding_{name}" in means}, dtype=float
    )


def group_means(wide: pd.DataFrame, methods: Iterable[str]) -> pd.Series:
    """Mean over methods, and classifiers if there are any, each weighing the same; NaN where one has no value."""
    if wide.columns.nlevels == 1:
        chosen = wide.reindex(columns=list(methods))
    else:
        pairs = [(method, classifier) for method in methods for classifier in wide.columns.unique("classifier")]
        chosen = wide.reindex(columns=pd.MultiIndex.from_tuples(pairs))
    return chosen.mean(axis=1, skipna=False)


def _wide(rows: pd.DataFrame, metric: str, columns: list[str]) -> pd.DataFrame:
    """Values of one metric; index cohort and repetition, the given columns."""
    rows = note_rows(rows[rows["metric"] == metric])
    rows = rows.assign(
        cohort=as_text(rows["cohort"]),
        repetition=rows["repetition"].astype(str),
        n_features=pd.to_numeric(rows["n_features"], errors="coerce").fillna(VECTORS).astype(int),
        value=rows["value"].astype(float),
    )
    if len(columns) == 1:
        return rows.pivot(index=_UNITS, columns=columns[0], values="value")
    return rows.pivot(index=_UNITS, columns=columns, values="value").sort_index(axis=1)


def _without_counts(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.droplevel("n_features", axis=1)
