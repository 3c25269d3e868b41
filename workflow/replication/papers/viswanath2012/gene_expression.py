"""Experiment 4 of Viswanath and Madabhushi 2012: two classes of samples in four sets of gene expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from consensus_embedding.clustering.clustering import ClusterScores, cluster_scores
from consensus_embedding.clustering.hierarchical_clustering import hierarchical_clusters, hierarchical_clusters_many
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings
from consensus_embedding.features.nearest_neighbors import knn_ensemble
from consensus_embedding.manifold.out_of_sample import SemiSupervisedGraphEmbedding
from consensus_embedding.utils.seeds import stream
from sklearn.metrics import balanced_accuracy_score, silhouette_samples
from threadpoolctl import threadpool_limits

from replication.data.domains.gene_preparation import (
    PreparedGenes,
    prepare_genes,
    standardize,
    t_statistics,
    transform_expression,
)
from replication.data.readers.expression_table import SplitExpression
from replication.papers.viswanath2012.gene_splits import (
    GenePool,
    check_embeddable,
    consensus_space,
    draw_subsets,
    embed_pool,
    reduce,
    score_space,
)
from replication.papers.viswanath2012.method_names import REDUCTIONS, STRENGTHS, VIEWS
from replication.papers.viswanath2012.settings import GeneSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["variant", "class"]
MAIN = "main"


def score_variant(
    metrics: Metrics,
    split: SplitExpression,
    settings: GeneSettings,
    *,
    variant: str = MAIN,
    pools: Mapping[str, Sequence[GenePool]] | None = None,
    repetitions: int,
    pool_size: int,
    seed: int,
    controls: bool = True,
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Score every method on one data set, under one set of choices; `pools` are those that are made already."""
    genes = prepare_genes(split, **settings.preparation)
    check_embeddable(genes, settings.n_components)
    scaled = prepare_genes(split, **settings.replace(standardization="training").preparation)
    pictures = {"positive": genes.test_positive, "class_names": np.array(genes.classes)}
    with threadpool_limits(1):
        fixed = list(_fixed_spaces(genes, scaled, settings))
        candidates = _candidates(split, genes, settings) if controls else None
        for r in range(repetitions):
            subsets = draw_subsets(genes.training.shape[1], settings.subset_size, pool_size, seed, r)
            subsets = subsets[: settings.n_embeddings]
            drawn = {
                reduction: pools[reduction][r].first(len(subsets))
                if pools and reduction in pools
                else embed_pool(genes, reduction, subsets, settings)
                for reduction in REDUCTIONS
            }
            at = {"repetition": r, "variant": variant}
            scored = [*fixed, *_consensus_spaces(metrics, genes, drawn, settings, at)]
            if candidates:
                scored += _drawn_spaces(candidates, genes, subsets, settings, stream(seed, "gene controls", r))
            for method, space, scores in scored:
                add_scores(metrics, method, scores, at)
                if controls or method in (*VIEWS, "ssage_scaled"):
                    silhouette = add_silhouette(metrics, method, space, genes, at)
                    add_errors(metrics, method, scores, genes, at)
                if r == 0 and method in VIEWS:
                    pictures |= {f"{method}/embedding": space, f"{method}/called": scores.called}
                    pictures[f"{method}/silhouette"] = silhouette
            for method, scores, tied in _single_embeddings(genes, drawn, settings.linkage):
                add_scores(metrics, method, scores, at)
                if tied:
                    metrics.add(method, "n_selected", tied, **at)
            for method, table in (("knn_ensemble", genes), ("knn_ensemble_scaled", scaled)):
                add_scores(metrics, method, knn_scores(table, subsets, settings.knn_neighbors), at)
            majority = np.full(len(genes.test), genes.test_positive.mean() > 0.5)
            add_scores(metrics, "majority", _called(majority, genes.test_positive), at)
            metrics.add("majority", "n_samples", len(majority), **at)
    return pictures, genes.notes


def ssage_spaces(genes: PreparedGenes, settings: GeneSettings) -> tuple[np.ndarray, np.ndarray]:
    """Semi-supervised graph embedding of both splits together, the labels of the training split revealed (SSAGE)."""
    together = np.concatenate([genes.training, genes.test])
    labels = np.concatenate([genes.training_positive.astype(int), np.full(len(genes.test), -1)])
    weights = (2.0, 0.5) if settings.label_weights == "fixed" else "zhao"
    model = SemiSupervisedGraphEmbedding(settings.n_components, label_weights=weights, **settings.graph_options)
    space = model.fit_transform(together, labels)
    return space, hierarchical_clusters(space, 2, linkage=settings.linkage)


def knn_scores(genes: PreparedGenes, subsets: np.ndarray, knn_neighbors: int) -> ClusterScores:
    """Scores of the kNN ensemble, which names the classes itself; an even vote counts as the negative class."""
    votes = knn_ensemble(genes.training, genes.training_positive, genes.test, subsets, n_neighbors=knn_neighbors)
    return _called(votes > 0.5, genes.test_positive)


def cohort_scores(clusters: np.ndarray, n_training: int, positive: np.ndarray) -> ClusterScores:
    """Test scores of two clusters of the complete cohort; the better one is called the class of interest."""
    scores = [_called(clusters[n_training:] == cluster, positive) for cluster in np.unique(clusters)]
    return max(scores, key=lambda candidate: (candidate.accuracy, candidate.balanced_accuracy))


