"""What the embedding estimators share: names for the columns of their embeddings."""

from __future__ import annotations

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin


class EmbeddingColumnsMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """
    Mixin of estimators that keep their embedding, an array of shape (n, k), in `embedding_`.

    `get_feature_names_out` names its columns after the class (``graphembedding0``, ...), and ``set_output`` lets
    `fit_transform`, and `transform` where there is one, return a data frame, as everywhere in scikit-learn.
    """

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
