"""
Published ways to combine embeddings that this project's papers do not use, under the contract of `combining`.

Written from the published formulas.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, squareform

from consensus_embedding.clustering.clustering import co_association, kmeans_runs
from consensus_embedding.consensus.combining import MDS, BaseConsensus, medoid
from consensus_embedding.consensus.stability import nearest_neighbors, procrustes_align
from consensus_embedding.manifold.distance_matrices import of_usual_size
from consensus_embedding.manifold.spectral import canonical_signs
from consensus_embedding.utils.parameters import COUNT, Allowed, Range

# Most steps, and the share of the norm of the mean, or of the loss, below which a change ends the iteration.
_PROCRUSTES_STEPS, _PROCRUSTES_TOLERANCE = 100, 1e-8
_INDSCAL_STEPS, _INDSCAL_TOLERANCE = 500, 1e-9
# Points whose rows of distances are held at once.
_BLOCK_POINTS = 64


class ProcrustesMean(BaseConsensus):
    """
    Mean of the embeddings after each is rotated, reflected and shifted onto it: generalised Procrustes analysis.

    Starts from the medoid, and stops when the mean moves by less than 1e-8 of its norm, or after 100 steps. The
    embeddings are not scaled: bring them to one scale first.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, p)
    distances_ : ndarray of shape (n * (n - 1) / 2,)
        Of the embedding.

    References
    ----------
    Gower (1975), Generalized Procrustes analysis, Psychometrika 40, 33-51.
    """

    def _combine(self, stack: np.ndarray) -> None:
        centred = _centred(stack)
        mean = centred[medoid(stack)]
        for _ in range(_PROCRUSTES_STEPS):
            moved = np.mean([procrustes_align(embedding, mean) for embedding in centred], axis=0)
            step, mean = np.linalg.norm(moved - mean), moved
            if step <= _PROCRUSTES_TOLERANCE * np.linalg.norm(mean):
                break
        self._keep_embedding(mean)


class StackedPCA(BaseConsensus):
    """
    Principal components of the columns of all embeddings, side by side.

    The same as classical scaling of the root mean square, over the embeddings, of the distances of each pair.

    Parameters
    ----------
    n_components : int

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Columns by falling variance, in the unit of the embeddings.
    distances_ : ndarray of shape (n * (n - 1) / 2,)
        Of the embedding.
    """

    _allowed: ClassVar[Allowed] = {"n_components": [COUNT]}

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _combine(self, stack: np.ndarray) -> None:
        self._keep_embedding(_principal_columns(_centred(stack), self.n_components))


class Indscal(BaseConsensus):
    """
    Three-way scaling: one space for all embeddings, whose dimensions each embedding weights in its own way.

    With B_k the inner products of the centred points of embedding k, the space X (n, r) and the weights w_k minimise
    sum_k ||B_k - X diag(w_k) X'||^2, by alternating least squares over X on the left, X on the right and the weights
    (CANDECOMP). B_k is never formed: it is Y_k Y_k', of the rank of the embedding. Starts from the principal
    components of all columns, and stops when a step lowers the loss by less than 1e-9 of sum_k ||B_k||^2, or after 500
    steps.

    Parameters
    ----------
    n_components : int
        r.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        X, scaled so that the mean weight of each dimension over the embeddings is 1.
    distances_ : ndarray of shape (n * (n - 1) / 2,)
        Of the embedding.
    weights_ : ndarray of shape (m, n_components)
        Of each embedding.
    n_iter_ : int

    References
    ----------
    Carroll and Chang (1970), Analysis of individual differences in multidimensional scaling via an N-way
    generalization of "Eckart-Young" decomposition, Psychometrika 35, 283-319.
    """

    _allowed: ClassVar[Allowed] = {"n_components": [COUNT]}
    _of_embeddings: ClassVar[dict[str, int]] = {"weights_": 0}

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _combine(self, stack: np.ndarray) -> None:
        # Fourth powers of the coordinates are summed.
        columns, exponent = of_usual_size(_centred(stack))
        total = sum(np.square(embedding.T @ embedding).sum() for embedding in columns)
        left = right = _principal_columns(columns, self.n_components)
        weights, fitted = np.ones((len(stack), self.n_components)), 0.0
        for step in range(_INDSCAL_STEPS):
            left = _least_squares(right, weights, _times(columns, right, weights))
            right = _least_squares(left, weights, _times(columns, left, weights))
            agreement = _agreement(columns, left, right)
            weights = agreement @ np.linalg.pinv((left.T @ left) * (right.T @ right))
            # With the best weights the loss is the total minus this.
            before, fitted = fitted, float((weights * agreement).sum())
            self.n_iter_ = step + 1
            if fitted - before <= _INDSCAL_TOLERANCE * total:
                break
        # Both sides are the space up to the lengths of its dimensions.
        sizes = np.linalg.norm(left, axis=0)
        space = left / np.where(sizes > 0, sizes, 1.0)
        weights = _agreement(columns, space, space) @ np.linalg.pinv(np.square(space.T @ space))
        means = np.maximum(weights.mean(axis=0), 0.0)
        self.weights_ = weights / np.where(means > 0, means, 1.0)
        self._keep_embedding(np.ldexp(canonical_signs(space * np.sqrt(means)), exponent))


class CoAssociationConsensus(BaseConsensus):
    """
    Share of clusterings that separate two points: evidence accumulation over the embeddings.

    Each embedding is clustered by `n_runs` runs of k-means; all have the same starts. The starts are drawn from the
    points in an order of their own, so the result does not depend on the order of the rows.

    Parameters
    ----------
    n_clusters : int or "sqrt"
        "sqrt": the root of the number of points, rounded.
    n_runs : int
        For each embedding.
    n_components : int
    mds : {"smacof", "classical"}
    seed : int
        Of the starts.

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
        In [0, 1].
    embedding_ : ndarray of shape (n, n_components)
        Of the distances by multidimensional scaling.

    References
    ----------
    Fred and Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE Transactions on Pattern
    Analysis and Machine Intelligence 27, 835-850, Eq. 6.
    """

    _allowed: ClassVar[Allowed] = {
        "n_clusters": [COUNT, {"sqrt"}],
        "n_runs": [COUNT],
        "n_components": [COUNT],
        "mds": [MDS],
        "seed": [Range(Integral, 0)],
    }

    def __init__(
        self,
        n_clusters: int | str = "sqrt",
        n_runs: int = 10,
        n_components: int = 2,
        *,
        mds: str = "smacof",
        seed: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_runs = n_runs
        self.n_components = n_components
        self.mds = mds
        self.seed = seed

    def _combine(self, stack: np.ndarray) -> None:
        n_clusters = round(stack.shape[1] ** 0.5) if isinstance(self.n_clusters, str) else self.n_clusters
        order = _point_order(stack)
        runs = [
            kmeans_runs(embedding, n_clusters, self.n_runs, seed=self.seed)
            for embedding in stack[:, order].astype(np.float64)
        ]
        place = np.argsort(order)
        apart = 1.0 - co_association(np.concatenate(runs)[:, place])
        self._keep_distances(squareform(apart, checks=False))


class SimilarityNetworkFusion(BaseConsensus):
    r"""
    Similarities of each embedding, diffused through the neighbours in each until they agree.

    With rho the distances in one embedding: W(i, j) = exp(-rho^2 / (2 (mu eps)^2)), eps the mean of rho(i, j) and of
    the mean distances of i and j to their K nearest neighbours; P has W / (2 sum W) off the diagonal and 1/2 on it
    (Eq. 2), S has W over its sum on the K nearest neighbours and 0 elsewhere (Eq. 3). In each step every P becomes
    S P' S', with P' the mean of the P of the other embeddings (Eq. 9), made symmetric and normalised by Eq. 2; the
    result is their mean. The paper prints exp(-rho^2 / (mu eps)), which depends on the unit of the distances; as the
    authors' programs, this has none. The paper gives no distances: here they are sqrt(log(max P / P)), which undoes
    the exponential; pairs that no step connects are as far apart as the farthest that are connected. Neighbours that
    are equally far share the places that are left for them.

    Parameters
    ----------
    n_neighbors : int
        K; at most all other points.
    n_steps : int
    mu : float
    n_components : int
    mds : {"smacof", "classical"}

    Attributes
    ----------
    similarities_ : ndarray of shape (n, n)
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, n_components)
        Of the distances by multidimensional scaling.

    References
    ----------
    Wang et al. (2014), Similarity network fusion for aggregating data types on a genomic scale, Nature Methods 11,
    333-337.
    """

    _allowed: ClassVar[Allowed] = {
        "n_neighbors": [COUNT],
        "n_steps": [COUNT],
        # Beyond, all similarities are 0 or 1; the paper recommends 0.3 to 0.8.
        "mu": [Range(Real, 0.1, 2)],
        "n_components": [COUNT],
        "mds": [MDS],
    }

    def __init__(
        self,
        n_neighbors: int = 20,
        n_steps: int = 20,
        mu: float = 0.5,
        n_components: int = 2,
        *,
        mds: str = "smacof",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.mu = mu
        self.n_components = n_components
        self.mds = mds

    def _combine(self, stack: np.ndarray) -> None:
        k = min(self.n_neighbors, stack.shape[1] - 1)
        graphs = [_graph(cdist(embedding, embedding), k, self.mu) for embedding in stack.astype(np.float64)]
        full, local = [graph[0] for graph in graphs], [graph[1] for graph in graphs]
        for _ in range(self.n_steps if len(stack) > 1 else 0):
            total = np.sum(full, axis=0)
            full = [
                _with_half(_diffused(near, (total - similarities) / (len(full) - 1)))
                for near, similarities in zip(local, full, strict=True)
            ]
        self.similarities_ = _symmetric(np.mean(full, axis=0))
        between = squareform(self.similarities_, checks=False)
        least = between[between > 0].min()
        self._keep_distances(np.sqrt(np.log(between.max() / np.maximum(between, least))))


class MetaVisualization(BaseConsensus):
    """
    Mean of the distances, in which each point weights the embeddings by how well they agree on it.

    For point i, the rows i of the distance matrices are brought to norm 1; the eigenscores are the absolute entries of
    the first eigenvector of their matrix of inner products; row i of the meta-distances is the sum of the rows, each
    times its eigenscore. The mean of the meta-distances and their transpose counts.

    Parameters
    ----------
    n_components : int
    mds : {"smacof", "classical"}

    Attributes
    ----------
    eigenscores_ : ndarray of shape (n, m)
        How well each embedding agrees with the others on each point.
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, n_components)
        Of the distances by multidimensional scaling.

    References
    ----------
    Ma, Sun and Zou (2023), A spectral method for assessing and combining multiple data visualizations, Nature
    Communications 14, 780.
    """

    _allowed: ClassVar[Allowed] = {"n_components": [COUNT], "mds": [MDS]}
    _of_embeddings: ClassVar[dict[str, int]] = {"eigenscores_": 1}

    def __init__(self, n_components: int = 2, *, mds: str = "smacof") -> None:
        self.n_components = n_components
        self.mds = mds

    def _combine(self, stack: np.ndarray) -> None:
        stack = stack.astype(np.float64)
        m, n, _ = stack.shape
        meta, self.eigenscores_ = np.empty((n, n)), np.empty((n, m))
        for start in range(0, n, _BLOCK_POINTS):
            part = slice(start, start + _BLOCK_POINTS)
            # By point: its row in each embedding.
            rows = np.stack([cdist(embedding[part], embedding) for embedding in stack], axis=1)
            norms = np.linalg.norm(rows, axis=2, keepdims=True)
            rows /= np.where(norms > 0, norms, 1.0)
            _, vectors = np.linalg.eigh(rows @ rows.transpose(0, 2, 1))
            scores = np.abs(vectors[:, :, -1])
            self.eigenscores_[part] = scores
            meta[part] = (scores[:, None] @ rows)[:, 0]
        self._keep_distances(squareform(0.5 * (meta + meta.T), checks=False))


def _point_order(stack: np.ndarray) -> np.ndarray:
    """An order of the points that depends neither on their rows nor, unless points tie, on how embeddings are moved."""
    sizes = np.square(_centred(stack)).sum(axis=(0, 2))
    # Sums over the rows differ by rounding when these are in another order; of points that tie the coordinates decide.
    shares = np.round(sizes / max(sizes.max(), np.finfo(np.float64).tiny), 12)
    return np.lexsort([*stack.transpose(0, 2, 1).reshape(-1, stack.shape[1]), shares])


def _centred(stack: np.ndarray) -> np.ndarray:
    """Embeddings about their centres, in double precision."""
    stack = stack.astype(np.float64)
    return stack - stack.mean(axis=1, keepdims=True)


def _principal_columns(columns: np.ndarray, n_components: int) -> np.ndarray:
    """Principal components of the columns of all embeddings (m, n, p), in the unit of one."""
    m, n, p = columns.shape
    side_by_side = columns.transpose(1, 0, 2).reshape(n, m * p)
    left, singular, _ = np.linalg.svd(side_by_side, full_matrices=False)
    kept = min(n_components, len(singular))
    components = np.zeros((n, n_components))
    components[:, :kept] = canonical_signs(left[:, :kept]) * (singular[:kept] / np.sqrt(m))
    return components


def _times(columns: np.ndarray, space: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """sum_k B_k space diag(w_k), of shape (n, r)."""
    inner = np.einsum("kns,nr->ksr", columns, space, optimize=True)
    return np.einsum("kns,ksr->nr", columns, inner * weights[:, None], optimize=True)


def _least_squares(other: np.ndarray, weights: np.ndarray, right_side: np.ndarray) -> np.ndarray:
    """One side of the space, given the other and the weights."""
    return right_side @ np.linalg.pinv((other.T @ other) * (weights.T @ weights))


def _agreement(columns: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Diagonals of left' B_k right, of shape (m, r)."""
    first, second = (np.einsum("kns,nr->ksr", columns, side, optimize=True) for side in (left, right))
    return (first * second).sum(axis=1)


