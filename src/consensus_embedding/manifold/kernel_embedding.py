"""PCA, Isomap, Laplacian eigenmaps and locally linear embedding as kernel PCA (Ginsburg et al. 2016, Sec. III)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from consensus_embedding.manifold.sample_kernels import (
    ISOMAP_KERNELS,
    REDUCTIONS,
    Decomposition,
    Samples,
    decompose,
    isomap_similarity,
    reconstruction_weights,
)
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.numbers import require_finite
from consensus_embedding.utils.parameters import COUNT, POSITIVE, Allowed, check_parameters
from consensus_embedding.utils.threads import one_blas_thread

# New samples that are placed together: those of LLE have a table of their neighbours each.
_ROWS = 256


class KernelEmbedding(EmbeddingColumnsMixin, BaseEstimator):
    """
    Principal components of a kernel between samples, for four ways of reducing dimensions.

    The embedding is T = Z Lambda^(1/2) of the centred kernel K = Z Lambda Z' (Eqs. 7 and 8, corrected), or with another
    power of the eigenvalues:

    - "pca": K = X X' of the centred features;
    - "isomap": K = -1/2 H D^2 H with D the geodesic distances, the lengths of the shortest paths in the graph of
      nearest neighbours, and H the centring matrix;
    - "le": K the pseudo-inverse of the graph's Laplacian, D - W with W_ij = exp(-d_ij^2 / (2 sigma^2)) for pairs with
      one among the other's nearest, sigma = alpha times the median length of these edges;
    - "lle": K = lambda_max I - M without the constant vector, M = (I - W)'(I - W) with W the weights that write each
      sample by its nearest neighbours.

    Parameters
    ----------
    n_components : int, default=2
        h; at most the rank of the kernel.
    reduction : {"pca", "isomap", "le", "lle"}, default="pca"
    n_neighbors : int, default=10
        Not used by "pca". Of neighbours at the same distance the earlier sample counts as nearer.
    alpha : float, default=1.0
        Of "le".
    regularization : float, default=1e-3
        Of "lle": share of the trace of the local covariance that is added to its diagonal.
    isomap_kernel : {"squared", "plain"}, default="squared"
        "plain": -1/2 H D H, the geodesic distances themselves, as the paper's Eq. 10 reads.
    eigenvalue_power : float, default=0.5
        0.5: the principal components K Z Lambda^(-1/2); 1: K Z.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Orthogonal columns of mean zero.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Orthonormal; the entry of largest magnitude of each is positive.
    eigenvalues_ : ndarray of shape (n_components,)
        Falling.
    kernel_ : ndarray of shape (n_samples, n_samples)
    distances_ : ndarray of shape (n_samples, n_samples)
        The method's own estimate of distances (D^G of Eq. 19): Euclidean for "pca", geodesic for the others.
    rank_ : int
        Positive eigenvalues of the kernel above rounding, among those that were computed: all for "pca" and up to 500
        samples; else `n_components`, or all where these are a tenth of the samples or more.

    References
    ----------
    Ginsburg, Lee, Ali and Madabhushi (2016), Feature importance in nonlinear embeddings (FINE).
    Ham, Lee, Mika and Schoelkopf (2004), A kernel view of the dimensionality reduction of manifolds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding import KernelEmbedding
    >>> KernelEmbedding(2, reduction="le", n_neighbors=12).fit_transform(load_iris().data[50:]).shape
    (100, 2)
    """

    _allowed: ClassVar[Allowed] = {
        "n_components": [COUNT],
        "reduction": [set(REDUCTIONS)],
        "n_neighbors": [COUNT],
        "alpha": [POSITIVE],
        "regularization": [POSITIVE],
        "isomap_kernel": [set(ISOMAP_KERNELS)],
        "eigenvalue_power": [POSITIVE],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        reduction: str = "pca",
        n_neighbors: int = 10,
        alpha: float = 1.0,
        regularization: float = 1e-3,
        isomap_kernel: str = "squared",
        eigenvalue_power: float = 0.5,
    ):
        self.n_components = n_components
        self.reduction = reduction
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.regularization = regularization
        self.isomap_kernel = isomap_kernel
        self.eigenvalue_power = eigenvalue_power

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """
        Embed X and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            At least 3 samples.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            If X contains NaN or infinity, a parameter is out of range, `n_neighbors` is at least the number of samples,
            the graph is in pieces, or `n_components` is above the rank of the kernel.
        """
        samples = self._checked(X)
        n = len(samples.X)
        if self.reduction != "pca" and self.n_neighbors >= n:
            raise ValueError(
                f"n_neighbors must be less than the number of samples, {n} (n_samples = {n}), found "
                f"{self.n_neighbors}; lower it or use more samples."
            )
        self._keep(samples, decompose(samples, **self._kernel_parameters(), n_pairs=self.n_components))
        return self.embedding_

    def _checked(self, X: ArrayLike | Samples) -> Samples:
        """Samples with their distances, which several reductions can share; parameters are checked too."""
        check_parameters(self, self._allowed)
        if isinstance(X, Samples):
            self.n_features_in_ = X.X.shape[1]
            return X
        return Samples(validated(self, X, dtype=np.float64, ensure_min_samples=3))

    def _kernel_parameters(self) -> dict[str, Any]:
        """The parameters of `decompose`: those that the kernel depends on."""
        others = ("n_components", "eigenvalue_power")
        return {name: value for name, value in self.get_params().items() if name not in others}

    def _keep(self, samples: Samples, decomposition: Decomposition) -> None:
        """Become the fitted estimator of a decomposition of this reduction and these parameters."""
        self.rank_ = len(decomposition.values)
        if self.n_components > self.rank_:
            n, m = samples.X.shape
            raise ValueError(
                f"n_components = {self.n_components} is above the rank of the kernel, {self.rank_}, of {n} samples "
                f"with {m} feature(s) by {self.reduction}; lower n_components."
            )
        self.eigenvalues_ = decomposition.values[: self.n_components].copy()
        self.eigenvectors_ = np.ascontiguousarray(decomposition.vectors[:, : self.n_components])
        self.embedding_ = decomposition.embedding(self.n_components, self.eigenvalue_power)
        # What a user does to `embedding_` changes no place of a new sample.
        self._places = self.embedding_.copy()
        self.kernel_, self.distances_ = decomposition.kernel, decomposition.distances
        self._samples, self._sigma = samples, decomposition.sigma

    def transform(self, X: ArrayLike) -> np.ndarray:
        """
        Positions of samples in the embedding of the training samples, which does not change.

        "pca" projects; "isomap" takes geodesic distances through the nearest training samples and projects them (de
        Silva and Tenenbaum 2003; Bengio et al. 2003; scikit-learn's rule); "le" takes the mean of the positions of the
        nearest training samples with their weights exp(-d^2 / (2 sigma^2)); "lle" writes a sample by its nearest
        training samples and their positions likewise (Saul and Roweis 2003; scikit-learn's rule).

        Parameters
        ----------
        X : array-like of shape (r, n_features)

        Returns
        -------
        ndarray of shape (r, n_components)
            Each row is the same whatever the others are, except for rounding.

        Raises
        ------
        ValueError
            If X does not fit the training samples or contains NaN or infinity.

        Notes
        -----
        Training samples get their place in `embedding_` back by "pca" and "isomap". "le" draws them towards their
        neighbours, "lle" does so a little because of the regularisation.
        """
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, reset=False)
        if self.reduction == "pca":
            with one_blas_thread():
                directions = (self._samples.X - self._samples.mean).T @ self.eigenvectors_
                return (X - self._samples.mean) @ directions / self._lengths()
        # Of a block, `place` would name the row of the block.
        from_mean = cdist(X, self._samples.mean[None], "sqeuclidean")
        require_finite(from_mean, "Squared distances to the training samples contain", "rescale all samples")
        blocks = (X[start : start + _ROWS] for start in range(0, len(X), _ROWS))
        return np.concatenate([self.place(cdist(rows, self._samples.X, "sqeuclidean")) for rows in blocks])

    def place(self, squared: np.ndarray) -> np.ndarray:
        """
        `transform` from squared distances, which several reductions of the same samples can share; not for "pca".

        Parameters
        ----------
        squared : ndarray of shape (r, n_samples)
            Squared Euclidean distances of new samples to the training samples.

        Returns
        -------
        ndarray of shape (r, n_components)
        """
        require_finite(squared, "Squared distances to the training samples contain", "rescale all samples")
        with one_blas_thread():
            near = np.argsort(squared, axis=1, kind="stable")[:, : self.n_neighbors]
            squared = np.take_along_axis(squared, near, axis=1)
            if self.reduction == "isomap":
                return self._project(near, np.sqrt(squared))
            if self.reduction == "le":
                weights = np.exp(-0.5 * (squared - squared[:, :1]) / self._sigma**2)
                weights /= weights.sum(axis=1, keepdims=True)
            else:
                between = self._samples.squared[near[:, :, None], near[:, None, :]]
                weights = reconstruction_weights(squared, between, self.regularization)
            return np.einsum("rk,rkh->rh", weights, self._places[near])

    def _project(self, near: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Places by Isomap of samples with these lengths (r, k) to the training samples `near`."""
        geodesics = np.full((len(near), len(self.distances_)), np.inf)
        for step, length in zip(near.T, lengths.T, strict=True):
            np.minimum(geodesics, length[:, None] + self.distances_[step], out=geodesics)
        known = isomap_similarity(self.distances_, self.isomap_kernel)
        new = isomap_similarity(geodesics, self.isomap_kernel)
        centred = new - new.mean(axis=1, keepdims=True) - known.mean(axis=0) + known.mean()
        return centred @ self.eigenvectors_ / self._lengths()

    def _lengths(self) -> np.ndarray:
        """What K Z is divided by, so that training samples get their own place back."""
        return self.eigenvalues_ ** (1.0 - self.eigenvalue_power)
