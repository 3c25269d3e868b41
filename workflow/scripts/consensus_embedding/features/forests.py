"""Random forests of many small samples: those of scikit-learn, tree for tree, without what surrounds each tree."""

from __future__ import annotations

import numpy as np
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

_LARGEST_SEED = np.iinfo(np.int32).max


class SmallForest:
    """
    Random forest of two classes; the same trees as `sklearn.ensemble.RandomForestClassifier` with default options.

    For fewer than a thousand samples scikit-learn takes ten times as long to check its input at every tree as to grow
    it. Here the input is checked once and the trees are grown by scikit-learn's own builder, from the same random
    numbers (Breiman 2001: bootstrap samples, sqrt(m) features tried at each split, trees grown until pure).

    Parameters
    ----------
    n_trees : int
    seed : int
        As random_state.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    trees_ : list of sklearn.tree._tree.Tree
    """

    def __init__(self, n_trees: int, seed: int):
        self.n_trees = n_trees
        self.seed = seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> SmallForest:
        """
        Grow the trees.

        Parameters
        ----------
        X : ndarray of shape (n, m)
        y : ndarray of shape (n,)
            Of two classes.

        Returns
        -------
        SmallForest

        Raises
        ------
        ValueError
            If there are not two classes, or the values are not finite in single precision.
        """
        X = _single(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Expected samples of two classes, found {len(self.classes_)}; draw samples of both.")
        codes = np.ascontiguousarray(codes[:, None], dtype=np.float64)
        random = np.random.RandomState(self.seed)
        self.trees_ = [_grow(X, codes, random.randint(_LARGEST_SEED)) for _ in range(self.n_trees)]
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Mean over the trees of the shares of the classes in the leaf of each sample, shape (n, 2)."""
        X = _single(X)
        total = np.zeros((len(X), 2))
        for tree in self.trees_:
            total += tree.predict(X)[:, :2]
        return total / len(self.trees_)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likelier class of each sample, the first if both are as likely; shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _single(X: np.ndarray) -> np.ndarray:
    """As scikit-learn's trees see the values."""
    X = np.ascontiguousarray(X, dtype=np.float32)
    if not np.isfinite(X).all():
        raise ValueError("Expected finite values, found others; fill missing values and scale those above 1e38.")
    return X


def _grow(X: np.ndarray, codes: np.ndarray, seed: int) -> Tree:
    n, m = X.shape
    drawn = np.random.RandomState(seed).randint(0, n, n, dtype=np.int32)
    weights = np.bincount(drawn, minlength=n).astype(np.float64)
    n_classes = np.array([2], dtype=np.intp)
    criterion = Gini(1, n_classes)
    splitter = BestSplitter(criterion, max(1, int(np.sqrt(m))), 1, 0.0, np.random.RandomState(seed), None)
    tree = Tree(m, n_classes, 1)
    builder = DepthFirstTreeBuilder(splitter, 2, 1, 0.0, _LARGEST_SEED, 0.0)
    builder.build(tree, X, codes, weights, None)
    return tree
