"""Importance of features in nonlinear embeddings, FINE, and in PCA, VIP (Ginsburg, Lee, Ali and Madabhushi 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from consensus_embedding.manifold.kernel_embedding import KernelEmbedding
from consensus_embedding.manifold.residual_variance import ChosenEmbedding, choose_embedding
from consensus_embedding.manifold.sample_kernels import REDUCTIONS
from consensus_embedding.utils.labels import classes_of
from consensus_embedding.utils.numbers import as_array, real_numbers, with_squares
from consensus_embedding.utils.parameters import COUNT, POSITIVE, Allowed, check_arguments, check_parameters
from consensus_embedding.utils.threads import one_blas_thread

FORMS = ("chong_jun", "printed")
BY_RESIDUAL_VARIANCE = "residual_variance"


def vip_scores(T: np.ndarray, V: np.ndarray, y: np.ndarray, form: str = "chong_jun") -> np.ndarray:
    """
    Variable importance in projection of each feature (Chong and Jun 2005; Ginsburg et al. 2016, Eq. 13).

    score_j = sqrt(m sum_i b_i^2 t_i't_i (v_ji / ||v_i||)^2 / sum_i b_i^2 t_i't_i) over the components i, b the
    coefficients of the least-squares regression of the centred labels on the centred T (Eq. 14).

    Parameters
    ----------
    T : array-like of shape (n, h)
        Components of the samples.
    V : array-like of shape (m, h)
        Loadings of the features.
    y : array-like of shape (n,)
        Two classes of any labels, or numbers.
    form : {"chong_jun", "printed"}
        "printed": as the paper's equation reached us, sum_i b_i^2 t_i't_i |v_ji| / ||v_i|| / sum_i b_i^2 t_i't_i. The
        scores of that form do not sum to 1 when normalised by Eq. 15.

    Returns
    -------
    ndarray of shape (m,)
        With "chong_jun" the mean of the squares is 1.

    Raises
    ------
    ValueError
        If the tables do not fit each other or hold NaN or infinity, all labels are equal, a component is constant or
        has no loadings, or the labels have no part in the components.
    """
    check_arguments(vip_scores, locals())
    T, y = _checked_components(T), _checked_labels(y, len(T))
    V = real_numbers(V, "V")
    if V.ndim != 2 or V.shape[1] != T.shape[1] or len(V) < 1:
        raise ValueError(f"Loadings must have shape (features, {T.shape[1]}) as T has, found shape {V.shape}.")
    if not np.isfinite(V).all():
        raise ValueError(f"Loadings hold NaN or infinity for {(~np.isfinite(V)).any(axis=1).sum()} features.")
    with one_blas_thread():
        T = _centred_components(T)
        return _vip(T, np.linalg.pinv(T), V.T, y, form)


def fine_scores(T: np.ndarray, X: np.ndarray, y: np.ndarray, form: str = "chong_jun") -> np.ndarray:
    """
    Importance of each feature in any embedding (FINE): `vip_scores` with estimated loadings (Eq. 18).

    The loadings are V' = X'(T^+)', those that write the centred features best by the embedding.

    Parameters
    ----------
    T : array-like of shape (n, h)
        Embedding of the samples. Its shift and the scale of its columns do not matter.
    X : array-like of shape (n, m)
        Features of the same samples.
    y : array-like of shape (n,)
    form : {"chong_jun", "printed"}
        Both as in `vip_scores`.

    Returns
    -------
    ndarray of shape (m,)
        0 for a constant feature.

    Raises
    ------
    ValueError
        As `vip_scores`; if all features are constant.

    Notes
    -----
    With orthogonal columns u_i of length 1 that is sqrt(m sum_i (u_i'y)^2 c_ij^2 / sum_i (u_i'y)^2), c_ij the share
    of feature j in X'u_i / ||X'u_i||.
    """
    check_arguments(fine_scores, locals())
    T, y = _checked_components(T), _checked_labels(y, len(T))
    X = real_numbers(X, "X")
    if X.ndim != 2 or len(X) != len(T) or X.shape[1] < 1:
        raise ValueError(f"Features must have shape ({len(T)}, features) as T has, found shape {X.shape}.")
    with one_blas_thread():
        T = _centred_components(T)
        inverse = np.linalg.pinv(T)
        # Centring the rows of T^+ is centring the features, without a copy of them.
        loadings = (inverse - inverse.mean(axis=1, keepdims=True)) @ X
        if not np.isfinite(loadings).all():
            raise ValueError(
                f"Features hold NaN or infinity, in {(~np.isfinite(X)).any(axis=0).sum()} of {X.shape[1]} features."
            )
        loadings[:, (X[:1] == X).all(axis=0)] = 0.0
        return _vip(T, inverse, loadings, y, form)


def normalized_scores(scores: np.ndarray) -> np.ndarray:
    """
    Share of each feature in the whole (Eq. 15): squares of the scores over their sum.

    Parameters
    ----------
    scores : array-like of shape (m,)
        Finite, not all 0.

    Returns
    -------
    ndarray of shape (m,)
        Sums to 1; scores of the form "chong_jun" squared over m.

    Raises
    ------
    ValueError
        If the scores are not finite or all 0.
    """
    scores = real_numbers(scores, "scores")
    if scores.ndim != 1 or not np.isfinite(scores).all() or not scores.any():
        raise ValueError(
            f"Expected a finite score for each feature, not all 0; found shape {scores.shape}, "
            f"{(~np.isfinite(scores)).sum()} not finite, {np.count_nonzero(scores)} not 0."
        )
    squares = np.square(scores / np.abs(scores).max())
    return squares / squares.sum()


def aggregate_score(scores: np.ndarray, subset: Sequence[int]) -> float:
    """
    Share of a set of features in the whole (Eq. 16): sum of their normalised scores.

    Parameters
    ----------
    scores : array-like of shape (m,)
    subset : sequence of int
        Indices of features, none twice; of a mask, ``np.flatnonzero(mask)``.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `normalized_scores`; if an index is no whole number, twice in the subset or not from 0 to m - 1.
    """
    shares = normalized_scores(scores)
    subset = _checked_indices(subset)
    if subset.ndim != 1 or len(np.unique(subset)) < len(subset):
        raise ValueError(f"Expected a list of features without repeats, found {subset.tolist()}.")
    if len(subset) and not 0 <= subset.min() <= subset.max() < len(shares):
        raise ValueError(
            f"Indices of features must be from 0 to {len(shares) - 1}, found {subset.min()} to {subset.max()}."
        )
    return float(shares[subset].sum())


def _checked_indices(subset: Sequence[int]) -> np.ndarray:
    indices = as_array(subset, "subset")
    whole = indices.dtype.kind in "iu" or (indices.dtype.kind == "f" and (indices == np.round(indices)).all())
    if not whole:
        raise ValueError(
            f"Indices of features must be whole numbers, found {indices.dtype} ({', '.join(map(str, indices.flat[:5]))}"
            f"{', ...' if indices.size > 5 else ''}); of a mask give np.flatnonzero(mask)."
        )
    return indices.astype(np.int64)


def top_features(scores: np.ndarray, k: int) -> np.ndarray:
    """
    Features of the highest scores, best first; of equal ones the lower index first.

    Parameters
    ----------
    scores : array-like of shape (m,)
        May be infinite, not NaN.
    k : int
        At least 1, at most m.

    Returns
    -------
    ndarray of shape (k,), int
        Indices from 0.

    Raises
    ------
    ValueError
        If k is out of range or a score is NaN.
    """
    scores = real_numbers(scores, "scores")
    if scores.ndim != 1 or np.isnan(scores).any():
        raise ValueError(
            f"Expected one score for each feature, found shape {scores.shape} with {np.isnan(scores).sum()} NaN."
        )
    if not isinstance(k, Integral) or not 1 <= k <= len(scores):
        raise ValueError(f"Expected to select between 1 and {len(scores)} features, as many as there are, found {k!r}.")
    return np.argsort(-scores, kind="stable")[:k]


class FeatureImportanceInEmbeddings(SelectorMixin, BaseEstimator):
    """
    Select the features that matter most for a class in an embedding (FINE), as a scikit-learn selector.

    Samples are embedded by a `KernelEmbedding`, whose parameters residual variance chooses unless they are given;
    features are ranked by `fine_scores`. With reduction "pca" that is VIP on PCA.

    Parameters
    ----------
    n_features_to_select : int, default=5
    reduction : {"pca", "isomap", "le", "lle"}, default="pca"
    n_components : int or "residual_variance", default="residual_variance"
    n_neighbors : int or "residual_variance", default="residual_variance"
        Not used by "pca".
    alpha : float or "residual_variance", default="residual_variance"
        Of "le".
    max_components : int, default=50
        Largest number of components that residual variance may choose.
    scaling : {"none", "standard"}, default="none"
        "standard": features divided by their standard deviations before all else.
    form : {"chong_jun", "printed"}, default="chong_jun"
        See `vip_scores`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
    normalized_scores_ : ndarray of shape (n_features,)
        Sum to 1.
    ranking_ : ndarray of shape (n_features,), int
        1 for the best feature.
    embedding_ : KernelEmbedding
        Fitted.
    classes_ : ndarray of shape (2,)
    n_components_ : int
    n_neighbors_ : int or None
        None for "pca".
    alpha_ : float or None
        None for all but "le".
    residual_variance_ : float

    References
    ----------
    Ginsburg, Lee, Ali and Madabhushi (2016), Feature importance in nonlinear embeddings (FINE).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from consensus_embedding import FeatureImportanceInEmbeddings
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FeatureImportanceInEmbeddings(3, reduction="isomap", n_neighbors=12, scaling="standard")
    >>> model.fit_transform(X[:100], y[:100]).shape
    (100, 3)
    """

    _allowed: ClassVar[Allowed] = {
        "n_features_to_select": [COUNT],
        "reduction": [set(REDUCTIONS)],
        "n_components": [COUNT, {BY_RESIDUAL_VARIANCE}],
        "n_neighbors": [COUNT, {BY_RESIDUAL_VARIANCE}],
        "alpha": [POSITIVE, {BY_RESIDUAL_VARIANCE}],
        "max_components": [COUNT],
        "scaling": [{"none", "standard"}],
        "form": [set(FORMS)],
    }

    def __init__(
        self,
        n_features_to_select: int = 5,
        *,
        reduction: str = "pca",
        n_components: int | str = BY_RESIDUAL_VARIANCE,
        n_neighbors: int | str = BY_RESIDUAL_VARIANCE,
        alpha: float | str = BY_RESIDUAL_VARIANCE,
        max_components: int = 50,
        scaling: str = "none",
        form: str = "chong_jun",
    ):
        self.n_features_to_select = n_features_to_select
        self.reduction = reduction
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_components = max_components
        self.scaling = scaling
        self.form = form

    def fit(self, X: np.ndarray, y: np.ndarray) -> FeatureImportanceInEmbeddings:
        """
        Score the features of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes of any labels.

        Returns
        -------
        FeatureImportanceInEmbeddings
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If X holds NaN or infinity, there are not two classes, more features are asked for than there are, the
            number of components is above the rank, or the graph of `n_neighbors` is in pieces.
        """
        check_parameters(self, self._allowed)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=3)
        signs = self._class_signs(y)
        if self.n_features_to_select > X.shape[1]:
            raise ValueError(
                f"n_features_to_select = {self.n_features_to_select} is above the number of features, {X.shape[1]} "
                f"feature(s); lower it."
            )
        if self.scaling == "standard":
            mean, spread = X.mean(axis=0), X.std(axis=0)
            # Rounding gives a constant feature a spread of about its size times 1e-16.
            X = (X - mean) / np.where(spread > 1e-12 * np.abs(mean), spread, 1.0)
        chosen = self._embed(X)
        self.embedding_ = chosen.estimator
        self.n_components_, self.n_neighbors_, self.alpha_ = chosen.n_components, chosen.n_neighbors, chosen.alpha
        self.residual_variance_ = chosen.residual_variance
        self.scores_ = fine_scores(self.embedding_.embedding_, X, signs, self.form)
        self.normalized_scores_ = normalized_scores(self.scores_)
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        self.ranking_[top_features(self.scores_, X.shape[1])] = np.arange(1, X.shape[1] + 1)
        return self

    def _class_signs(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            found = ", ".join(map(str, self.classes_[:5]))
            raise ValueError(
                f"Only binary classification is supported: expected labels of two classes, found "
                f"{len(self.classes_)} class{'es' if len(self.classes_) > 1 else ''} ({found})."
            )
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _embed(self, X: np.ndarray) -> ChosenEmbedding:
        given = {}
        if self.n_components != BY_RESIDUAL_VARIANCE:
            given["n_components"] = self.n_components
        if self.n_neighbors != BY_RESIDUAL_VARIANCE:
            given["n_neighbors"] = (self.n_neighbors,)
        if self.alpha != BY_RESIDUAL_VARIANCE:
            given["alphas"] = (self.alpha,)
        chosen = choose_embedding(X, self.reduction, max_components=self.max_components, **given)
        if chosen.n_neighbors not in (None, *given.get("n_neighbors", (chosen.n_neighbors,))):
            # The number asked for is out of range or its graph in pieces; this says which.
            KernelEmbedding(1, reduction=self.reduction, n_neighbors=self.n_neighbors).fit(X)
        return chosen

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ <= self.n_features_to_select

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def _checked_components(T: np.ndarray) -> np.ndarray:
    T = real_numbers(T, "T")
    if T.ndim != 2 or T.shape[1] < 1 or len(T) < 2:
        raise ValueError(f"T must have shape (samples, components), at least (2, 1), found shape {T.shape}.")
    if not np.isfinite(T).all():
        raise ValueError(f"T holds NaN or infinity in {(~np.isfinite(T)).any(axis=1).sum()} of its {len(T)} samples.")
    return with_squares(T)


def _centred_components(T: np.ndarray) -> np.ndarray:
    centred = T - T.mean(axis=0)
    flat = np.abs(centred).max(axis=0) <= 1e-12 * np.abs(T).max(axis=0)
    if flat.any():
        raise ValueError(
            f"Component {int(flat.argmax()) + 1} of {T.shape[1]} is constant, so that no feature can load on it; leave "
            "it out."
        )
    return centred


def _checked_labels(y: np.ndarray, n: int) -> np.ndarray:
    """Centred labels; two classes that are no numbers stand for -1 and 1."""
    y = as_array(y, "Labels")
    if y.shape != (n,):
        raise ValueError(f"Expected one label for each of the {n} samples, found labels of shape {y.shape}.")
    classes, _ = classes_of(y)
    if len(classes) < 2:
        raise ValueError(f"All {n} labels are {classes[0]}; importance for a class needs samples of another one.")
    if y.dtype.kind == "c":
        raise ValueError(f"Labels must be real numbers or two classes, found {y.dtype}.")
    if y.dtype.kind not in "biuf":
        if len(classes) > 2:
            raise ValueError(f"Expected numbers or two classes, found {len(classes)} classes that are no numbers.")
        y = np.where(y == classes[1], 1.0, -1.0)
    y = y.astype(np.float64)
    if not np.isfinite(y).all():
        raise ValueError("Labels hold NaN or infinity.")
    y = with_squares(y)
    return y - y.mean()


def _vip(T: np.ndarray, inverse: np.ndarray, loadings: np.ndarray, y: np.ndarray, form: str) -> np.ndarray:
    """Eq. 13 from centred T (n, h), its pseudo-inverse, loadings (h, m), and centred labels."""
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, found {form!r}.")
    loadings = with_squares(loadings)
    m = loadings.shape[1]
    explained = np.square(inverse @ y) * np.square(T).sum(axis=0)
    lengths = np.linalg.norm(loadings, axis=1)
    if not (lengths > 0).all():
        raise ValueError(
            f"Component {int((lengths == 0).argmax()) + 1} of {len(lengths)} has no loadings: no feature varies with "
            "it; leave it out, or check that the features are not all constant."
        )
    total = explained.sum()
    if not total > 0:
        raise ValueError("The labels have no part in the embedding: no component varies with them.")
    if form == "printed":
        return (explained / lengths) @ np.abs(loadings) / total
    return np.sqrt(m * ((explained / np.square(lengths)) @ np.square(loadings)) / total)
