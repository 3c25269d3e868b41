"""What the embedding estimators share: `fit`, and names for the columns of their embeddings."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import validate_data


def validated(estimator: BaseEstimator, X: Any, *y: Any, **options: Any) -> Any:
    """scikit-learn's `validate_data`; entries whose mask it would drop are refused."""
    if np.ma.is_masked(X):
        raise ValueError("X must not have masked entries; fill them or leave them out.")
    # Before scikit-learn looks at the names, which fails in the words of another library.
    if isinstance(X, pd.DataFrame) and X.columns.has_duplicates:
        repeated = X.columns[X.columns.duplicated()][0]
        raise ValueError(
            f"X must have columns with names that differ, found {(X.columns == repeated).sum()} columns '{repeated}'; "
            "rename them."
        )
    return validate_data(estimator, X, *y, **options)


class EmbeddingColumnsMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """
    Mixin of estimators that keep their embedding, an array of shape (n, k), in `embedding_`.

    `get_feature_names_out` names its columns after the class (``graphembedding0``, ...), and ``set_output`` lets
    `fit_transform`, and `transform` where there is one, return a data frame, as everywhere in scikit-learn.
    """

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """
        Embed X; errors and warnings are those of `fit_transform`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Ignored by estimators that take no labels.

        Returns
        -------
        self
            The fitted estimator itself.
        """
        self.fit_transform(X, y)
        return self

    def _nothing_to_embed(self, X: np.ndarray) -> bool:
        """Whether all samples are equal; then a warning says so, and all points belong at one place."""
        equal = bool((X[0] == X).all())
        if equal:
            warnings.warn(
                f"There is nothing to embed: all {len(X)} samples are equal, and {type(self).__name__} puts all points "
                "at one place.",
                stacklevel=4,
            )
        return equal

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
