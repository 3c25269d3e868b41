"""Experiment consensus_arena: the same embeddings combined in many ways, and how good each result is for what."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from consensus_embedding.clustering.hierarchical_clustering import cut_linkage
from consensus_embedding.consensus.alternatives import (
    CoAssociationConsensus,
    Indscal,
    MetaVisualization,
    ProcrustesMean,
    SimilarityNetworkFusion,
    StackedPCA,
)
from consensus_embedding.consensus.check_consensus import FEWEST_TRIED, consensus_result, embedding_result
from consensus_embedding.consensus.combining import (
    GeometricMedianConsensus,
    MedoidRun,
    PairwiseConsensus,
    RandomEmbedding,
    RandomRun,
)
from consensus_embedding.consensus.stability import nearest_neighbors, picture_distances
from consensus_embedding.diagnostics.fidelity import fidelity_values
from consensus_embedding.manifold.distance_matrices import normalize_embeddings, validate_embeddings
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.seeds import stream_seed
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import adjusted_rand_score, silhouette_score

from replication.arena.arena_names import CONTROL, MEDOID, SINGLE
from replication.platform.methods import AddedMethod
from replication.platform.steps import Work
from replication.shared.arena_data import Data, load_input
from replication.shared.tidy import Metrics
from replication.shared.user_methods import build

METHODS: dict[str, BaseEstimator] = {
    "geometric_median": GeometricMedianConsensus(),
    "mean": PairwiseConsensus("mean"),
    "pairwise_median": PairwiseConsensus("median"),
    "pairwise_mode": PairwiseConsensus("mode"),
    "procrustes_mean": ProcrustesMean(),
    "stacked_pca": StackedPCA(),
    "indscal": Indscal(),
    "co_association": CoAssociationConsensus(),
    "network_fusion": SimilarityNetworkFusion(),
    "meta_visualization": MetaVisualization(),
    MEDOID: MedoidRun(),
    SINGLE: RandomRun(),
    CONTROL: RandomEmbedding(),
}


def run(
    data: Data,
    kind: str,
    pools: np.ndarray,
    *,
    n_neighbors: int,
    seed: int,
    methods: Mapping[str, BaseEstimator] | None = None,
    progress: Callable[[str], None] = print,
) -> Metrics:
    """Combine each pool by each method, and score the results."""
    metrics = Metrics("consensus_arena", data.name, data.source, ["kind", "space"])
    flat = normalize_embeddings(validate_embeddings(pools.reshape(-1, *pools.shape[2:])), "unit_norm")
    pools = flat.reshape(pools.shape)
    between_runs = _mean_between_pools(flat, len(pools))
    for name, estimator in (methods or METHODS).items():
        started = time.process_time()
        fitted = _prepared(estimator, pools.shape[-1])
        if not isinstance(fitted, _OfTheData):
            # Loads compiled code before others are timed.
            fitted.fit(pools[0][:, :FEWEST_TRIED])
        vectors = []
        for r, pool in enumerate(pools):
            model = _seeded(fitted, stream_seed(seed, data.name, kind, "draws", r))
            begin = time.process_time()
            model.fit(pool)
            completed = _completed(model, pool)
            if not isinstance(fitted, _OfTheData):
                metrics.add(name, "seconds", time.process_time() - begin, r, kind=kind, space="")
            embedding, distances = completed or _result(model, pool)
            if embedding.shape[1] != pools.shape[-1]:
                raise ValueError(
                    f"{name}: expected an embedding of {pools.shape[-1]} columns, as the runs have, found "
                    f"{embedding.shape[1]}; let its class take n_components, and return that many."
                )
            for space, metric, value in _scores(data, embedding, distances, n_neighbors):
                metrics.add(name, metric, value, r, kind=kind, space=space)
            vectors.append(standardized(distances))
        if not isinstance(fitted, _OfTheData):
            metrics.add(name, "peak_mb", _peak(fitted, pools[0]), 0, kind=kind, space="")
        for i, j in combinations(range(len(pools)), 2):
            apart = distance_of_vectors(vectors[i], vectors[j]) / between_runs[i, j]
            metrics.add(name, "instability", apart, f"{i}-{j}", kind=kind, space="distances")
        progress(f"{name}: {time.process_time() - started:.1f} s of the processor")
    return metrics


def score_added(
    method: AddedMethod,
    work: Work,
    pools: str,
    kind: str,
    n_neighbors: int,
) -> Metrics:
    """
    Score an added method of consensus_arena on one input as the others are.

    A consensus combines the runs of each pool; an embedding is one run on the data, with a seed of the repetition. It
    combines nothing, so that it has no costs of that.
    """
    data, runs = load_input(pools)
    estimator = build(method, runs.shape[-1], 0)
    if method.kind == "embedding":
        estimator = _OfTheData(estimator, data.X)
    seed, methods = stream_seed(work.seed, "arena", kind, data.name), {method.label: estimator}
    return run(data, kind, runs, n_neighbors=n_neighbors, seed=seed, methods=methods, progress=work.say)


class _OfTheData(BaseEstimator):
    """An embedding of the data in the place of a consensus: it does not look at the runs."""

    def __init__(self, embedder: BaseEstimator, X: np.ndarray, random_state: int | None = None) -> None:
        self.embedder = embedder
        self.X = X
        self.random_state = random_state

    def fit(self, embeddings: np.ndarray, y: object = None) -> _OfTheData:
        self.embedding_ = embedding_result(_seeded(self.embedder, self.random_state or 0), self.X)
        return self


def standardized(distances: np.ndarray) -> np.ndarray:
    """A vector of distances with mean 0 and norm 1: without unit and offset; zero where all distances are equal."""
    centred = distances - distances.mean()
    norm = np.linalg.norm(centred)
    return centred / norm if norm > 1e-12 * np.linalg.norm(distances) else np.zeros_like(centred)


def distance_of_vectors(first: np.ndarray, second: np.ndarray) -> float:
    """Distance of two vectors of `standardized`; one that is zero says nothing and is as far as one at random."""
    return float(np.linalg.norm(first - second)) if first.any() and second.any() else float(np.sqrt(2.0))


def label_neighbors(near: np.ndarray, labels: np.ndarray) -> float:
    """Mean share of the nearest neighbours that have the label of the point."""
    return float((labels[near] == labels[:, None]).mean())


def _mean_between_pools(runs: np.ndarray, n_pools: int) -> np.ndarray:
    """Mean distance of a run of one pool and a run of another, each by its standardised distances."""
    vectors = np.array([standardized(picture_distances(run)) for run in runs])
    squares = np.square(vectors).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * vectors @ vectors.T, 0.0))
    size = len(runs) // n_pools
    return apart.reshape(n_pools, size, n_pools, size).mean(axis=(1, 3))


def _prepared(estimator: BaseEstimator, n_components: int) -> BaseEstimator:
    """A clone that gives as many coordinates as the runs have, if it can be asked."""
    copy = clone(estimator)
    return copy.set_params(n_components=n_components) if "n_components" in copy.get_params() else copy


def _seeded(estimator: BaseEstimator, seed: int) -> BaseEstimator:
    copy = clone(estimator)
    return copy.set_params(random_state=seed) if "random_state" in copy.get_params() else copy


def _scores(data: Data, embedding: np.ndarray, distances: np.ndarray, n_neighbors: int) -> list[tuple]:
    """Space, metric and value of the scores of one result."""
    # The pairs of points are drawn in the same way for all methods.
    no_runs, rng = np.empty((0, *embedding.shape)), np.random.RandomState(0)
    no_neighbors = np.empty((len(data.X), 0, n_neighbors), dtype=np.int64)
    values = fidelity_values(data.X, no_runs, no_neighbors, distances, embedding, rng)
    rows = [
        (space, metric, both[k])
        for metric, both in values.items()
        for k, space in enumerate(("distances", "embedding"))
    ]
    square, n_classes = squareform(distances), len(np.unique(data.labels))
    clusters = cut_linkage(linkage(distances, "average"), n_classes)
    near = nearest_neighbors(square, n_neighbors)
    return [
        *rows,
        ("distances", "label_neighbors", label_neighbors(near, data.labels)),
        ("distances", "silhouette", float(silhouette_score(square, data.labels, metric="precomputed"))),
        ("distances", "ari", float(adjusted_rand_score(data.labels, clusters))),
    ]


def _result(model: BaseEstimator, pool: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and distances of what combined a pool; one follows from the other if it sets only one."""
    embedding, distances = consensus_result(model, pool.shape[1])
    if embedding is None:
        embedding = embed_distances(squareform(distances), pool.shape[-1], "smacof")
    return embedding, distances


def _completed(model: BaseEstimator, pool: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The result of a method that sets only one of both: what is left out counts as its costs, as for the others."""
    both = all(getattr(model, name, None) is not None for name in ("embedding_", "distances_"))
    return None if both else _result(model, pool)


def _peak(estimator: BaseEstimator, pool: np.ndarray) -> float:
    """Highest memory in MB that Python and NumPy use during a fit, beyond what they used before."""
    model = _seeded(estimator, 0)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        model.fit(pool)
        _completed(model, pool)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - before) / 1e6
