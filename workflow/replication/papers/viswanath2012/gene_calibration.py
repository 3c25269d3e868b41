"""
Defaults for what Experiment 4 of Viswanath and Madabhushi 2012 leaves open, by the rule of shared/calibration.py.

Each training split is halved at random, within its classes, several times; one half takes the part of the training
split and the other that of the test split, so that no test sample of the experiment is ever seen. What differs between
the official splits, such as the shares of the classes, does not differ between the halves, and is not calibrated by
them. An option scores by the balanced accuracy on the second halves, which cannot be won by naming everything the
majority class, of the kNN ensemble, SSAGE, features, GE, PCA, and consensus GE and consensus PCA at theta = 0.15 x max.
The rule was fixed before any result. Unlike that of brain_calibration, it may pick an end of a grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.data.domains.gene_preparation import PreparedGenes, prepare_genes
from replication.data.readers.expression_table import ExpressionTable, SplitExpression
from replication.papers.viswanath2012.experiments.gene_calibration import GeneCalibration
from replication.papers.viswanath2012.gene_expression import cohort_scores, knn_scores, ssage_spaces
from replication.papers.viswanath2012.gene_splits import (
    consensus_space,
    draw_subsets,
    embed_pool,
    gene_seed,
    reduce,
    score_space,
)
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings
from replication.platform.steps import QUIET, Work
from replication.shared.calibration import go_through_options, scores_by_set
from replication.shared.tasks import results_of


def run(
    tables: Mapping[str, ExpressionTable],
    sources: Mapping[str, str],
    settings: GeneSettings,
    parameters: GeneCalibration,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option, and pick."""
    halves = {(name, r): halve(table, stream(gene_seed(work.seed, name), "halving", r), name)
              for name, table in tables.items() for r in range(parameters.splits)}  # fmt: skip
    most = max(parameters.options.get("n_components", [settings.n_components]))
    for (name, _), half in halves.items():
        if len(half.test.classes) <= most:
            raise ValueError(
                f"{name}: an embedding in {most} dimensions needs halves of the training split of at least {most + 1} "
                f"samples, found {len(half.test.classes)}; leave out gene_calibration."
            )

    # Most options leave the preparation as it is.
    @lru_cache(maxsize=1)
    def prepared(**preparation: object) -> list[PreparedGenes]:
        calls = (delayed(prepare_genes)(half, **preparation) for half in halves.values())
        return list(results_of(calls, work.threads))

    def score(tried: Mapping) -> pd.DataFrame:
        changed = settings.replace(**tried)
        calls = (
            delayed(score_methods)(genes, changed, gene_seed(work.seed, name), r)
            for (name, r), genes in zip(halves, prepared(**changed.preparation), strict=True)
        )
        return pd.DataFrame(results_of(calls, work.threads))

    scored, picks = go_through_options(
        parameters.options, {**vars(settings), "n_embeddings": parameters.n_embeddings}, score,
        margin=parameters.margin, progress=work.say,
    )  # fmt: skip
    return scores_by_set("gene_calibration", "balanced_accuracy", scored, list(halves), sources), picks


def halve(table: ExpressionTable, rng: np.random.Generator, dataset: str = "the table") -> SplitExpression:
    """Two random halves of a table, each with half of every class."""
    first = np.zeros(len(table.classes), dtype=bool)
    for name, n in zip(*np.unique(table.classes, return_counts=True), strict=True):
        if n < 4:
            raise ValueError(
                f"{dataset}: halving a training split needs at least 4 samples of each class, found {n} of {name}; "
                "leave out gene_calibration."
            )
        members = rng.permutation(np.flatnonzero(table.classes == name))
        first[members[: -(-len(members) // 2)]] = True
    return SplitExpression(
        *(
            replace(table, values=table.values[part], classes=table.classes[part], splits=None, lines=None)
            for part in (first, ~first)
        )
    )


def score_methods(genes: PreparedGenes, settings: GeneSettings, seed: int, repetition: int) -> dict[str, float]:
    """Balanced accuracy of every method on the second half of a halving."""
    truth = genes.test_positive
    subsets = draw_subsets(genes.training.shape[1], settings.subset_size, settings.n_embeddings, seed, repetition)
    _, clusters = ssage_spaces(genes, settings)
    accuracies = {
        "knn_ensemble": knn_scores(genes, subsets, settings.knn_neighbors).balanced_accuracy,
        "ssage": cohort_scores(clusters, len(genes.training), truth).balanced_accuracy,
        "features": score_space(genes.test, truth, settings.linkage).balanced_accuracy,
    }
    for reduction, short in REDUCTIONS.items():
        space = reduce(genes.test, reduction, settings)
        accuracies[reduction] = score_space(space, truth, settings.linkage).balanced_accuracy
        pool = embed_pool(genes, reduction, subsets, settings)
        space = consensus_space(
            pool.embeddings[pool.selected("supervised", settings.theta, settings.theta_reading)], settings
        )
        accuracies[f"consensus_{short}_s"] = score_space(space, truth, settings.linkage).balanced_accuracy
    return accuracies
