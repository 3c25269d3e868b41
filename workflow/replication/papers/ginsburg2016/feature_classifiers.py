"""Classifiers of Ginsburg 2016 on features and on embedding vectors, and what several settings ask of one round."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from consensus_embedding.manifold.residual_variance import ChosenEmbedding
from consensus_embedding.manifold.sample_kernels import Samples
from consensus_embedding.utils.numbers import large_offsets
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from replication.papers.ginsburg2016.settings import FeatureSettings

FAST_CLASSIFIERS = ("logistic_regression", "svm")
CLASSIFIERS = (*FAST_CLASSIFIERS, "random_forest")
_TREES = 50
# Coordinates closer than this share of the largest are one: rounding.
_ONE_PLACE = 1e-12

Part = tuple[np.ndarray, np.ndarray]


def standardization(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each feature, shape (m,) each; 1 for a constant feature."""
    return X.mean(axis=0), np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)


def classifier_scale(X: np.ndarray, settings: FeatureSettings) -> tuple[np.ndarray | float, np.ndarray | float]:
    """What classifiers have subtracted from the features, and what these are then divided by."""
    shift, scale = standardization(X) if settings.classifier_scaling != "none" else (0.0, 1.0)
    if settings.classifier_scaling == "common":
        scale = np.sqrt(X.var(axis=0).mean()) or 1.0
    return shift, scale


@dataclass
class KnownRound:
    """What several settings ask of the samples of a round: computed once."""

    samples: Samples
    others: np.ndarray
    cached: dict = field(default_factory=dict)

    @classmethod
    def from_samples(cls, X: np.ndarray, others: np.ndarray, scaling: str) -> KnownRound:
        """Training and unseen samples, scaled as the training samples say."""
        shift, scale = standardization(X) if scaling == "standard" else (0.0, 1.0)
        return cls(Samples((X - shift) / scale, keep=True), (others - shift) / scale)

    def once(self, key: Hashable, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """What `compute` returned the first time for this key."""
        if key not in self.cached:
            self.cached[key] = compute()
        return self.cached[key]

    def areas(
        self,
        what: tuple,
        parts: Callable[[], tuple[np.ndarray, np.ndarray]],
        y: np.ndarray,
        truth: np.ndarray,
        settings: FeatureSettings,
        classifiers: Sequence[str],
        seed: int,
    ) -> Iterator[tuple[str, float]]:
        """As `classifier_areas` of both parts, which `what` names."""
        own = {"svm": settings.svm_gamma, "logistic_regression": settings.logistic_c}
        keys = {name: (what, name, settings.classifier_scaling, own.get(name, "")) for name in classifiers}
        missing = [name for name in classifiers if keys[name] not in self.cached]
        if missing:
            X, others = parts()
            for name, area in classifier_areas((X, y), (others, truth), settings, missing, seed):
                self.cached[keys[name]] = area
        return ((name, self.cached[keys[name]]) for name in classifiers)


def columns(known: KnownRound, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some features of the training and the unseen samples."""
    return known.samples.X[:, kept], known.others[:, kept]


def placed(chosen: ChosenEmbedding, known: KnownRound) -> tuple[np.ndarray, np.ndarray]:
    """Embedding vectors of the training and the unseen samples."""
    vectors = chosen.estimator.embedding_
    if chosen.estimator.reduction == "pca":
        places = chosen.estimator.transform(known.others)
    else:
        squared = known.once("squared", lambda: cdist(known.others, known.samples.X, "sqeuclidean"))
        places = chosen.estimator.place(squared)
    return tuple(np.split(one_place(np.concatenate([vectors, places])), [len(vectors)]))


def one_place(vectors: np.ndarray) -> np.ndarray:
    """
    Embedding vectors whose coordinates are equal where they differ by rounding alone.

    The samples of a group that no neighbour leads out of share one place in LLE. Left as computed, classifiers would
    order them by their last digit, which is another on another processor.
    """
    order = np.argsort(vectors, axis=0, kind="stable")
    rising = np.take_along_axis(vectors, order, axis=0)
    apart = np.diff(rising, axis=0, prepend=-np.inf) > _ONE_PLACE * np.abs(vectors).max(axis=0)
    first = np.maximum.accumulate(np.where(apart, np.arange(len(vectors))[:, None], 0), axis=0)
    result = np.empty_like(vectors)
    np.put_along_axis(result, order, np.take_along_axis(rising, first, axis=0), axis=0)
    return result


def radial_svm(gamma: float) -> SVC:
    """
    scikit-learn's SVM with the kernel exp(-gamma |x - y|^2), from sums of squared differences.

    libsvm's own kernel takes |x|^2 + |y|^2 - 2 xy, which rounding brings far below zero where vectors are huge, as
    those of Laplacian eigenmaps are if the weights between two parts of the graph all but vanish.
    """
    return SVC(gamma=gamma, kernel=lambda left, right: np.exp(-gamma * cdist(left, right, "sqeuclidean")))


def make_classifier(name: str, n_features: int, settings: FeatureSettings, seed: int) -> object:
    """Classifiers of Section V-C: logistic regression, SVM with a radial basis function, and 50 trees."""
    if name == "logistic_regression":
        # To the last digits, which the default solver leaves to the processor.
        return LogisticRegression(C=settings.logistic_c, solver="newton-cholesky", tol=1e-8, max_iter=1000)
    if name == "svm":
        return radial_svm(1.0 if settings.svm_gamma == "one" else 1.0 / n_features)
    return RandomForestClassifier(_TREES, random_state=seed)


def decision_values(classifier: object, X: np.ndarray) -> np.ndarray:
    """How much a fitted classifier leans to the class 1, shape (n,)."""
    if isinstance(classifier, RandomForestClassifier):
        return classifier.predict_proba(X)[:, 1]
    return classifier.decision_function(X)


def classifier_areas(
    training: Part, unseen: Part, settings: FeatureSettings, classifiers: Sequence[str], seed: int
) -> Iterator[tuple[str, float]]:
    """Area under the ROC curve of each classifier."""
    shift, scale = classifier_scale(training[0], settings)
    X, others = (training[0] - shift) / scale, (unseen[0] - shift) / scale
    for name in classifiers:
        # Trees compute in single precision, in which values at a large offset could become equal.
        offsets = large_offsets(X) if name == "random_forest" else 0.0
        fitted = make_classifier(name, X.shape[1], settings, seed).fit(X - offsets, training[1])
        scores = decision_values(fitted, others - offsets)
        yield name, float(areas_under_curve(scores[None], unseen[1] == 1)[0])


def areas_under_curve(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """
    Area under the ROC curve of each row of scores: the share of pairs in order, ties half.

    As `sklearn.metrics.roc_auc_score`, whose checks take longer than the fit of a classifier here.
    """
    n_positive, n_negative = positive.sum(), (~positive).sum()
    ranks = rankdata(scores, axis=1)[:, positive].sum(axis=1)
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
