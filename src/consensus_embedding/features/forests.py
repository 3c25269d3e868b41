"""Random forests of many small samples: those of scikit-learn, tree for tree, without the overhead of each tree."""

from __future__ import annotations

import numpy as np
import sklearn

from consensus_embedding.utils.numbers import large_offsets

_LARGEST_SEED = np.iinfo(np.int32).max
# Versions of scikit-learn whose tree builder, which is private, takes the arguments that are passed here.
_FIRST, _LAST = (1, 6), (1, 9)


def has_known_builder(version: str) -> bool:
    """Whether trees are grown by the builder of a version of scikit-learn; by its own forests else, more slowly."""
    major, minor = version.split(".")[:2]
    return _FIRST <= (int(major), int(minor)) <= _LAST


_grows_itself = has_known_builder(sklearn.__version__)


class SmallForest:
    """
    Random forest of two classes; the same trees as `sklearn.ensemble.RandomForestClassifier` with default options.

    For a hundred samples scikit-learn takes twice as long to check its input at every tree as to grow it. Here the
    input is checked once and the trees are grown by scikit-learn's own builder, from the same random numbers (Breiman
    2001: bootstrap samples, sqrt(m) features tried at each split, trees grown until pure). With a version of
    scikit-learn whose builder is not known, its forest grows them: the same trees in three times the time.
    """

    def __init__(self, n_trees: int, seed: int):
        self.n_trees = n_trees
        self.seed = seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> SmallForest:
        """
        Grow the trees from X, (n, m), and y, (n,).

        A ValueError if there are not two classes, or the values are not finite in single precision.
        """
        X = np.asarray(X)
        self.offsets_ = large_offsets(X)
        X = _single(X, self.offsets_)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Expected samples of two classes, found {len(self.classes_)}; draw samples of both.")
        grown = _grown if _grows_itself else _grown_by_scikit_learn
        # The `tree_` of a `sklearn.tree.DecisionTreeClassifier` each.
        self.trees_ = grown(X, codes, self.n_trees, self.seed)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Mean over the trees of the shares of the classes in the leaf of each sample, shape (n, 2)."""
        X = _single(np.asarray(X), self.offsets_)
        total = np.zeros((len(X), 2))
        for tree in self.trees_:
            total += tree.predict(X)[:, :2]
        return total / len(self.trees_)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likelier class of each sample, the first if both are as likely; shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _single(X: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """As scikit-learn's trees see the values; an offset in which they would merge is taken away."""
    X = X - offsets if offsets.any() else X
    X = np.ascontiguousarray(X, dtype=np.float32)
    if not np.isfinite(X).all():
        raise ValueError("Expected finite values, found NaN or values above 1e38; fill or rescale them.")
    return X


def _grown_by_scikit_learn(X: np.ndarray, codes: np.ndarray, n_trees: int, seed: int) -> list:
    from sklearn.ensemble import RandomForestClassifier

    return [tree.tree_ for tree in RandomForestClassifier(n_trees, random_state=seed).fit(X, codes).estimators_]


def _grown(X: np.ndarray, codes: np.ndarray, n_trees: int, seed: int) -> list:
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    (n, m), n_classes, trees = X.shape, np.array([2], dtype=np.intp), []
    codes = np.ascontiguousarray(codes[:, None], dtype=np.float64)
    seeds = np.random.RandomState(seed)
    for _ in range(n_trees):
        seed_of_tree = seeds.randint(_LARGEST_SEED)
        drawn = np.random.RandomState(seed_of_tree).randint(0, n, n, dtype=np.int32)
        weights = np.bincount(drawn, minlength=n).astype(np.float64)
        random = np.random.RandomState(seed_of_tree)
        splitter = BestSplitter(Gini(1, n_classes), max(1, int(np.sqrt(m))), 1, 0.0, random, None)
        tree = Tree(m, n_classes, 1)
        DepthFirstTreeBuilder(splitter, 2, 1, 0.0, _LARGEST_SEED, 0.0).build(tree, X, codes, weights, None)
        trees.append(tree)
    return trees
