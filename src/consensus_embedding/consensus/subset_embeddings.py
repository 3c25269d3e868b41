"""The steps of consensus embedding (Viswanath and Madabhushi 2012): CreateEmbed, SelEmbed, CalcConsEmbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone

from consensus_embedding.consensus.pairwise import combine_rows, combine_values, pairwise_consensus
from consensus_embedding.manifold.distance_matrices import distance_block, largest_distance, validate_embeddings
from consensus_embedding.manifold.graph_embedding import EMBEDDERS
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.numbers import as_array, real_numbers, require_finite, with_squares
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.threads import one_blas_thread

NORMALIZATIONS = ("max", "mean", "median", "rank", "none")
# Readings of theta in `select_embeddings`.
THETA_READINGS = ("literal", "within", "strongest", "chance_corrected", "absolute")
# Distances that are kept for many selections, 200 MB.
_MOST_SHARED = 25_000_000


@checked_arguments
def feature_subsets(n_features: int, n_subsets: int, subset_size: int, seed: int = 0) -> np.ndarray:
    """
    Random feature subsets, each feature in at least one (Viswanath and Madabhushi 2012, CreateEmbed, step 1).

    The first subsets deal out one permutation of all features, so that none is left out; the others are drawn
    without replacement.

    Parameters
    ----------
    n_features : int
        N.
    n_subsets : int
        M.
    subset_size : int
        V.
    seed : int

    Returns
    -------
    ndarray of shape (n_subsets, subset_size)
        Indices of features, ascending in each row.

    Raises
    ------
    ValueError
        If M < 1, V is not between 1 and N, or M subsets of V features cannot cover all N.
    """
    if n_subsets < 1:
        raise ValueError(f"The number of subsets M must be at least 1, found {n_subsets}.")
    if not 1 <= subset_size <= n_features:
        raise ValueError(
            f"The size of a subset V must be between 1 and the number of features N = {n_features}, "
            f"found {subset_size}; lower V."
        )
    needed = -(-n_features // subset_size)
    if n_subsets < needed:
        raise ValueError(
            f"{n_subsets} subsets of {subset_size} features cannot cover all {n_features} features; "
            f"expected M of at least {needed}, or a larger V."
        )
    rng = stream(seed, "subsets", n_features, n_subsets, subset_size)
    dealt = rng.permutation(n_features)
    rows = []
    for start in range(0, n_features, subset_size):
        row = dealt[start : start + subset_size]
        # The last hand may be short; it is filled up with features that it lacks.
        others = np.setdiff1d(np.arange(n_features), row)
        rows.append(np.concatenate([row, rng.choice(others, subset_size - len(row), replace=False)]))
    rows += [rng.choice(n_features, subset_size, replace=False) for _ in range(n_subsets - len(rows))]
    return np.sort(np.array(rows), axis=1)


@checked_arguments
def embed_subsets(
    features: np.ndarray,
    subsets: np.ndarray,
    *,
    n_components: int = 3,
    embedder: str | Callable[..., np.ndarray] | BaseEstimator = "graph_embedding",
    options: Mapping[str, object] | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> np.ndarray:
    """
    Embed each feature subset (Viswanath and Madabhushi 2012, CreateEmbed).

    Parameters
    ----------
    features : ndarray of shape (n, N)
    subsets : ndarray of shape (M, V)
        Of `feature_subsets`.
    n_components : int
    embedder : {"graph_embedding", "pca"}, callable or scikit-learn estimator
        A callable is called with `(X, n_components, **options)`; of an estimator a clone is fitted.
    options : mapping, optional
        Further arguments of the embedder, e.g. ``{"kernel": "knn", "n_neighbors": 15}``.
    n_jobs : int
        Threads; -1 for all cores. The result does not depend on it.
    seed : int
        Of an estimator whose `random_state` is None: each subset has a stream of its own. Others are left as they are.

    Returns
    -------
    ndarray of shape (M, n, n_components)

    Raises
    ------
    ValueError
        If there is no such embedder, the subsets are not a table of indices of features, the embedder fails on a
        subset, which is named, or an embedding is unusable.
    """
    features = real_numbers(features, "features")
    if features.ndim != 2:
        raise ValueError(f"Features must have shape (objects, features), found shape {features.shape}.")
    require_finite(features, "Features contain", "fill these values, or leave out the objects or features")
    options = dict(options or {})
    embedder = _checked_embedder(embedder)
    subsets = _checked_subsets(subsets, features.shape[1])

    def embed(number: int) -> np.ndarray:
        """Embed the features of a subset."""
        table = features[:, subsets[number]]
        if isinstance(embedder, BaseEstimator):
            model = clone(embedder).set_params(n_components=n_components, **options)
            if model.get_params(deep=False).get("random_state", 0) is None:
                model.set_params(random_state=stream_seed(seed, "base embedding", number))
            return model.fit_transform(table)
        return embedder(table, n_components, **options)

    def embed_naming_failure(number: int) -> np.ndarray:
        """As `embed`; an error names the subset."""
        try:
            return embed(number)
        except MemoryError:
            raise
        except Exception as error:
            names = ", ".join(map(str, subsets[number]))
            raise ValueError(f"The embedding of subset {number} (features {names}, from 0) failed: {error}") from error

    numbers = list(range(len(subsets)))
    if embedder in EMBEDDERS.values():
        # These draw nothing: equal subsets have equal embeddings, and the first of them is embedded for all.
        first: dict[tuple, int] = {}
        numbers = [first.setdefault(tuple(subset), number) for number, subset in enumerate(subsets)]
    todo = list(dict.fromkeys(numbers))
    with one_blas_thread(), ThreadPoolExecutor(max(1, n_jobs)) as pool:
        # Handing each over to a thread takes as long as a small embedding itself.
        embeddings = dict(zip(todo, (map if n_jobs <= 1 else pool.map)(embed_naming_failure, todo), strict=True))
    return validate_embeddings([embeddings[number] for number in numbers])


def _checked_embedder(embedder: str | Callable[..., np.ndarray] | BaseEstimator) -> Callable | BaseEstimator:
    """The function of a name; functions and estimators as they are."""
    if isinstance(embedder, str):
        if embedder not in EMBEDDERS:
            raise ValueError(f"embedder must be one of {sorted(EMBEDDERS)}, found {embedder!r}.")
        return EMBEDDERS[embedder]
    if isinstance(embedder, type) or not (isinstance(embedder, BaseEstimator) or callable(embedder)):
        raise ValueError(f"embedder must be a name, an estimator or a function, found {embedder!r}.")
    return embedder


def _checked_subsets(subsets: np.ndarray, n_features: int) -> np.ndarray:
    """Subsets that are a table of indices of features, or none."""
    subsets = as_array(subsets, "subsets")
    if subsets.size and (subsets.ndim != 2 or subsets.dtype.kind not in "iu"):
        raise ValueError(
            "subsets must be a table of integers, the indices of features, one subset per row; "
            f"found shape {subsets.shape}, {subsets.dtype}."
        )
    if subsets.size and not 0 <= subsets.min() <= subsets.max() < n_features:
        raise ValueError(
            f"Subsets must name features from 0 to {n_features - 1}, found {subsets.min()} to {subsets.max()}."
        )
    return subsets


def flat_subsets(features: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """
    Which subsets, (M, V), of the features, (n, N), have all objects coincide; (M,), bool.

    The embedding of such objects is one point. A graph has eigenvectors even then, but rounding alone decides them: the
    strength is 0, whatever the clusters look like.
    """
    return (np.ptp(features, axis=0) == 0)[subsets].all(axis=1)


def check_theta(theta: float, reading: str) -> None:
    """Refuse what `select_embeddings` cannot take, before the embeddings are computed."""
    if reading not in THETA_READINGS:
        raise ValueError(f"reading must be one of {', '.join(THETA_READINGS)}, found {reading!r}.")
    is_share = reading in ("strongest", "within")
    if theta < 0 or (is_share and not 0 < theta <= 1):
        bounds = "above 0 and at most 1" if is_share else "of at least 0"
        raise ValueError(f'theta must be {bounds} with the reading "{reading}", found {theta}.')


@checked_arguments
def select_embeddings(
    strengths: np.ndarray, theta: float = 0.15, *, reading: str = "literal", chance: float = 0.0
) -> np.ndarray:
    """
    Choose the strong embeddings (Viswanath and Madabhushi 2012, SelEmbed).

    The paper prints theta = 0.15 x max. Since the accuracy of two clusters is never below one half, that excludes
    nothing, so that other readings of the 0.15 are offered. With s the strength of an embedding, an embedding is strong

    - "literal": if s > theta max(s), as printed;
    - "within": if s > (1 - theta) max(s), that is within 15 % of the best;
    - "strongest": if it is among the strongest share theta of the M embeddings: the theta M strongest, rounded up, and
      those that are as strong as the last of them;
    - "chance_corrected": if (s - chance) / (max(s) - chance) > theta;
    - "absolute": if s > theta, as in the paper's Definition 4.

    Parameters
    ----------
    strengths : ndarray of shape (M,)
        Embedding strength of each base embedding.
    theta : float
    reading : {"literal", "within", "strongest", "chance_corrected", "absolute"}
    chance : float
        Strength of an embedding that knows nothing; used by "chance_corrected" only. 0.5 for the accuracy of two
        clusters, which cannot be lower.

    Returns
    -------
    ndarray of shape (K,)
        Indices of the strong embeddings, ascending.

    Raises
    ------
    ValueError
        If no embedding is strong; the message gives the largest strength. If the reading is unknown, theta below 0,
        or 0 or above 1 with "within" and "strongest".

    Examples
    --------
    >>> from consensus_embedding import select_embeddings
    >>> strengths = [0.5, 0.6, 0.7, 0.8]
    >>> {reading: select_embeddings(strengths, 0.15, reading=reading).tolist() for reading in ("literal", "within")}
    {'literal': [0, 1, 2, 3], 'within': [2, 3]}
    """
    strengths = real_numbers(strengths, "strengths")
    check_theta(theta, reading)
    if strengths.ndim != 1 or len(strengths) < 1:
        raise ValueError(f"Expected the strengths of M >= 1 embeddings, found an array of shape {strengths.shape}.")
    require_finite(strengths, "The embedding strengths contain", "leave out these embeddings")
    best, least = strengths.max(), chance if reading == "chance_corrected" else 0.0
    if reading == "strongest":
        # Rounding first: 0.15 times 20 is a little more than 3.
        wanted = max(1, int(np.ceil(round(theta * len(strengths), 9))))
        threshold = np.sort(strengths)[-wanted]
        selected = np.flatnonzero((strengths >= threshold) & (best > 0))
    else:
        thresholds = {
            "literal": theta * best,
            "within": (1 - theta) * best,
            "chance_corrected": chance + theta * (best - chance),
            "absolute": theta,
        }
        threshold = thresholds[reading]
        selected = np.flatnonzero(strengths > threshold)
    if not len(selected):
        raise ValueError(
            f"No embedding is stronger than the threshold {threshold:.4g} (theta = {theta:g}); "
            f"the largest strength is {best:.4g}. "
            + (
                "Lower theta."
                if best > least
                else f"None is above {least:g}: no embedding separates the objects; fix the features."
            )
        )
    return selected


@dataclass(frozen=True, eq=False)
class ConsensusDistances:
    """
    What CalcConsEmbed returns.

    Attributes
    ----------
    embedding : ndarray of shape (n, n_components)
    distances : ndarray of shape (n * (n - 1) / 2,)
        Condensed consensus distances before the projection.
    """

    embedding: np.ndarray
    distances: np.ndarray


@checked_arguments
def combine_embeddings(
    embeddings: np.ndarray,
    *,
    n_components: int = 3,
    estimator: str = "median",
    normalization: str = "max",
    mds: str = "classical",
    n_jobs: int = 1,
) -> ConsensusDistances:
    """
    Combine embeddings of the same objects (Viswanath and Madabhushi 2012, CalcConsEmbed).

    The distances of each embedding are normalised, combined pair by pair, and projected by multidimensional
    scaling.

    Parameters
    ----------
    embeddings : ndarray of shape (K, n, p)
        The selected embeddings.
    n_components : int
    estimator : {"median", "mean", "mode", "mode_kernel_density", "mode_histogram"}
        The estimator of the distance of a pair.
    normalization : {"max", "mean", "median", "rank", "none"}
        What the distances of each embedding are divided by; "rank" replaces them by their ranks in (0, 1]. Where the
        median is 0, as more than half of the pairs coincide, it is the median of the positive distances.
    mds : {"classical", "smacof"}
    n_jobs : int
        Threads; -1 for all cores. The result does not depend on it.

    Returns
    -------
    ConsensusDistances

    Raises
    ------
    ValueError
        If there is no embedding, an option is unknown, or a value is NaN.
    """
    _check_normalization(normalization)
    stack = validate_embeddings(embeddings)
    if normalization == "rank":
        distances = combine_values(_ranks(stack), estimator)
    else:
        distances = pairwise_consensus(_of_one_size(stack, normalization), estimator, n_jobs=n_jobs)
    return _projected(distances, n_components, mds)


class DistancesOfEmbeddings:
    """
    `combine_embeddings` of many selections from the same embeddings, (M, n, p), whose distances are found once.

    Memory grows with the number of embeddings times that of pairs of objects, up to 200 MB; beyond that each selection
    finds its own distances.
    """

    def __init__(
        self, embeddings: np.ndarray, *, n_components: int = 3, normalization: str = "max", mds: str = "classical"
    ):
        _check_normalization(normalization)
        self._embeddings = stack = validate_embeddings(embeddings)
        self._options: dict[str, Any] = {"n_components": n_components, "normalization": normalization, "mds": mds}
        n_pairs = stack.shape[1] * (stack.shape[1] - 1) // 2
        self._distances = None
        if len(stack) * n_pairs <= _MOST_SHARED:
            ranked = normalization == "rank"
            self._distances = (
                _ranks(stack) if ranked else distance_block(_of_one_size(stack, normalization), 0, n_pairs)
            )
        self._known: dict[tuple[str, tuple[int, ...]], ConsensusDistances] = {}

    def combine(self, chosen: np.ndarray, estimator: str = "median") -> ConsensusDistances:
        """
        Consensus of the embeddings with the indices `chosen`; the same selection is combined once.

        It is that of ``combine_embeddings(embeddings[chosen], ...)``, to the last bit.
        """
        # The median does not depend on the order.
        chosen = np.sort(chosen) if estimator == "median" else np.asarray(chosen)
        key = estimator, tuple(chosen.tolist())
        if key not in self._known:
            if self._distances is None:
                self._known[key] = combine_embeddings(self._embeddings[chosen], estimator=estimator, **self._options)
            else:
                distances = combine_rows(self._distances, chosen, estimator)
                self._known[key] = _projected(distances, self._options["n_components"], self._options["mds"])
        return self._known[key]


def _check_normalization(normalization: str) -> None:
    if normalization not in NORMALIZATIONS:
        raise ValueError(f"normalization must be one of {', '.join(NORMALIZATIONS)}, found {normalization!r}.")


def _ranks(stack: np.ndarray) -> np.ndarray:
    """Ranks in (0, 1] of the distances of each embedding, shape (K, n_pairs)."""
    n_pairs = stack.shape[1] * (stack.shape[1] - 1) // 2
    return np.array([rankdata(distance_block(embedding[None], 0, n_pairs)[0]) / n_pairs for embedding in stack])


def _of_one_size(stack: np.ndarray, normalization: str) -> np.ndarray:
    """The embeddings, each divided by its size."""
    if normalization == "none":
        return stack
    stack = with_squares(stack, axis=(1, 2))
    sizes = np.array([_size(embedding, normalization) for embedding in stack])
    # An embedding of coincident points has no size; its distances are zero in any unit.
    return stack / np.where(sizes > 0, sizes, 1.0)[:, None, None]


def _projected(distances: np.ndarray, n_components: int, mds: str) -> ConsensusDistances:
    if not np.isfinite(distances).all():
        raise ValueError("The distances of the embeddings overflow; rescale or normalise them.")
    with one_blas_thread():
        return ConsensusDistances(embed_distances(squareform(distances), n_components, mds), distances)


def _size(embedding: np.ndarray, normalization: str) -> float:
    n = len(embedding)
    if normalization == "max":
        return largest_distance(np.ascontiguousarray(embedding.T, dtype=np.float64))
    distances = distance_block(np.asarray(embedding, dtype=np.float64)[None], 0, n * (n - 1) // 2)[0]
    size = float(np.mean(distances) if normalization == "mean" else np.median(distances))
    # The median of many coinciding points is 0, though there are distances.
    return size if size > 0 or not distances.any() else float(np.median(distances[distances > 0]))
