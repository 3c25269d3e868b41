"""Tables of the toy image and of the experiments on the theory, derived from their tidy metrics."""

from __future__ import annotations

import pandas as pd

from replication.shared.tables import mean_sd_table


def toy_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on the toy image, mean and standard deviation over draws of the noise."""
    return _of(metrics, ["accuracy"], ["graph", "noise", "red_noise", "method"])


def strength_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Strength of the consensus, and its rank correlation with the number of embeddings."""
    by = ["error", "level", "method", "space", "n_embeddings"]
    return _of(metrics, ["strength", "spearman"], by)


def error_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Share of the draws, and of the pairs, in which the error of the consensus is at most the mean error."""
    by = ["error", "method", "space", "normalization", "n_embeddings"]
    return _of(metrics, ["holds", "pair_share"], by)


def monotone_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rank correlations of embedding strength with the other measures."""
    by = ["dataset", "source", "series", "method", "compared_with"]
    return _of(genes_apart(metrics), ["spearman"], by)


def genes_apart(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of theory_monotone with a series of its own for each reduction of gene expression."""
    of_genes = rows["series"] == "genes"
    return rows.assign(series=rows["series"].where(~of_genes, "genes " + rows["repetition"].astype(str)))


def _of(metrics: pd.DataFrame, shown: list[str], by: list[str]) -> pd.DataFrame:
    return mean_sd_table(metrics[metrics["metric"].isin(shown)], by)
