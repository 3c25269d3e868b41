"""What tables, figures and texts on FINE read from the metrics: names, and values by round or cohort of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from replication.papers.ginsburg2016.fine_metrics import CONTROLS, FILTERS, FINE, MARKED, REDUCTIONS, as_text
from replication.shared.metric_values import per_set
from replication.shared.statistics import CONFIDENCE, jackknife_error

SELECTORS = {**FINE, **FILTERS}
SUBSETS = {**SELECTORS, **CONTROLS}
RANKED = {**SUBSETS, "permutation": "permutation importance"}
# Table IV: mean h of PCA, Isomap, LE and LLE.
PAPER_DIMENSIONS = {
    "madelon": (36, 4, 24, 1),
    "arcene": (15, 5, 40, 1),
    "dexter": (6, 2, 7, 19),
    "gisette": (6, 2, 14, 47),
}
_CONDITIONS = ("variant", "cohort", "classifier", "feature", "repetition")
_UNIT = ["cohort", "repetition"]


@dataclass(frozen=True)
class FineSet:
    """One data set of feature_selection or pathology."""

    name: str
    source: str
    # Metric and variant -> rows: conditions as text, "" where there is none; n_features and value as numbers.
    parts: Mapping[tuple[str, str], pd.DataFrame]
    variants: tuple[str, ...]  # details that are changed one at a time, in the order of the file
    by_cohort: bool  # whether a spread is over the cohorts as which it was drawn, and not over rounds

    @property
    def title(self) -> str:
        """Name with the source of the data."""
        return f"{self.name} ({self.source})"

    def rows_of(self, metric: str, variant: str = "") -> pd.DataFrame:
        """Rows of one metric; none if it was not reported."""
        empty = next(iter(self.parts.values())).iloc[:0]
        return self.parts.get((metric, variant), empty)

    def per_round(self, metric: str, *, variant: str = "", classifiers: Sequence[str] | None = None) -> pd.DataFrame:
        """Values of one metric at the marked number of features, averaged over classifiers."""
        rows = self._rows(metric, variant, classifiers)
        return rows.pivot_table(index=_UNIT, columns="method", values="value")

    def per_unit(self, metric: str, *, classifiers: Sequence[str] | None = None) -> pd.DataFrame:
        """As `per_round`; where there are cohorts, means over their rounds by classifier, then over classifiers."""
        rows = self._rows(metric, "", classifiers)
        if not self.by_cohort:
            return rows.pivot_table(index=_UNIT, columns="method", values="value")
        # Forests are not scored in every round, and count as much as the others all the same.
        by_classifier = rows.groupby(["cohort", "method", "classifier"])["value"].mean()
        return by_classifier.groupby(["cohort", "method"]).mean().unstack("method")

    def _rows(self, metric: str, variant: str, classifiers: Sequence[str] | None) -> pd.DataFrame:
        rows = self.rows_of(metric, variant)
        rows = rows[rows["n_features"].isna() | (rows["n_features"] == MARKED)]
        return rows if classifiers is None else rows[rows["classifier"].isin(classifiers)]

    def in_units(self, wide: pd.DataFrame) -> pd.DataFrame:
        """Values by round as means by cohort, where there are cohorts."""
        return wide.groupby(level="cohort").mean() if self.by_cohort else wide

    def per_count(self, metric: str, classifier: str | None = None) -> dict[int, pd.DataFrame]:
        """Number of features, rising -> values by unit and method; of all classifiers together by default."""
        rows = self.rows_of(metric)
        if classifier is not None:
            rows = rows[rows["classifier"] == classifier]
        wide = rows.pivot_table(index=["n_features", *_UNIT], columns="method", values="value")
        counts = wide.index.get_level_values("n_features")
        by_count = {int(count): self.in_units(wide.loc[count]) for count in sorted(set(counts))}
        return {count: table.dropna(axis=1, how="all") for count, table in by_count.items()}

    def counts(self, variant: str = "") -> dict[str, int]:
        """Number of rounds (of a cohort) and of cohorts."""
        rounds = self.rows_of("auc", variant).groupby("cohort")["repetition"].nunique()
        return {"rounds": int(rounds.max()) if len(rounds) else 0, "cohorts": len(rounds) if self.by_cohort else 1}


def fine_sets(metrics: pd.DataFrame) -> Iterator[FineSet]:
    """Data sets of feature_selection or pathology, in the order of the file."""
    for name, source, rows in per_set(metrics):
        text = {key: as_text(rows[key]) for key in _CONDITIONS}
        rows = rows.assign(**text, n_features=pd.to_numeric(rows["n_features"]), value=rows["value"].astype(float))
        variants = tuple(variant for variant in rows["variant"].unique() if variant)
        parts = dict(iter(rows.groupby(["metric", "variant"], sort=False)))
        yield FineSet(name, source, parts, variants, bool((rows["cohort"] != "").any()))


def jackknife_interval(value: float, left_out: Sequence[float]) -> tuple[float, float]:
    """
    95 % jackknife interval of a mean Jaccard index, cut at 0 and 1.

    By t with B - 1 degrees of freedom, from B values, each without one round; NaN of fewer than three.
    """
    n = len(left_out)
    half = float(stdtrit(n - 1, 0.5 * (1 + CONFIDENCE)) * jackknife_error(left_out)) if n > 2 else np.nan
    return max(value - half, 0.0), min(value + half, 1.0)


def jaccard_at_five(fine_set: FineSet) -> pd.DataFrame:
    """Stability of the five best features with what its error bars show."""
    wide, left_out = fine_set.per_unit("jaccard"), fine_set.per_round("jaccard_left_out")
    intervals = {}
    for method in (name for name in SUBSETS if name in wide):
        mean = wide[method].mean()
        if fine_set.by_cohort:
            low, high = mean - wide[method].std(), mean + wide[method].std()
        else:
            low, high = jackknife_interval(mean, left_out[method].dropna() if method in left_out else [])
        intervals[method] = {"mean": mean, "low": low, "high": high}
    return pd.DataFrame.from_dict(intervals, orient="index", columns=["mean", "low", "high"])


def paper_dimensions(fine_set: FineSet) -> dict[str, int]:
    """Reduction -> mean h of Table IV; of the paper's data sets alone."""
    of_paper = PAPER_DIMENSIONS.get(fine_set.name, ()) if fine_set.source.startswith("original") else ()
    return dict(zip(REDUCTIONS, of_paper, strict=False))


def best_count(areas: Mapping[int, pd.DataFrame], method: str) -> int | None:
    """Number of features with the highest mean AUC, the smaller of equals."""
    means = {count: wide[method].mean() for count, wide in areas.items() if method in wide}
    return max(means, key=means.get) if means else None


def variant_means(fine_set: FineSet, metric: str, names: Sequence[str], variant: str) -> tuple[pd.Series, pd.Series]:
    """Mean over methods of a metric with a detail changed, and without, by unit."""
    classifiers = fine_set.rows_of(metric, variant)["classifier"].unique()
    wide = fine_set.per_round(metric, variant=variant)
    wide = wide[[name for name in names if name in wide]]
    main = fine_set.per_round(metric, classifiers=classifiers).reindex(index=wide.index, columns=wide.columns)
    return fine_set.in_units(wide).mean(axis=1), fine_set.in_units(main).mean(axis=1)
