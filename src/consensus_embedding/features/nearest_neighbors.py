"""An ensemble of nearest-neighbour classifiers, one for each subset of the features."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from consensus_embedding.manifold.graphs import rescaled
from consensus_embedding.utils.numbers import as_array, booleans, real_numbers
from consensus_embedding.utils.rows import check_row_order


def knn_ensemble(
    train: ArrayLike, train_positive: ArrayLike, test: ArrayLike, subsets: ArrayLike, *, n_neighbors: int = 3
) -> np.ndarray:
    """
    Probability of the positive class by the mean of many nearest-neighbour classifiers.

    In each subset of the features, the share of positive samples among the `n_neighbors` training samples nearest
    to a test sample, by Euclidean distance (Cover and Hart 1967); then the mean over the subsets. The baseline of
    Viswanath and Madabhushi 2012, Experiment 4, that uses the same subsets of genes without reducing them.

    Parameters
    ----------
    train : array-like of shape (n_train, n_features)
        Scale the features first: all weigh alike.
    train_positive : array-like of shape (n_train,), bool or 0/1
        Whether a training sample is of the positive class; both classes must occur.
    test : array-like of shape (n_test, n_features)
    subsets : array-like of shape (m, v), int
        Indices of features, from 0, one subset per row.
    n_neighbors : int
        At least 1, at most n_train; odd, so that no single vote is tied.

    Returns
    -------
    ndarray of shape (n_test,), float64
        In [0, 1]; the count of positive neighbours over m * n_neighbors, so that 0.5 is exact.

    Raises
    ------
    ValueError
        If the tables do not fit each other, contain NaN or infinity, the training samples are of one class, a subset
        names no feature, or `n_neighbors` is out of range.

    Notes
    -----
    Exact: all distances are taken, from differences of the coordinates summed in the order of the subset. Of
    training samples at the same distance, those earlier in `train` count as nearer. The result does not depend on
    BLAS or the number of threads.
    """
    check_row_order(train=train, train_positive=train_positive)
    if isinstance(train, pd.DataFrame) and isinstance(test, pd.DataFrame) and not train.columns.equals(test.columns):
        raise ValueError("train and test must have the same columns in the same order; use test[train.columns].")
    train, test = _table(train, "train"), _table(test, "test")
    if train.shape[1] != test.shape[1]:
        raise ValueError(
            f"train and test must have the same features, found {train.shape[1]} and {test.shape[1]} columns."
        )
    positive = _checked_classes(train_positive, len(train))
    subsets = _checked_subsets(subsets, train.shape[1])
    if not isinstance(n_neighbors, Integral) or not 1 <= n_neighbors <= len(train):
        raise ValueError(
            f"n_neighbors must be an integer between 1 and the number of training samples, {len(train)}, "
            f"found {n_neighbors!r}."
        )
    both = rescaled(np.concatenate([train, test]))
    counts = np.zeros(len(test), dtype=np.int64)
    for subset in subsets:
        train, test = np.split(both[:, subset], [len(train)])
        order = np.argsort(cdist(test, train, "sqeuclidean"), axis=1, kind="stable")
        counts += positive[order[:, :n_neighbors]].sum(axis=1)
    return counts / (len(subsets) * int(n_neighbors))


def _table(X: ArrayLike, name: str) -> np.ndarray:
    X = real_numbers(X, name)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"{name} must be a table (samples, features), found shape {X.shape}.")
    if not np.isfinite(X).all():
        rows = (~np.isfinite(X)).any(axis=1).sum()
        raise ValueError(f"{name} contains NaN or infinity in {rows} of its {len(X)} samples; fill or remove them.")
    return X


def _checked_classes(positive: ArrayLike, n: int) -> np.ndarray:
    positive = booleans(positive, "train_positive")
    if positive.shape != (n,):
        raise ValueError(f"Expected one class for each of {n} training samples, found shape {positive.shape}.")
    if positive.all() or not positive.any():
        raise ValueError(
            f"All {n} training samples are of one class: a classifier needs both; choose another training split."
        )
    return positive


def _checked_subsets(subsets: ArrayLike, n_features: int) -> np.ndarray:
    subsets = as_array(subsets, "subsets")
    if subsets.ndim != 2 or subsets.size == 0 or subsets.dtype.kind not in "iu":
        raise ValueError(
            "subsets must be a table of integers, the indices of features, one subset per row; "
            f"found shape {subsets.shape}, {subsets.dtype}."
        )
    if subsets.min() < 0 or subsets.max() >= n_features:
        raise ValueError(
            f"subsets must contain indices from 0 to {n_features - 1}, as there are {n_features} features, "
            f"found {subsets.min()} to {subsets.max()}."
        )
    return np.ascontiguousarray(subsets, dtype=np.int64)
