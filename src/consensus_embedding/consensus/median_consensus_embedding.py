"""
Median consensus embedding: the geometric median of several embeddings of the same points.

Tomo and Yoneoka 2025, Algorithm 1. An embedding y is represented by the matrix X(y) of distances between its
points, two embeddings are compared by the Frobenius norm of the difference, and the consensus minimises the
mean distance to the inputs. That minimiser is in the span of the inputs, so the iteration needs only their
m x m Gram matrix: one pass over the pairs of points, then O(m^2) per step instead of O(m n^2), and no distance
matrix is kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from consensus_embedding.consensus.cost import TABLE_POINTS, consensus_cost
from consensus_embedding.consensus.geometric_median import GeometricMedian, geometric_median
from consensus_embedding.consensus.large_median import METHODS, draw_consensus
from consensus_embedding.consensus.runs import draw_seeds, made_runs, usable_embedder, warn_of_equal_runs
from consensus_embedding.manifold.distance_matrices import (
    distance_gram,
    needs_double,
    normalize_embeddings,
    of_usual_size,
)
from consensus_embedding.manifold.large_mds import ConsensusPairs, place_by_landmarks, relative_stress
from consensus_embedding.manifold.tsne import default_tsne
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.parallel import n_at_a_time, n_threads
from consensus_embedding.utils.parameters import (
    COUNT,
    JOBS,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Allowed,
    check_parameters,
    checked_arguments,
)
from consensus_embedding.utils.progress import Bar
from consensus_embedding.utils.threads import one_blas_thread

# Points whose pairs give the stress of a picture of very many points.
N_JUDGED = 2000
# What to do about a consensus that does not fit into the memory.
_SMALLER = 'Lower max_memory_gb, choose mds="landmark", take fewer points or fewer embeddings'


@dataclass(frozen=True, eq=False)
class MedianConsensus:
    """
    Median consensus of m embeddings of n points.

    Attributes
    ----------
    distances : ndarray of shape (n * (n - 1) / 2,), or None
        The consensus distances between points, in the condensed order of SciPy; None where they were not kept.
    embedding : ndarray of shape (n, n_components)
        Their picture by multidimensional scaling.
    median : GeometricMedian
        Weights of the embeddings, their distances to the consensus, and the state of the iteration.
    stress : float
        Error of the picture (Kruskal's stress): root of the sum over all pairs of the squared difference between the
        distance in the picture and the consensus distance, over the sum of the squared consensus distances.
    """

    distances: np.ndarray | None
    embedding: np.ndarray
    median: GeometricMedian
    stress: float

    @property
    def distance_matrix(self) -> np.ndarray:
        """The consensus distances as a square matrix of shape (n, n); a ValueError where they were not kept."""
        if self.distances is None:
            raise ValueError("The consensus distances were not kept; ask for them with keep_distances=True.")
        return squareform(self.distances)


@checked_arguments
def median_consensus(
    embeddings: Sequence[ArrayLike] | np.ndarray,
    *,
    n_components: int = 2,
    mds: str = "smacof",
    normalize: str = "none",
    tolerance: float = 1e-5,
    max_iter: int = 500,
    keep_distances: bool | None = None,
    max_memory_gb: float = 6.0,
    n_jobs: int = 1,
    verbose: bool = False,
) -> MedianConsensus:
    """
    Median consensus of ready embeddings (Tomo and Yoneoka 2025, Algorithm 1).

    Parameters
    ----------
    embeddings : sequence of m arrays of shape (n, p)
        Embeddings of the same n points in the same order; rotation, reflection and shift do not matter.
    n_components : int
        Dimensions of the consensus picture.
    mds : {"smacof", "classical", "landmark"}
        How the consensus distances become a picture. SMACOF, as in the authors' code, keeps them better; classical
        scaling is faster. "landmark" approximates classical scaling by the distances to 1000 of the points; it is for
        very many points.
    normalize : {"none", "unit_norm"}
        Whether each embedding is centred and scaled to Frobenius norm 1 first, so that embeddings of different scale
        count alike. The consensus then has that scale.
    tolerance : float
        Of `geometric_median`, in the Frobenius norm of the distance matrices.
    max_iter : int
    keep_distances : bool, optional
        Whether the consensus distances are part of the result; by default up to 5000 points. For more points, and with
        "landmark", they are in single precision.
    max_memory_gb : float
        For more than 5000 points: up to this many gigabytes (10^9 bytes) the consensus distances are kept in memory
        while scaling works on them, 2 n (n - 1) bytes. Beyond it, each step computes them again, with the same result
        in many times the time.
    n_jobs : int
        Threads; -1 for all cores. The result does not depend on it.
    verbose : bool
        Whether to report progress on standard error; before more than a minute also its time and memory.

    Returns
    -------
    MedianConsensus

    Raises
    ------
    ValueError
        As `validate_embeddings` and `normalize_embeddings`; if `mds` is unknown, or the memory does not suffice.

    Warns
    -----
    RuntimeWarning
        If the consensus distances of more than 5000 points do not fit into `max_memory_gb`.

    Notes
    -----
    Up to 5000 points the consensus distances are a square table in double precision. For more points there is no such
    table: each distance is kept once, in single precision, or not at all. The steps are the same; on 2000 points the
    two pictures differ by less than 1e-8 of their size.

    Examples
    --------
    >>> import numpy as np
    >>> from consensus_embedding import median_consensus
    >>> square = np.array([[0.0, 0], [0, 1], [1, 1], [1, 0]])
    >>> median_consensus([square, square[:, ::-1] + 3]).distances.round(2)
    array([1.  , 1.41, 1.  , 1.  , 1.41, 1.  ])
    """
    if mds not in METHODS:
        raise ValueError(f"mds must be one of {sorted(METHODS)}, found {mds!r}.")
    stack = normalize_embeddings(embeddings, normalize)
    m, n, p = stack.shape
    cost = consensus_cost(n, m, dimensions=p, n_jobs=n_jobs, **_kept(n, mds, keep_distances, max_memory_gb))
    cost._require_memory("median_consensus", _SMALLER)
    cost._announce(verbose=verbose)
    with Bar("median consensus", cost.seconds, verbose=verbose) as bar:
        return _consensus(
            stack, bar, n_components=n_components, mds=mds, tolerance=tolerance, max_iter=max_iter,
            keep_distances=keep_distances, max_memory_gb=max_memory_gb, n_jobs=n_jobs,
        )  # fmt: skip


def _kept(n: int, mds: str, keep_distances: bool | None, max_memory_gb: float) -> dict[str, Any]:
    """What `consensus_cost` needs to know of the options."""
    by_landmarks, fits = mds == "landmark", 2e-9 * n * (n - 1) <= max_memory_gb
    asked = n <= TABLE_POINTS if keep_distances is None else keep_distances
    return {"by_landmarks": by_landmarks, "kept": asked or (fits and not by_landmarks)}


def _consensus(
    stack: np.ndarray, bar: Bar, *, n_components: int, mds: str, tolerance: float, max_iter: int,
    keep_distances: bool | None, max_memory_gb: float, n_jobs: int,
) -> MedianConsensus:  # fmt: skip
    """The consensus of embeddings of the size in which they count, in two steps of the bar."""
    stack, exponent = of_usual_size(stack)
    bar.begin("inner products")
    gram = distance_gram(stack, n_jobs=n_jobs, progress=lambda share: bar.update(share, f"inner products, {share:.0%}"))
    bar.begin("picture")
    with one_blas_thread():
        consensus = consensus_of_gram(
            stack, gram, tolerance, max_iter, n_components=n_components, mds=mds, keep_distances=keep_distances,
            max_memory_gb=max_memory_gb, n_jobs=n_jobs, progress=bar.note,
        )  # fmt: skip
    if not consensus.median.converged:
        warnings.warn(
            f"The geometric median did not converge in max_iter = {max_iter} steps to the tolerance {tolerance:g}; "
            "raise max_iter or the tolerance.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return in_unit(consensus, exponent)


def consensus_of_gram(
    embeddings: np.ndarray, gram: np.ndarray, tolerance: float = 1e-5, max_iter: int = 500, **options: Any
) -> MedianConsensus:
    """
    Median consensus of embeddings, (m, n, p), whose inner products, of `distance_gram`, are known.

    The embeddings are of `validate_embeddings`, in a usual unit; `options` are those of `draw_consensus`.
    """
    median = geometric_median(gram, tolerance=tolerance, max_iter=max_iter)
    if needs_double(median.distances, embeddings, gram).any():
        gram = distance_gram(embeddings.astype(np.float64), n_jobs=options["n_jobs"])
        median = geometric_median(gram, tolerance=tolerance, max_iter=max_iter)
    distances, picture, stress = draw_consensus(embeddings, median.weights, **options)
    return MedianConsensus(distances, picture, median, stress)


def landmark_consensus(
    embeddings: np.ndarray, landmarks: np.ndarray, of_landmarks: MedianConsensus, n_jobs: int = 1
) -> MedianConsensus:
    """
    Median consensus of very many points from some of them, in time that grows with the points, not their pairs.

    `embeddings` as for `consensus_of_gram`; `landmarks` are points drawn at random, with whose consensus
    `place_by_landmarks` places the others. The result has no distances, and the weights of the landmarks; the distances
    to the embeddings are scaled to all pairs of points, and the stress is that of all pairs of some points drawn at
    random.
    """
    n, size = embeddings.shape[1], len(landmarks)
    median = of_landmarks.median
    picture = place_by_landmarks(embeddings, median.weights, landmarks, of_landmarks.embedding, n_jobs)
    # Drawn apart from the landmarks, whose own distances are kept better than those of others.
    judged = np.sort(np.random.default_rng(0).permutation(n)[:N_JUDGED])
    pairs = ConsensusPairs(embeddings[:, judged], median.weights, keep=False, n_jobs=n_jobs)
    _, misfit, _, total = pairs.guttman(np.ascontiguousarray(picture[judged].T))
    all_pairs = np.sqrt(n * (n - 1.0) / (size * (size - 1.0)))
    median = replace(median, distances=median.distances * all_pairs)
    return MedianConsensus(None, picture, median, relative_stress(misfit, total))


def in_unit(consensus: MedianConsensus, exponent: int) -> MedianConsensus:
    """The consensus of embeddings times two to this power."""
    if not exponent:
        return consensus
    return replace(
        consensus,
        distances=None if consensus.distances is None else np.ldexp(consensus.distances.astype(np.float64), exponent),
        embedding=np.ldexp(consensus.embedding, exponent),
        median=replace(consensus.median, distances=np.ldexp(consensus.median.distances, exponent)),
    )


class MedianConsensusEmbedding(EmbeddingColumnsMixin, BaseEstimator):
    """
    Stable embedding: the geometric median of several runs of a random embedding.

    Parameters
    ----------
    embedder : estimator with `fit_transform` and `random_state`, default=None
        The base embedding. If None, `ExactTSNE`, for more than 5000 samples `BarnesHutTSNE`, for more than 10,000
        `FourierTSNE`; perplexity 30, for fewer than 91 samples a third of the others, with a warning. Any scikit-learn
        style embedding with a random start will do.
    n_embeddings : int, default=10
        Runs to combine (m in the paper).
    n_components : int, default=2
        Dimensions of the consensus picture.
    mds : {"smacof", "classical", "landmark"}, default="smacof"
        How the consensus distances become a picture; classical scaling is faster and keeps them less well. "landmark"
        approximates it for very many samples, by the distances to 1000 of them.
    normalize : {"none", "unit_norm"}, default="none"
        Whether each embedding is centred and scaled to Frobenius norm 1 first, so that embeddings of different scale
        count alike. The consensus then has that scale.
    tolerance : float, default=1e-5
        As for `median_consensus`.
    max_iter : int, default=500
    keep_distances : bool or None, default=None
        Whether `distances_` is kept; if None, up to 5000 samples.
    max_memory_gb : float, default=6.0
        As for `median_consensus`.
    n_jobs : int or None, default=None
        Runs at a time, as for `run_embeddings`, and threads of the consensus; -1 for all cores. None is 1, or
        what :func:`joblib.parallel_config` says. The result does not depend on it.
    verbose : bool, default=False
        Whether to report progress on standard error; before more than a minute also its time and memory.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The consensus picture.
    distances_ : ndarray of shape (n_samples * (n_samples - 1) / 2,), or None
        The consensus distances, condensed; in single precision for more than 5000 samples or "landmark", None where
        `keep_distances` says so.
    stress_ : float
        Error of the picture, as `MedianConsensus.stress`.
    embeddings_ : ndarray of shape (n_embeddings, n_samples, p)
        The runs.
    weights_ : ndarray of shape (n_embeddings,)
        Weight of each run in the consensus.
    n_iter_ : int
        Weiszfeld steps.

    References
    ----------
    Tomo and Yoneoka (2025), Median Consensus Embedding for Dimensionality Reduction.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import MedianConsensusEmbedding
    >>> mce = MedianConsensusEmbedding(n_embeddings=3, random_state=0)
    >>> mce.fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    _allowed: ClassVar[Allowed] = {
        "n_embeddings": [COUNT],
        "n_components": [COUNT],
        "mds": [set(METHODS)],
        "normalize": [{"none", "unit_norm"}],
        "tolerance": [POSITIVE],
        "max_iter": [COUNT],
        "keep_distances": [bool, None],
        "max_memory_gb": [NOT_NEGATIVE],
        "n_jobs": [*JOBS, None],
        "verbose": [bool],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        embedder: BaseEstimator | None = None,
        *,
        n_embeddings: int = 10,
        n_components: int = 2,
        mds: str = "smacof",
        normalize: str = "none",
        tolerance: float = 1e-5,
        max_iter: int = 500,
        keep_distances: bool | None = None,
        max_memory_gb: float = 6.0,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.embedder = embedder
        self.n_embeddings = n_embeddings
        self.n_components = n_components
        self.mds = mds
        self.normalize = normalize
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.keep_distances = keep_distances
        self.max_memory_gb = max_memory_gb
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """
        Run the base embedding, combine the runs, and return the consensus picture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            If X has fewer than two samples or contains NaN, the base embedding has no `random_state`, a run of it is
            unusable, or the memory will not suffice, which is found before the first run.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` steps did not reach the tolerance.
        UserWarning
            If all samples are equal; the base embedding is not run, and all points are at one place. If runs are equal.
        """
        check_parameters(self, self._allowed)
        X = validated(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        seeds = draw_seeds(self.random_state, self.n_embeddings)
        if self._nothing_to_embed(X):
            self.embeddings_ = np.zeros((self.n_embeddings, len(X), self.n_components))
            embedder = None
        else:
            embedder = usable_embedder(default_tsne(len(X)) if self.embedder is None else self.embedder)
        options = {name: getattr(self, name) for name in ("mds", "keep_distances", "max_memory_gb")}
        n_jobs = n_threads(self.n_jobs)
        cost = consensus_cost(
            len(X), self.n_embeddings, n_features=X.shape[1],
            embedder=None if embedder is None else type(embedder).__name__, n_jobs=n_jobs,
            n_at_a_time=n_at_a_time(self.n_jobs), **_kept(len(X), **options),
        )  # fmt: skip
        cost._require_memory(type(self).__name__, _SMALLER)
        cost._announce(verbose=self.verbose)
        with Bar(type(self).__name__, cost.seconds, verbose=self.verbose) as bar:
            if embedder is not None:
                self.embeddings_ = made_runs(embedder, X, seeds, self.n_jobs, bar)
                warn_of_equal_runs(self.embeddings_)
            consensus = _consensus(
                normalize_embeddings(self.embeddings_, self.normalize), bar, n_components=self.n_components,
                tolerance=self.tolerance, max_iter=self.max_iter, n_jobs=n_jobs, **options,
            )  # fmt: skip
        self.embedding_ = consensus.embedding
        self.distances_ = consensus.distances
        self.stress_ = consensus.stress
        self.weights_ = consensus.median.weights
        self.n_iter_ = consensus.median.n_iter
        return self.embedding_
