"""Median consensus over other sources of instability: perplexity, UMAP, multiply imputed data; and multiscale t-SNE."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.consensus.stability import nearest_neighbors, neighborhood_preservation, picture_distances
from consensus_embedding.manifold.distance_matrices import (
    combination_distances,
    combined_distances,
    distance_gram,
    normalize_embeddings,
    validate_embeddings,
)
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.manifold.multiscale import multiscale_probabilities
from consensus_embedding.manifold.tsne import random_start, tsne_runs
from consensus_embedding.utils.seeds import stream, stream_seed
from scipy.spatial.distance import squareform

from replication.papers.tomo2025.mce_convergence import median_weights
from replication.papers.tomo2025.pools import BARNES_HUT_ANGLES, TSNESettings, embed_runs
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

_UMAP_NEIGHBORS = 15
# As the authors' code, which takes the defaults of scikit-learn and UMAP.
_IMPUTATION_ROUNDS = 10
# Runs that are not combined, but set against the consensus of another kind.
_COMPETITORS = {"multiscale": "perplexity"}


def multiscale_runs(
    X: np.ndarray, perplexities: Sequence[float], seeds: Sequence[int], tsne: TSNESettings
) -> np.ndarray:
    """
    Multiscale t-SNE, once per seed, with the settings of t-SNE but its perplexity.

    scikit-learn's t-SNE takes no affinities: in its place our Barnes-Hut kernel runs, at the same angle.
    """
    embeddings, _, _ = tsne_runs(
        multiscale_probabilities(X, perplexities),
        [random_start(len(X), seed) for seed in seeds],
        **tsne.only("learning_rate", "early_exaggeration", "max_iter"),
        method="exact" if tsne.implementation == "exact" else "barnes_hut",
        angle=BARNES_HUT_ANGLES.get(tsne.implementation, 0.5),
    )
    return embeddings


def extension_runs(
    kind: str,
    X: np.ndarray,
    repetition: int,
    *,
    n_embeddings: int,
    perplexities: Sequence[float],
    missing_share: float,
    tsne: TSNESettings,
    seed: int,
    dataset: str,
    progress: Callable[[int], None] = lambda finished: None,
) -> np.ndarray:
    """Runs whose instability has another source than the random start of one t-SNE."""
    seeds = [stream_seed(seed, dataset, kind, repetition, k) for k in range(n_embeddings)]
    if kind == "multiscale":
        return multiscale_runs(X, perplexities, seeds, tsne)
    runs = np.empty((n_embeddings, len(X), 2), dtype=np.float32)
    if kind == "perplexity":
        finished = 0
        for k, perplexity in enumerate(perplexities[:n_embeddings]):
            own = slice(k, None, len(perplexities))
            runs[own], _ = embed_runs(X, seeds[own], tsne.replace(perplexity=perplexity))
            finished += len(seeds[own])
            progress(finished)
        return runs
    prepared = _prepare(kind, X, missing_share, stream(seed, dataset, "missing"))
    make = _umap_run if kind == "umap" else _imputation_run
    for k, run_seed in enumerate(seeds):
        runs[k] = make(prepared, run_seed, tsne)
        progress(k + 1)
    return runs


def run(
    X: np.ndarray,
    runs: dict[str, list[np.ndarray]],
    *,
    solver: dict,
    n_neighbors: int,
    n_perplexities: int,
    normalize: str,
    mds: str,
    about: Mapping[str, str],
    work: Work = QUIET,
) -> pd.DataFrame:
    """
    Stability and neighbourhood preservation of single runs and of their consensus.

    Perplexities cycle within a repetition: single runs are compared in pairs of equal perplexity, as every consensus
    combines the same perplexities.
    """
    metrics = Metrics("mce_extensions", **about, conditions=["kind", "n_embeddings"])
    neighbors = nearest_neighbors(squareform(picture_distances(X)), n_neighbors)
    for kind, repetitions in runs.items():
        pool = validate_embeddings([embedding for repetition in repetitions for embedding in repetition])
        pool = normalize_embeddings(pool, normalize)
        gram = distance_gram(pool, n_jobs=work.threads)
        owner = np.repeat(np.arange(len(repetitions)), [len(repetition) for repetition in repetitions])
        m = len(repetitions[0])
        alone = kind in _COMPETITORS
        single, case = (kind, {"kind": _COMPETITORS[kind]}) if alone else ("single", {"kind": kind})
        weights = np.empty((len(repetitions), len(pool)))
        for r in range(len(repetitions)):
            own = np.flatnonzero(owner == r)
            weights[r] = median_weights(gram, own, solver)
            if not alone:
                consensus = squareform(combined_distances(pool, weights[r], n_jobs=work.threads))
                picture = squareform(picture_distances(embed_distances(consensus, mds=mds)))
                for method, distances in (("mce", consensus), ("mce_picture", picture)):
                    kept = neighborhood_preservation(neighbors, nearest_neighbors(distances, n_neighbors))
                    metrics.add(method, "neighborhood_preservation", kept, r, n_embeddings=m, **case)
            singles = [
                neighborhood_preservation(
                    neighbors, nearest_neighbors(squareform(picture_distances(pool[k])), n_neighbors)
                )
                for k in own
            ]
            metrics.add(single, "neighborhood_preservation", np.mean(singles), r, n_embeddings=1, **case)
        between = combination_distances(gram, weights)
        of_runs = combination_distances(gram, np.eye(len(pool)))
        setting = np.arange(m) % (n_perplexities if kind == "perplexity" else 1)
        alike = setting[:, None] == setting
        for i, j in combinations(range(len(repetitions)), 2):
            pair = f"{i}-{j}"
            if not alone:
                metrics.add("mce", "pairwise_distance", between[i, j], pair, n_embeddings=m, **case)
            apart = of_runs[np.ix_(owner == i, owner == j)][alike].mean()
            metrics.add(single, "pairwise_distance", apart, pair, n_embeddings=1, **case)
    return metrics.table()


def _prepare(kind: str, X: np.ndarray, missing_share: float, rng: np.random.Generator) -> object:
    """What all runs of a kind share: the data, with gaps for imputation, with neighbours for UMAP."""
    if kind == "imputation":
        return np.where(rng.random(X.shape) < missing_share, np.nan, X)
    from sklearn.neighbors import NearestNeighbors

    # Exact neighbours, each point first among its own, in the form that UMAP takes ready-made.
    distances, indices = NearestNeighbors(n_neighbors=_UMAP_NEIGHBORS).fit(X).kneighbors(X)
    return X, (indices, distances)


def _umap_run(prepared: tuple, seed: int, tsne: TSNESettings) -> np.ndarray:
    X, (indices, distances) = prepared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import umap

        model = umap.UMAP(
            n_neighbors=_UMAP_NEIGHBORS,
            init="random",
            random_state=seed,
            n_jobs=1,
            precomputed_knn=(indices, distances),
        )
        return np.asarray(model.fit_transform(X))


def _imputation_run(gappy: np.ndarray, seed: int, tsne: TSNESettings) -> np.ndarray:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    imputer = IterativeImputer(
        max_iter=_IMPUTATION_ROUNDS, sample_posterior=True, random_state=seed, keep_empty_features=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        complete = np.asarray(imputer.fit_transform(gappy))
    return embed_runs(complete, [seed], tsne)[0][0]
