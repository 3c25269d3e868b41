"""Does the threshold of embedding strength matter, and the number of embeddings that it leaves?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings, select_embeddings
from consensus_embedding.manifold.graph_embedding import graph_embedding
from consensus_embedding.utils.seeds import stream
from threadpoolctl import threadpool_limits

from replication.data.domains.gene_preparation import PreparedGenes
from replication.papers.viswanath2012.gene_splits import GenePool, reduce, score_space
from replication.papers.viswanath2012.image_slices import EmbeddedSlice, space_accuracy
from replication.papers.viswanath2012.method_names import STRENGTHS
from replication.papers.viswanath2012.settings import GeneConsensusSettings, SliceConsensusSettings
from replication.shared.tidy import Metrics

CONDITIONS = [
    "kind",
    "theta",
    "n_selected",
    "noise",
    "inhomogeneity",
    "slice",
    "draw",
    "reduction",
    "strength",
]


def score_combination(
    metrics: Metrics,
    slices: Mapping[int, EmbeddedSlice],
    settings: SliceConsensusSettings,
    *,
    thetas: Sequence[float],
    n_selected: Sequence[int],
    repetitions: int,
    seed: int,
    **conditions: object,
) -> None:
    """
    Score the consensus over thresholds and, with no threshold, over numbers of embeddings.

    A repetition takes half of the base embeddings at random: its spread is what another draw of the feature
    subsets would do.
    """
    with threadpool_limits(1):
        for z, embedded in slices.items():
            at = {"kind": "images", "slice": z, **conditions}
            distances, m = DistancesOfEmbeddings(embedded.embeddings, **settings.combination), len(embedded.embeddings)
            space = graph_embedding(embedded.objects.features, settings.n_components, **settings.graph_options)
            metrics.add("graph_embedding", "accuracy", space_accuracy(embedded, space, settings), **at)
            for r in range(repetitions):
                half = np.sort(stream(seed, "half of the embeddings", r).choice(m, max(1, m // 2), replace=False))
                for theta in thetas:
                    chosen = half[select_embeddings(embedded.accuracies[half], theta)]
                    reached = space_accuracy(embedded, distances.combine(chosen).embedding, settings)
                    metrics.add("consensus", "accuracy", reached, r, theta=theta, **at)
                    metrics.add("consensus", "n_selected", len(chosen), r, theta=theta, **at)
                order = stream(seed, "order of the embeddings", r).permutation(m)
                for k in (k for k in n_selected if k <= m):
                    reached = space_accuracy(embedded, distances.combine(order[:k]).embedding, settings)
                    metrics.add("consensus_of_k", "accuracy", reached, r, n_selected=k, **at)


def score_genes(
    metrics: Metrics,
    genes: PreparedGenes,
    pools: Sequence[GenePool],
    reduction: str,
    settings: GeneConsensusSettings,
    *,
    thetas: Sequence[float],
    n_selected: Sequence[int],
    seed: int,
) -> None:
    """
    Score the consensus of one data set of gene expression over thresholds and over numbers of embeddings.

    A repetition is another draw of the feature subsets. Embeddings are selected by their strength on the training
    split; scores are of the test split.
    """
    at = {"kind": "genes", "reduction": reduction}
    with threadpool_limits(1):
        alone = score_space(reduce(genes.test, reduction, settings), genes.test_positive, settings.linkage)
        metrics.add("single", "accuracy", alone.accuracy, **at)
        for r, pool in enumerate(pools):
            pool = pool.first(settings.n_embeddings)
            distances = DistancesOfEmbeddings(pool.embeddings, **settings.combination)
            for strength in STRENGTHS:
                for theta in thetas:
                    chosen = pool.selected(strength, theta)
                    here = {**at, "strength": strength, "theta": theta}
                    space = distances.combine(chosen).embedding
                    scores = score_space(space, genes.test_positive, settings.linkage)
                    metrics.add("consensus", "accuracy", scores.accuracy, r, **here)
                    metrics.add("consensus", "balanced_accuracy", scores.balanced_accuracy, r, **here)
                    metrics.add("consensus", "n_selected", len(chosen), r, **here)
            order = stream(seed, "order of the gene embeddings", r).permutation(len(pool.embeddings))
            for k in (k for k in n_selected if k <= len(order)):
                space = distances.combine(order[:k]).embedding
                scores = score_space(space, genes.test_positive, settings.linkage)
                metrics.add("consensus_of_k", "accuracy", scores.accuracy, r, n_selected=k, **at)
