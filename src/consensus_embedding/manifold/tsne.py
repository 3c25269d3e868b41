"""t-SNE, by the exact gradient, Barnes and Hut's or FFT: many runs on the same data, sharing the affinities."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.neighbors import VALID_METRICS, NearestNeighbors
from sklearn.utils import Tags

from consensus_embedding.manifold import tsne_fft
from consensus_embedding.manifold.dissimilarity_graph import check_dissimilarities
from consensus_embedding.manifold.initialization import pca_start, random_start
from consensus_embedding.manifold.tsne_kernels import (
    conditional_probabilities,
    descend,
    loss,
)
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.numbers import large_offsets, real_numbers, require_finite, unusual_exponents
from consensus_embedding.utils.parallel import in_order, n_threads
from consensus_embedding.utils.parameters import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Allowed,
    Range,
    check_parameters,
)
from consensus_embedding.utils.progress import report
from consensus_embedding.utils.threads import few_openmp_threads

# A column is far from 0 if its middle is more than so many times the largest spread; inner products then lose half of
# their digits. The search for the width of the affinities needs a spread below the second number and above its inverse.
_FAR = 1e4
_LARGE = 1e9
# Metrics that depend on differences of values alone.
_OF_DIFFERENCES = (
    "l2", "sqeuclidean", "minkowski", "cityblock", "l1", "manhattan", "chebyshev", "seuclidean", "mahalanobis",
)  # fmt: skip
# Up to so many points the default t-SNE sums over all pairs, then over a quadtree, then on a grid. The grid is as fast
# as the tree at some 6000 points, 1.5 times as fast at 10,000 and 2.4 times at 20,000, each time at a lower loss.
MOST_EXACT_POINTS = 5000
MOST_TREE_POINTS = 10_000
# Up to so many points neighbours are exact. That takes 14 s for 60,000 points of 30 features and grows with the square;
# pynndescent takes 20 s there on one thread, and half a minute to compile.
MOST_EXACT_NEIGHBORS = 100_000
# Functions are given themselves, not under the name of what wraps them.
_METRICS = set(chain.from_iterable(VALID_METRICS.values())) - {"pyfunc"}


def joint_probabilities(
    X: np.ndarray,
    perplexity: float = 30.0,
    metric: str | Callable = "euclidean",
    metric_params: Mapping[str, object] | None = None,
) -> csr_array:
    """
    Symmetric t-SNE affinities, CSR (n, n), float64, over the 3 * perplexity nearest neighbours; sum 1, diagonal 0.

    van der Maaten and Hinton 2008, Eqs. 1 and 2, over the neighbourhood of scikit-learn, whatever the unit of X and its
    zero. X, metric and metric_params are as in `ExactTSNE`. Euclidean neighbours of more than 100,000 points are
    approximate, by pynndescent on one thread, if it is installed. A ValueError if the perplexity is not above 1 and
    below n, differences of values overflow, or distances are NaN, infinite or negative.
    """
    n = X.shape[0]
    if not 1 < perplexity < n:
        raise ValueError(f"perplexity must be more than 1 and less than n_samples = {n}, found {perplexity}.")
    n_neighbors = min(n - 1, int(3.0 * perplexity + 1))
    if metric_params and metric in ("euclidean", "precomputed"):
        raise ValueError(f"metric_params are arguments of other metrics than {metric!r}, found {dict(metric_params)}.")
    if metric == "euclidean":
        distances, neighbors = _neighbors(_of_usual_size(X), n_neighbors)
    else:
        distances, neighbors = _neighbors_by(metric, metric_params, X, n_neighbors)
    squared = distances.astype(np.float64)
    del distances
    conditional = conditional_probabilities(np.square(squared, out=squared), float(perplexity))
    del squared
    indptr = np.arange(0, n * n_neighbors + 1, n_neighbors)
    directed = csr_array((conditional.ravel(), neighbors.ravel(), indptr), shape=(n, n))
    joint = csr_array(directed + directed.T)
    joint.data /= joint.data.sum()
    joint.sort_indices()
    return joint


def _neighbors(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances and numbers of the k nearest other points; of very many points approximate, with a fixed seed."""
    if len(X) > MOST_EXACT_NEIGHBORS:
        try:
            from pynndescent import NNDescent
        except ImportError:
            warnings.warn(
                f"The neighbours of {len(X)} points are searched among all pairs, which takes a time that grows "
                "with the square of their number; the extra 'embedders' installs pynndescent, which is faster.",
                stacklevel=4,
            )
        else:
            # On two threads it finds other neighbours than on one.
            centred = (X - X.mean(axis=0)).astype(np.float32)
            neighbors, distances = NNDescent(centred, n_neighbors=k + 1, random_state=0, n_jobs=1).neighbor_graph
            left_out = neighbors == np.arange(len(X))[:, None]
            left_out[~left_out.any(axis=1), -1] = True
            if neighbors.min() >= 0:
                return distances[~left_out].reshape(-1, k), neighbors[~left_out].reshape(-1, k)
    with few_openmp_threads(len(X)):
        return NearestNeighbors(n_neighbors=k).fit(X).kneighbors()


