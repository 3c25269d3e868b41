"""What all public estimators have in common."""

import warnings

import consensus_embedding as library
import numpy as np
import pandas as pd
import pytest
from consensus_embedding.consensus.combining import BaseConsensus
from scipy.spatial.distance import pdist, squareform
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, Isomap
from sklearn.random_projection import GaussianRandomProjection
from sklearn.utils.estimator_checks import check_estimator


def public_estimators():
    """Names of the public estimators that embed a table."""
    found = (name for name in library.__all__ if isinstance(getattr(library, name), type))
    return [name for name in found if issubclass(getattr(library, name), BaseEstimator)]


COMBINERS = {name for name in public_estimators() if issubclass(getattr(library, name), BaseConsensus)}
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
@pytest.mark.parametrize("estimator", [library.ExactTSNE, library.BarnesHutTSNE, library.FourierTSNE])
def test_runs_of_t_sne_keep_equal_samples_together_wherever_they_start(estimator, init):
    with pytest.warns(UserWarning, match="nothing to embed"):
        runs = estimator(init=init, perplexity=5).fit_transform_runs(np.ones((40, 3)), [0, 1])
    assert np.array_equal(runs, np.zeros((2, 40, 2)))


@pytest.mark.parametrize("name", ["GraphEmbedding", "NystroemGraphEmbedding", "SemiSupervisedGraphEmbedding"])
def test_equal_samples_may_be_more_than_have_a_graph(name):
    """A graph in which all of them are neighbours has over twenty million edges."""
    equal = np.ones((6500, 2))
    model = getattr(library, name)(2, self_affinity=0.0)
    with pytest.warns(UserWarning, match="nothing to embed: all 6500"):
        assert np.array_equal(model.fit_transform(equal, np.arange(6500) % 2), np.zeros((6500, 2)))
    assert np.array_equal(model.eigenvalues_, np.zeros(2))


@pytest.mark.filterwarnings("ignore:There is nothing to embed")
@pytest.mark.parametrize(
    ("model", "X", "match"),
    [
        (library.GraphEmbedding(30), np.ones((30, 2)), "between 1 and 29"),
        (library.GraphEmbedding(kernel="radius"), np.ones((30, 2)), "needs a radius"),
        (library.GraphEmbedding(metric="precomputed"), np.zeros((30, 7)), "square"),
        (library.GraphEmbedding(metric="precomputed"), np.tile(np.arange(30.0), (30, 1)), "itself must be 0"),
        (library.SemiSupervisedGraphEmbedding(), np.ones((30, 2)), "at least 2 classes"),
    ],
)
def test_equal_samples_are_refused_as_others_are(model, X, match):
    with pytest.raises(ValueError, match=match):
        model.fit(X, np.zeros(len(X), dtype=int))


def test_equal_objects_by_their_dissimilarities_get_one_place_and_lle_refuses_them():
    with pytest.warns(UserWarning, match="nothing to embed"):
        assert not library.GraphEmbedding(metric="precomputed").fit_transform(np.zeros((30, 30))).any()
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


SAMPLES = np.random.default_rng(0).normal(size=(60, 5)) + 3 * (np.arange(60) % 2)[:, None]
BINARY = np.arange(60) % 2
FAST, REDUCTIONS = {"perplexity": 5, "max_iter": 250}, ("pca", "isomap", "le", "lle")
# Of each estimator what makes it quick, or makes another estimator do a part.
SETTINGS = {
    "BarnesHutTSNE": [FAST | {"init": init} for init in ("random", "pca")],
    "ConsensusEmbedding": [
        {"n_components": 2, "n_embeddings": 4} | options
        for options in (
            {},
            {"embedder": PCA(), "subset_size": 3},
            {"subsampling": "k_means", "max_objects": 30},
            {"embedder": Isomap(n_neighbors=40)},
        )
    ],
    "ConsensusLLE": [{"n_components": 2, "n_neighbors": (20, 25)}],
    "ExactTSNE": [FAST | {"init": init} for init in ("random", "pca")],
    "FeatureImportanceInEmbeddings": [{"reduction": name, "n_neighbors": 25} for name in REDUCTIONS],
    "FourierTSNE": [FAST | {"init": "pca"}],
    "GraphEmbedding": [{}],
    "KernelEmbedding": [{"reduction": name, "n_neighbors": 25} for name in REDUCTIONS],
    "MedianConsensusEmbedding": [
        {"embedder": embedder, "n_embeddings": 3}
        for embedder in (library.ExactTSNE(**FAST, init="pca"), TSNE(**FAST), GaussianRandomProjection(2))
    ],
    "NystroemGraphEmbedding": [{}],
    "SemiSupervisedGraphEmbedding": [{}],
}


