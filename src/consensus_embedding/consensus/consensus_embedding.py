"""Consensus embedding as an estimator (Viswanath and Madabhushi 2012, ConsEmbedMS)."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_X_y

from consensus_embedding.clustering.clustering import (
    CHANCE_ACCURACY,
    object_accuracy,
    r_squared_index,
    replicated_kmeans_many,
)
from consensus_embedding.clustering.mean_shift import SUBSAMPLINGS, representative_objects
from consensus_embedding.consensus.subset_embeddings import (
    NORMALIZATIONS,
    THETA_READINGS,
    check_theta,
    combine_embeddings,
    embed_subsets,
    feature_subsets,
    flat_subsets,
    select_embeddings,
)
from consensus_embedding.utils.estimator_mixin import EmbeddingColumnsMixin, validated
from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.parallel import n_threads
from consensus_embedding.utils.parameters import (
    COUNT,
    JOBS,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Allowed,
    Range,
    check_parameters,
)
from consensus_embedding.utils.progress import announce, report
from consensus_embedding.utils.rows import check_row_order

# Seconds of one graph embedding of 2000 objects and its part of the consensus, on one core; they grow with the number
# of pairs. The principal components of `embedder="pca"` take a third.
_SECONDS = 0.145
# Squares of differences beyond these overflow, or lose digits to zero, once they are summed.
_LEAST_SPREAD, _LARGEST_SPREAD = 1e-140, 1e140


class ConsensusEmbedding(EmbeddingColumnsMixin, BaseEstimator):
    """
    Consensus embedding of many embeddings of random feature subsets.

    With `subsampling` the work is done on representative objects and mapped back to all samples, as in
    ConsEmbedMS; without it on the samples themselves.

    Parameters
    ----------
    n_components : int
    n_embeddings : int
        M. Of few features more are made where M subsets could not cover all N of them: N / V, rounded up.
    subset_size : int or "sqrt"
        V; "sqrt" is the root of the number of features, rounded; with the embedder "pca" at least `n_components`, if
        there are as many features.
    embedder : {"graph_embedding", "pca"} or estimator
        The base embedding; an estimator needs `fit_transform` and `n_components`. If its `random_state` is None, it
        follows from that of the consensus embedding. One without `random_state`, such as Isomap, will do: the subsets
        of features make the embeddings differ.
    embedder_options : dict, optional
        Further arguments of the base embedding.
    strength : {"r_squared", "clustering_accuracy"}
        How embeddings are judged: without labels by the R-squared index of two clusters, or with binary labels
        by the accuracy of two clusters.
    theta : float
        Threshold, in units of the largest strength.
    theta_reading : {"literal", "within", "strongest", "chance_corrected", "absolute"}
        What theta means; see `select_embeddings`.
    estimator : {"median", "mean", "mode"}
    normalization : {"max", "mean", "median", "rank", "none"}
        See `combine_embeddings`.
    mds : {"classical", "smacof"}
    subsampling : {"mean_shift", "mean_shift_gaussian", "k_means", "random"}, optional
        A mean shift starts on a grid, or at the samples where the grid leaves few objects; see `mean_shift_objects`.
    max_objects : int
        Upper limit of the number of objects; used with `subsampling`.
    n_jobs : int
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : bool
        Whether to say how long it will take, and how far it is. A run expected to take more than five minutes warns.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    object_embedding_ : ndarray of shape (n_objects, n_components)
    distances_ : ndarray
        Condensed consensus distances of the objects.
    subsets_ : ndarray of shape (n_subsets, V)
        `n_subsets` is M or, if that is larger, N / V rounded up.
    embeddings_ : ndarray of shape (n_subsets, n_objects, n_components)
    strengths_ : ndarray of shape (n_subsets,)
        0 for a subset of features in which all objects coincide.
    selected_ : ndarray of shape (K,)
    objects_ : Objects or None

    References
    ----------
    Viswanath and Madabhushi (2012), Consensus embedding, BMC Bioinformatics 13:26.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from consensus_embedding import ConsensusEmbedding
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ConsensusEmbedding(n_embeddings=20, strength="clustering_accuracy", theta=0.9, random_state=0)
    >>> model.fit_transform(scale(X), y).shape
    (569, 3)
    """

    _allowed: ClassVar[Allowed] = {
        "n_components": [COUNT],
        "n_embeddings": [COUNT],
        "subset_size": [COUNT, {"sqrt"}],
        "embedder_options": [dict, None],
        "strength": [{"r_squared", "clustering_accuracy"}],
        "theta": [NOT_NEGATIVE],
        "theta_reading": [set(THETA_READINGS)],
        "estimator": [{"median", "mean", "mode"}],
        "normalization": [set(NORMALIZATIONS)],
        "mds": [{"classical", "smacof"}],
        "subsampling": [set(SUBSAMPLINGS), None],
        "max_objects": [Range(Integral, 2)],
        "n_jobs": JOBS,
        "random_state": RANDOM_STATE,
        "verbose": [bool],
    }

    def __init__(
        self,
        n_components: int = 3,
        *,
        n_embeddings: int = 100,
        subset_size: int | str = "sqrt",
        embedder: str | BaseEstimator = "graph_embedding",
        embedder_options: dict | None = None,
        strength: str = "r_squared",
        theta: float = 0.15,
        theta_reading: str = "literal",
        estimator: str = "median",
        normalization: str = "max",
        mds: str = "classical",
        subsampling: str | None = None,
        max_objects: int = 300,
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ):
        self.n_components = n_components
        self.n_embeddings = n_embeddings
        self.subset_size = subset_size
        self.embedder = embedder
        self.embedder_options = embedder_options
        self.strength = strength
        self.theta = theta
        self.theta_reading = theta_reading
        self.estimator = estimator
        self.normalization = normalization
        self.mds = mds
        self.subsampling = subsampling
        self.max_objects = max_objects
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
        """
        Embed the subsets, select the strong embeddings, combine them and return the consensus embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            If X contains NaN, all its rows are equal or its values are so large or small that squared differences
            overflow or vanish, y has the row names of X in another order, labels are missing or not binary though the
            strength needs them, V exceeds the number of features or is too small for the base embedding, there are too
            few objects after subsampling, or theta selects nothing.

        Warns
        -----
        LongRunWarning
            If it is expected to take more than five minutes.
        """
        check_parameters(self, self._allowed)
        check_theta(self.theta, self.theta_reading)
        check_row_order(X=X, labels=y)
        X = validated(self, X, dtype=np.float64, ensure_min_samples=4)
        if (X[0] == X).all():
            raise ValueError(f"All {len(X)} rows of X are equal; an embedding needs samples that differ.")
        _check_scale(X)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        positive = self._positive(X, y)
        if self.subsampling is None:
            self.objects_ = None
            features, sizes = X, np.ones(len(X))
        else:
            self.objects_ = representative_objects(
                X, self.subsampling, max_objects=self.max_objects, seed=seed, seeding="auto"
            )
            features, sizes = self.objects_.features, self.objects_.sizes
            self._check_objects(X, len(features))
            positive = np.bincount(self.objects_.assignment, weights=positive, minlength=len(features))
        n_features = X.shape[1]
        # Of few features a few more subsets are drawn where M of them could not cover all.
        size = self._subset_size(n_features)
        self.subsets_ = feature_subsets(n_features, max(self.n_embeddings, -(-n_features // size)), size, seed)
        announce(
            f"ConsensusEmbedding of {len(features)} objects and {len(self.subsets_)} subsets of features",
            len(self.subsets_) * _SECONDS * (len(features) / 2000) ** 2,
            "Set subsampling, or lower n_embeddings.",
            verbose=self.verbose,
        )
        self.embeddings_ = embed_subsets(
            features,
            self.subsets_,
            n_components=self.n_components,
            embedder=self.embedder,
            options=self.embedder_options,
            n_jobs=n_threads(self.n_jobs),
            seed=seed,
        )
        flat = flat_subsets(features, self.subsets_)
        self.strengths_ = np.where(flat, 0.0, self._strengths(sizes, positive, seed))
        chance = CHANCE_ACCURACY if self.strength == "clustering_accuracy" else 0.0
        self.selected_ = select_embeddings(self.strengths_, self.theta, reading=self.theta_reading, chance=chance)
        report(f"ConsensusEmbedding: consensus of {len(self.selected_)} embeddings.", verbose=self.verbose)
        consensus = combine_embeddings(
            self.embeddings_[self.selected_],
            n_components=self.n_components,
            estimator=self.estimator,
            normalization=self.normalization,
            mds=self.mds,
            n_jobs=n_threads(self.n_jobs),
        )
        self.object_embedding_, self.distances_ = consensus.embedding, consensus.distances
        self.embedding_ = self.object_embedding_
        if self.objects_ is not None:
            self.embedding_ = self.objects_.to_pixels(self.object_embedding_)
        return self.embedding_

    def _positive(self, X: np.ndarray, y: ArrayLike | None) -> np.ndarray:
        """1 for the samples of the second class; zeros where labels play no part."""
        if self.strength != "clustering_accuracy":
            return np.zeros(len(X))
        if y is None:
            raise ValueError('strength="clustering_accuracy" needs labels y; pass them, or use "r_squared".')
        y = label_array(y)
        check_labels_present(y, "Give each sample one of two classes.")
        _, y = check_X_y(X, y)
        classes, _ = classes_of(y)
        if len(classes) != 2:
            raise ValueError(
                f"Expected labels of two classes, found {len(classes)} distinct values. "
                + (
                    f"Choose one against the rest, such as y == {classes.tolist()[0]!r}, or"
                    if len(classes) > 2
                    else "Pass both, or"
                )
                + ' pass strength="r_squared", which needs no labels.'
            )
        return (y == classes[1]).astype(np.float64)

    def _subset_size(self, n_features: int) -> int:
        """V, large enough for the base embedding."""
        least = self.n_components if isinstance(self.embedder, str) and self.embedder == "pca" else 1
        root = min(max(round(n_features**0.5), least), n_features)
        size = root if isinstance(self.subset_size, str) else self.subset_size
        # A size beyond the number of features has an error of its own.
        if size < least and size <= n_features:
            raise ValueError(
                f'embedder="pca" finds at most as many components as a subset has features: n_components = '
                f"{self.n_components} is above subset_size = {size}, of {n_features} features; "
                + ("raise subset_size." if least <= n_features else "lower n_components.")
            )
        return size

    def _check_objects(self, X: np.ndarray, n_objects: int) -> None:
        """Refuse fewer objects than a base embedding needs."""
        needed = 3
        if isinstance(self.embedder, str):
            needed = max(needed, self.n_components + (self.embedder != "pca"))
        if n_objects >= needed:
            return
        distinct = len(np.unique(X, axis=0))
        raise ValueError(
            f"n_components = {self.n_components} needs at least {needed} objects, found {n_objects} after subsampling "
            f"by {self.subsampling} with max_objects = {self.max_objects}; "
            + (
                f"X has {distinct} distinct rows only."
                if distinct < needed
                else "raise max_objects."
                if self.max_objects < needed
                else 'lower n_components, or pass subsampling="k_means", which finds max_objects of them.'
            )
        )

    def _strengths(self, sizes: np.ndarray, positive: np.ndarray, seed: int) -> np.ndarray:
        clusters = replicated_kmeans_many(self.embeddings_, 2, weights=sizes, seed=seed)
        if self.strength == "clustering_accuracy":
            return np.array([object_accuracy(labels, positive, sizes) for labels in clusters])
        return np.array(
            [
                r_squared_index(embedding, labels, sizes)
                for embedding, labels in zip(self.embeddings_, clusters, strict=True)
            ]
        )


def _check_scale(X: np.ndarray) -> None:
    with np.errstate(over="ignore"):
        spread = np.abs(X - X[0]).max()
    if not _LEAST_SPREAD < spread < _LARGEST_SPREAD:
        raise ValueError(
            f"The values of X differ by up to {spread:.3g}; expected between {_LEAST_SPREAD:g} and "
            f"{_LARGEST_SPREAD:g}, where squared distances do not overflow or vanish. Rescale X."
        )
