"""Tables of the experiments on gene expression, derived from their tidy metrics."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd

from replication.papers.viswanath2012.image_tables import paired_tests
from replication.papers.viswanath2012.method_names import (
    BASELINES_SCALED,
    FIXED,
    REDUCTIONS,
    SINGLE_METHODS,
    STRENGTHS,
)
from replication.papers.viswanath2012.method_names import GENE_METHODS as METHODS
from replication.papers.viswanath2012.method_names import GENE_PAPER_METHODS as PAPER_METHODS
from replication.platform.methods import MARK, with_added
from replication.shared.statistics import holm, wilson_interval
from replication.shared.tables import mean_sd as shown_mean

CONSENSUS = [method for method in PAPER_METHODS if method.startswith("consensus")]
_BASELINES = ("ssage", "knn_ensemble", *BASELINES_SCALED)
_TESTED = ["data set", "first", "second", "difference", "CI low", "CI high", "t", "p (first larger)", "p (Holm)"]
_TESTED += ["effect size d_z", "equivalent (TOST p)", "n", "over"]
# Blank where no test can be made.
_OF_TEST = ["CI low", "CI high", "t", "p (first larger)", "p (Holm)", "effect size d_z", "equivalent (TOST p)"]


def gene_scores(metrics: pd.DataFrame, metric: str = "accuracy", variant: str | None = None) -> pd.DataFrame:
    """Rows of one metric of both classes together, under one variant (the first of the table if None)."""
    rows = metrics[metrics["metric"] == metric]
    if "class" in rows:
        rows = rows[rows["class"].isna() | (rows["class"] == "")]
    if "variant" in rows:
        rows = rows[rows["variant"] == (metrics["variant"].iloc[0] if variant is None else variant)]
    return rows


def of_genes(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of gene expression in a table that also has images."""
    return metrics[metrics["kind"] == "genes"] if "kind" in metrics else metrics.iloc[:0]


def present(rows: pd.DataFrame, methods: Iterable[str]) -> list[str]:
    """Those of the methods that have rows, in the order given."""
    scored = set(rows["method"])
    return [method for method in methods if method in scored]


def mean_sd(rows: pd.DataFrame, method: str) -> str:
    """Mean ± SD of a method; the mean alone of a single value or of a method without draws, nothing of no value."""
    values = rows[rows["method"] == method]["value"]
    return shown_mean([values.mean()] if method in FIXED else values, digits=3)


def accuracy_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Layout of Table 5, with baselines scaled by training, added methods, and the majority class of the test."""
    rows = gene_scores(metrics)
    names = with_added(METHODS, rows["method"])
    added = [method for method in names if method.startswith(MARK)]
    table = []
    for (dataset, source), here in rows.groupby(["dataset", "source"], sort=False):
        shown = present(rows, [*PAPER_METHODS, *BASELINES_SCALED, *added])
        row = {"data set": dataset} | {names[method]: mean_sd(here, method) for method in shown}
        row |= {METHODS["majority"]: _majority(here), "test samples": _samples(metrics, dataset)}
        table.append(row | {"source": source})
    return pd.DataFrame(table)


def _majority(rows: pd.DataFrame) -> float:
    return round(rows[rows["method"] == "majority"]["value"].mean(), 3)


def _samples(metrics: pd.DataFrame, dataset: str) -> float:
    """Number of test samples of a data set; one of them is 1 / n of the accuracy."""
    rows = gene_scores(metrics, "n_samples")
    return rows[rows["dataset"] == dataset]["value"].mean()


def scores_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, balanced accuracy and silhouette of every method on every data set, and the embeddings kept."""
    scores = {name: gene_scores(metrics, name) for name in ("accuracy", "balanced_accuracy", "silhouette")}
    names = with_added(METHODS, scores["accuracy"]["method"])
    kept = gene_scores(metrics, "n_selected").groupby(["dataset", "method"])["value"].mean()
    table = []
    for (dataset, source), here in scores["accuracy"].groupby(["dataset", "source"], sort=False):
        n = _samples(metrics, dataset)
        for method in present(here, names):
            row = {"data set": dataset, "method": names[method]}
            for name, rows in scores.items():
                row[name.replace("_", " ")] = mean_sd(rows[rows["dataset"] == dataset], method)
                if name == "accuracy":
                    low, high = wilson_interval(here[here["method"] == method]["value"].mean(), n)
                    row["95 % interval over test samples"] = f"{low:.3f} to {high:.3f}" if n > 0 else ""
            row["embeddings kept"] = round(kept.get((dataset, method), np.nan), 1)
            row |= {METHODS["majority"]: _majority(here), "test samples": n}
            table.append(row | {"source": source})
    return pd.DataFrame(table)