@pytest.mark.parametrize("frame", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, settings) for name in OF_TABLES for settings in SETTINGS[name]],
    ids=lambda value: value if isinstance(value, str) else ",".join(map(str, value.values())),
)
def test_results_are_the_same_where_scikit_learn_returns_data_frames(name, settings, frame):
    pytest.importorskip(frame)
    model = getattr(library, name)(**settings)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    expected, found = clone(model).fit(SAMPLES, BINARY), clone(model)
    with config_context(transform_output=frame):
        found.fit(SAMPLES, BINARY)
        table = found.transform(SAMPLES) if hasattr(found, "transform") else None
        transformed = clone(model).fit_transform(SAMPLES, BINARY)
        if frame == "pandas":
            rows = pd.DataFrame(SAMPLES, index=[f"p{k}" for k in range(60)])
            assert clone(model).fit_transform(rows, BINARY).index.equals(rows.index)
    assert type(transformed).__module__.startswith(frame)
    if hasattr(expected, "scores_"):
        assert np.array_equal(found.scores_, expected.scores_)
    else:
        assert np.array_equal(found.embedding_, expected.embedding_)
        assert np.array_equal(transformed.to_numpy(), expected.embedding_)
        names = [f"{name.lower()}{k}" for k in range(transformed.shape[1])]
        assert expected.get_feature_names_out().tolist() == list(transformed.columns) == names
    if table is not None:
        assert np.array_equal(table.to_numpy(), expected.transform(SAMPLES))


# Checks that an estimator fails as it is: 3 neighbours, the first of its default, leave the samples in pieces.
EXPECTED_FAILURES = {
    "ConsensusLLE": [
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_fit_check_is_fitted",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
    ]
}


# Of t-SNE the exact one is tried at each commit; the contract makes 35 consensus embeddings.
LONG = ("BarnesHutTSNE", "FourierTSNE", "Indscal")


def marked(names):
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in names]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", marked(OF_TABLES))
def test_estimators_of_tables_keep_the_contract_of_scikit_learn_as_they_are(name):
    expected = dict.fromkeys(EXPECTED_FAILURES.get(name, []), "the graph is in pieces")
    checks = check_estimator(getattr(library, name)(), expected_failed_checks=expected, on_skip=None)
    assert {check["check_name"] for check in checks if check["status"] == "xfail"} == set(expected)
    assert sum(check["status"] == "passed" for check in checks) > 25


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "kappas"),
    [
        (library.ConsensusLLE(1), [(5, 6), (16,), (25,)]),
        *((library.KernelEmbedding(1, reduction=name), [4, 16, 25]) for name in REDUCTIONS),
        *((library.FeatureImportanceInEmbeddings(1, reduction=name, max_components=1), None) for name in REDUCTIONS),
        (library.NystroemGraphEmbedding(kernel="radius", radius=5.0, isolated="nearest"), None),
        (library.NystroemGraphEmbedding(metric="precomputed"), None),
        (library.ExactTSNE(metric="precomputed", perplexity=1.5, max_iter=250), None),
        (library.SemiSupervisedGraphEmbedding(label_weights=(2, 0.5)), None),
    ],
    ids=str,
)
def test_estimators_keep_the_contract_with_other_settings(model, kappas):
    """Some checks use fewer samples than others need neighbours to connect their blobs: no number suits all."""
    passed, failed = set(), []
    for kappa in kappas or [None]:
        given = clone(model).set_params(**({} if kappa is None else {"n_neighbors": kappa}))
        checks = check_estimator(given, on_fail=None, on_skip=None)
        passed |= {check["check_name"] for check in checks if check["status"] == "passed"}
        failed.append({check["check_name"] for check in checks if check["status"] == "failed"})
    assert set.intersection(*failed) == set()
    assert len(passed) > 30


@pytest.mark.parametrize("name", marked(sorted(COMBINERS)))
def test_estimators_of_embeddings_keep_the_contract_of_a_consensus_and_stay_as_they_are(name):
    estimator = getattr(library, name)()
    before = dict(vars(estimator))
    library.check_consensus(estimator)
    assert vars(estimator) == before


@pytest.mark.parametrize("name", public_estimators())
def test_every_parameter_is_checked_and_named(name):
    given = (SAMPLES, BINARY) if name in OF_TABLES else ([SAMPLES, SAMPLES],)
    for parameter in getattr(library, name)._allowed:
        for value in (object(), "other", -2, np.nan):
            model = getattr(library, name)(**{parameter: value})
            with pytest.raises(ValueError, match=f"{parameter} of {name} must be .*, found"):
                model.fit(*given)


@pytest.mark.parametrize("estimator", [library.ExactTSNE, library.BarnesHutTSNE, library.FourierTSNE])
def test_t_sne_of_few_samples_lowers_its_perplexity_and_says_so(estimator):
    with pytest.warns(UserWarning, match="lowered from 30 to 13"):
        found = estimator(max_iter=250, random_state=0).fit_transform(SAMPLES[:40])
    assert np.array_equal(found, estimator(perplexity=13, max_iter=250, random_state=0).fit_transform(SAMPLES[:40]))
    with pytest.raises(ValueError, match="less than n_samples = 40, found 40"):
        estimator(perplexity=40).fit(SAMPLES[:40])


def test_consensus_lle_of_few_samples_takes_the_numbers_of_neighbours_that_they_allow():
    samples = np.random.default_rng(0).normal(size=(12, 2))
    model = library.ConsensusLLE(2, on_disconnected="skip")
    with pytest.warns(UserWarning, match="3 to 11 neighbours, not 3 to 20"):
        model.fit(samples)
    assert max(model.kappas_) == 11


@pytest.mark.parametrize("name", OF_TABLES)
def test_masked_entries_are_refused_and_not_embedded(name):
    X = np.random.default_rng(0).normal(size=(40, 5))
    X[0, 0] = -999
    with pytest.raises(ValueError, match="X must not have masked entries"):
        getattr(library, name)().fit(np.ma.masked_equal(X, -999), np.arange(40) % 2)
