"""Importance of features in nonlinear embeddings, FINE, and in PCA, VIP (Ginsburg, Lee, Ali and Madabhushi 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import as_array, real_numbers, require_finite, with_squares
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order
from consensus_embedding.utils.threads import one_blas_thread

FORMS = ("chong_jun", "printed")
# Share of the variance of the labels below which a part of it is rounding.
_NOTHING = 1e-24
# Variances of features differ much where the largest is this many times the median.
UNEQUAL = 10.0


@checked_arguments
def vip_scores(T: ArrayLike, V: ArrayLike, y: ArrayLike, form: str = "chong_jun") -> np.ndarray:
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
        "printed": as the paper's equation reached us, sum_i b_i^2 t_i't_i |v_ji| / ||v_i|| / sum_i b_i^2 t_i't_i.

    Returns
    -------
    ndarray of shape (m,)
        With "chong_jun" the mean of the squares is 1; with "printed" it has no fixed value.

    Raises
    ------
    ValueError
        If the tables do not fit each other or contain NaN or infinity, all labels are equal, a component is constant or
        has no loadings, or the labels have no part in the components.
    """
    check_row_order(T=T, labels=y)
    T, y = _checked_components(T), _checked_labels(y, len(T))
    V = real_numbers(V, "V")
    if V.ndim != 2 or V.shape[1] != T.shape[1] or len(V) < 1:
        raise ValueError(f"Loadings must have shape (features, {T.shape[1]}) as T has, found shape {V.shape}.")
    if not np.isfinite(V).all():
        raise ValueError(
            f"Loadings contain NaN or infinity for {(~np.isfinite(V)).any(axis=1).sum()} features; leave these out."
        )
    with one_blas_thread():
        T = _centred_components(T)
        return _vip(T, np.linalg.pinv(T), V.T, y, form)


@checked_arguments
def fine_scores(T: ArrayLike, X: ArrayLike, y: ArrayLike, form: str = "chong_jun") -> np.ndarray:
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
    check_row_order(X=X, T=T, labels=y)
    T, y = _checked_components(T), _checked_labels(y, len(T))
    X = real_numbers(X, "X")
    if X.ndim != 2 or len(X) != len(T) or X.shape[1] < 1:
        raise ValueError(f"Features must have shape ({len(T)}, features) as T has, found shape {X.shape}.")
    X = with_squares(X)
    with one_blas_thread():
        T = _centred_components(T)
        inverse = np.linalg.pinv(T)
        # Centring the rows of T^+ is centring the features, without a copy of them.
        loadings = (inverse - inverse.mean(axis=1, keepdims=True)) @ X
        if not np.isfinite(loadings).all():
            raise ValueError(
                f"Features contain NaN or infinity, in {(~np.isfinite(X)).any(axis=0).sum()} of {X.shape[1]} features; "
                "leave these out."
            )
        loadings[:, (X[:1] == X).all(axis=0)] = 0.0
        return _vip(T, inverse, loadings, y, form)