def _graph(distances: np.ndarray, n_neighbors: int, mu: float) -> tuple[np.ndarray, csr_array]:
    """P (Eq. 2) and S (Eq. 3) of one embedding."""
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    near = nearest_neighbors(distances, n_neighbors)
    means = np.take_along_axis(distances, near, axis=1).mean(axis=1)
    widths = mu * (means[:, None] + means + distances) / 3.0
    # Points that coincide with all their neighbours and with each other have no width, and are as similar as can be.
    similarities = np.exp(-0.5 * np.square(distances / np.where(widths > 0, widths, 1.0)))
    local = similarities * _nearest_shares(others, n_neighbors)
    return _with_half(similarities), csr_array(local / local.sum(axis=1, keepdims=True))


def _nearest_shares(values: np.ndarray, k: int) -> np.ndarray:
    """1 for the k smallest of each row; of several that are equal to the last one, as much of 1 as places are left."""
    last = np.partition(values, k - 1, axis=1)[:, k - 1 : k]
    rounding = 1e-12 * np.abs(last)
    inside, tied = values < last - rounding, np.abs(values - last) <= rounding
    return inside + tied * ((k - inside.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True))


def _symmetric(table: np.ndarray) -> np.ndarray:
    return 0.5 * (table + table.T)


def _with_half(similarities: np.ndarray) -> np.ndarray:
    """P (Eq. 2)."""
    result = _symmetric(similarities)
    np.fill_diagonal(result, 0.0)
    sums = result.sum(axis=1, keepdims=True)
    result /= 2.0 * np.where(sums > 0, sums, 1.0)
    np.fill_diagonal(result, 0.5)
    return result


def _diffused(local: csr_array, mean: np.ndarray) -> np.ndarray:
    """S mean S'."""
    return local @ (local @ mean.T).T