def compared_pairs(added: Iterable[str] = ()) -> list[tuple[str, str]]:
    """
    Each consensus against every other way; labels against none; GE against PCA; added methods against their like.

    An added consensus is compared with the paper's of the same base embeddings, an added embedding with GE and PCA of
    all genes, and both with the paper's baselines.
    """
    pairs = []
    for method in CONSENSUS:
        short = method.split("_")[1]
        single = {short: reduction for reduction, short in REDUCTIONS.items()}[short]
        pairs += [(method, other) for other in (*_BASELINES, single, f"best_trained_{short}", f"best_single_{short}")]
    pairs += [(f"consensus_{short}_s", f"consensus_{short}_us") for short in REDUCTIONS.values()]
    pairs += [(f"consensus_ge_{mark}", f"consensus_pca_{mark}") for mark in STRENGTHS.values()]
    for method in added:
        like = [consensus for consensus in CONSENSUS if method.endswith(METHODS[consensus].removeprefix("consensus"))]
        pairs += [(method, other) for other in (*(like or SINGLE_METHODS), *_BASELINES)]
    return pairs


def tests_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Paired t-tests of the accuracy, per data set over draws of the subsets and then over data sets."""
    rows = gene_scores(metrics).rename(columns={"dataset": "data set"})
    names = with_added(METHODS, rows["method"])
    pairs = compared_pairs(method for method in names if method.startswith(MARK))
    means = rows.groupby(["data set", "method"], sort=False, as_index=False)["value"].mean()
    means = means.assign(unit=means["data set"], **{"data set": "all"})
    tables = [
        paired_tests(rows, pairs, ["data set"], ["repetition"], names).assign(over="draws"),
        paired_tests(means, pairs, ["data set"], ["unit"], names).assign(over="data sets"),
    ]
    made = [table[_TESTED] for table in tables if len(table)]
    if not made:
        return pd.DataFrame(columns=_TESTED)
    table = pd.concat(made, ignore_index=True)
    varies = table["CI high"] > table["CI low"]
    table = table.assign(**table[_OF_TEST].where(varies))
    family = table[varies].groupby(["first", "second", "over"])["p (first larger)"]
    return table.assign(**{"p (Holm)": family.transform(lambda p: holm(p.to_numpy()))})


def variants_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of the paper's methods and of single GE and PCA, by variant of the preparation and data set."""
    table = []
    for variant in metrics["variant"].unique():
        rows = gene_scores(metrics, variant=variant)
        for (dataset, source), here in rows.groupby(["dataset", "source"], sort=False):
            row = {"variant": variant, "data set": dataset}
            for method in present(metrics, [*PAPER_METHODS, *SINGLE_METHODS]):
                row[METHODS[method]] = mean_sd(here, method)
            table.append(row | {"source": source})
    return pd.DataFrame(table)


def m_table(metrics: pd.DataFrame, reduction: str) -> pd.DataFrame:
    """Layout of the paper's Table 6 (consensus PCA) or 7 (consensus GE)."""
    table = []
    for m in sorted(metrics["n_embeddings"].unique()):
        row = {"M": int(m)}
        for dataset in metrics["dataset"].unique():
            for mark in STRENGTHS.values():
                method = f"consensus_{REDUCTIONS[reduction]}_{mark}"
                here = metrics[(metrics["n_embeddings"] == m) & (metrics["dataset"] == dataset)]
                accuracy = mean_sd(here[here["metric"] == "accuracy"], method)
                if accuracy:
                    kept = here[(here["metric"] == "n_selected") & (here["method"] == method)]["value"].mean()
                    row[f"{dataset}, {mark.upper()}"] = f"{accuracy} ({kept:.0f} kept)"
        table.append(row)
    return pd.DataFrame(table).fillna("")


# Tables 6 and 7 of the paper.
consensus_pca_table = partial(m_table, reduction="pca")
consensus_ge_table = partial(m_table, reduction="graph_embedding")


def sensitivity_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on gene expression per threshold and per number K of random embeddings."""
    table = []
    columns = {"consensus": ["strength", "theta"], "consensus_of_k": ["n_selected"], "single": ["reduction"]}
    for (dataset, reduction), rows in of_genes(metrics).groupby(["dataset", "reduction"], sort=False):
        names = {"consensus": "theta / max", "consensus_of_k": "K", "single": f"{METHODS[reduction]} of all genes"}
        for method in present(rows, columns):
            for key, here in rows[rows["method"] == method].groupby(columns[method]):
                scores = {name: group["value"] for name, group in here.groupby("metric")}
                balanced = scores.get("balanced_accuracy")
                value = "" if method == "single" else key[-1]
                kept = scores.get("n_selected")
                table.append(
                    {
                        "data set": dataset,
                        "reduction": METHODS[reduction],
                        "strength": key[0] if method == "consensus" else "",
                        "varied": names[method],
                        "value": value,
                        "mean accuracy": round(scores["accuracy"].mean(), 4),
                        "SD over repetitions": round(scores["accuracy"].std(), 4),
                        "balanced accuracy": np.nan if balanced is None else round(balanced.mean(), 4),
                        "embeddings kept": value if kept is None else round(kept.mean(), 1),
                        "fewest kept": value if kept is None else kept.min(),
                        "source": here["source"].iloc[0],
                    }
                )
    return pd.DataFrame(table)