def class_silhouettes(space: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """Mean silhouette of each class in a space (Rousseeuw 1987), the true classes taken as clusters."""
    values = silhouette_samples(space, positive)
    return float(values[~positive].mean()), float(values[positive].mean())


Scored = tuple[str, np.ndarray, ClusterScores]


def _fixed_spaces(genes: PreparedGenes, scaled: PreparedGenes, settings: GeneSettings) -> Iterator[Scored]:
    """Representations that need no draw of subsets."""
    yield "features", genes.test, score_space(genes.test, genes.test_positive, settings.linkage)
    for reduction in REDUCTIONS:
        space = reduce(genes.test, reduction, settings)
        yield reduction, space, score_space(space, genes.test_positive, settings.linkage)
    for method, table in (("ssage", genes), ("ssage_scaled", scaled)):
        together, clusters = ssage_spaces(table, settings)
        space = together[len(table.training) :]
        yield method, space, cohort_scores(clusters, len(table.training), table.test_positive)
        if method == "ssage":
            yield "ssage_test_only", space, score_space(space, genes.test_positive, settings.linkage)


def _consensus_spaces(
    metrics: Metrics, genes: PreparedGenes, pools: Mapping[str, GenePool], settings: GeneSettings, at: Mapping
) -> Iterator[Scored]:
    """Consensus of each reduction, selected with and without labels, at the paper's and at a strict threshold."""
    for reduction, short in REDUCTIONS.items():
        pool = pools[reduction]
        distances = DistancesOfEmbeddings(pool.embeddings, **settings.combination)
        for strength, mark in STRENGTHS.items():
            selections = {
                "": (settings.theta, settings.theta_reading),
                "_strict": (settings.exploratory_theta, "literal"),
            }
            for suffix, (theta, reading) in selections.items():
                method = f"consensus_{short}_{mark}{suffix}"
                chosen = pool.selected(strength, theta, reading)
                metrics.add(method, "n_selected", len(chosen), **at)
                space = distances.combine(chosen).embedding
                yield method, space, score_space(space, genes.test_positive, settings.linkage)


def _candidates(split: SplitExpression, genes: PreparedGenes, settings: GeneSettings) -> list[np.ndarray]:
    """Both splits, transformed, with those genes alone that could have been chosen."""
    given, positive = split.training.values, genes.training_positive
    if settings.pruning == "whole":
        given, positive = np.concatenate([given, split.test.values]), np.concatenate([positive, genes.test_positive])
    usable = ~np.isnan(t_statistics(given, positive))
    return [transform_expression(part.values, settings.transform)[:, usable] for part in (split.training, split.test)]


def _drawn_spaces(
    candidates: list[np.ndarray],
    genes: PreparedGenes,
    subsets: np.ndarray,
    settings: GeneSettings,
    rng: np.random.Generator,
) -> Iterator[Scored]:
    """Controls: the same subsets combined without a reduction, genes at random, points at random."""
    space = consensus_space(np.stack([genes.test[:, subset] for subset in subsets]), settings)
    yield "consensus_subsets", space, score_space(space, genes.test_positive, settings.linkage)
    chosen = rng.choice(candidates[0].shape[1], settings.n_genes, replace=False)
    (_, space), _ = standardize(*(part[:, chosen] for part in candidates), settings.standardization)
    yield "random_genes", space, score_space(space, genes.test_positive, settings.linkage)
    points = rng.normal(size=(len(genes.test), settings.n_components))
    yield "random_embedding", points, score_space(points, genes.test_positive, settings.linkage)


def _single_embeddings(
    genes: PreparedGenes, pools: Mapping[str, GenePool], linkage: str
) -> Iterator[tuple[str, ClusterScores, int]]:
    """The base embeddings that the training labels choose (of several the mean score), and that of the test labels."""
    for reduction, short in REDUCTIONS.items():
        pool = pools[reduction]
        clusters = hierarchical_clusters_many(pool.embeddings.astype(np.float64), 2, linkage=linkage)
        scores = [cluster_scores(labels, genes.test_positive) for labels in clusters]
        tied = [scores[k] for k in np.flatnonzero(pool.supervised == pool.supervised.max())]
        means = (
            float(np.mean([getattr(single, name) for single in tied])) for name in ("accuracy", "balanced_accuracy")
        )
        yield f"best_trained_{short}", ClusterScores(*means, tied[0].called), len(tied)
        yield f"best_single_{short}", max(scores, key=lambda single: single.accuracy), 0


def _called(called: np.ndarray, positive: np.ndarray) -> ClusterScores:
    """Scores of a classifier, which names the classes itself."""
    return ClusterScores(float(np.mean(called == positive)), float(balanced_accuracy_score(positive, called)), called)


def add_scores(metrics: Metrics, method: str, scores: ClusterScores, at: Mapping) -> None:
    """Add accuracy and balanced accuracy."""
    metrics.add(method, "accuracy", scores.accuracy, **at)
    metrics.add(method, "balanced_accuracy", scores.balanced_accuracy, **at)


def add_errors(metrics: Metrics, method: str, scores: ClusterScores, genes: PreparedGenes, at: Mapping) -> None:
    """Add the shares called wrongly of each class; the second is the first with the other class as the positive one."""
    metrics.add(method, "false_positive_rate", float(scores.called[~genes.test_positive].mean()), **at)
    metrics.add(method, "false_negative_rate", float((~scores.called[genes.test_positive]).mean()), **at)


def add_silhouette(metrics: Metrics, method: str, space: np.ndarray, genes: PreparedGenes, at: Mapping) -> float:
    """Add the mean silhouette of the two classes, and return it."""
    by_class = class_silhouettes(space, genes.test_positive)
    mean = float(np.mean(by_class))
    metrics.add(method, "silhouette", mean, **at)
    for name, value in zip(genes.classes, by_class, strict=True):
        metrics.add(method, "silhouette", value, **{**at, "class": name})
    return mean
