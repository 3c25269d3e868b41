"""Graph embedding, with and without labels, and principal components, behind one signature."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from consensus_embedding.graphs import (
    KERNELS,
    affinity_matrix,
    check_graph_parameters,
    check_label_weights,
    check_table,
    knn_graph_sparse,
    semi_supervised_affinity,
)
from consensus_embedding.spectral import DENSE_SIZE, canonical_signs, graph_eigenvectors

SCALINGS = ("rows", "none", "eigenvalue", "diffusion")
# Rows shorter than this share of the longest one are rounding errors about the origin, without a direction.
_NO_DIRECTION = 1e-10
# Least 1 - eigenvalue in the diffusion scaling, which unconnected pieces would otherwise put at infinity.
_LEAST_GAP = 1e-12


def graph_embedding(
    X: np.ndarray,
    n_components: int = 3,
    *,
    kernel: str = "knn",
    n_neighbors: int = 15,
    sigma: float = 1.0,
    floor: float = 1e-6,
    self_affinity: float = 1.0,
    scaling: str = "rows",
) -> np.ndarray:
    """
    Graph embedding: the non-trivial eigenvectors of the normalised cut of a neighbourhood graph.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Scale the features first: all weigh alike.
    n_components : int
        At most n - 1.
    kernel, n_neighbors, sigma, floor, self_affinity
        Of the graph; see `affinity_matrix`. With the kernel "knn" no dense matrix is made above 500 objects.
    scaling : {"rows", "none", "eigenvalue", "diffusion"}
        What becomes of the eigenvectors y of `graph_eigenvectors`: each object's row brought to unit length, which
        keeps an outlier from outweighing all else (Ng, Jordan and Weiss 2002); nothing; each column times its
        eigenvalue (diffusion map after one step, Coifman and Lafon 2006); each column over the square root of
        1 - eigenvalue (commute time, Qiu and Hancock 2007).

    Returns
    -------
    ndarray of shape (n, n_components), float64

    Raises
    ------
    ValueError
        If X is not a finite table of at least 3 objects, or a parameter is out of range.

    Notes
    -----
    Shi and Malik 2000; as used by Viswanath and Madabhushi 2012. The result may depend on the number of BLAS
    threads in the last digits; hold them at one (threadpoolctl) where that matters. `GraphEmbedding` does.
    """
    _check_scaling(scaling)
    graph = {"kernel": kernel, "n_neighbors": n_neighbors, "sigma": sigma, "self_affinity": self_affinity}
    values, vectors = _eigenvectors(X, n_components, floor, graph)
    return _scaled(values, vectors, scaling)


def pca_embedding(X: np.ndarray, n_components: int = 3) -> np.ndarray:
    """
    Scores on the first principal components, by scikit-learn's full decomposition, signs as in `canonical_signs`.

    Parameters
    ----------
    X : array-like of shape (n, p)
    n_components : int
        At most n and p.

    Returns
    -------
    ndarray of shape (n, n_components), float64

    Raises
    ------
    ValueError
        If X is not a finite table of at least 3 objects, or has fewer features than components.
    """
    X = check_table(X)
    if not isinstance(n_components, Integral) or not 1 <= n_components <= min(X.shape):
        raise ValueError(
            f"n_components of a PCA must be an integer between 1 and {min(X.shape)}, the smaller of the numbers of "
            f"objects and features, found {n_components!r}."
        )
    # All features constant: the shares of explained variance, which nobody reads here, are 0 / 0.
    with np.errstate(invalid="ignore"):
        return canonical_signs(PCA(n_components=int(n_components), svd_solver="full").fit_transform(X))


EMBEDDERS = {"graph_embedding": graph_embedding, "pca": pca_embedding}


class GraphEmbedding(TransformerMixin, BaseEstimator):
    """
    Graph embedding by normalised cuts; see `graph_embedding`.

    Parameters
    ----------
    n_components : int, default=3
        At most the number of samples less one.
    kernel : {"knn", "exponential", "gaussian", "local_scaling"}, default="knn"
    n_neighbors : int, default=15
        Of the kernel "knn".
    sigma : float, default=1.0
        Multiple of the median distance.
    floor : float, default=1e-6
        Added to every affinity.
    self_affinity : float, default=1.0
        Affinity of an object with itself, in [0, 1]; 0 if there are outliers.
    scaling : {"rows", "none", "eigenvalue", "diffusion"}, default="rows"

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
    >>> from consensus_embedding.embeddings.graph_embedding import GraphEmbedding
    >>> GraphEmbedding(n_components=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "kernel": [StrOptions(set(KERNELS))],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [Interval(Real, 0, None, closed="neither")],
        "floor": [Interval(Real, 0, None, closed="left")],
        "self_affinity": [Interval(Real, 0, 1, closed="both")],
        "scaling": [StrOptions(set(SCALINGS))],
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
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.floor = floor
        self.self_affinity = self_affinity
        self.scaling = scaling

    def fit(self, X: np.ndarray, y: object = None) -> GraphEmbedding:
        """
        Embed X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        GraphEmbedding
            The fitted estimator itself.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: np.ndarray, y: object = None) -> np.ndarray:
        """
        Embed X and return the embedding.

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
            If X holds NaN or fewer than 3 samples, or there are no more samples than components.
        """
        self._validate_params()
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=3)
        return self._embed(X)

    def _embed(
        self, X: np.ndarray, labels: np.ndarray | None = None, label_weights: str | Sequence[float] = "zhao"
    ) -> np.ndarray:
        graph = {name: getattr(self, name) for name in ("kernel", "n_neighbors", "sigma", "self_affinity")}
        with threadpool_limits(1, user_api="blas"):
            self.eigenvalues_, vectors = _eigenvectors(X, self.n_components, self.floor, graph, labels, label_weights)
        self.embedding_ = _scaled(self.eigenvalues_, vectors, self.scaling)
        return self.embedding_


class SemiSupervisedGraphEmbedding(GraphEmbedding):
    """
    Graph embedding in which known labels draw objects together or push them apart (SSGE).

    The affinity of a pair is raised if both carry the same label, lowered if they carry different ones, and stays
    if a label is unknown; see `semi_supervised_affinity`. The floor is added after that.

    Parameters
    ----------
    n_components : int, default=3
    kernel : {"knn", "exponential", "gaussian", "local_scaling"}, default="knn"
    n_neighbors : int, default=15
    sigma : float, default=1.0
    floor : float, default=1e-6
    self_affinity : float, default=1.0
    scaling : {"rows", "none", "eigenvalue", "diffusion"}, default="rows"
        All as in `GraphEmbedding`.
    label_weights : "zhao" or (within, between), default="zhao"
        "zhao": gamma becomes gamma (1 + gamma) within a label and gamma (1 - gamma) between labels. Two positive,
        finite numbers: gamma * within and gamma * between. (2, 0.5) doubles the one and halves the other, which is
        how the present study reads "higher weights to within-class points and lower weights to points from
        different classes" (Viswanath and Madabhushi 2012, Experiment 4).

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)

    References
    ----------
    Zhao (2006), Combining labeled and unlabeled data with graph embedding. Sparks and Madabhushi (2011), W_R.
    Viswanath and Madabhushi (2012), SSAGE.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding.embeddings.graph_embedding import SemiSupervisedGraphEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> some = np.where(np.arange(150) % 5 == 0, y, -1)
    >>> SemiSupervisedGraphEmbedding(n_components=2).fit_transform(X, some).shape
    (150, 2)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **GraphEmbedding._parameter_constraints,
        "label_weights": [StrOptions({"zhao"}), tuple, list],
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
        label_weights: str | Sequence[float] = "zhao",
    ):
        super().__init__(
            n_components,
            kernel=kernel,
            n_neighbors=n_neighbors,
            sigma=sigma,
            floor=floor,
            self_affinity=self_affinity,
            scaling=scaling,
        )
        self.label_weights = label_weights

    def fit(self, X: np.ndarray, y: np.ndarray) -> SemiSupervisedGraphEmbedding:
        """
        Embed X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; -1 is unknown.

        Returns
        -------
        SemiSupervisedGraphEmbedding
            The fitted estimator itself.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """
        Embed X and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; -1 is unknown.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            As `GraphEmbedding`, and if the labels are not one per sample or name fewer than two classes, or the label
            weights are neither "zhao" nor two positive, finite numbers.
        """
        self._validate_params()
        check_label_weights(self.label_weights)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=3)
        return self._embed(X, y, self.label_weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _eigenvectors(
    X: np.ndarray,
    n_components: int,
    floor: float,
    graph: dict,
    labels: np.ndarray | None = None,
    label_weights: str | Sequence[float] = "zhao",
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of the graph of X, sparse where the kernel and the number of objects make it pay."""
    X = check_table(X)
    if not isinstance(n_components, Integral) or not 1 <= n_components < len(X):
        raise ValueError(
            f"n_components must be an integer between 1 and {len(X) - 1}, one less than the {len(X)} objects, "
            f"found {n_components!r}."
        )
    check_graph_parameters(floor=floor, **graph)
    # The floor comes last: labels multiply the affinities alone, and a sparse graph stays sparse.
    if graph["kernel"] == "knn" and len(X) > DENSE_SIZE:
        affinity = knn_graph_sparse(X, **{name: value for name, value in graph.items() if name != "kernel"})
    else:
        affinity = affinity_matrix(X, floor=0.0, **graph)
    if labels is not None:
        affinity = semi_supervised_affinity(affinity, labels, weights=label_weights)
    return graph_eigenvectors(affinity, int(n_components), floor=floor)


def _check_scaling(scaling: str) -> None:
    if scaling not in SCALINGS:
        raise ValueError(f"scaling must be one of {list(SCALINGS)}, found {scaling!r}.")


def _scaled(values: np.ndarray, vectors: np.ndarray, scaling: str) -> np.ndarray:
    if scaling == "eigenvalue":
        return vectors * values
    if scaling == "diffusion":
        return vectors / np.sqrt(np.maximum(1.0 - values, _LEAST_GAP))
    if scaling == "rows":
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        placed = lengths > _NO_DIRECTION * lengths.max()
        return np.where(placed, vectors / np.where(placed, lengths, 1.0), 0.0)
    return vectors
