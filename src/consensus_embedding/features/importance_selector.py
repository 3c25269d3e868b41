"""Selection of features by their importance in an embedding, as a scikit-learn selector (Ginsburg et al. 2016)."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from consensus_embedding.features.feature_importance import (
    FORMS,
    fine_scores,
    led_by_variance,
    normalized_scores,
    top_features,
)
from consensus_embedding.manifold.kernel_embedding import KernelEmbedding
from consensus_embedding.manifold.residual_variance import (
    ALPHAS,
    CHOICE_SAMPLES,
    NEIGHBORS,
    ChosenEmbedding,
    choose_embedding,
)
from consensus_embedding.manifold.sample_kernels import REDUCTIONS
from consensus_embedding.utils.estimator_mixin import validated
from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import with_squares
from consensus_embedding.utils.parallel import n_threads
from consensus_embedding.utils.parameters import COUNT, JOBS, POSITIVE, SEED, Allowed, Range, check_parameters
from consensus_embedding.utils.progress import announce, report
from consensus_embedding.utils.rows import check_row_order

BY_RESIDUAL_VARIANCE = "residual_variance"
# Measured seconds, with clusters in 30 features on one core: of a trial of parameters on 1000 samples, which grow with
# the power 2.6 of their number, and of the embedding of 4000 samples, which grow with the power 2.2.
_TRIAL_SECONDS = {"pca": 0.0, "isomap": 0.31, "le": 0.19, "lle": 0.36}
# Measured memory at the peak, in tables of 8 bytes for each pair of samples, with 4000 samples in 30 features.
_TABLES = {"pca": 5.1, "isomap": 7.2, "le": 7.3, "lle": 19.0}
_EMBEDDING_SECONDS = {"pca": 2.0, "isomap": 11.0, "le": 14.0, "lle": 15.0}


class FeatureImportanceInEmbeddings(SelectorMixin, BaseEstimator):
    """
    Select the features that matter most for a class in an embedding (FINE), as a scikit-learn selector.

    Samples are embedded by a `KernelEmbedding`, whose parameters residual variance chooses unless they are given;
    features are ranked by `fine_scores`. With reduction "pca" that is VIP on PCA.

    Parameters
    ----------
    n_features_to_select : int, default=5
        If there are fewer features, all are selected, with a warning.
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
    choice_samples : int or None, default=1000
        Of more samples than this, parameters are chosen on so many, drawn at random, and all samples are embedded with
        them; None: on all. Not for "pca".
    n_jobs : int, default=1
        Processes that choose the parameters; -1 for all cores. The result does not depend on it.
    random_state : int, default=0
        Of the draw of `choice_samples`.
    verbose : bool, default=False
        Whether to print an estimate of the time, and progress.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
    normalized_scores_ : ndarray of shape (n_features,)
        Sum to 1.
    ranking_ : ndarray of shape (n_features,), int
        1 for the best feature.
    embedding_ : KernelEmbedding
        Fitted to the features as they are scaled.
    classes_ : ndarray of shape (2,)
    n_components_ : int
    n_neighbors_ : int or None
        None for "pca".
    alpha_ : float or None
        None for all but "le".
    residual_variance_ : float
        Of all samples.
    sample_variance_ : float or None
        Of the samples on which parameters were chosen, if these were not all: far below `residual_variance_`, the
        choice fits the part better than all samples; raise `choice_samples`.

    Notes
    -----
    Without scaling, the features of the largest variance lead: distances between samples consist of little else. A
    UserWarning says so if at least four fifths of the chosen features are those of the largest variance and the
    variances differ by more than ten times.

    Time grows with the square of the number of samples and their third power in part: see docs/speed.md. Memory grows
    with the square: a run that is expected to take more than five minutes or 8 GB warns before it starts.

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
        "choice_samples": [Range(Integral, 10), None],
        "n_jobs": JOBS,
        "random_state": [SEED],
        "verbose": [bool],
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
        choice_samples: int | None = CHOICE_SAMPLES,
        n_jobs: int = 1,
        random_state: int = 0,
        verbose: bool = False,
    ):
        self.n_features_to_select = n_features_to_select
        self.reduction = reduction
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_components = max_components
        self.scaling = scaling
        self.form = form
        self.choice_samples = choice_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> FeatureImportanceInEmbeddings:
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
            If X contains NaN or infinity or two columns of one name, y has the row names of X in another order, there
            are not two classes, the number of components is above the rank, or the graph of `n_neighbors` is in pieces.
        """
        check_parameters(self, self._allowed)
        check_row_order(X=X, labels=y)
        if y is not None:
            y = label_array(y)
            check_labels_present(y, "Give each sample one of two classes.")
        X, y = validated(self, X, y, dtype=np.float64, ensure_min_samples=3)
        signs = self._class_signs(y)
        if self.n_features_to_select > X.shape[1]:
            warnings.warn(
                f"n_features_to_select = {self.n_features_to_select} is above the number of features, {X.shape[1]} "
                "feature(s); all are selected.",
                stacklevel=2,
            )
        if self.scaling == "standard":
            X = with_squares(X, axis=0)
            mean, spread = X.mean(axis=0), X.std(axis=0)
            # Rounding gives a constant feature a spread of about its size times 1e-16.
            X = (X - mean) / np.where(spread > 1e-12 * np.abs(mean), spread, 1.0)
        chosen = self._embed(X)
        self.embedding_ = chosen.estimator
        self.n_components_, self.n_neighbors_, self.alpha_ = chosen.n_components, chosen.n_neighbors, chosen.alpha
        self.residual_variance_, self.sample_variance_ = chosen.residual_variance, chosen.sample_variance
        self.scores_ = fine_scores(self.embedding_.embedding_, X, signs, self.form)
        self.normalized_scores_ = normalized_scores(self.scores_)
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        self.ranking_[top_features(self.scores_, X.shape[1])] = np.arange(1, X.shape[1] + 1)
        if self.scaling == "none" and led_by_variance(self.scores_, X, self.n_features_to_select):
            warnings.warn(
                f"The {self.n_features_to_select} chosen features are nearly those of the largest variance: they "
                'dominate the embedding. Pass scaling="standard", unless all features have the same unit.',
                UserWarning,
                stacklevel=2,
            )
        return self

    def _class_signs(self, y: np.ndarray) -> np.ndarray:
        self.classes_, _ = classes_of(y)
        check_classification_targets(y)
        if len(self.classes_) != 2:
            classes = self.classes_.tolist()
            raise ValueError(
                f"Only binary classification is supported: expected labels of two classes, found "
                f"{len(classes)} class{'es' if len(classes) > 1 else ''} ({', '.join(map(str, classes[:5]))})."
                + (f" Choose one against the rest: fit(X, y == {classes[0]!r})." * (len(classes) > 2))
            )
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _embed(self, X: np.ndarray) -> ChosenEmbedding:
        given: dict[str, Any] = {}
        if self.n_components != BY_RESIDUAL_VARIANCE:
            given["n_components"] = self.n_components
        if self.n_neighbors != BY_RESIDUAL_VARIANCE:
            given["n_neighbors"] = (self.n_neighbors,)
        if self.alpha != BY_RESIDUAL_VARIANCE:
            given["alphas"] = (self.alpha,)
        self._announce(len(X), given)
        chosen = choose_embedding(
            X,
            self.reduction,
            max_components=self.max_components,
            choice_samples=self.choice_samples,
            seed=self.random_state,
            n_jobs=n_threads(self.n_jobs),
            progress=self._progress,
            **given,
        )
        if chosen.n_neighbors not in (None, *given.get("n_neighbors", (chosen.n_neighbors,))):
            # The number asked for is out of range or its graph in pieces; this says which.
            KernelEmbedding(1, reduction=self.reduction, n_neighbors=given["n_neighbors"][0]).fit(X)
        return chosen

    def _announce(self, n: int, given: dict) -> None:
        """Say how long it will take."""
        tried = min(n, self.choice_samples or n)
        trials = len(given.get("n_neighbors", NEIGHBORS)) * (
            len(given.get("alphas", ALPHAS)) if self.reduction == "le" else 1
        )
        choice = trials * _TRIAL_SECONDS[self.reduction] * (tried / 1000) ** 2.6 / n_threads(self.n_jobs)
        announce(
            f'FINE of {n} samples with reduction="{self.reduction}"',
            choice + _EMBEDDING_SECONDS[self.reduction] * (n / 4000) ** 2.2,
            "Lower choice_samples, give n_neighbors, or raise n_jobs; for less memory use fewer samples.",
            gigabytes=_TABLES[self.reduction] * 8e-9 * n**2,
            verbose=self.verbose,
        )

    def _progress(self, finished: int, total: int) -> None:
        report(f"FINE, {self.reduction}: {finished} of {total} numbers of neighbours tried.", verbose=self.verbose)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ <= self.n_features_to_select

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
