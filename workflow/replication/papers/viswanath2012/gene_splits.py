"""From prepared genes to selected base embeddings: the part that all experiments on gene expression share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from consensus_embedding.clustering.clustering import (
    CHANCE_ACCURACY,
    ClusterScores,
    cluster_scores,
    r_squared_index,
)
from consensus_embedding.clustering.hierarchical_clustering import hierarchical_clusters, hierarchical_clusters_many
from consensus_embedding.consensus.subset_embeddings import (
    combine_embeddings,
    embed_subsets,
    feature_subsets,
    flat_subsets,
    select_embeddings,
)
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread

from replication.data.domains.gene_preparation import PreparedGenes
from replication.papers.viswanath2012.settings import CombinationSettings, GraphSettings, PoolSettings


@dataclass(frozen=True)
class GenePool:
    """
    Base embeddings of the test split, and how strong their twins on the training split are.

    Nothing of the training split but the strengths is kept, and nothing of the test labels enters: what is
    selected by a pool cannot have seen them.
    """

    embeddings: np.ndarray  # (M, n_test, n_components), float32.
    supervised: np.ndarray  # (M,): two-cluster accuracy on the training split.
    unsupervised: np.ndarray  # (M,): R-squared index of the two clusters on the training split.

    def first(self, n: int) -> GenePool:
        """The pool of the first n subsets; the first subsets cover all genes."""
        return GenePool(self.embeddings[:n], self.supervised[:n], self.unsupervised[:n])

    def selected(self, strength: str, theta: float, reading: str = "literal") -> np.ndarray:
        """Indices of the strong embeddings, by "supervised" or "unsupervised" strength; see `select_embeddings`."""
        chance = CHANCE_ACCURACY if strength == "supervised" else 0.0
        return select_embeddings(getattr(self, strength), theta, reading=reading, chance=chance)


def check_embeddable(genes: PreparedGenes, n_components: int) -> None:
    """Refuse splits that have too few samples to be embedded, or only equal ones."""
    needed = max(3, n_components + 1)
    for name, part in (("training", genes.training), ("test", genes.test)):
        if len(part) < needed:
            raise ValueError(
                f"Expected at least {needed} samples in the {name} split to embed it in {n_components} "
                f"dimensions, found {len(part)}; add samples or lower n_components."
            )
        if (part == part[0]).all():
            raise ValueError(
                f"Expected samples that differ in the {part.shape[1]} chosen genes, found {len(part)} equal ones in "
                f"the {name} split; fix the table."
            )


def draw_subsets(n_genes: int, subset_size: int, pool_size: int, seed: int, repetition: int) -> np.ndarray:
    """Subsets of the genes, the same for both splits, both reductions and every number M up to the size of the pool."""
    return feature_subsets(n_genes, pool_size, subset_size, stream_seed(seed, "gene subsets", repetition))


def gene_seed(root: int, dataset: str) -> int:
    """Seed of all that is drawn for one data set."""
    return stream_seed(root, "genes", dataset)


def base_embeddings(table: np.ndarray, subsets: np.ndarray, reduction: str, settings: GraphSettings) -> np.ndarray:
    """CreateEmbed of one split; shape (M, n, n_components)."""
    options = settings.graph_options if reduction == "graph_embedding" else {}
    return embed_subsets(table, subsets, n_components=settings.n_components, embedder=reduction, options=options)


def reduce(table: np.ndarray, reduction: str, settings: GraphSettings) -> np.ndarray:
    """One embedding of all genes; shape (n, n_components)."""
    everything = np.arange(table.shape[1])[None]
    return base_embeddings(table, everything, reduction, settings)[0]


def embed_pool(genes: PreparedGenes, reduction: str, subsets: np.ndarray, settings: PoolSettings) -> GenePool:
    """CreateEmbed on both splits with the same subsets, and the strengths on the training split."""
    check_embeddable(genes, settings.n_components)
    with one_blas_thread():
        training = base_embeddings(genes.training, subsets, reduction, settings)
        clusters = hierarchical_clusters_many(training, 2, linkage=settings.linkage)
        accuracies = [cluster_scores(labels, genes.training_positive).accuracy for labels in clusters]
        indices = [r_squared_index(embedding, labels) for embedding, labels in zip(training, clusters, strict=True)]
        test = base_embeddings(genes.test, subsets, reduction, settings).astype(np.float32)
    flat = flat_subsets(genes.training, subsets)
    return GenePool(test, np.where(flat, 0.0, accuracies), np.where(flat, 0.0, indices))


def pool_depends_on(reduction: str, settings: PoolSettings) -> dict[str, object]:
    """The settings by which `embed_pool` makes a pool of the first subsets."""
    graph = settings.graph_options if reduction == "graph_embedding" else {}
    return {**settings.preparation, **graph, **settings.only("n_components", "subset_size", "linkage")}


def consensus_space(embeddings: np.ndarray, settings: CombinationSettings) -> np.ndarray:
    """CalcConsEmbed of selected embeddings; shape (n, n_components)."""
    return combine_embeddings(embeddings, **settings.combination).embedding


def score_space(space: np.ndarray, positive: np.ndarray, linkage: str) -> ClusterScores:
    """Scores of the two hierarchical clusters of a space."""
    return cluster_scores(hierarchical_clusters(space, 2, linkage=linkage), positive)


def save_pools(pools: list[GenePool]) -> dict[str, np.ndarray]:
    """Arrays of the pools of all repetitions, to be saved in one .npz file."""
    return {key: np.array([getattr(pool, key) for pool in pools]) for key in GenePool.__dataclass_fields__}


def load_pools(path: str | Path) -> list[GenePool]:
    """Read pools saved as `save_pools` arranges them, one per repetition."""
    with np.load(path) as arrays:
        stacked = [arrays[key] for key in GenePool.__dataclass_fields__]
    return [GenePool(*parts) for parts in zip(*stacked, strict=True)]
