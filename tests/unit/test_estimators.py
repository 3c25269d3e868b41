"""What all public estimators have in common."""

import warnings

import consensus_embedding as library
import numpy as np
import pytest
from sklearn.base import BaseEstimator


def public_estimators():
    """Names of the public estimators that embed a table."""
    found = (name for name in library.__all__ if isinstance(getattr(library, name), type))
    return [name for name in found if issubclass(getattr(library, name), BaseEstimator)]


COMBINERS = {
    "CoAssociationConsensus",
    "GeometricMedianConsensus",
    "Indscal",
    "MedoidRun",
    "MetaVisualization",
    "PairwiseConsensus",
    "ProcrustesMean",
    "RandomEmbedding",
    "RandomRun",
    "SimilarityNetworkFusion",
    "StackedPCA",
}
OF_TABLES = sorted(set(public_estimators()) - COMBINERS)
# Their results need a spread: a strength, the rank of a kernel, scores of features.
NEEDS_SPREAD = {"ConsensusEmbedding", "FeatureImportanceInEmbeddings", "KernelEmbedding"}


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0])
@pytest.mark.parametrize("name", OF_TABLES)
def test_equal_samples_get_one_place_and_one_warning_or_are_refused(name, value):
    equal = np.full((100, 5), value)
    model = getattr(library, name)()
    if name in NEEDS_SPREAD:
        with pytest.raises(ValueError, match=r"All 100 .* equal"):
            model.fit(equal, np.arange(100) % 2)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(equal, np.arange(100) % 2)
    assert len(caught) == 1
    assert "nothing to embed: all 100 samples are equal" in str(caught[0].message)
    assert not model.embedding_.any()
    if hasattr(model, "transform"):
        assert not model.transform(equal[:7]).any()


@pytest.mark.parametrize("init", ["random", "pca", np.arange(80.0).reshape(40, 2)])
@pytest.mark.parametrize("estimator", [library.ExactTSNE, library.BarnesHutTSNE])
def test_runs_of_t_sne_keep_equal_samples_together_wherever_they_start(estimator, init):
    with pytest.warns(UserWarning, match="nothing to embed"):
        runs = estimator(init=init, perplexity=5).fit_transform_runs(np.ones((40, 3)), [0, 1])
    assert runs.shape == (2, 40, 2)
    assert not runs.any()


def test_equal_objects_by_their_dissimilarities_get_one_place():
    with pytest.warns(UserWarning, match="nothing to embed"):
        assert not library.GraphEmbedding(metric="precomputed").fit_transform(np.zeros((30, 30))).any()


def test_lle_refuses_equal_objects():
    with pytest.raises(ValueError, match="All 30 objects are equal"):
        library.locally_linear_embedding(np.ones((30, 4)), 8)
