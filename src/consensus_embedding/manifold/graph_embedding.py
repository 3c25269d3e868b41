"""Graph embedding and principal components behind one signature."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import svd
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from consensus_embedding.manifold.dissimilarity_graph import KernelScales, check_dissimilarities
from consensus_embedding.manifold.graphs import (
    KERNELS,
    METRICS,
    SPARSE_KERNELS,
    check_table,
    kernel_graph,
    semi_supervised_affinity,
)
from consensus_embedding.manifold.spectral import DENSE_SIZE, canonical_signs, graph_eigenvectors
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.parameters import COUNT, NOT_NEGATIVE, POSITIVE, Allowed, Range, check_parameters
from consensus_embedding.utils.threads import one_blas_thread, without_warnings

# Of eigenvectors; `GraphEmbedding` says what each does.
SCALINGS = ("rows", "none", "eigenvalue", "diffusion")
# Rows shorter than this share of the longest one are rounding errors about the origin, without a direction.
_NO_DIRECTION = 1e-10
# Least 1 - eigenvalue in the diffusion scaling, which unconnected pieces would otherwise put at infinity.
_LEAST_GAP = 1e-12


def graph_embedding(X: np.ndarray, n_components: int = 3, **parameters: Any) -> np.ndarray:
    """
    Graph embedding (n, n_components), float64: non-trivial eigenvectors of the normalised cut of a neighbourhood graph.

    Shi and Malik 2000; as used by Viswanath and Madabhushi 2012. Parameters are those of `GraphEmbedding`. Scale the
    features of X first: all weigh alike. With the kernels "knn" and "radius" no dense matrix is made above 500 objects.
    The last digits may depend on the number of BLAS threads; hold them at one (threadpoolctl) where that matters, as
    `GraphEmbedding` does.
    """
    model = GraphEmbedding(n_components, **parameters)
    check_parameters(model, model._allowed)
    values, vectors, _ = model._eigenvectors(X)
    return scale_eigenvectors(values, vectors, model.scaling)


def pca_embedding(X: np.ndarray, n_components: int = 3) -> np.ndarray:
    """
    Scores (n, n_components), float64, on the first principal components of X (n, p).

    Those of scikit-learn's full decomposition, signs as in `canonical_signs`.
    """
    X = check_table(X)
    if not isinstance(n_components, Integral) or not 1 <= n_components <= min(X.shape):
        raise ValueError(
            f"n_components of a PCA must be an integer between 1 and {min(X.shape)}, the smaller of the numbers of "
            f"objects and features, found {n_components!r}."
        )
    # The decomposition itself: most of the time of scikit-learn's PCA of so small tables goes into what surrounds it.
    scores, lengths, _ = svd(X - X.mean(axis=0), full_matrices=False, check_finite=False)
    return canonical_signs(scores[:, :n_components] * lengths[:n_components])


EMBEDDERS = {"graph_embedding": graph_embedding, "pca": pca_embedding}


class GraphEmbedding(EmbeddingColumnsMixin, BaseEstimator):
    """
    Graph embedding by normalised cuts: the eigenvectors of a neighbourhood graph, without the trivial one.

    Scale the features first: all weigh alike.

    Parameters
    ----------
    n_components : int, default=3
        At most the number of samples less one.
    kernel : {"knn", "radius", "exponential", "gaussian", "local_scaling"}, default="knn"
        Affinity of two objects at a distance d. "knn": exp(-d / (sigma * median)) if one is among the other's
        n_neighbors nearest, ties included, else 0; median over these pairs. "radius": the same if d < radius (Sparks
        and Madabhushi 2011, Eq. 4). "exponential": the same for all pairs. "gaussian": exp(-d^2 / (sigma * median)^2)
        (Shi and Malik 2000). "local_scaling": exp(-d^2 / (sigma^2 s_i s_j)) with s the distance of an object to its 7th
        neighbour (Zelnik-Manor and Perona 2004, Eq. 5).
    n_neighbors : int, default=15
        Of the kernel "knn".
    sigma : float, default=1.0
        Multiple of the median distance.
    floor : float, default=1e-6
        Added to every affinity.
    self_affinity : float, default=1.0
        Affinity of an object with itself, in [0, 1]; 0 if there are outliers.
    scaling : {"rows", "none", "eigenvalue", "diffusion"}, default="rows"
        What becomes of the eigenvectors. "rows": each object's row has unit length, so that an outlier does not
        outweigh all else (Ng, Jordan and Weiss 2002); a single component stays as it is. "none": nothing.
        "eigenvalue": each column times its eigenvalue (diffusion map after one step, Coifman and Lafon 2006).
        "diffusion": each column over the square root of 1 - eigenvalue (commute time, Qiu and Hancock 2007).
    radius : float, optional
        Of the kernel "radius", in the unit of the distances.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X contains the dissimilarities of all pairs of samples.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Descending; without the trivial one, which is 1.

    References
    ----------
    Shi and Malik (2000), Normalized Cuts and Image Segmentation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding.manifold.graph_embedding import GraphEmbedding
    >>> GraphEmbedding(n_components=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _allowed: ClassVar[Allowed] = {
        "n_components": [COUNT],
        "kernel": [set(KERNELS)],
        "n_neighbors": [COUNT],
        "sigma": [POSITIVE],
        "floor": [NOT_NEGATIVE],
        "self_affinity": [Range(Real, 0, 1)],
        "scaling": [set(SCALINGS)],
        "radius": [POSITIVE, None],
        "metric": [set(METRICS)],
    }

    def __init__(
        self,
        n_components: int = 3,
        *,
        kernel: str = "knn",
        n_neighbors: int = 15,
        sigma: float = 1.0,
        floor: float = 1e-6,
        self_affinity: float = 1.0,
        scaling: str = "rows",
        radius: float | None = None,
        metric: str = "euclidean",
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.floor = floor
        self.self_affinity = self_affinity
        self.scaling = scaling
        self.radius = radius
        self.metric = metric

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """
        Embed X and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) with metric "precomputed"
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            If X contains NaN or fewer than 3 samples, there are no more samples than components, or X with metric
            "precomputed" cannot be dissimilarities.

        Warns
        -----
        UserWarning
            If all samples are equal; all points are at one place then, and the eigenvalues are 0.
        """
        check_parameters(self, self._allowed)
        X = validated(self, X, dtype=np.float64, ensure_min_samples=3)
        self._embed(X)
        return self.embedding_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags

    def _embed(
        self, X: np.ndarray, labels: np.ndarray | None = None, label_weights: str | Sequence[float] = "zhao"
    ) -> tuple[np.ndarray, KernelScales]:
        """Fill the attributes; the eigenvectors and what ties further samples to the graph."""
        if self._nothing_to_embed(X):
            # Of equal objects no eigenvector is determined; a few of them show whether the parameters fit.
            few = slice(max(3, self.n_components + 1))
            with without_warnings():
                *_, scales = self._eigenvectors(
                    check_dissimilarities(X)[few, few] if self.metric == "precomputed" else X[few]
                )
            self.eigenvalues_, vectors = np.zeros(self.n_components), np.zeros((len(X), self.n_components))
        else:
            with one_blas_thread():
                self.eigenvalues_, vectors, scales = self._eigenvectors(X, labels, label_weights)
        self.embedding_ = scale_eigenvectors(self.eigenvalues_, vectors, self.scaling)
        return vectors, scales

    def _eigenvectors(
        self, X: np.ndarray, labels: np.ndarray | None = None, label_weights: str | Sequence[float] = "zhao"
    ) -> tuple[np.ndarray, np.ndarray, KernelScales]:
        """Eigenvalues and eigenvectors of the graph of X, sparse where that pays, and its scales."""
        n = len(X)
        if not self.n_components < n:
            raise ValueError(
                f"n_components must be an integer between 1 and {n - 1}, one less than the {n} objects, "
                f"found {self.n_components!r}."
            )
        affinity, scales = kernel_graph(
            X,
            kernel=self.kernel,
            n_neighbors=self.n_neighbors,
            sigma=self.sigma,
            self_affinity=self.self_affinity,
            radius=self.radius,
            metric=self.metric,
            sparse=self.kernel in SPARSE_KERNELS and n > DENSE_SIZE,
        )
        # The floor comes last: labels multiply the affinities alone, and a sparse graph stays sparse.
        if labels is not None:
            affinity = semi_supervised_affinity(affinity, labels, weights=label_weights)
        return *graph_eigenvectors(affinity, int(self.n_components), floor=self.floor), scales


def scale_eigenvectors(
    values: np.ndarray, vectors: np.ndarray, scaling: str, *, longest: float | None = None
) -> np.ndarray:
    """
    Eigenvectors (n, k) scaled by one of `SCALINGS`.

    Of "rows", `longest` is the length of the longest row, of these vectors if None. Rows far shorter have no direction
    and become 0.
    """
    if scaling == "eigenvalue":
        return vectors * values
    if scaling == "diffusion":
        return vectors / np.sqrt(np.maximum(1.0 - values, _LEAST_GAP))
    # A row of one number at unit length would be its sign, -1 or 1.
    if scaling == "rows" and vectors.shape[1] > 1:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        placed = lengths > _NO_DIRECTION * (lengths.max() if longest is None else longest)
        return np.where(placed, vectors / np.where(placed, lengths, 1.0), 0.0)
    return vectors.copy()