def normalized_scores(scores: ArrayLike) -> np.ndarray:
    """
    Share of each feature in the total (Eq. 15): squares of the scores over their sum.

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


def aggregate_score(scores: ArrayLike, subset: Sequence[int] | np.ndarray) -> float:
    """
    Share of a set of features in the total (Eq. 16): sum of their normalised scores.

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
        As `normalized_scores`; if an index is not an integer, twice in the subset or not from 0 to m - 1.
    """
    shares = normalized_scores(scores)
    subset = _checked_indices(subset)
    if subset.ndim != 1 or len(np.unique(subset)) < len(subset):
        raise ValueError(f"Expected a list of features without repeats, found {subset.tolist()}.")
    if len(subset) and not 0 <= subset.min() <= subset.max() < len(shares):
        raise ValueError(
            f"Indices of features must be from 0 to {len(shares) - 1}, found {subset.min()} to {subset.max()}."
        )
    return float(shares[subset.astype(np.int64)].sum())


def _checked_indices(subset: Sequence[int] | np.ndarray) -> np.ndarray:
    indices = as_array(subset, "subset")
    are_integers = indices.dtype.kind in "iu" or (indices.dtype.kind == "f" and (indices == np.round(indices)).all())
    if not are_integers:
        raise ValueError(
            f"Indices of features must be integers, found {indices.dtype} ({', '.join(map(str, indices.flat[:5]))}"
            f"{', ...' if indices.size > 5 else ''}); for a mask pass np.flatnonzero(mask)."
        )
    return indices


def led_by_variance(scores: np.ndarray, X: np.ndarray, n_features: int) -> bool:
    """
    Whether at least four fifths of the best features are those of the largest variance, where these differ much.

    X, (n, m), is as it was embedded; `n_features` is how many are chosen: of more than half of all nothing is said,
    False.
    """
    variances = X.var(axis=0)
    if not 0 < n_features <= len(scores) // 2 or variances.max() <= UNEQUAL * np.median(variances):
        return False
    shared = np.intersect1d(top_features(scores, n_features), top_features(variances, n_features))
    return len(shared) >= 0.8 * n_features


def top_features(scores: ArrayLike, k: int) -> np.ndarray:
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
        raise ValueError(f"The number of features to select must be an integer from 1 to {len(scores)}, found {k!r}.")
    return np.argsort(-scores, kind="stable")[:k]


def _checked_components(T: ArrayLike) -> np.ndarray:
    T = real_numbers(T, "T")
    if T.ndim != 2 or T.shape[1] < 1 or len(T) < 2:
        raise ValueError(f"T must have shape (samples, components), at least (2, 1), found shape {T.shape}.")
    if not np.isfinite(T).all():
        raise ValueError(
            f"T contains NaN or infinity in {(~np.isfinite(T)).any(axis=1).sum()} of {len(T)} samples; leave these out."
        )
    return with_squares(T)


def _centred_components(T: np.ndarray) -> np.ndarray:
    centred = T - T.mean(axis=0)
    sizes = np.abs(centred).max(axis=0)
    flat = sizes <= 1e-12 * np.abs(T).max(axis=0)
    if flat.any():
        raise ValueError(
            f"Component {int(flat.argmax()) + 1} of {T.shape[1]} is constant, so no feature can load on it; leave "
            "it out."
        )
    # A pseudoinverse cuts what is tiny. Components of like size stay as they are, to the last digit.
    return centred / sizes if sizes.min() < 1e-6 * sizes.max() else centred


def _checked_labels(y: ArrayLike, n: int) -> np.ndarray:
    """Centred labels; two classes that are not numbers become -1 and 1."""
    y = label_array(y)
    if y.shape != (n,):
        raise ValueError(f"Expected one label for each of the {n} samples, found labels of shape {y.shape}.")
    check_labels_present(y, "Give each sample a class, or leave those out.")
    classes, _ = classes_of(y)
    if len(classes) < 2:
        raise ValueError(f"All {n} labels are {classes[0]}; importance for a class needs a second class.")
    if y.dtype.kind == "c":
        raise ValueError(f"Labels must be real numbers or two classes, found {y.dtype}.")
    if y.dtype.kind == "O" and all(isinstance(label, Real) for label in classes):
        y = real_numbers(y, "Labels")
    if y.dtype.kind not in "biuf":
        if len(classes) > 2:
            raise ValueError(f"Labels must be numbers or two classes, found {len(classes)} classes without numbers.")
        y = np.where(y == classes[1], 1.0, -1.0)
    y = y.astype(np.float64)
    require_finite(y, "Labels contain", "leave out these samples")
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
    # What rounding leaves of labels that have no part in the embedding.
    if not total > _NOTHING * (y @ y):
        raise ValueError("No component of the embedding varies with the labels; check them or embed more components.")
    if form == "printed":
        return (explained / lengths) @ np.abs(loadings) / total
    return np.sqrt(m * ((explained / np.square(lengths)) @ np.square(loadings)) / total)
