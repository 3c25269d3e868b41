"""
Compile the inner loops of the library, by calling their callers on small random data; `install.sh` calls this.

    .venv/bin/python workflow/compile_kernels.py        from the repository root

numba compiles a loop when it is first called and keeps the result next to the module. Without this, the first study
would wait for it. Nothing depends on it, and a loop whose source changes is compiled again by itself.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("src", "workflow")]

# As the study runs, unless it asks for native arithmetic; what is compiled for that is kept apart.
from consensus_embedding.utils.arithmetic import set_portable

set_portable(os.environ)

import numpy as np
from consensus_embedding.clustering import (
    clustering,
    hierarchical_clustering,
    mean_shift,
)
from consensus_embedding.consensus import geometric_median, modes, strength
from consensus_embedding.consensus import pairwise as consensus
from consensus_embedding.consensus import subset_embeddings as consensus_steps
from consensus_embedding.diagnostics import retrieval
from consensus_embedding.diagnostics.embedding_check import check_embedding
from consensus_embedding.features import feature_filters, texture
from consensus_embedding.manifold import lle, tsne
from consensus_embedding.manifold.distance_matrices import combined_distances, distance_gram
from consensus_embedding.manifold.graphs import semi_supervised_affinity
from consensus_embedding.manifold.large_mds import ConsensusPairs, large_smacof, place_by_landmarks
from consensus_embedding.manifold.nystroem import nystroem_extension
from consensus_embedding.manifold.residual_variance import choose_embedding
from replication.data.domains import shape_distance
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 8))
LABELS = np.arange(N) % 2
EMBEDDINGS = RNG.normal(size=(5, N, 3))


def of_images() -> None:
    """Texture features, and the objects of a slice."""
    image, mask = RNG.uniform(size=(16, 16)), np.ones((16, 16), dtype=bool)
    for n_features in (14, 13):
        F = texture.haralick_features(image, mask, window=3, levels=16, n_features=n_features)
    for kernel in ("flat", "gaussian"):
        mean_shift.mean_shift_objects(F, max_objects=20, kernel=kernel)
    mean_shift.kmeans_objects(F, n_objects=20)


def of_consensus() -> None:
    """Base embeddings, their consensus, clusters and strengths."""
    subsets = consensus_steps.feature_subsets(8, 5, 4)
    for options in ({"kernel": "knn"}, {"kernel": "exponential"}):
        consensus_steps.embed_subsets(X, subsets, options=options)
    for estimator in ("median", "mean"):
        consensus_steps.combine_embeddings(EMBEDDINGS, estimator=estimator)
    consensus.pairwise_consensus(EMBEDDINGS, "median")
    combined_distances(EMBEDDINGS, np.full(5, 0.2))
    geometric_median.geometric_median(distance_gram(EMBEDDINGS))
    large_smacof(ConsensusPairs(EMBEDDINGS, np.full(5, 0.2)), max_iter=1)
    place_by_landmarks(EMBEDDINGS, np.full(5, 0.2), np.arange(20), EMBEDDINGS[0, :20, :2])
    clustering.replicated_kmeans(X, 2)
    clustering.kmeans_runs(X, 3, 4)
    D = squareform(pdist(X))
    strength.embedding_strength(D, D)
    strength.class_triplet_accuracy(LABELS, D)
    hierarchical_clustering.hierarchical_clusters(X, 2)
    check_embedding(X, embeddings=EMBEDDINGS.astype(np.float32), labels=LABELS, verbose=False)


def of_embeddings() -> None:
    """t-SNE, locally linear embedding, the embeddings and filters of features, modes."""
    P = tsne.joint_probabilities(X, perplexity=10)
    runs, *_ = tsne.tsne_runs(P, [tsne.random_start(N, 0)], max_iter=60)
    for method in ("fft", "barnes_hut"):
        tsne.tsne_runs(P, [tsne.random_start(N, 0)], max_iter=60, method=method)
    tsne.kl_divergence(P, runs[0])
    lle.lle_embeddings(X, [5, 7], 2)
    for reduction in ("pca", "isomap", "le", "lle"):
        choose_embedding(X, reduction, max_components=4, n_neighbors=[12])
    feature_filters.gini_scores(X, LABELS)
    for mode in (modes.half_sample_mode, modes.kernel_density_mode, modes.histogram_mode):
        mode(X)


def of_retrieval() -> None:
    """Distances of outlines, and scores of retrieval."""
    outlines = np.exp(2j * np.pi * np.linspace(0, 1, 64, endpoint=False)) * RNG.uniform(1, 1.2, size=(6, 64))
    shape_distance.shape_distances(outlines)
    retrieval.retrieval_scores(X, LABELS)
    retrieval.nearest_items(X, X, 3)
    affinity = np.exp(-squareform(pdist(X)))
    for graph in (affinity, csr_array(affinity)):
        semi_supervised_affinity(graph, LABELS)
    nystroem_extension(affinity[:5], X[:, :2], np.ones(2))


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for task in [pool.submit(part) for part in (of_images, of_retrieval, of_consensus, of_embeddings)]:
            task.result()