def _neighbors_by(
    metric: str | Callable, metric_params: Mapping[str, object] | None, X: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """As `_neighbors`, by any metric; distances are divided by a power of two if they are very large or very small."""
    if metric == "precomputed":
        X = check_dissimilarities(X)
    elif metric in _OF_DIFFERENCES:
        # Variances and covariances that are given have the unit of X.
        has_unit = metric in ("seuclidean", "mahalanobis") and metric_params
        X = _near_zero(X)[0] if has_unit else _of_usual_size(X)
    elif metric in ("cosine", "correlation"):
        # scikit-learn takes rows shorter than about 1e-15 for 0.
        exponent = unusual_exponents(np.abs(X).max(), 1 / _LARGE, _LARGE)
        X = np.ldexp(X.astype(np.float64), -exponent) if exponent else X
    parameters = dict(metric_params or {})
    if metric == "seuclidean" and "V" not in parameters:
        variances = X.var(axis=0, ddof=1, dtype=np.float64)
        # A constant feature adds nothing.
        parameters["V"] = np.where(variances > 0, variances, 1.0)
    if metric == "mahalanobis" and "VI" not in parameters:
        parameters["VI"] = _inverse_covariance(X, parameters.pop("V", None))
    # A tree needs the triangle inequality, which a function need not keep, and does not find covariances itself.
    algorithm = "brute" if callable(metric) or metric == "mahalanobis" else "auto"
    # scikit-learn has a parameter for the power of this one.
    power = {"p": parameters.pop("p")} if metric == "minkowski" and "p" in parameters else {}
    search = NearestNeighbors(n_neighbors=k, metric=metric, metric_params=parameters, algorithm=algorithm, **power)
    with few_openmp_threads(len(X)):
        distances, neighbors = search.fit(X).kneighbors()
    bad = ~((distances >= 0) & np.isfinite(distances))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(
            f"The metric must give finite distances of 0 or more, found {distances[i, j]} between samples {i} and "
            f"{neighbors[i, j]}; take another metric, or leave such samples out."
        )
    return np.ldexp(distances.astype(np.float64), -unusual_exponents(distances.max(), 1 / _LARGE, _LARGE)), neighbors


def _inverse_covariance(X: np.ndarray, covariance: object) -> np.ndarray:
    """Inverse of a covariance of features, if there is none (None) of that of X, (n, p)."""
    V = np.atleast_2d(np.cov(X, rowvar=False) if covariance is None else real_numbers(covariance, "metric_params V"))
    rank = np.linalg.matrix_rank(V, hermitian=True)
    if rank < len(V):
        raise ValueError(
            f'The metric "mahalanobis" needs a covariance of full rank, found rank {rank} for {len(V)} features; leave '
            "out features that are constant or follow from others, or take principal components."
        )
    return np.linalg.inv(V).T


def _of_usual_size(X: np.ndarray) -> np.ndarray:
    """X, also scaled by a power of two if its values are very large or very small."""
    X, spread = _near_zero(X)
    exponent = unusual_exponents(spread, 1 / _LARGE, _LARGE)
    return np.ldexp(X.astype(np.float64), -exponent) if exponent else X


def _near_zero(X: np.ndarray) -> tuple[np.ndarray, float]:
    """
    X, shifted if a column is far from 0, and the largest range of a column.

    scikit-learn computes some distances from inner products, which lose the digits of columns that are far from 0. All
    other data are returned as they are.
    """
    lower, upper = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        spread = (upper - lower).max()
    if not np.isfinite(spread):
        raise ValueError("Differences overflow: the values of X are too large. Rescale X.")
    middle = 0.5 * lower + 0.5 * upper
    return (X - middle if np.abs(middle).max() > _FAR * spread else X), spread


def tsne_runs(
    affinities: csr_array,
    starts: Sequence[np.ndarray],
    *,
    learning_rate: float | str = "auto",
    early_exaggeration: float = 12.0,
    max_iter: int = 1000,
    min_grad_norm: float = 1e-7,
    n_iter_without_progress: int = 300,
    method: str = "exact",
    angle: float = 0.5,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    t-SNE from m starts (n, n_components) on affinities of `joint_probabilities`, by the schedule of scikit-learn.

    Returns embeddings (m, n, n_components), float32, their Kullback-Leibler divergences, (m,), as `kl_divergence_` of
    the estimators below, and the iterations made, (m,). Options are those of the estimators. In other than 2 dimensions
    all methods sum over all pairs, a ValueError above 10,000 points unless "exact". A ValueError if a run ends in NaN
    or infinity. `n_jobs` runs at a time, in threads unless `joblib.parallel_config` says otherwise, change no result.
    """
    if method not in ("exact", "barnes_hut", "fft"):
        raise ValueError(f"method must be exact, barnes_hut or fft, found {method!r}.")
    if not 0 <= angle <= 1:
        raise ValueError(f"angle must be from 0 to 1, found {angle}.")
    n = affinities.shape[0]
    n_components = np.shape(starts[0])[-1] if len(starts) and np.ndim(starts[0]) == 2 else 2
    for start in starts:
        if np.shape(start) != (n, n_components):
            raise ValueError(f"A start must have shape ({n}, {n_components}), found {np.shape(start)}.")
    method = _method_for(n_components, n, method)
    rate = max(n / early_exaggeration / 4.0, 50.0) if learning_rate == "auto" else float(learning_rate)
    edges = _edges(affinities)
    # `min_grad_norm` is for the gradient itself; that of scikit-learn is for the gradient times the gains.
    options = np.float32(rate), np.float32(early_exaggeration), max_iter, min_grad_norm, n_iter_without_progress
    # More jobs than there are runs are, of "fft", threads of each.
    threads = max(1, n_threads(n_jobs) // max(1, len(starts)))
    calls = ((edges, start, options, method, angle, threads) for start in starts)
    embeddings = np.empty((len(starts), n, n_components), dtype=np.float32)
    divergences, iterations = np.empty(len(starts)), np.empty(len(starts), dtype=np.int64)
    for k, result in enumerate(in_order(_descent, calls, n_jobs, prefer="threads")):
        embeddings[k], divergences[k], iterations[k] = result
        require_finite(embeddings[k], f"Run {k} has", f"lower the learning rate ({rate:g}) or the early exaggeration")
        if progress is not None:
            progress(k + 1)
    return embeddings, divergences, iterations


def _descent(
    edges: Sequence[np.ndarray],
    start: np.ndarray,
    options: tuple[float, float, int, float, int],
    method: str,
    angle: float,
    threads: int,
) -> tuple[np.ndarray, float, int]:
    """One run from its start: embedding, loss and iterations."""
    embedding = np.array(start, dtype=np.float32, order="C")
    # In another process they may be of a file that is only read, for which the kernels were not compiled.
    indptr, indices, weights = (np.require(array, requirements="W") for array in edges)
    if method == "fft":
        n_iter = tsne_fft.descend(indptr, indices, weights, embedding, *options, threads)
    else:
        at = float(angle) if method == "barnes_hut" else None
        room = None if embedding.shape[1] == 2 else np.empty(len(embedding), dtype=np.float32)
        n_iter = descend(indptr, indices, weights, embedding, *options, at, room)
    of = tsne_fft.loss if method == "fft" and len(embedding) > MOST_TREE_POINTS else loss
    return embedding, of(indptr, indices, weights, embedding), n_iter


def _method_for(n_components: int, n: int, method: str) -> str:
    """The method itself in the plane; elsewhere the exact one, unless that would take unexpectedly long."""
    if n_components == 2 or method == "exact":
        return method
    if n > MOST_TREE_POINTS:
        raise ValueError(
            f"n_components of more than {MOST_TREE_POINTS} points must be 2 with method {method!r}, found "
            f"{n_components} of {n} points; ExactTSNE (method 'exact') makes others, in a time that grows with the "
            "square of the number of points."
        )
    return "exact"


def kl_divergence(affinities: csr_array, embedding: np.ndarray) -> float:
    """Exact Kullback-Leibler divergence (loss of t-SNE) of an embedding (n, n_components) from affinities (n, n)."""
    points = (np.asarray(embedding) - large_offsets(np.asarray(embedding))).astype(np.float32)
    return loss(*_edges(affinities), np.ascontiguousarray(points))


def default_tsne(n: int) -> ExactTSNE | BarnesHutTSNE | FourierTSNE:
    """
    The t-SNE of n points that the median consensus and the check of an embedding run unless given another.

    Above 5000 points the gradient is that of Barnes and Hut, above 10,000 that of the grid.
    """
    if n <= MOST_EXACT_POINTS:
        return ExactTSNE()
    return BarnesHutTSNE() if n <= MOST_TREE_POINTS else FourierTSNE()


def _perplexity(n: int) -> float:
    """30, or of fewer than 91 points a third of the others: near their number every picture is a random one."""
    perplexity = min(30.0, max((n - 1) / 3, 1.01))
    if perplexity < 30:
        warnings.warn(
            f"The perplexity of t-SNE was lowered from 30 to {perplexity:.3g}, a third of the other points, because "
            f"there are only {n} points; give a perplexity to choose it.",
            stacklevel=4,
        )
    return perplexity


def _edges(affinities: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row starts, columns and float32 values of symmetric affinities, in the order of the columns."""
    edges = affinities if affinities.has_sorted_indices else affinities.sorted_indices()
    if edges.nnz >= 2**31:
        raise ValueError(
            f"The affinities must have less than {2**31} entries, found {edges.nnz}; lower the perplexity."
        )
    indptr, indices = (numbers.astype(np.int32, copy=False) for numbers in (edges.indptr, edges.indices))
    return indptr, indices, edges.data.astype(np.float32)


class _TSNE(EmbeddingColumnsMixin, BaseEstimator, ABC):
    """What the t-SNE estimators share: all but how repulsive forces are summed."""

    _allowed: ClassVar[Allowed] = {
        "n_components": [COUNT],
        "perplexity": [{"auto"}, Range(Real, 1, above=True)],
        "learning_rate": [{"auto"}, POSITIVE],
        "early_exaggeration": [Range(Real, 1)],
        "max_iter": [Range(Integral, 250)],
        "min_grad_norm": [NOT_NEGATIVE],
        "n_iter_without_progress": [Range(Integral, -1)],
        "metric": [_METRICS, Callable],
        "metric_params": [dict, None],
        "init": [{"random", "pca"}, np.ndarray],
        "verbose": [bool, Range(Integral, 0)],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float | str = "auto",
        learning_rate: float | str = "auto",
        early_exaggeration: float = 12.0,
        max_iter: int = 1000,
        min_grad_norm: float = 1e-7,
        n_iter_without_progress: int = 300,
        metric: str | Callable = "euclidean",
        metric_params: dict | None = None,
        init: str | np.ndarray = "random",
        verbose: bool | int = False,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.learning_rate = learning_rate
        self.early_exaggeration = early_exaggeration
        self.max_iter = max_iter
        self.min_grad_norm = min_grad_norm
        self.n_iter_without_progress = n_iter_without_progress
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.verbose = verbose
        self.random_state = random_state

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """
        Embed X and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) with metric "precomputed"
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components), float32

        Raises
        ------
        ValueError
            If X has fewer than 3 samples, the perplexity is not less than their number, X or `init` has NaN or
            infinity, X with metric "precomputed" cannot be distances, or the class does not make so many components of
            so many samples.

        Warns
        -----
        UserWarning
            If all samples are equal; all points are at one place then. If "auto" lowers the perplexity.
        """
        X = self._checked(X)
        self.affinities_ = self._affinities(X)
        name = type(self).__name__
        report(f"{name}: affinities of {len(X)} points computed, now the descent.", verbose=self.verbose)
        embeddings, divergences, n_iter = self._run(self.affinities_, self._starts(X, [self.random_state]))
        self.embedding_ = embeddings[0]
        self.kl_divergence_ = float(divergences[0])
        self.n_iter_ = int(n_iter[0])
        report(
            f"{name}: Kullback-Leibler divergence {self.kl_divergence_:.6g} after {self.n_iter_} iterations.",
            verbose=self.verbose,
        )
        return self.embedding_

    def fit_transform_runs(
        self,
        X: ArrayLike,
        seeds: Sequence[int] | np.ndarray,
        n_jobs: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        """
        Embed X once per seed; the affinities are computed once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) with metric "precomputed"
        seeds : sequence of m ints
            In place of `random_state`.
        n_jobs : int, optional
            Runs at a time, as for `tsne_runs`.
        progress : callable, optional
            Called with the number of finished runs after each.

        Returns
        -------
        ndarray of shape (m, n_samples, n_components), float32
        """
        X = self._checked(X)
        return self._run(self._affinities(X), self._starts(X, seeds), n_jobs, progress)[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags

    def _checked(self, X: ArrayLike) -> np.ndarray:
        check_parameters(self, self._allowed)
        if self.metric == "precomputed" and isinstance(self.init, str) and self.init == "pca":
            raise ValueError('init="pca" needs the features, not distances; with metric "precomputed" use "random".')
        # Two points fit in any picture: nothing holds them, and the descent throws them apart.
        X = validated(self, X, dtype=[np.float64, np.float32], ensure_min_samples=3)
        # Before the affinities, which take long too.
        _method_for(self.n_components, len(X), self._repulsion()["method"])
        return X

    def _affinities(self, X: np.ndarray) -> csr_array:
        perplexity = _perplexity(len(X)) if isinstance(self.perplexity, str) else self.perplexity
        return joint_probabilities(X, perplexity, self.metric, self.metric_params)

    def _starts(self, X: np.ndarray, seeds: Iterable[int | np.random.RandomState | None]) -> list[np.ndarray]:
        # From one place no force moves a point.
        if self._nothing_to_embed(X):
            return [np.zeros((len(X), self.n_components), dtype=np.float32) for _ in seeds]
        if isinstance(self.init, str) and self.init == "pca":
            start = pca_start(X, self.n_components)
            return [start.copy() for _ in seeds]
        return [self._start(X, seed) for seed in seeds]

    def _start(self, X: np.ndarray, seed: int | np.random.RandomState | None) -> np.ndarray:
        if isinstance(self.init, str):
            return random_start(len(X), seed, self.n_components)
        if self.init.shape != (len(X), self.n_components):
            raise ValueError(f"init must have shape ({len(X)}, {self.n_components}), found {self.init.shape}.")
        # Those of 32 bits stay so.
        single = self.init.dtype == np.float32 and not np.ma.is_masked(self.init)
        init = np.asarray(self.init) if single else real_numbers(self.init, "init")
        with np.errstate(over="ignore", invalid="ignore"):
            init = (init - large_offsets(init)).astype(np.float32)
        bad = ~np.isfinite(init)
        if bad.any():
            raise ValueError(
                f"init must be finite in single precision, found NaN, infinity or larger numbers in "
                f"{bad.any(axis=1).sum()} of {len(X)} rows."
            )
        if len(X) > 1 and (init == init[0]).all():
            raise ValueError(f"init must have points that differ, found {len(X)} at one place, from which none moves.")
        return init

    def _run(
        self,
        affinities: csr_array,
        starts: list[np.ndarray],
        n_jobs: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> tuple:
        return tsne_runs(
            affinities,
            starts,
            learning_rate=self.learning_rate,
            early_exaggeration=self.early_exaggeration,
            max_iter=self.max_iter,
            min_grad_norm=self.min_grad_norm,
            n_iter_without_progress=self.n_iter_without_progress,
            n_jobs=n_jobs,
            progress=progress,
            **self._repulsion(),
        )

    @abstractmethod
    def _repulsion(self) -> dict:
        """Method and angle of `tsne_runs`."""


class ExactTSNE(_TSNE):
    """
    t-SNE with the exact gradient, in two or any other number of dimensions, for up to about 10000 points.

    The schedule (exaggeration, momentum, gains, learning rate, stopping) and the random start are those of
    :class:`sklearn.manifold.TSNE`; the repulsive forces are summed over all pairs where that class
    approximates them. The same seed starts both at the same point.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    perplexity : float or "auto", default="auto"
        Effective number of neighbours, more than 1 and less than the number of samples. "auto" is 30, for fewer than 91
        samples a third of the others, with a warning.
    learning_rate : float or "auto", default="auto"
        "auto" is max(n_samples / early_exaggeration / 4, 50).
    early_exaggeration : float, default=12
        Factor on the attractive forces during the first 250 iterations.
    max_iter : int, default=1000
        At least 250.
    min_grad_norm : float, default=1e-7
    n_iter_without_progress : int, default=300
    metric : str or callable, default="euclidean"
        Distance of two samples: a metric of :class:`sklearn.neighbors.NearestNeighbors`, a function of two rows of X,
        or "precomputed": X contains the distances of all pairs of samples.
    metric_params : dict or None, default=None
        Further arguments of the metric. By default the variances V of "seuclidean", and the covariance V of
        "mahalanobis" or its inverse VI, are those of X.
    init : {"random", "pca"} or ndarray of shape (n_samples, n_components), default="random"
        "pca" needs samples that differ, and their features.
    verbose : bool or int, default=False
        Whether to report progress and the loss on standard error.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
    kl_divergence_ : float
    n_iter_ : int
        Iterations made; scikit-learn's `n_iter_` is one less.
    affinities_ : csr_array of shape (n_samples, n_samples)

    Notes
    -----
    Similarities in the embedding are 1 / (1 + d^2), as in van der Maaten and Hinton 2008, in any number of dimensions.
    In 3 or more, scikit-learn's have n_components - 1 degrees of freedom, and the gradient that it follows is not that
    of its loss: losses and embeddings are not comparable there.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import ExactTSNE
    >>> ExactTSNE(random_state=0).fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    def _repulsion(self) -> dict:
        return {"method": "exact"}


class BarnesHutTSNE(_TSNE):
    """
    t-SNE whose repulsive forces are summed over the cells of a quadtree, in two dimensions.

    For the same seed and settings it follows :class:`sklearn.manifold.TSNE` (Barnes-Hut, two components): each
    gradient differs by rounding only. t-SNE is chaotic, so runs diverge in the end, but their loss, size and consensus
    are equivalent, in less time.

    Parameters
    ----------
    n_components : int, default=2
        Other than 2 for up to 10,000 samples, by the exact gradient; of more, :class:`ExactTSNE` makes them.
    angle : float, default=0.5
        From 0 to 1. A cell acts on a point as one mass when its width over the distance to its centre of mass is less.
        0 sums over all pairs but those within 1e-6 of each other, such as equal samples: they do not repel each other,
        as in scikit-learn. Where many samples are equal, :class:`ExactTSNE` has a lower loss. On the digits, 0.5 makes
        pictures a sixth smaller than the exact gradient does.
    perplexity, learning_rate, early_exaggeration, max_iter, min_grad_norm, n_iter_without_progress
        As in :class:`ExactTSNE`.
    metric, metric_params, init, verbose, random_state
        As in :class:`ExactTSNE`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
    kl_divergence_ : float
        By the exact formula.
    n_iter_ : int
    affinities_ : csr_array of shape (n_samples, n_samples)

    References
    ----------
    L. van der Maaten, Accelerating t-SNE using tree-based algorithms, Journal of Machine Learning Research 15, 2014.
    J. Barnes and P. Hut, A hierarchical O(N log N) force-calculation algorithm, Nature 324, 1986.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import BarnesHutTSNE
    >>> BarnesHutTSNE(random_state=0).fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    _allowed: ClassVar[Allowed] = {"angle": [Range(Real, 0, 1)], **_TSNE._allowed}

    def __init__(
        self,
        n_components: int = 2,
        *,
        angle: float = 0.5,
        perplexity: float | str = "auto",
        learning_rate: float | str = "auto",
        early_exaggeration: float = 12.0,
        max_iter: int = 1000,
        min_grad_norm: float = 1e-7,
        n_iter_without_progress: int = 300,
        metric: str | Callable = "euclidean",
        metric_params: dict | None = None,
        init: str | np.ndarray = "random",
        verbose: bool | int = False,
        random_state: int | np.random.RandomState | None = None,
    ):
        super().__init__(
            n_components,
            perplexity=perplexity,
            learning_rate=learning_rate,
            early_exaggeration=early_exaggeration,
            max_iter=max_iter,
            min_grad_norm=min_grad_norm,
            n_iter_without_progress=n_iter_without_progress,
            metric=metric,
            metric_params=metric_params,
            init=init,
            verbose=verbose,
            random_state=random_state,
        )
        self.angle = angle

    def _repulsion(self) -> dict:
        return {"method": "barnes_hut", "angle": self.angle}


class FourierTSNE(_TSNE):
    """
    t-SNE whose repulsive forces are computed on a grid by FFT, in two dimensions, for very many points.

    An iteration takes a time in proportion to the number of points, plus that of three transforms of a grid that covers
    the picture. From about 7000 points on it is faster than :class:`BarnesHutTSNE`, and its loss is between those of
    that class and of the exact gradient if few samples are equal. The result does not depend on the number of threads.

    Parameters
    ----------
    n_components : int, default=2
        Other than 2 for up to 10,000 samples, by the exact gradient; of more, :class:`ExactTSNE` makes them.
    perplexity, learning_rate, early_exaggeration, max_iter, min_grad_norm, n_iter_without_progress
        As in :class:`ExactTSNE`.
    metric, metric_params, init, verbose, random_state
        As in :class:`ExactTSNE`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
    kl_divergence_ : float
        Exact of up to 10,000 samples; of more to about 1e-4, to 1e-3 where many samples are equal, and to 0.02 where
        the picture has no grid (see Notes).
    n_iter_ : int
    affinities_ : csr_array of shape (n_samples, n_samples)

    Notes
    -----
    FIt-SNE (Linderman et al. 2019, Methods): the kernels are interpolated between the nodes of a grid, so that a
    convolution sums over all pairs. Cubic splines replace the polynomials of the paper, and the grid does not move with
    the picture: nodes are half a unit apart or, where a picture would have fewer than 50 to a side, closer. While a
    picture is wider than 1448, or its grid would have more than 8 million nodes or, above 65,536, two per pair of
    points, the forces are those of :class:`BarnesHutTSNE`.

    References
    ----------
    G. C. Linderman, M. Rachh, J. G. Hoskins, S. Steinerberger and Y. Kluger, Fast interpolation-based t-SNE for
    improved visualization of single-cell RNA-seq data, Nature Methods 16, 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import FourierTSNE
    >>> FourierTSNE(random_state=0).fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    def _repulsion(self) -> dict:
        return {"method": "fft"}
