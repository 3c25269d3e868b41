"""Tables of the experiments on FINE, derived from their tidy metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from replication.papers.ginsburg2016.fine_metrics import (
    AUC_ONE_FACTOR,
    CLASSIFIERS,
    EMBEDDINGS,
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    REDUCTIONS,
    as_text,
)
from replication.papers.ginsburg2016.fine_sets import (
    RANKED,
    SELECTORS,
    SUBSETS,
    FineSet,
    best_count,
    fine_sets,
    jaccard_at_five,
    paper_dimensions,
    variant_means,
)
from replication.shared.metric_values import is_picked, per_set
from replication.shared.statistics import ALPHA
from replication.shared.substitutes import reached_targets
from replication.shared.tables import format_number, mean_sd

FITS = {"cross-fitted": "cross-fitted", "same patients": "same patients (no cross-fitting)"}
GROUPS = {"FINE": tuple(FINE), "filters": tuple(FILTERS)}
RANKING = {
    "ranking_auc": "ranking AUC",
    "precision": "precision",
    "correlation": "Spearman with permutation importance",
}
_SET = ["data set", "source"]
_OVER = ["rounds", "cohorts"]
_AUC = [f"AUC {name}" for name in CLASSIFIERS.values()]
_STABLE = {"jaccard": "Jaccard", "jaccard_chance": "Jaccard by chance", "kuncheva": "Kuncheva"}
_DIMENSION_COLUMNS = [*_SET, "reduction", "h", "h, SD", "h, least", "h, most", "h, paper", "neighbours", "alpha"]
_DIMENSION_COLUMNS += ["residual variance", "graphs in pieces", *_OVER]
_METHOD_COLUMNS = [*_SET, "method", "Jaccard", "CI low", "CI high", "Jaccard by chance", "Kuncheva", *_AUC, *_OVER]
_BEST_COLUMNS = [*_SET, "method", "classifier", "features", "AUC", "Jaccard", "Jaccard by chance"]
_BEST_COLUMNS += [f"AUC at {MARKED}", *_OVER]
_SWEEP_COLUMNS = [*_SET, "method", "features", *_STABLE.values()]
_SWEEP_COLUMNS += [f"{name}{suffix}" for name in _AUC for suffix in ("", ", SD")] + _OVER
_FEATURE_COLUMNS = [*_SET, "method", "h", "rank", "feature", "votes (%)", *_OVER]
_TARGET_COLUMNS = ["study", "features", "noise", "quantity", "printed", "reached", "difference", "within the margin"]
# How near the filters should come to their printed area under the ROC curve.
TARGET_MARGIN = 0.03
_CHANGED = [f"{score}, {group}" for score, group in product(("Jaccard", "AUC"), GROUPS)]
_CHANGED += ["AUC, vectors"]
_CHANGED += [f"h, {name}" for name in REDUCTIONS.values()]
_VARIANT_COLUMNS = [*_SET, "changed", *(f"{start}{name}" for name in _CHANGED for start in ("", "change of ")), *_OVER]
_RANKING_COLUMNS = [*_SET, "structure", "nuisance", "samples", "effect", "method", *RANKING.values(), "draws"]
_SMALL = f"share of p < {ALPHA:g}"
_LOG_RANK_COLUMNS = [*_SET, "cohort", "fit", "method", "log-rank p, median", _SMALL, "risk difference", "AUC"]
# Groups by another cut than the median risk: suffix of the metrics, and its name.
OTHER_CUTS = {"_class": "predicted class", "_events": "share of events"}
_LOG_RANK_COLUMNS += ["low risk", "high risk"]
_LOG_RANK_COLUMNS += [f"{name}, {cut}" for cut in OTHER_CUTS.values() for name in ("log-rank p, median", "high risk")]
_LOG_RANK_COLUMNS += ["partitions"]


def _shown(wide: pd.DataFrame, method: str, digits: int = 3) -> str:
    """Mean ± SD over units; nothing where the method has no value."""
    return mean_sd(wide[method], digits=digits) if method in wide else ""


def _mean(wide: pd.DataFrame, method: str, digits: int = 4) -> float:
    return round(wide[method].mean(), digits) if method in wide else np.nan


def _head(fine_set: FineSet) -> dict[str, str]:
    return {"data set": fine_set.name, "source": fine_set.source}


def dimensions(metrics: pd.DataFrame) -> pd.DataFrame:
    """Parameters that minimal residual variance chose (Table IV of the paper)."""
    table = []
    for fine_set in fine_sets(metrics):
        every, paper = fine_set.per_round("n_components"), paper_dimensions(fine_set)
        h, others = fine_set.in_units(every), ("n_neighbors", "residual_variance", "n_disconnected")
        neighbours, variance, in_pieces = (fine_set.per_unit(metric) for metric in others)
        alphas = fine_set.rows_of("alpha")
        for key, name in REDUCTIONS.items():
            method = f"embedding_{key}"
            if method not in h:
                continue
            row = {"reduction": name, "h": _mean(h, method), "h, SD": round(h[method].std(), 4)}
            row |= {"h, least": every[method].min(), "h, most": every[method].max(), "h, paper": paper.get(key, np.nan)}
            counts = alphas[alphas["method"] == method]["value"].value_counts().sort_index()
            row |= {"alpha": ", ".join(f"{alpha:g}: {count}" for alpha, count in counts.items())}
            row |= {"neighbours": _shown(neighbours, method, 1), "residual variance": _shown(variance, method)}
            table.append(_head(fine_set) | row | {"graphs in pieces": _shown(in_pieces, method, 1)} | fine_set.counts())
    return pd.DataFrame(table, columns=_DIMENSION_COLUMNS)


def methods(metrics: pd.DataFrame) -> pd.DataFrame:
    """Stability and accuracy at five features (Figs. 3 and 4 of the paper)."""
    table = []
    for fine_set in fine_sets(metrics):
        areas = {
            metric: {name: fine_set.per_unit(metric, classifiers=(key,)) for key, name in CLASSIFIERS.items()}
            for metric in ("auc", AUC_ONE_FACTOR)
        }
        jaccard, chance, kuncheva = (fine_set.per_unit(metric) for metric in _STABLE)
        intervals = pd.DataFrame() if fine_set.by_cohort else jaccard_at_five(fine_set)
        listed = [("auc", method, name) for method, name in METHODS.items()]
        listed += [(AUC_ONE_FACTOR, method, f"{name}, one factor") for method, name in EMBEDDINGS.items()]
        for metric, method, name in listed:
            if not any(method in wide for wide in areas[metric].values()):
                continue
            row = {"method": name, "Jaccard": _shown(jaccard, method), "Kuncheva": _shown(kuncheva, method)}
            if method in intervals.index:
                row |= {f"CI {side}": round(intervals.loc[method, side], 4) for side in ("low", "high")}
            row |= {"Jaccard by chance": _mean(chance, method)}
            row |= {f"AUC {classifier}": _shown(wide, method) for classifier, wide in areas[metric].items()}
            table.append(_head(fine_set) | row | fine_set.counts())
    return pd.DataFrame(table, columns=_METHOD_COLUMNS)


def best(metrics: pd.DataFrame) -> pd.DataFrame:
    """
    The number of features with the highest AUC, as the paper reports it.

    It is chosen on the samples that give the AUC, so this AUC is too high.
    """
    table = []
    for fine_set in fine_sets(metrics):
        marked = {key: fine_set.per_unit("auc", classifiers=(key,)) for key in CLASSIFIERS}
        areas = {key: fine_set.per_count("auc", key) for key in CLASSIFIERS}
        jaccard, chance = (fine_set.per_count(metric) for metric in ("jaccard", "jaccard_chance"))
        for (method, name), (key, classifier) in product({**SELECTORS, **EMBEDDINGS}.items(), CLASSIFIERS.items()):
            if method not in marked[key]:
                continue
            row = {"method": name, "classifier": classifier}
            count = best_count(areas[key], method)
            if count is None:
                row["AUC"] = _shown(marked[key], method)
            else:
                row |= {"features": count, "AUC": _shown(areas[key][count], method)}
                row |= {"Jaccard": _shown(jaccard[count], method), "Jaccard by chance": _mean(chance[count], method)}
                row |= {f"AUC at {MARKED}": _shown(marked[key], method)}
            table.append(_head(fine_set) | row | fine_set.counts())
    return pd.DataFrame(table, columns=_BEST_COLUMNS).astype({"features": "Int64"})


def sweep(metrics: pd.DataFrame) -> pd.DataFrame:
    """Stability and accuracy against the number of features."""
    table = []
    for fine_set in fine_sets(metrics):
        areas = {name: fine_set.per_count("auc", key) for key, name in CLASSIFIERS.items()}
        stable = {name: fine_set.per_count(metric) for metric, name in _STABLE.items()}
        empty = pd.DataFrame()
        for (method, name), (count, wide) in product(SUBSETS.items(), stable["Jaccard"].items()):
            if method not in wide:
                continue
            row = {"method": name, "features": count}
            row |= {column: _mean(tables.get(count, empty), method) for column, tables in stable.items()}
            for classifier, tables in areas.items():
                here = tables.get(count, empty)
                row |= {f"AUC {classifier}": _mean(here, method)}
                row |= {f"AUC {classifier}, SD": round(here[method].std(), 4) if method in here else np.nan}
            table.append(_head(fine_set) | row | fine_set.counts())
    return pd.DataFrame(table, columns=_SWEEP_COLUMNS)


def features(metrics: pd.DataFrame) -> pd.DataFrame:
    """The five features with the most votes over rounds (Table V of the paper)."""
    table = []
    for fine_set in fine_sets(metrics):
        rows, counts = fine_set.rows_of("votes"), fine_set.counts()
        h = fine_set.per_unit("n_components").mean()
        total = counts["rounds"] * counts["cohorts"]
        for method, name in SELECTORS.items():
            votes = rows[rows["method"] == method].groupby("feature", sort=False)["value"].sum()
            votes = votes.sort_values(ascending=False, kind="stable")[:MARKED]
            for rank, (feature, count) in enumerate(votes.items(), start=1):
                row = {"method": name, "rank": rank, "feature": feature, "votes (%)": round(100 * count / total, 1)}
                row["h"] = round(h.get(method.replace("fine", "embedding"), np.nan), 2)
                table.append(_head(fine_set) | row | counts)
    return pd.DataFrame(table, columns=_FEATURE_COLUMNS)


def targets(picks: pd.DataFrame) -> pd.DataFrame:
    """What the filters score with logistic regression at the settings picked, next to the middle of what is printed."""
    table = []
    for _, rows in picks.groupby("study", sort=False):
        printed, settings = {"reached": float(rows["printed"].iloc[0])}, ["study", "features", "noise"]
        reached = reached_targets(rows, printed, TARGET_MARGIN).assign(quantity="AUC of the filters (LR)")
        picked = rows.loc[is_picked(rows), settings].reset_index(drop=True)
        table.append(pd.concat([picked, reached], axis=1))
    complete = pd.concat(table, ignore_index=True)[_TARGET_COLUMNS]
    return complete.round({"printed": 4, "reached": 4, "difference": 4})


def variants(metrics: pd.DataFrame) -> pd.DataFrame:
    """Stability, accuracy and dimensions with one detail changed, at five features."""
    table = []
    for fine_set in fine_sets(metrics):
        for variant in ["", *fine_set.variants]:
            row = {"changed": variant}
            for (metric, score), (group, names) in product((("jaccard", "Jaccard"), ("auc", "AUC")), GROUPS.items()):
                row |= _change(fine_set, metric, names, variant, f"{score}, {group}")
            vectors = tuple(f"embedding_{key}" for key in REDUCTIONS)
            row |= _change(fine_set, "auc", vectors, variant, "AUC, vectors")
            for key, name in REDUCTIONS.items():
                row |= _change(fine_set, "n_components", (f"embedding_{key}",), variant, f"h, {name}", digits=1)
            table.append(_head(fine_set) | row | fine_set.counts(variant))
    return pd.DataFrame(table, columns=_VARIANT_COLUMNS)


def _change(fine_set: FineSet, metric: str, names: Sequence[str], variant: str, column: str, digits: int = 3) -> dict:
    """Cells of the mean over methods under a variant and of its difference from the main rows."""
    changed, main = variant_means(fine_set, metric, names, variant)
    cells = {column: mean_sd(changed, digits=digits)}
    return cells | ({f"change of {column}": mean_sd(changed - main, digits=digits)} if variant else {})


def ranking(metrics: pd.DataFrame) -> pd.DataFrame:
    """How well scores rank the features that are known to matter."""
    table = []
    by = ["structure", "nuisance", "n_samples", "effect"]
    for dataset, source, rows in per_set(metrics):
        rows = rows.astype({"value": float})
        for at, cell in rows.groupby(by, sort=False, dropna=False):
            row = {"data set": dataset, "source": source}
            row |= dict(zip(("structure", "nuisance", "samples", "effect"), at, strict=True))
            for method, name in RANKED.items():
                ranked = cell[cell["method"] == method]
                if len(ranked):
                    scores = {column: mean_sd(ranked["value"][ranked["metric"] == key], digits=3)
                              for key, column in RANKING.items()}  # fmt: skip
                    table.append(row | {"method": name, **scores, "draws": ranked["repetition"].nunique()})
    return pd.DataFrame(table, columns=_RANKING_COLUMNS)


def log_rank(metrics: pd.DataFrame) -> pd.DataFrame:
    """How far the survival of the two risk groups differs."""
    table = []
    for dataset, source, rows in per_set(metrics):
        partitions = by_partition(rows)
        for (cohort, fit), (method, name) in product(product(cohorts(rows), FITS), SUBSETS.items()):
            values = partitions[
                partitions["method"].eq(method) & partitions["cohort"].eq(cohort) & partitions["fit"].eq(fit)
            ]
            if values.empty:
                continue
            # Without a patient in a group there is no test, and no difference.
            p = values["log_rank_p"]
            row = {"data set": dataset, "source": source, "cohort": cohort, "fit": FITS[fit], "method": name}
            row |= {"log-rank p, median": float(f"{p.median():.3g}"), _SMALL: round((p < ALPHA).mean(), 4)}
            row |= {"risk difference": _shown(values, "risk_difference"), "AUC": _shown(values, "auc")}
            row |= {"low risk": format_number(_mean(values, "n_low", 1))}
            row |= {"high risk": format_number(_mean(values, "n_high", 1)), "partitions": len(p)}
            for cut, name in OTHER_CUTS.items():
                if f"n_high{cut}" in values:
                    # Where nobody, or everybody, is called high risk, p counts as 1.
                    others = values.reindex(columns=[f"log_rank_p{cut}"]).fillna(1.0).squeeze(axis=1)
                    row[f"log-rank p, median, {name}"] = float(f"{others.median():.3g}")
                    row[f"high risk, {name}"] = format_number(_mean(values, f"n_high{cut}", 1))
            table.append(row)
    return pd.DataFrame(table, columns=_LOG_RANK_COLUMNS)


def cohorts(metrics: pd.DataFrame) -> list[str]:
    """Cohorts of survival, in the order of the file."""
    return [cohort for cohort in dict.fromkeys(as_text(metrics["cohort"])) if cohort]


def by_partition(metrics: pd.DataFrame) -> pd.DataFrame:
    """What survival shows for each partition, without the curves."""
    keys = ["cohort", "fit", "method", "repetition"]
    summaries = metrics["fit"].isin(FITS) & as_text(metrics["months"]).eq("") & as_text(metrics["group"]).eq("")
    rows = metrics[summaries]
    rows = rows.assign(cohort=as_text(rows["cohort"]), value=rows["value"].astype(float))
    return rows.pivot_table(index=keys, columns="metric", values="value", sort=False).reset_index()
