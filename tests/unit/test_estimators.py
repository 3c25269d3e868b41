"""What all public estimators have in common."""

import warnings

import consensus_embedding as library
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
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


UNITS = [1e-200, 1e-90, 1e-30, 1e-8, 1e-6, 1e-3, 1e6, 1e12, 1e90, 1e200]


@pytest.fixture(scope="module")
def runs():
    """Embeddings of 40 points, one of them larger than the others, so that the median differs from the mean."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 2))
    runs = [10 * (points + 0.5 * rng.normal(size=points.shape)) for _ in range(6)]
    return [3 * runs[0], *runs[1:]]


@pytest.mark.parametrize("unit", UNITS)
def test_the_median_consensus_knows_no_unit(runs, unit):
    expected = library.median_consensus(runs, tolerance=1e-9)
    found = library.median_consensus([run * unit for run in runs])
    assert found.median.converged
    assert found.distances / unit == pytest.approx(expected.distances, rel=1e-4)
    assert found.median.distances / unit == pytest.approx(expected.median.distances, rel=1e-4)
    assert found.embedding / unit == pytest.approx(expected.embedding, abs=1e-3)
    assert found.stress == pytest.approx(expected.stress, rel=1e-3)


@pytest.mark.parametrize("unit", UNITS)
def test_distances_and_rotations_of_embeddings_know_no_unit(runs, unit):
    first, second = runs[1] * unit, runs[2] * unit
    assert library.embedding_distances([first, second]) / unit == pytest.approx(library.embedding_distances(runs[1:3]))
    for scaling in (False, True):
        found = library.procrustes_align(first, second, scaling=scaling)
        assert found / unit == pytest.approx(library.procrustes_align(*runs[1:3], scaling=scaling))


@pytest.mark.parametrize("scaling", [library.classical_mds, library.smacof])
@pytest.mark.parametrize("unit", [1e-305, 1e-165, *UNITS, 1e155, 1e300])
def test_scaling_knows_no_unit(runs, scaling, unit):
    distances = squareform(pdist(runs[1]))
    assert scaling(distances * unit) / unit == pytest.approx(scaling(distances), abs=1e-9)


def test_a_start_of_smacof_has_the_unit_of_the_distances(runs):
    distances, start = squareform(pdist(runs[1])), runs[2]
    expected = library.smacof(distances, start=start)
    assert library.smacof(distances * 1e-165, start=start * 1e-165) / 1e-165 == pytest.approx(expected, abs=1e-9)


def test_lle_of_nearly_coinciding_samples_is_finite():
    samples = np.array([[0.0], [0], [0], [1], [1e-160]])
    model = library.KernelEmbedding(1, reduction="lle", n_neighbors=4).fit(samples)
    assert model.transform(samples)[:3] == pytest.approx(model.embedding_[:3], abs=1e-9)
    assert np.isfinite(model.transform(samples)).all()


@pytest.mark.parametrize("reduction", ["pca", "isomap", "le", "lle"])
def test_kernels_refuse_a_unit_whose_squares_vanish(reduction):
    samples = np.random.default_rng(0).normal(size=(30, 4))
    for unit in (1e-160, 1e-200):
        with pytest.raises(ValueError, match="vanish: the features differ by up to"):
            library.KernelEmbedding(reduction=reduction).fit(samples * unit)
