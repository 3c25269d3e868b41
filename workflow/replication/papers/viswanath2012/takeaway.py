"""What a reader should remember of Viswanath and Madabhushi 2012, with the figures of the study."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.shared.values import mean_of, rows_of
from replication.shared.wording import Phrase, paragraphs, phrase

COMBINATION = ["noise", "inhomogeneity"]
BASELINES = ["features", "mds", "graph_embedding"]
# Of the settings that the claims are judged by.
LEVELS = 128


def takeaway(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    """Images by the reading of theta and by whose labels choose; genes by the mean over the sets."""
    return paragraphs([_images(metrics), _genes(metrics)])


def _images(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    rows = rows_of(metrics, "brain_readings", "accuracy", levels=LEVELS)
    dataset = rows["dataset"].iloc[0]
    per = rows.pivot_table(index=COMBINATION, columns="method", values="value")

    def led(method: str) -> int:
        return int((per[method] > per[BASELINES].max(axis=1)).sum())

    def chosen(method: str) -> float:
        return mean_of(metrics, "brain_grid", "accuracy", method=method, objects="mean_shift", draw=0, dataset=dataset)

    def kept(method: str) -> float:
        return mean_of(metrics, "brain_readings", "n_selected", method=method, levels=LEVELS)

    return phrase(
        "On brain slices the result depends on which embeddings are combined. The threshold as printed (strength "
        "above 0.15 x max) keeps {n_all:count} embeddings: the consensus has a mean accuracy of {printed:value}, "
        "one graph embedding of all features {ge:value}, and the consensus leads in {led_all} of {of} combinations. "
        'Read as "within 15 % of the best", the threshold keeps {n_within:count}: the consensus has {within:value} '
        "and leads in {led_within} of {of}. The labels of the same slice choose the embeddings, as in the paper. With "
        "a strict threshold the consensus has {strict:value}. With the labels of other slices instead it has "
        "{learnt:value}, and the best single embedding {single:value}.",
        n_all=kept("consensus"),
        n_within=kept("consensus_within"),
        printed=per["consensus"].mean(),
        within=per["consensus_within"].mean(),
        ge=per["graph_embedding"].mean(),
        led_all=led("consensus"),
        led_within=led("consensus_within"),
        of=len(per),
        strict=chosen("consensus_strict"),
        learnt=chosen("consensus_strict_learnt"),
        single=chosen("best_single_learnt"),
    )


def _genes(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    def accuracy(method: str) -> float:
        rows = rows_of(metrics, "gene_expression", "accuracy", method=method, variant="main")
        return float(rows.groupby("dataset")["value"].mean().mean())

    return phrase(
        "On gene expression the mean accuracy over the data sets is {pca:value} for consensus PCA, {ge:value} for "
        "consensus GE, {ssage:value} for SSAGE and {knn:value} for the kNN ensemble of all features. How test "
        "samples are scaled, which the paper does not say, decides the comparison: by the training samples, SSAGE "
        "has {ssage_scaled:value} and the kNN ensemble {knn_scaled:value}.",
        pca=accuracy("consensus_pca_s"),
        ge=accuracy("consensus_ge_s"),
        ssage=accuracy("ssage"),
        knn=accuracy("knn_ensemble"),
        ssage_scaled=accuracy("ssage_scaled"),
        knn_scaled=accuracy("knn_ensemble_scaled"),
    )


TAKEAWAYS = {"viswanath2012": takeaway}
