"""Graph embeddings that add new samples by Nystroem's method, with labels and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from consensus_embedding.manifold.dissimilarity_graph import KernelScales, further_affinity, further_measures
from consensus_embedding.manifold.graph_embedding import GraphEmbedding, scale_eigenvectors
from consensus_embedding.manifold.graphs import check_label_weights, label_weighted
from consensus_embedding.manifold.nystroem import check_eigenvalues, isolated_rows, nystroem_extension
from consensus_embedding.utils.estimator_mixin import validated
from consensus_embedding.utils.labels import check_labels_of_pandas, label_array, label_codes
from consensus_embedding.utils.parameters import Allowed, check_parameters
from consensus_embedding.utils.rows import check_row_order

# New samples that are placed together: their distances to 5000 training samples take 10 MB.
_ROWS = 256


class NystroemGraphEmbedding(GraphEmbedding):
    """
    Graph embedding that adds new samples by Nystroem's method (NM-GE); see `nystroem_extension`.

    The affinities of a new sample to the training samples follow from the kernel and the scales found in training. A
    sample at distance 0 from a training sample is that sample, so that `transform` of the training samples gives their
    embedding.

    Parameters
    ----------
    n_components : int, default=3
    kernel : {"knn", "radius", "exponential", "gaussian", "local_scaling"}, default="knn"
    n_neighbors : int, default=15
    sigma : float, default=1.0
    floor : float, default=1e-6
    self_affinity : float, default=1.0
    scaling : {"rows", "none", "eigenvalue", "diffusion"}, default="rows"
    radius : float, optional
    metric : {"euclidean", "precomputed"}, default="euclidean"
        All as in `GraphEmbedding`.
    isolated : {"error", "nearest"}, default="error"
        What becomes of a new sample without affinity to any training sample, outside every neighbourhood:
        an error, or the position of the nearest training sample.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)

    References
    ----------
    Bengio et al. (2003), Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering.
    Sparks and Madabhushi (2011), Out-of-sample extrapolation using semi-supervised manifold learning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding import NystroemGraphEmbedding
    >>> X = load_iris().data
    >>> NystroemGraphEmbedding(n_components=2).fit(X[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    _allowed: ClassVar[Allowed] = {
        **GraphEmbedding._allowed,
        "isolated": [{"error", "nearest"}],
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
        isolated: str = "error",
    ):
        super().__init__(
            n_components,
            kernel=kernel,
            n_neighbors=n_neighbors,
            sigma=sigma,
            floor=floor,
            self_affinity=self_affinity,
            scaling=scaling,
            radius=radius,
            metric=metric,
        )
        self.isolated = isolated

    def transform(self, X: ArrayLike) -> np.ndarray:
        """
        Positions of samples in the embedding of the training samples, which does not change.

        Parameters
        ----------
        X : array-like of shape (m, n_features), or (m, n_samples) with metric "precomputed"
            Then the dissimilarities of each sample to the training samples.

        Returns
        -------
        ndarray of shape (m, n_components)
            Each row is the same whatever the others are.

        Raises
        ------
        ValueError
            If X does not fit the training samples, has NaN or a negative dissimilarity, a sample has no affinity to
            any training sample and `isolated` is "error", or an eigenvalue is not positive.

        Notes
        -----
        No label is known of a new sample, unless it is a training sample, as its distance to one is 0. Of several such
        training samples it is the first with a label, or the first; those at distance 0 from each other should share
        their label and, as distances do, their dissimilarities to all others. Then a training sample gets its place
        except for rounding errors, about 1e-16 over the square root of its degree.
        """
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, reset=False)
        if self.metric == "precomputed" and X.min() < 0:
            i, j = np.unravel_index(X.argmin(), X.shape)
            raise ValueError(
                f"Negative values in data: dissimilarities must be 0 or more, found {X[i, j]:.6g} of new sample {i} to "
                f"training sample {j}."
            )
        # The training samples were equal.
        if not self._longest:
            return np.zeros((len(X), len(self.eigenvalues_)))
        check_eigenvalues(self.eigenvalues_)
        places, alone = np.empty((len(X), len(self.eigenvalues_))), np.empty(len(X), dtype=bool)
        for first in range(0, len(X), _ROWS):
            rows = slice(first, first + _ROWS)
            places[rows], alone[rows] = self._extend(X[rows])
        if alone.any() and self.isolated == "error":
            raise ValueError(
                f"{alone.sum()} of {len(X)} samples have no affinity to any training sample; the first is number "
                f"{alone.argmax()}, counted from 0. Train on similar samples, raise radius or sigma, or give them the "
                'position of the nearest training sample by isolated="nearest".'
            )
        return scale_eigenvectors(self.eigenvalues_, places, self.scaling, longest=self._longest)

    def _embed(
        self, X: np.ndarray, labels: np.ndarray | None = None, label_weights: str | Sequence[float] = "zhao"
    ) -> tuple[np.ndarray, KernelScales]:
        self._vectors, self._scales = super()._embed(X, labels, label_weights)
        self._longest = np.linalg.norm(self._vectors, axis=1).max()
        self._codes = np.full(len(X), -1) if labels is None else label_codes(labels, len(X))
        # Rounding errors on the diagonal of given dissimilarities, which are taken for 0, will be there again.
        self._same = np.diagonal(X).max() if self.metric == "precomputed" else 0.0
        return self._vectors, self._scales

    def _extend(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unscaled places of some samples, and whether each lies outside every neighbourhood."""
        measures = further_measures(X, self._scales)
        twins = self._twins(measures)
        affinity = further_affinity(measures, twins, self._scales, self_affinity=self.self_affinity)
        labels = np.where(twins >= 0, self._codes[twins], -1)
        alone = isolated_rows(affinity) & (twins < 0)
        if (labels >= 0).any():
            affinity = label_weighted(affinity, labels[:, None], self._codes, self.label_weights)
        places = np.empty((len(X), self._vectors.shape[1]))
        places[alone] = self._vectors[measures[alone].argmin(axis=1)]
        placed = affinity if not alone.any() else affinity[~alone]
        places[~alone] = nystroem_extension(placed, self._vectors, self.eigenvalues_, floor=self.floor)
        return places, alone

    def _twins(self, measures: np.ndarray) -> np.ndarray:
        """The training sample that each sample is, -1 for none."""
        coincide = measures <= self._same
        twins = np.where(coincide, 1 + (self._codes >= 0), 0).argmax(axis=1)
        return np.where(coincide.any(axis=1), twins, -1)


class SemiSupervisedGraphEmbedding(NystroemGraphEmbedding):
    """
    Graph embedding in which known labels draw objects together or push them apart (SSGE), for new samples OSE-SSL.

    The affinity of a pair is raised if both carry the same label, lowered if they carry different ones, and stays
    if a label is unknown; see `semi_supervised_affinity`. The floor is added after that. New samples carry no label.

    A label is unknown where it is -1; among names, where it is the number -1 or None. The names
    "unknown", "unlabelled", "nan", "n/a", "?" and "" are refused: as classes they would draw unlike objects
    together.

    Parameters
    ----------
    n_components : int, default=3
    kernel : {"knn", "radius", "exponential", "gaussian", "local_scaling"}, default="knn"
    n_neighbors : int, default=15
    sigma : float, default=1.0
    floor : float, default=1e-6
    self_affinity : float, default=1.0
    scaling : {"rows", "none", "eigenvalue", "diffusion"}, default="rows"
    radius : float, optional
    metric : {"euclidean", "precomputed"}, default="euclidean"
    isolated : {"error", "nearest"}, default="error"
        All as in `NystroemGraphEmbedding`.
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
    >>> from consensus_embedding import SemiSupervisedGraphEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> some = np.where(np.arange(150) % 5 == 0, y, -1)
    >>> SemiSupervisedGraphEmbedding(n_components=2).fit(X[::2], some[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    _allowed: ClassVar[Allowed] = {
        **NystroemGraphEmbedding._allowed,
        "label_weights": [{"zhao"}, tuple, list],
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
        isolated: str = "error",
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
            radius=radius,
            metric=metric,
            isolated=isolated,
        )
        self.label_weights = label_weights

    def fit_transform(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:  # type: ignore[override]
        """
        Embed X and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) with metric "precomputed"
        y : array-like of shape (n_samples,)
            Labels; -1 is unknown. Among names, the number -1 or None: in a list, or in an array or Series of dtype
            object. In other arrays NumPy has turned -1 into a string, which is refused.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            As `GraphEmbedding`, and if the labels are not one per sample, have the row names of X in another order,
            name fewer than two classes, have NaN or the string "-1", or are of several kinds; if the label weights are
            neither "zhao" nor two positive, finite numbers.
        """
        check_parameters(self, self._allowed)
        check_label_weights(self.label_weights)
        check_row_order(X=X, labels=y)
        check_labels_of_pandas(y)
        y = None if y is None else label_array(y)
        X, y = validated(self, X, y, dtype=np.float64, ensure_min_samples=3)
        self._embed(X, y, self.label_weights)
        return self.embedding_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
